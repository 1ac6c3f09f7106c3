//! One self-contained page to step through matches: no network, no name or message of a player read
//! as markup.
//!
//! Its content security policy allows the one script and the one style sheet in it, by their
//! hashes, and nothing else. Without JavaScript it still shows the final position and the result.

use serde_json::{Value, json};

use super::board;
use super::page::{SelfContainedPage, result_json, script_json};
use crate::analysis::Review;
use crate::botzone::Disagreement;
use crate::game::{Game, Language, Position, Side, TurnFacts};
use crate::messages::escape;

/// The least loss of a ply that the page marks.
const WORTH_A_MARK: f64 = 0.1;

pub(super) const PAGE: SelfContainedPage = SelfContainedPage {
    template: include_str!("assets/match.html"),
    scripts: &[include_str!("assets/app/chances.js"), include_str!("assets/match.js")],
    styles: &[include_str!("assets/match.css"), board::STYLE, include_str!("assets/app/graph.css")],
};

#[derive(Debug)]
pub(crate) struct ShownGame<'a> {
    pub title: String,
    pub game: &'a Game,
    pub disagreements: &'a [Disagreement],
    pub review: Option<&'a Review>,
}

/// The whole page of matches.
///
/// # Panics
/// If there is no match.
pub(crate) fn page(matches: &[ShownGame<'_>]) -> String {
    let ShownGame { title, game, .. } = &matches[0];
    let values = [
        ("title", &*escape(title)),
        ("result", &escape(&game.result(Language::English))),
        ("board", &board::frame(game.position(), game.move_to(game.plies().len()))),
        ("data", &script_json(&matches.iter().map(data).collect())),
    ];
    PAGE.html("", &values)
}

/// The data of a match for the script, which words it in the language of the page.
fn data(shown: &ShownGame<'_>) -> Value {
    let ShownGame { title, game, disagreements, .. } = shown;
    let points = game.positions();
    let points = points.iter().enumerate().map(|(ply, position)| point(shown, ply, position));
    json!({
        "title": title,
        "result": result_json(game),
        "size": game.start().size().to_string(),
        "board": board::frame(game.start(), None),
        // Milliseconds of the players, by turn order, where the log has some, and the worst ply.
        "times": Side::BOTH.map(|side| game.times(side)),
        "disagreements": disagreements.iter().map(ToString::to_string).collect::<Vec<_>>(),
        // The answer that ended the match, where it was no move.
        "last": game.end.as_ref().map(|end| answer(&end.turn)),
        "points": points.collect::<Vec<_>>(),
    })
}

/// The position after this many plies, the move that led to it and, where the engine has reviewed
/// the game, the first player's chance and what the move gave away, both from 0 to 1.
fn point(shown: &ShownGame<'_>, ply: usize, position: &Position) -> Value {
    let game = shown.game;
    let last = game.move_to(ply);
    let facts = ply.checked_sub(1).map(|index| &game.plies()[index].facts);
    let seen = shown.review.and_then(|review| review.points.get(ply));
    let loss = shown.review.and_then(|review| review.loss(ply));
    let better = loss.and_then(|loss| loss.best.filter(|best| *best != loss.played));
    json!({
        "fen": position,
        "pieces": board::pieces(position, last),
        "move": last,
        "mover": last.map(|_| !position.to_move()),
        "answer": facts.map(answer),
        "legal": Side::BOTH.map(|side| position.count_full_moves(side)),
        "chance": seen.map(|seen| seen.first),
        "proven": seen.is_some_and(|seen| seen.proven),
        "lost": loss.map(|loss| loss.lost),
        "marked": loss.is_some_and(|loss| loss.lost >= WORTH_A_MARK),
        "better": better,
    })
}

fn answer(facts: &TurnFacts) -> Value {
    let debug = Some(&facts.comment).filter(|debug| !debug.is_empty());
    json!({"milliseconds": facts.milliseconds(), "megabytes": facts.megabytes, "debug": debug})
}
