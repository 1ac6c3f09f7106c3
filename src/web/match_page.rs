//! The page to step through matches. Without JavaScript it still shows the final position and the
//! result.

use amazons::{Language, Side};
use serde_json::{Value, json};

use super::board;
use super::game_report::{game_report, turn_report};
use super::page::{SelfContainedPage, result_json, script_json};
use crate::analysis::Review;
use crate::botzone::CheckedGame;
use crate::messages::escape;

pub(super) const PAGE: SelfContainedPage = SelfContainedPage {
    template: include_str!("assets/match.html"),
    scripts: &[
        include_str!("assets/app/pieces.js"),
        include_str!("assets/app/chances.js"),
        include_str!("assets/app/sight.js"),
        include_str!("assets/match.js"),
    ],
    styles: &[include_str!("assets/match.css"), board::STYLE, include_str!("assets/app/graph.css")],
};

#[derive(Debug)]
pub(crate) struct ShownGame<'a> {
    pub title: String,
    pub checked: &'a CheckedGame,
    pub review: Option<&'a Review>,
}

/// The whole page of matches.
///
/// # Panics
/// If there is no match.
pub(crate) fn matches_html(matches: &[ShownGame<'_>]) -> String {
    let ShownGame { title, checked: CheckedGame { game, .. }, .. } = &matches[0];
    let values = [
        ("title", &*escape(title)),
        ("result", &escape(&game.result(Language::English))),
        ("board", &board::frame(game.position(), game.move_to(game.plies().len()))),
        ("data", &script_json(&matches.iter().map(data).collect())),
    ];
    PAGE.html("", &values)
}

/// The data of a match for the script, which words it in the language of the page: its report for
/// programs, and what belongs to no move of it.
fn data(ShownGame { title, checked, review }: &ShownGame<'_>) -> Value {
    let game = &checked.game;
    let mut data = game_report(checked, *review);
    data["title"] = title.as_str().into();
    data["words"] = result_json(game);
    data["frame"] = board::frame(game.start(), None).into();
    data["counts"] = json!(Side::BOTH.map(|side| game.start().count_legal_moves(side)));
    // The answer that ended the match, where it was no move.
    data["last"] = game.end.as_ref().map(|end| turn_report(&end.turn)).into();
    data
}
