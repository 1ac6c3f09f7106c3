//! A moment of a game: between two plies, or between a queen move and its arrow.

use super::half_ply::HalfPly;
use super::position::Position;
use super::side::Side;

/// A position or a half ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A position between two plies.
    Position(Position),
    /// A position within a ply: the queen has moved, and the arrow is to come.
    HalfPly(HalfPly),
}

impl Moment {
    /// The side that acts.
    #[inline]
    pub fn side(&self) -> Side {
        match self {
            Moment::Position(position) => position.to_move(),
            Moment::HalfPly(half) => half.mover(),
        }
    }

    /// True if an arrow is to come.
    #[inline]
    pub fn is_half_ply(&self) -> bool {
        matches!(self, Moment::HalfPly(_))
    }

    /// The number of empty squares.
    pub fn empty_squares(&self) -> u32 {
        match self {
            Moment::Position(position) => position.empty().count(),
            Moment::HalfPly(half) => half.empty().count(),
        }
    }
}
