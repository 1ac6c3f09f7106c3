//! Where a log and the rules part ways.

use super::Fault;
use crate::game::{Coordinates, Side};

/// Something in a log that cannot be so by the rules. Plies are counted from 1; "after ply 0" is the start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disagreement {
    /// The judge counted other moves than there are.
    #[error(
        "after ply {ply}: the log counts {} legal moves of the first player and {} of the second, the rules {} and {}",
        logged[0], logged[1], counted[0], counted[1]
    )]
    Counts {
        /// Plies played.
        ply: usize,
        /// The judge's counts.
        logged: [u64; 2],
        /// Those of the rules.
        counted: [u64; 2],
    },
    /// The judge passed on another move than was answered.
    #[error("after ply {ply}: the log's judge passes on the move {shown}, but {answered} was answered")]
    PassedOn {
        /// Plies played.
        ply: usize,
        /// The judge's numbers.
        shown: Coordinates,
        /// The answered ones.
        answered: Coordinates,
    },
    /// The judge asked the player whose turn it was not.
    #[error("ply {ply}: the log asks the {asked} player, by the rules it is the other's turn")]
    Asked {
        /// The ply asked for.
        ply: usize,
        /// Whom the judge asked.
        asked: Side,
    },
    /// The player answered whose turn it was not.
    #[error("ply {ply}: the {answered} player answers, by the rules it is the other's turn")]
    Answered {
        /// The ply answered.
        ply: usize,
        /// Who answered.
        answered: Side,
    },
    /// The match went on although the side to move had no move.
    #[error("ply {ply}: the log goes on, by the rules the {winner} player had won after ply {}", ply - 1)]
    WentOn {
        /// The ply asked for.
        ply: usize,
        /// The winner by the rules.
        winner: Side,
    },
    /// The match went on although a player had failed.
    #[error("ply {ply}: the log goes on although the {loser} player {why}")]
    Forgiven {
        /// The ply failed.
        ply: usize,
        /// Who failed.
        loser: Side,
        /// How, as the rest of a sentence.
        why: String,
    },
    /// The match went on although a player gave no answer.
    #[error("ply {ply}: the log goes on without an answer of the {side} player")]
    Skipped {
        /// The ply asked for.
        ply: usize,
        /// Whose answer is missing.
        side: Side,
    },
    /// The judge refused a legal move.
    #[error("ply {ply}: the log's judge refuses the move {numbers} ({fault}), by the rules it is legal")]
    Refused {
        /// The ply refused.
        ply: usize,
        /// The move.
        numbers: Coordinates,
        /// The judge's reason.
        fault: Fault,
    },
    /// The judge ended the match while the side to move had moves left and nobody had failed.
    #[error(
        "after ply {ply}: the log ends the match, by the rules the {to_move} player has {moves} legal moves"
    )]
    EndedEarly {
        /// Plies played.
        ply: usize,
        /// The side to move.
        to_move: Side,
        /// Its legal full moves.
        moves: u64,
    },
    /// The judge's reason for the end is not what happened.
    #[error("ply {ply}: the log gives {got} as the reason of the end, but the {loser} player {why}")]
    Reason {
        /// The ply failed.
        ply: usize,
        /// The judge's reason, or that there is none.
        got: String,
        /// Who failed.
        loser: Side,
        /// How, as the rest of a sentence.
        why: String,
    },
    /// The judge gave the match to the wrong player.
    #[error("the log names the {logged} player as the winner, by the rules it is the other")]
    Winner {
        /// The winner by the log.
        logged: Side,
    },
    /// The scores are not the winner's 2 and the loser's 0.
    #[error("the log gives the scores {} and {}, expected 2 for the winner and 0 for the loser", scores[0], scores[1])]
    Scores {
        /// The scores by turn order, rounded.
        scores: [i64; 2],
    },
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
