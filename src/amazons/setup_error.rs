//! The error of a board that cannot be set up.

use core::error::Error;
use core::fmt;

use crate::position::MAX_AMAZONS;
use crate::side::Side;
use crate::size::Size;
use crate::square::Square;

/// The reason why a board cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The board is too large, or has no squares.
    Size {
        /// Squares in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The square is not on the board.
    OffBoard {
        /// The square.
        square: Square,
        /// The board.
        size: Size,
    },
    /// A side would have more than [`MAX_AMAZONS`].
    TooManyAmazons {
        /// The side.
        side: Side,
        /// The square of the amazon that is one too many.
        square: Square,
    },
    /// The board has no usual start position: it is not square, or its side is odd or below 6.
    NoStart {
        /// The board.
        size: Size,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Size { width, height } => {
                write!(f, "a board of {width}x{height} squares: expected 1 to {} on either side", Size::MAX)
            }
            SetupError::OffBoard { square, size } => {
                write!(f, "{square} is not on a board of {size}: expected a square of it")
            }
            SetupError::TooManyAmazons { side, square } => {
                write!(f, "a fifth amazon of the {side} player on {square}: expected at most {MAX_AMAZONS}")
            }
            SetupError::NoStart { size } => write!(
                f,
                "no start position for a board of {size}: expected a square board, its side even and from 6"
            ),
        }
    }
}

impl Error for SetupError {}
