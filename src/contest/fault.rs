//! How games end, and whose fault it was.

use std::{fmt, io};

use serde::{Deserialize, Serialize};

use crate::game::Coordinates;

/// What ended a game. All but the first two are faults of the loser, each counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The side to move has no move: the game was played out.
    NoMove,
    /// The solver proved the winner, and the referee ended the game.
    Proven,
    /// An answer that is a move, but not one of this position.
    IllegalMove,
    /// An answer that cannot be read, or one too long to be one.
    Malformed,
    /// An answer after its limit, or none by then from a player that was still at work.
    Time,
    /// The program ended: by itself, by a signal, or with a status other than 0.
    Crash,
    /// No answer, and no work on one either.
    Stall,
}

impl EndReason {
    /// Every reason, in the order of reports.
    pub const ALL: [EndReason; 7] = [
        EndReason::NoMove,
        EndReason::Proven,
        EndReason::IllegalMove,
        EndReason::Malformed,
        EndReason::Time,
        EndReason::Crash,
        EndReason::Stall,
    ];

    /// Whether the loser broke a rule of the match.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(self, EndReason::NoMove | EndReason::Proven)
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndReason::NoMove => "no move left",
            EndReason::Proven => "proof",
            EndReason::IllegalMove => "illegal move",
            EndReason::Malformed => "malformed output",
            EndReason::Time => "time",
            EndReason::Crash => "crash",
            EndReason::Stall => "stall",
        })
    }
}

/// What tells apart faults of one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symptom {
    /// More output than is read, of [`EndReason::Malformed`].
    Flood,
    /// Not a byte of an answer, of [`EndReason::Stall`] and [`EndReason::Time`].
    Silence,
}

/// Why a turn brought no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerFault {
    /// The kind, a fault.
    pub reason: EndReason,
    /// What was seen, for people.
    pub detail: String,
    /// What was seen, for programs; `None` where the reason says all.
    pub symptom: Option<Symptom>,
    /// The six numbers that were answered, of [`EndReason::IllegalMove`].
    pub answered: Option<Coordinates>,
}

/// What a program at fault was asked, and what it wrote about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The request, in the form for a fresh process.
    pub input: String,
    /// The end of its standard error.
    pub standard_error: String,
}

impl PlayerFault {
    /// A fault of this kind.
    pub(super) fn new(reason: EndReason, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { reason, detail: detail.into(), symptom: None, answered: None }
    }

    /// An answer that is not a move of the position.
    pub(super) fn illegal(answered: Coordinates, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { answered: Some(answered), ..PlayerFault::new(EndReason::IllegalMove, detail) }
    }
}

/// Why a program cannot take part. All programs of a contest start once before its first game, so a
/// failure during a game is a failure of the machine and not of the player.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum LaunchError {
    #[error("'{command}' does not start: {cause}")]
    Start { command: String, cause: io::Error },
    #[error("the log {path}: {cause}")]
    Log { path: String, cause: io::Error },
    #[error("'{command}' does not get ready: {detail}")]
    Handshake { command: String, detail: String },
}
