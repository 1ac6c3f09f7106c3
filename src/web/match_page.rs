//! Writes a page that shows games move by move. Without JavaScript, the page shows only the
//! result of the game with which it opens.

use amazons::Side;
use serde::Serialize;

use super::game_report::{GameReport, TurnReport};
use super::page::{SelfContainedPage, script_json};
use crate::analysis::{GameResult, Review};
use crate::formats::CheckedGame;
use crate::messages::escape_html;

pub(super) const PAGE: SelfContainedPage = SelfContainedPage {
    template: include_str!("assets/match.html"),
    script: include_str!("assets/match.js"),
    style: include_str!("assets/match.css"),
};

/// The data of a match for the script of the page.
#[derive(Serialize)]
pub(crate) struct ShownMatch<'a> {
    #[serde(flatten)]
    report: GameReport<'a>,
    title: String,
    words: GameResult,
    counts: [u64; 2],
    /// The time, memory and debug text of the turn in which the loser made no legal move. All three
    /// are missing if the game ended without such a turn. `None` if the game is not over.
    last: Option<TurnReport<'a>>,
    opens_at: Option<usize>,
}

impl<'a> ShownMatch<'a> {
    /// `opens_at` is the ply that the page shows first, or `None` if the page does not open with
    /// this match.
    pub(crate) fn new(
        title: String,
        checked: &'a CheckedGame,
        review: Option<&'a Review>,
        opens_at: Option<usize>,
    ) -> ShownMatch<'a> {
        let game = &checked.game;
        ShownMatch {
            report: GameReport::new(checked, review),
            title,
            words: GameResult::of(game),
            counts: Side::BOTH.map(|side| game.start().count_legal_moves(side)),
            last: game.end.as_ref().map(|end| TurnReport::of(&end.turn)),
            opens_at,
        }
    }
}

/// Writes a page that shows these matches.
///
/// # Panics
/// If there is no match.
pub(crate) fn matches_html(matches: &[ShownMatch<'_>]) -> String {
    let opened = matches.iter().find(|shown| shown.opens_at.is_some()).unwrap_or(&matches[0]);
    let values = [
        ("title", &*escape_html(&opened.title)),
        ("result", &escape_html(&opened.report.result)),
        ("data", &script_json(&matches)),
    ];
    PAGE.html("", &values)
}
