//! Half a ply: the queen has moved, its arrow is still to come.

use super::bitboard::Bitboard;
use super::board::Board;
use super::rays::queen_reach;
use super::side::Side;
use super::size::Size;
use super::square::Square;

/// A position in the middle of a ply. The mover is still to act; no [`Position`](super::Position)
/// ever stands for it.
///
/// ```
/// use quiver_engine::game::{FullMove, Position, Size};
///
/// let start = Position::start(Size::square(10)?)?;
/// let full: FullMove = "d1-d7/g7".parse()?;
/// let half = start.move_queen(full.queen())?;
/// // The queen may shoot back to where it came from.
/// assert!(half.arrows().contains(full.from));
/// assert_eq!(half.shoot(full.arrow)?, start.play(full)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HalfPly {
    pub(super) board: Board,
    pub(super) shooter: Square,
}

impl HalfPly {
    /// The side that has moved and shoots next.
    #[inline]
    pub const fn mover(&self) -> Side {
        self.board.mover
    }

    /// The square of the amazon that shoots.
    #[inline]
    pub const fn shooter(&self) -> Square {
        self.shooter
    }

    /// The size of the board.
    #[inline]
    pub const fn size(&self) -> Size {
        self.board.size
    }

    /// The squares neither burnt nor held by an amazon; the square just left is one of them.
    #[inline]
    pub const fn empty(&self) -> Bitboard {
        self.board.empty
    }

    /// The squares of a side's amazons, ascending; at most four.
    #[inline]
    pub fn amazons(&self, side: Side) -> &[Square] {
        self.board.amazons(side)
    }

    /// The squares the arrow may burn: at least one, the square just left.
    #[inline]
    pub fn arrows(&self) -> Bitboard {
        queen_reach(self.shooter, self.board.empty)
    }
}
