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
    /// The text breaks the syntax of properties.
    Syntax(SyntaxError),
    /// The property `GM` names another game than Amazons.
    Kind {
        /// The value of the property `GM`.
        found: String,
    },
    /// The value of a property cannot be read.
    Property {
        /// The name of the property.
        name: String,
        /// The first forty characters of the value of the property.
        value: String,
        /// A description of the expected value.
        expected: &'static str,
    },
    /// The board has an impossible size, or too many amazons.
    Setup(SetupError),
    /// The first node sets up no pieces, and a board of this size has no usual start position.
    NoPieces(SetupError),
    /// A property sets up pieces after the first move.
    LateSetup {
        /// The name of the property.
        name: String,
        /// The number of moves before the property.
        number: usize,
    },
    /// A move is by the player who is not to move.
    Turn(TurnError),
    /// The text of a move cannot be parsed.
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The reason why the text is not a move.
        error: ParseMoveError,
    },
    /// A move is illegal.
    Illegal(GameError),
    /// The text has too many unreadable games, and the reader skipped the rest.
    TooManyErrors(TooManyErrors),
}

impl fmt::Display for ParseSgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseSgfError::Syntax(error) => error.fmt(f),
            ParseSgfError::Kind { found } => {
                write!(f, "GM[{found}] as the type of the game: expected GM[18], which is Amazons")
            }
            ParseSgfError::Property { name, value, expected } => {
                write!(f, "{name}[{value}]: expected {expected}")
            }
            ParseSgfError::Setup(error) => error.fmt(f),
            ParseSgfError::NoPieces(error) => write!(f, "no pieces (AB, AW) in the first node: {error}"),
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
