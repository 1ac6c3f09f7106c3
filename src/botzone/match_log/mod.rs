//! Logs of Botzone matches: read in every form the site hands out, and checked against the rules.
//!
//! From the file inwards: [`source`] finds the matches of a file, `form` turns the JSON of one into
//! a [`MatchLog`], which holds the statements of the judge and the players and nothing more, and
//! `check` replays it: a [`CheckedGame`](super::CheckedGame) with the contradictions.

mod check;
mod form;
mod source;

use crate::game::{Coordinates, Side, TurnFacts};
use crate::messages;
pub(crate) use form::FormError;
pub use source::read;
pub(crate) use source::{SourceError, unpack};

/// One match as its log tells it, legal or not.
#[derive(Clone, Debug, Default, PartialEq)]
struct MatchLog {
    /// The match's id on the site.
    id: Option<String>,
    /// The names of the players, by turn order.
    players: [Option<String>; 2],
    /// The judge's requests with their answers, in order.
    turns: Vec<Turn>,
    /// The judge's last word; `None` if the log stops before.
    finish: Option<Finish>,
}

/// A request of the judge and its answer.
#[derive(Clone, Debug, Default, PartialEq)]
struct Turn {
    /// The player that the judge asked.
    asked: Option<Side>,
    /// The last move as the judge passed it on; [`Coordinates::NONE`] before the first.
    shown: Option<Coordinates>,
    /// The legal full moves of both sides as the judge counted them, before the answer.
    counts: Option<[u64; 2]>,
    answer: Option<LoggedAnswer>,
}

/// The answer of a player, and its cost.
#[derive(Clone, Debug, PartialEq)]
struct LoggedAnswer {
    side: Side,
    reply: Reply,
    /// The site's word for the program's run: `OK`, `TLE` and others.
    verdict: String,
    /// Time, memory, and the player's debug text as the comment.
    facts: TurnFacts,
}

/// The content of an answer in the place of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reply {
    /// Six numbers, squares or not.
    Numbers(Coordinates),
    /// Something else, cut to eighty characters.
    Unreadable(String),
    Missing,
}

/// The judge's last word.
#[derive(Clone, Debug, Default, PartialEq)]
struct Finish {
    winner: Option<Side>,
    /// The scores by turn order: 2 for the winner, 0 for the loser.
    scores: Option<[f64; 2]>,
    /// `display.err`: the fault of the loser; `None` where it had no move left.
    error: Option<String>,
    /// The last move, if the judge passed it on.
    shown: Option<Coordinates>,
    /// The legal full moves of both sides; after an illegal move these may stem from half of it.
    counts: Option<[u64; 2]>,
}

/// The beginning of a text from outside, printable on one line.
fn excerpt(text: &str) -> String {
    messages::excerpt(text, 80)
}
