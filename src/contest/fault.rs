//! How games end, and whose fault it was.

use std::{fmt, io};

use serde::{Deserialize, Serialize};

use crate::game::Coordinates;

/// What ended a game. All but the first two are faults of the loser, each counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
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

impl Reason {
    /// Every reason, in the order of reports.
    pub const ALL: [Reason; 7] = [
        Reason::NoMove,
        Reason::Proven,
        Reason::IllegalMove,
        Reason::Malformed,
        Reason::Time,
        Reason::Crash,
        Reason::Stall,
    ];

    /// Whether the loser broke a rule of the match.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(self, Reason::NoMove | Reason::Proven)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::NoMove => "no move left",
            Reason::Proven => "proof",
            Reason::IllegalMove => "illegal move",
            Reason::Malformed => "malformed output",
            Reason::Time => "time",
            Reason::Crash => "crash",
            Reason::Stall => "stall",
        })
    }
}

/// What tells apart faults of one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symptom {
    /// More output than is read, of [`Reason::Malformed`].
    Flood,
    /// Not a byte of an answer, of [`Reason::Stall`] and [`Reason::Time`].
    Silence,
}

/// Why a turn brought no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind, a fault.
    pub reason: Reason,
    /// What was seen, for people.
    pub detail: String,
    /// What was seen, for programs; `None` where the reason says all.
    pub symptom: Option<Symptom>,
    /// The six numbers that were answered, of [`Reason::IllegalMove`].
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

impl Fault {
    /// A fault of this kind.
    pub(super) fn new(reason: Reason, detail: impl Into<String>) -> Fault {
        Fault { reason, detail: detail.into(), symptom: None, answered: None }
    }

    /// An answer that is not a move of the position.
    pub(super) fn illegal(answered: Coordinates, detail: impl Into<String>) -> Fault {
        Fault { answered: Some(answered), ..Fault::new(Reason::IllegalMove, detail) }
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
