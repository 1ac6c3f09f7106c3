//! Where a log and the rules part ways.

use super::Fault;
use crate::game::{Coordinates, Side};

/// Something in a log that cannot be so by the rules. Plies are counted from 1; "after ply 0" is the start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum Disagreement {
    #[error(
        "after ply {ply}: the log counts {} legal moves of the first player and {} of the second, the rules {} and {}",
        logged[0], logged[1], counted[0], counted[1]
    )]
    Counts { ply: usize, logged: [u64; 2], counted: [u64; 2] },
    #[error("after ply {ply}: the log's judge passes on the move {shown}, but {answered} was answered")]
    PassedOn { ply: usize, shown: Coordinates, answered: Coordinates },
    #[error("ply {ply}: the log asks the {asked} player, by the rules it is the other's turn")]
    Asked { ply: usize, asked: Side },
    #[error("ply {ply}: the {answered} player answers, by the rules it is the other's turn")]
    Answered { ply: usize, answered: Side },
    #[error("ply {ply}: the log goes on, by the rules the {winner} player had won after ply {}", ply - 1)]
    WentOn { ply: usize, winner: Side },
    #[error("ply {ply}: the log goes on although the {loser} player {why}")]
    Forgiven { ply: usize, loser: Side, why: String },
    #[error("ply {ply}: the log goes on without an answer of the {side} player")]
    Skipped { ply: usize, side: Side },
    #[error("ply {ply}: the log's judge refuses the move {numbers} ({fault}), by the rules it is legal")]
    Refused { ply: usize, numbers: Coordinates, fault: Fault },
    #[error(
        "after ply {ply}: the log ends the match, by the rules the {to_move} player has {moves} legal moves"
    )]
    EndedEarly { ply: usize, to_move: Side, moves: u64 },
    #[error("ply {ply}: the log gives {got} as the reason of the end, but the {loser} player {why}")]
    Reason { ply: usize, got: String, loser: Side, why: String },
    #[error("the log names the {logged} player as the winner, by the rules it is the other")]
    Winner { logged: Side },
    #[error("the log gives the scores {} and {}, expected 2 for the winner and 0 for the loser", scores[0], scores[1])]
    Scores { scores: [i64; 2] },
}

impl Disagreement {
    /// Its kind in one word, for programs.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Disagreement::Counts { .. } => "counts",
            Disagreement::PassedOn { .. } => "passed-on",
            Disagreement::Asked { .. } => "asked",
            Disagreement::Answered { .. } => "answered",
            Disagreement::WentOn { .. } => "went-on",
            Disagreement::Forgiven { .. } => "forgiven",
            Disagreement::Skipped { .. } => "skipped",
            Disagreement::Refused { .. } => "refused",
            Disagreement::EndedEarly { .. } => "ended-early",
            Disagreement::Reason { .. } => "reason",
            Disagreement::Winner { .. } => "winner",
            Disagreement::Scores { .. } => "scores",
        }
    }

    /// The ply it is about; `None` where it is about the result.
    #[must_use]
    pub fn ply(&self) -> Option<usize> {
        match *self {
            Disagreement::Counts { ply, .. }
            | Disagreement::PassedOn { ply, .. }
            | Disagreement::Asked { ply, .. }
            | Disagreement::Answered { ply, .. }
            | Disagreement::WentOn { ply, .. }
            | Disagreement::Forgiven { ply, .. }
            | Disagreement::Skipped { ply, .. }
            | Disagreement::Refused { ply, .. }
            | Disagreement::EndedEarly { ply, .. }
            | Disagreement::Reason { ply, .. } => Some(ply),
            Disagreement::Winner { .. } | Disagreement::Scores { .. } => None,
        }
    }
}
