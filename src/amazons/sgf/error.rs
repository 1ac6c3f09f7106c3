//! The error of a game that cannot be read from SGF.

use alloc::string::String;
use core::error::Error;
use core::fmt;

use crate::game::{GameError, TooManyErrors};
use crate::moves::ParseMoveError;
use crate::properties::{SyntaxError, TurnError};
use crate::size::SetupError;

/// The reason why a game cannot be read from SGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseSgfError {
    /// The brackets and properties do not make a game.
    Syntax(SyntaxError),
    /// The game is of another kind.
    Kind {
        /// The value of `GM`.
        found: String,
    },
    /// The value of a property has no meaning.
    Property {
        /// The name of the property.
        name: String,
        /// The first forty characters of the value.
        value: String,
        /// The expected text.
        expected: &'static str,
    },
    /// The board has an impossible size, or too many amazons.
    Setup(SetupError),
    /// The root sets up no pieces, and a board of this size has no usual start.
    NoPieces(SetupError),
    /// Pieces are set up after the first move.
    LateSetup {
        /// The name of the property.
        name: String,
        /// The number of moves before it.
        number: usize,
    },
    /// A move belongs to the side that is not to move.
    Turn(TurnError),
    /// The text of a move is no move.
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The error of its text.
        error: ParseMoveError,
    },
    /// A move is illegal.
    Illegal(GameError),
    /// The text has too many unreadable games.
    TooManyErrors(TooManyErrors),
}

impl fmt::Display for ParseSgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseSgfError::Syntax(error) => error.fmt(f),
            ParseSgfError::Kind { found } => {
                write!(f, "a game of the kind GM[{found}]: expected GM[18], Amazons")
            }
            ParseSgfError::Property { name, value, expected } => {
                write!(f, "{name}[{value}]: expected {expected}")
            }
            ParseSgfError::Setup(error) => error.fmt(f),
            ParseSgfError::NoPieces(error) => write!(f, "no AB and AW in the root: {error}"),
            ParseSgfError::LateSetup { name, number } => {
                write!(f, "{name} after move {number}: expected pieces to be set up before the first move")
            }
            ParseSgfError::Turn(error) => error.fmt(f),
            ParseSgfError::Move { number, error } => write!(f, "move {number}: {error}"),
            ParseSgfError::Illegal(error) => error.fmt(f),
            ParseSgfError::TooManyErrors(error) => error.fmt(f),
        }
    }
}

impl Error for ParseSgfError {}

from_variants!(ParseSgfError {
    Syntax(SyntaxError),
    Setup(SetupError),
    Turn(TurnError),
    Illegal(GameError),
    TooManyErrors(TooManyErrors),
});
