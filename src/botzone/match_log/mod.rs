//! Logs of Botzone matches: read in every form the site hands out, and checked against the rules.
//!
//! From the file inwards: [`source`] finds the matches of a file, `form` turns the JSON of one into
//! a [`MatchLog`], which says what the judge and the players wrote and nothing more; [`check()`]
//! replays it and says where it and the rules part ways, and [`describe`] says it in words and
//! figures. `quiver replay` and its page are their users.

mod check;
pub(crate) mod describe;
mod ending;
mod form;
mod game;
mod source;

use crate::game::{Coordinates, GameEnd, Position, Side};
use crate::messages;
pub use check::check;
pub(crate) use check::{Disagreement, Replay};
pub(crate) use describe::side_times;
pub(crate) use ending::{Failure, MatchEnding};
pub(crate) use form::FormError;
pub(crate) use game::game;
pub use source::read;
pub(crate) use source::{FoundLog, SourceError, unpack};

/// One match as its log tells it, whether or not that is possible by the rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchLog {
    /// The match's id on the site.
    pub id: Option<String>,
    /// The names of the players, by turn order.
    pub players: [Option<String>; 2],
    /// What the judge asked and what it was answered, in order.
    pub turns: Vec<Turn>,
    /// How the judge ended the match; `None` if the log stops before.
    pub finish: Option<Finish>,
    /// What else is known of a game that no judge of Botzone played; `None` for a log.
    pub claim: Option<Claim>,
}

/// A request of the judge and its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// Whom the judge asked.
    pub asked: Option<Side>,
    /// The last move as the judge passed it on; [`Coordinates::NONE`] before the first.
    pub shown: Option<Coordinates>,
    /// The legal full moves of both sides as the judge counted them, before the answer.
    pub counts: Option<[u64; 2]>,
    pub answer: Option<LoggedAnswer>,
}

/// What a player answered, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedAnswer {
    pub side: Side,
    pub reply: Reply,
    /// The site's word for the program's run: `OK`, `TLE` and others.
    pub verdict: String,
    /// Time of the turn in milliseconds, by the site's measure.
    pub time_ms: Option<f64>,
    /// Memory in megabytes.
    pub memory_mb: Option<f64>,
    /// What the player wrote for its author.
    pub debug: Option<String>,
    /// Whether the program was kept for its next turn.
    pub keep_running: bool,
}

/// What stands where a move should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Six numbers, squares or not.
    Numbers(Coordinates),
    /// Something else, cut to eighty characters.
    Unreadable(String),
    Missing,
}

/// The judge's last word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finish {
    pub winner: Option<Side>,
    /// The scores by turn order: 2 for the winner, 0 for the loser.
    pub scores: Option<[f64; 2]>,
    /// `display.err`: what the loser did wrong; `None` where it had no move left.
    pub error: Option<String>,
    /// The last move, if the judge passed it on.
    pub shown: Option<Coordinates>,
    /// The legal full moves of both sides; after an illegal move these may stem from half of it.
    pub counts: Option<[u64; 2]>,
}

/// What a game of another notation says that no log does.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Where the game began.
    pub start: Position,
    /// How it ended, if that is known.
    pub end: Option<GameEnd>,
}

/// The beginning of a text from outside, printable on one line.
fn excerpt(text: &str) -> String {
    messages::excerpt(text, 80)
}
