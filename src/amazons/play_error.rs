use alloc::format;
use alloc::string::String;

use thiserror::Error;

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
/// let error = position.play("a2-d2/d1".parse()?).expect_err("c2 is burnt");
/// let PlayError::Blocked { obstacle, .. } = error else { panic!() };
/// assert_eq!(obstacle, Some(("c2".parse()?, SquareContent::Burnt)));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PlayError {
    /// A square of the move is not on the board.
    #[error("{square} is not on the board of {size}: expected a square of the board")]
    OffBoard {
        /// The square that is not on the board.
        square: Square,
        /// The size of the board.
        size: Size,
    },
    /// The move begins on a square that holds no amazon of the side to move.
    #[error("{square} holds {found}, expected {}", SquareContent::Amazon(*mover))]
    NotOwn {
        /// The square where the move begins.
        square: Square,
        /// The content of the square.
        found: SquareContent,
        /// The side to move.
        mover: Side,
    },
    /// The amazon or the arrow does not reach its target.
    #[error(
        "the {} {from} does not reach {}, which holds {found}: expected an open line{}",
        if matches!(half_move, HalfMove::Queen(_)) { "amazon on" } else { "arrow from" },
        half_move.target(), blocked_by(half_move.target(), *obstacle)
    )]
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

/// The end of the message of [`PlayError::Blocked`]: the obstacle before the target square, if any.
fn blocked_by(to: Square, obstacle: Option<(Square, SquareContent)>) -> String {
    let nearer = obstacle.filter(|(square, _)| *square != to);
    nearer.map_or(String::new(), |(square, content)| format!(", but {square} holds {content}"))
}
