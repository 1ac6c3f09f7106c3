//! Logs of Botzone matches: read in every form the site hands out, and checked against the rules.
//!
//! From the file inwards: [`source`] finds the matches of a file, `form` turns the JSON of one into
//! a [`MatchLog`], which says what the judge and the players wrote and nothing more; [`mod@check`]
//! replays it and says where it and the rules part ways, [`times`] adds up what the turns cost, and
//! [`describe`] says it in words. `quiver replay` and its page are their users.

pub mod check;
pub mod describe;
pub mod disagreement;
pub mod ending;
mod form;
mod game;
mod run_status;
pub mod source;
pub mod times;

use crate::game::{Coordinates, Side};
use crate::messages;
pub use check::{Replay, check};
pub use disagreement::Disagreement;
pub use ending::{Failure, MatchEnding};
pub use form::FormError;
pub use game::{Claim, game};
pub use run_status::{JudgeError, RunStatus};
pub use source::{FoundLog, MAX_BYTES, SourceError, read, unpack};
pub use times::{SideTimes, side_times};

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
    /// The answer; `None` if the log has none.
    pub answer: Option<LoggedAnswer>,
}

/// What a player answered, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedAnswer {
    /// Who answered.
    pub side: Side,
    /// The move, or what stands in its place.
    pub reply: Reply,
    /// What the site makes of the program's run.
    pub verdict: RunStatus,
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
    /// Nothing at all.
    Missing,
}

/// The judge's last word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finish {
    /// Who won.
    pub winner: Option<Side>,
    /// The scores by turn order: 2 for the winner, 0 for the loser.
    pub scores: Option<[f64; 2]>,
    /// What the loser did wrong; `None` where it had no move left.
    pub error: Option<JudgeError>,
    /// The last move, if the judge passed it on.
    pub shown: Option<Coordinates>,
    /// The legal full moves of both sides; after an illegal move these may stem from half of it.
    pub counts: Option<[u64; 2]>,
}

/// The beginning of a text in a message.
fn excerpt(text: &str) -> String {
    messages::excerpt(text, 80)
}
