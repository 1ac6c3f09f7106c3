//! How a match ended, and what the loser did where it did not simply run out of moves.

use std::fmt;

use crate::game::{Coordinates, FullMove, IllegalMove, Side};

/// The judge's `display.err` after an illegal move.
pub(super) const INVALID_MOVE: &str = "INVALIDMOVE";

/// The beginning of `display.err` where there was no move to judge; the word of the site's sandbox
/// for the program's run follows.
pub(super) const VERDICT: &str = "INVALID_INPUT_VERDICT_";

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchEnding {
    /// The loser had no move left.
    NoMove { loser: Side },
    /// The loser answered, but not with a legal move, or did not answer.
    Failed { loser: Side, failure: Failure },
    /// The loser had moves left, and the source names the winner: a referee had it proven, or the
    /// source does not say why.
    Awarded { loser: Side },
    /// The log stops before the match does.
    Open { to_move: Side },
    /// The log cannot be followed to its end; the winner is the log's, if it names one.
    Disputed { winner: Option<Side> },
}

/// What a player did in place of a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its program did not run to an answer; the word of the site's sandbox, such as `TLE`.
    Program(String),
    /// It answered something that is no move; cut to eighty characters.
    Unreadable(String),
    /// It answered nothing.
    Missing,
    /// It named squares that no board has.
    NoSquares(Coordinates),
    Illegal {
        full: FullMove,
        why: IllegalMove,
    },
    Resigned,
    /// The judge refused its move, which is legal by the rules, or had some other reason: its own
    /// words.
    Judged(String),
}

impl MatchEnding {
    /// Who won; `None` if that is not known.
    pub fn winner(&self) -> Option<Side> {
        match self {
            MatchEnding::NoMove { loser }
            | MatchEnding::Failed { loser, .. }
            | MatchEnding::Awarded { loser } => Some(!*loser),
            MatchEnding::Open { .. } => None,
            MatchEnding::Disputed { winner } => *winner,
        }
    }
}

/// What the player did, as the rest of a sentence.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Program(word) => {
                let what = match word.as_str() {
                    "OK" => "gave an answer that is no move",
                    "TLE" => "ran out of time",
                    "RE" => "crashed",
                    "MLE" => "ran out of memory",
                    "OLE" => "wrote too much",
                    "NJ" => "wrote no JSON",
                    _ => "failed",
                };
                write!(f, "{what} ({word})")
            }
            Failure::Unreadable(got) => write!(f, "answered \"{got}\", which is no move"),
            Failure::Missing => f.write_str("gave no answer"),
            Failure::NoSquares(numbers) => write!(f, "answered {numbers}, which are no squares of a board"),
            Failure::Illegal { full, why } => write!(f, "made an illegal move, {full}: {why}"),
            Failure::Resigned => f.write_str("resigned"),
            Failure::Judged(error) => write!(f, "was ruled to have failed ({error})"),
        }
    }
}
