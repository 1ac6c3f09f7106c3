//! A ply as its two levels and as a whole.

use super::square::Square;

/// The first half of a ply: an amazon goes like a chess queen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueenMove {
    /// The square left.
    pub from: Square,
    /// The square reached.
    pub to: Square,
}

/// A whole ply: a queen move and the arrow shot from where it ends.
///
/// Prints and parses as in [`notation`](super::notation): `d1-d7/g7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FullMove {
    /// The square left.
    pub from: Square,
    /// The square reached.
    pub to: Square,
    /// The square burnt.
    pub arrow: Square,
}

impl FullMove {
    /// A queen move with its arrow.
    #[inline]
    #[must_use]
    pub const fn new(queen: QueenMove, arrow: Square) -> FullMove {
        FullMove { from: queen.from, to: queen.to, arrow }
    }

    /// The queen move of this ply.
    #[inline]
    #[must_use]
    pub const fn queen(self) -> QueenMove {
        QueenMove { from: self.from, to: self.to }
    }
}
