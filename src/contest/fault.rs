//! Faults of players, and failures of programs that are no fault of a player.

use serde::{Deserialize, Serialize};

use crate::game::{Coordinates, EndKind, GameEnd, Side, TurnFacts};

/// The fault of a player in a turn that brought no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayerFault {
    pub reason: EndKind,
    pub detail: String,
    /// True if not a byte of an answer came, of [`EndKind::Stall`] and [`EndKind::Time`].
    pub silent: bool,
    /// The six numbers that were answered, of [`EndKind::IllegalMove`].
    pub answered: Option<Coordinates>,
}

/// The request to a program at fault, and the end of its standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The request, in the form for a fresh process.
    pub input: String,
    pub standard_error: String,
}

impl PlayerFault {
    /// The end of a game that was lost by this fault, in a turn with these facts.
    pub(super) fn end(self, winner: Side, turn: TurnFacts) -> GameEnd {
        let PlayerFault { reason, detail, answered, .. } = self;
        GameEnd { detail: Some(detail), answered, turn, ..GameEnd::new(winner, reason) }
    }

    pub(super) fn new(reason: EndKind, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { reason, detail: detail.into(), silent: false, answered: None }
    }

    /// An answer that is not a move of the position.
    pub(super) fn illegal(answered: Coordinates, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { answered: Some(answered), ..PlayerFault::new(EndKind::IllegalMove, detail) }
    }
}

/// The cause why a program cannot take part. All programs of a contest start once before its first
/// game, so a failure during a game is a failure of the machine and not of the player.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LaunchError(pub String);
