//! One self-contained page to step through matches: no network, no name or message of a player read
//! as markup.
//!
//! Its content security policy allows the one script and the one style sheet in it, by their
//! hashes, and nothing else. Without JavaScript it still shows the final position and the result.

use serde::Serialize;
use serde_json::Value;

use super::text::{fill, policy_hash, script_json};
use super::{board, graph, result, script};
use crate::analysis::Review;
use crate::botzone::CheckedGame;
use crate::game::{Fen, Language, Position, Side, TurnFacts};
use crate::messages::escape;

const TEMPLATE: &str = include_str!("assets/match.html");
const STYLE: &str = include_str!("assets/match.css");

/// The modules of the script, in the order that [`script::join`] wants.
const MODULES: [&str; 3] = [
    include_str!("assets/app/rules.js"),
    include_str!("assets/app/describe.js"),
    include_str!("assets/match.js"),
];

/// A game to show.
#[derive(Clone, Copy, Debug)]
pub struct ShownGame<'a> {
    /// Its title.
    pub title: &'a str,
    /// The game.
    pub checked: &'a CheckedGame,
    /// The engine's review of the game, if the user asked for one.
    pub review: Option<&'a Review>,
}

/// The error of a page that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// There is nothing to show.
    #[error("a page of no matches: expected at least one")]
    Empty,
    /// The data of the page cannot be written.
    #[error("the page's data cannot be written")]
    Json(#[from] serde_json::Error),
}

/// What the script reads of a match, and says in the language of the page.
#[derive(Serialize)]
struct PageMatch {
    title: String,
    result: Value,
    size: String,
    board: String,
    graph: Option<String>,
    /// Times of the players, by turn order, where the log has some.
    times: [Option<Times>; 2],
    disagreements: Vec<String>,
    /// The answer that ended the match, where it was no move.
    last: Option<PageAnswer>,
    points: Vec<PagePosition>,
}

/// Milliseconds that a player took for its moves.
#[derive(Serialize)]
struct Times {
    mean: f64,
    worst: f64,
    /// The ply of the worst.
    ply: usize,
}

/// What the script reads of a position.
#[derive(Serialize)]
struct PagePosition {
    fen: String,
    pieces: String,
    /// The move that led here, and who made it.
    #[serde(rename = "move")]
    full: Option<String>,
    mover: Option<String>,
    answer: Option<PageAnswer>,
    /// Legal moves of both sides.
    legal: [u64; 2],
    /// The first player's chance of winning by the engine, from 0 to 1, and whether that is proven.
    chance: Option<f64>,
    proven: bool,
    /// What the move gave away of the chances, from 0 to 1, whether the list marks it, and what the
    /// engine prefers.
    lost: Option<f64>,
    marked: bool,
    better: Option<String>,
}

/// The facts of a turn.
#[derive(Serialize)]
struct PageAnswer {
    milliseconds: Option<f64>,
    megabytes: Option<f64>,
    debug: Option<String>,
}

impl From<&TurnFacts> for PageAnswer {
    fn from(facts: &TurnFacts) -> PageAnswer {
        PageAnswer {
            milliseconds: facts.milliseconds(),
            megabytes: facts.megabytes,
            debug: Some(facts.comment.clone()).filter(|debug| !debug.is_empty()),
        }
    }
}

/// The whole page.
///
/// # Errors
/// If there is no match, or one that cannot be written as JSON.
pub fn page(matches: &[ShownGame<'_>]) -> Result<String, PageError> {
    let first = matches.first().ok_or(PageError::Empty)?;
    let script = script::join(&[&script::WORDS[..], &MODULES].concat());
    let style = [STYLE, board::STYLE, graph::STYLE].concat();
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        policy_hash(&script),
        policy_hash(&style),
    );
    let data = script_json(&matches.iter().map(data).collect::<Vec<_>>())?;
    let game = &first.checked.game;
    Ok(fill(
        TEMPLATE,
        &[
            ("policy", &policy),
            ("title", &escape(first.title)),
            ("result", &escape(&game.result(Language::English))),
            ("style", &style),
            ("board", &board::frame(game.position(), game.move_to(game.plies().len()))),
            ("data", &data),
            ("script", &script),
        ],
    ))
}

fn data(shown: &ShownGame<'_>) -> PageMatch {
    let ShownGame { title, checked: CheckedGame { game, disagreements, .. }, review } = *shown;
    PageMatch {
        title: title.to_owned(),
        result: result::json(game),
        size: game.start().size().to_string(),
        board: board::frame(game.start(), None),
        graph: review.map(graph::svg),
        times: Side::BOTH.map(|side| {
            game.times(side).map(|times| Times {
                mean: times.mean_ms,
                worst: times.worst_ms,
                ply: times.worst_ply,
            })
        }),
        disagreements: disagreements.iter().map(ToString::to_string).collect(),
        last: game.end.as_ref().map(|end| PageAnswer::from(&end.turn)),
        points: game
            .positions()
            .iter()
            .enumerate()
            .map(|(ply, position)| point(shown, ply, position))
            .collect(),
    }
}

/// The position after this many plies.
fn point(shown: &ShownGame<'_>, ply: usize, position: &Position) -> PagePosition {
    let game = &shown.checked.game;
    let last = game.move_to(ply);
    let facts = ply.checked_sub(1).map(|index| &game.plies()[index].facts);
    let seen = shown.review.and_then(|review| review.points.get(ply));
    let loss = shown.review.and_then(|review| review.loss(ply));
    PagePosition {
        fen: Fen(*position).to_string(),
        pieces: board::pieces(position, last),
        full: last.map(|full| full.to_string()),
        mover: last.map(|_| position.to_move().other().to_string()),
        answer: facts.map(PageAnswer::from),
        legal: Side::BOTH.map(|side| position.count_full_moves(side)),
        chance: seen.map(|seen| seen.first),
        proven: seen.is_some_and(|seen| seen.proven),
        lost: loss.map(|loss| loss.lost),
        marked: loss.is_some_and(|loss| loss.lost >= graph::WORTH_A_MARK),
        better: loss
            .and_then(|loss| loss.best.filter(|best| *best != loss.played))
            .map(|best| best.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Size, Start};

    #[test]
    fn a_page_of_nothing_is_refused_and_a_page_of_a_start_is_one() {
        assert!(matches!(page(&[]), Err(PageError::Empty)));
        let checked = Game::new(Start::Formula.position(Size::square(8).unwrap()).unwrap()).into();
        let html = page(&[ShownGame { title: "<i>", checked: &checked, review: None }]).unwrap();
        assert!(html.contains("<h1 id=\"title\">&lt;i&gt;</h1>") && !html.contains("{{"), "{html}");
    }

    #[test]
    fn no_asset_can_end_its_element() {
        let script = script::join(&MODULES);
        assert!(!script.contains("</") && !script.contains("<!--"));
        assert!(![STYLE, board::STYLE, graph::STYLE].concat().contains("</"));
    }
}
