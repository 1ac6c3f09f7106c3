//! The error of an illegal move.

use core::error::Error;
use core::fmt;

use crate::moves::HalfMove;
use crate::side::Side;
use crate::size::Size;
use crate::square::{Square, SquareContent};

/// The reason why a move is illegal in a position.
///
/// ```
/// use amazons::{PlayError, Position, Side, SquareContent};
///
/// let position: Position = "Q1*1q/5 w".parse()?;
/// let Err(PlayError::Blocked { obstacle, .. }) = position.play("a2-d2/d1".parse()?) else { panic!() };
/// assert_eq!(obstacle, Some(("c2".parse()?, SquareContent::Burnt)));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// A square of the move is not on the board.
    OffBoard {
        /// The square.
        square: Square,
        /// The board.
        size: Size,
    },
    /// The move begins on a square without an amazon of the side to move.
    NotOwn {
        /// The square.
        square: Square,
        /// The content of the square.
        found: SquareContent,
        /// The side to move.
        mover: Side,
    },
    /// The amazon or the arrow does not reach its target.
    Blocked {
        /// The queen move, or the target of the arrow.
        half_move: HalfMove,
        /// The square where the amazon or the arrow begins.
        from: Square,
        /// The content of the target.
        found: SquareContent,
        /// The first square on the line to the target that is not empty, with its content; `None`
        /// if no line leads from one square to the other.
        obstacle: Option<(Square, SquareContent)>,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PlayError::OffBoard { square, size } => {
                write!(f, "{square} is not on a board of {size}: expected a square of it")
            }
            PlayError::NotOwn { square, found, mover } => {
                write!(f, "{square} holds {found}, expected {}", SquareContent::Amazon(mover))
            }
            PlayError::Blocked { half_move, from, found, obstacle } => {
                let piece = if matches!(half_move, HalfMove::Queen(_)) { "amazon on" } else { "arrow from" };
                let to = half_move.target();
                write!(
                    f,
                    "the {piece} {from} does not reach {to}, which holds {found}: expected an open line"
                )?;
                match obstacle {
                    Some((square, content)) if square != to => write!(f, ", but {square} holds {content}"),
                    _ => Ok(()),
                }
            }
        }
    }
}

impl Error for PlayError {}
