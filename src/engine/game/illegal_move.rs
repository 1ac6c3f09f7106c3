//! The error of a move that cannot be played.

use super::board::SquareContent;
use super::side::Side;
use super::size::Size;
use super::square::Square;

/// The error of a move that cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// A square of the move is not on this board.
    #[error("{square} is not on a board of {size}")]
    OffBoard {
        /// The square named.
        square: Square,
        /// The board's size.
        size: Size,
    },
    /// The square left does not hold an amazon of the side to move.
    #[error("{from} holds {found}, expected an amazon of the {mover} player")]
    NoAmazon {
        /// The square left.
        from: Square,
        /// The content of that square.
        found: SquareContent,
        /// The side to move.
        mover: Side,
    },
    /// The amazon does not reach its square along empty squares of one line.
    #[error("the amazon on {from} does not reach {to}, which holds {found}: expected an open line")]
    QueenBlocked {
        /// The square left.
        from: Square,
        /// The square to be reached.
        to: Square,
        /// The content of that square.
        found: SquareContent,
    },
    /// The arrow does not reach its square along empty squares of one line.
    #[error("the arrow from {from} does not reach {to}, which holds {found}: expected an open line")]
    ArrowBlocked {
        /// The square shot from.
        from: Square,
        /// The square to be burnt.
        to: Square,
        /// The content of that square.
        found: SquareContent,
    },
}
