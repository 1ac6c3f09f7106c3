//! Writes a page that shows games move by move. Without JavaScript, the page shows only the
//! result of the game with which it opens.

use amazons::Side;
use serde::Serialize;

use super::game_report::{GameReport, TurnReport};
use super::page::{SelfContainedPage, script_json};
use crate::analysis::{GameResult, Review};
use crate::formats::CheckedGame;
use crate::messages::escape_html;
use crate::words::{self, Language};

pub(super) const PAGE: SelfContainedPage = SelfContainedPage {
    template: include_str!("assets/match.html"),
    script: include_str!("assets/match.js"),
    styles: &[include_str!("assets/match.css")],
};

#[derive(Debug)]
pub(crate) struct ShownMatch<'a> {
    pub title: String,
    pub checked: &'a CheckedGame,
    pub review: Option<&'a Review>,
    /// The ply that the page shows first; `None` if the page does not open with this match.
    pub opens_at: Option<usize>,
}

/// Writes a page that shows these matches.
///
/// # Panics
/// If there is no match.
pub(crate) fn matches_html(matches: &[ShownMatch<'_>]) -> String {
    let opened = matches.iter().find(|shown| shown.opens_at.is_some()).unwrap_or(&matches[0]);
    let ShownMatch { title, checked: CheckedGame { game, .. }, .. } = opened;
    let values = [
        ("title", &*escape_html(title)),
        ("result", &escape_html(&words::result(game, Language::English))),
        ("data", &script_json(&matches.iter().map(data).collect::<Vec<_>>())),
    ];
    PAGE.html("", &values)
}

#[derive(Serialize)]
struct MatchData<'a> {
    #[serde(flatten)]
    report: GameReport<'a>,
    title: &'a str,
    words: GameResult,
    counts: [u64; 2],
    /// The time, memory and debug text of the loser's last turn, if the loser made no legal move in
    /// this turn. `None` if the game is not over.
    last: Option<TurnReport<'a>>,
    opens_at: Option<usize>,
}

fn data<'a>(ShownMatch { title, checked, review, opens_at }: &'a ShownMatch<'_>) -> MatchData<'a> {
    let game = &checked.game;
    MatchData {
        report: GameReport::new(checked, *review),
        title,
        words: GameResult::of(game),
        counts: Side::BOTH.map(|side| game.start().count_legal_moves(side)),
        last: game.end.as_ref().map(|end| TurnReport::of(&end.turn)),
        opens_at: *opens_at,
    }
}
