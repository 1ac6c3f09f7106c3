//! How a match ended, and what the loser did where it did not simply run out of moves.

use std::fmt;

use super::{JudgeError, RunStatus};
use crate::game::{Coordinates, FullMove, IllegalMove, Side};

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchEnding {
    /// The loser had no move left.
    NoMove {
        /// The loser.
        loser: Side,
    },
    /// The loser answered, but not with a legal move, or did not answer.
    Failed {
        /// The loser.
        loser: Side,
        /// What it did.
        failure: Failure,
    },
    /// The log stops before the match does.
    Open {
        /// The side to move.
        to_move: Side,
    },
    /// The log cannot be followed to its end.
    Disputed {
        /// The winner by the log, if it names one.
        winner: Option<Side>,
    },
}

/// What a player did in place of a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its program did not run to an answer.
    Program(RunStatus),
    /// It answered something that is no move; cut to eighty characters.
    Unreadable(String),
    /// It answered nothing.
    Missing,
    /// It named squares that no board has.
    NoSquares(Coordinates),
    /// Its move is illegal.
    Illegal {
        /// The move.
        full: FullMove,
        /// Why it cannot be played.
        why: IllegalMove,
    },
    /// It resigned.
    Resigned,
    /// It lost, and the source does not say why.
    Unstated,
    /// The judge refused its move, which is legal by the rules, or had some other reason.
    Judged(JudgeError),
}

impl MatchEnding {
    /// Who won; `None` if that is not known.
    #[must_use]
    pub fn winner(&self) -> Option<Side> {
        match self {
            MatchEnding::NoMove { loser } | MatchEnding::Failed { loser, .. } => Some(!*loser),
            MatchEnding::Open { .. } => None,
            MatchEnding::Disputed { winner } => *winner,
        }
    }
}

/// What the player did, as the rest of a sentence.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Program(verdict) => verdict.fmt(f),
            Failure::Unreadable(got) => write!(f, "answered \"{got}\", which is no move"),
            Failure::Missing => f.write_str("gave no answer"),
            Failure::NoSquares(numbers) => write!(f, "answered {numbers}, which are no squares of a board"),
            Failure::Illegal { full, why } => write!(f, "made an illegal move, {full}: {why}"),
            Failure::Resigned => f.write_str("resigned"),
            Failure::Unstated => f.write_str("had moves left, and the file does not say why it lost"),
            Failure::Judged(error) => write!(f, "was ruled to have failed ({error})"),
        }
    }
}
