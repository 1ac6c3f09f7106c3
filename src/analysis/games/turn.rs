//! Facts about a turn of a match, such as its time and its comment.

use std::ops::RangeInclusive;

use amazons::{Annotation, QueenMove, Square};

/// The facts about a turn that a match log or record of the game states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnFacts {
    /// The comment after the move, or an empty string.
    pub comment: String,
    /// The mover's own estimate of its winning chance, from 0 to 1.
    pub value: Option<f64>,
    /// True if the mover's estimate was proven.
    pub proven: bool,
    /// The seconds that the mover used.
    pub seconds: Option<f64>,
    /// The megabytes of memory that the mover used.
    pub megabytes: Option<f64>,
    /// The number of playouts or nodes of the mover's search.
    pub playouts: Option<u64>,
    /// True if the mover's program was kept running for its next turn.
    pub kept_running: bool,
    /// The most visited queen moves of the mover's search, each with its share of the root's visits
    /// in units of 1 / 65,535.
    pub queen_shares: Vec<(QueenMove, u16)>,
    /// The most visited arrows after the played queen move, each with its share of the visits of
    /// all arrows after this queen move, in units of 1 / 65,535.
    pub arrow_shares: Vec<(Square, u16)>,
}

impl TurnFacts {
    /// The allowed values of a time in seconds or milliseconds, and of a memory in megabytes.
    pub const AMOUNTS: RangeInclusive<f64> = Annotation::SECONDS;

    /// The allowed range of a winning chance.
    pub const CHANCES: RangeInclusive<f64> = Annotation::CHANCES;

    /// The milliseconds that the mover used, rounded to microseconds.
    pub fn milliseconds(&self) -> Option<f64> {
        self.seconds.map(|seconds| (seconds * 1e6).round() / 1e3)
    }
}

impl From<Annotation> for TurnFacts {
    fn from(Annotation { comment, value, seconds }: Annotation) -> TurnFacts {
        TurnFacts { comment, value, seconds, ..TurnFacts::default() }
    }
}

impl From<TurnFacts> for Annotation {
    fn from(TurnFacts { comment, value, seconds, .. }: TurnFacts) -> Annotation {
        Annotation { comment, value, seconds }
    }
}
