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
        /// The square that is not on the board.
        square: Square,
        /// The size of the board.
        size: Size,
    },
    /// The move begins on a square that holds no amazon of the side to move.
    NotOwn {
        /// The square where the move begins.
        square: Square,
        /// The content of the square.
        found: SquareContent,
        /// The side to move.
        mover: Side,
    },
    /// The amazon or the arrow does not reach its target.
    Blocked {
        /// The queen move or arrow that is blocked.
        half_move: HalfMove,
        /// The square from which the amazon moves or the arrow is shot.
        from: Square,
        /// The content of the target square.
        found: SquareContent,
        /// The first square that is not empty on the line from `from` to the target, with its
        /// content; `None` if no line joins these two squares.
        obstacle: Option<(Square, SquareContent)>,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PlayError::OffBoard { square, size } => {
                write!(f, "{square} is not on the board of {size}: expected a square of the board")
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
