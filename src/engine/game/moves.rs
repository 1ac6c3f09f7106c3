//! Moves: the queen move, and the full move with its arrow.

use super::square::Square;

/// The first half of a ply: an amazon moves like a chess queen.
///
/// ```
/// use quiver_engine::{Position, QueenMove, Size};
///
/// let start = Position::start(Size::square(10)?)?;
/// let queen = QueenMove { from: "d1".parse()?, to: "d7".parse()? };
/// assert!(start.queen_moves().any(|other| other == queen));
/// assert_eq!(queen.to_string(), "d1-d7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueenMove {
    /// The square left.
    pub from: Square,
    /// The square reached.
    pub to: Square,
}

/// A whole ply: a queen move and the arrow shot from where it ends.
///
/// Prints and parses as `from-to/arrow`:
///
/// ```
/// use quiver_engine::game::FullMove;
///
/// let full: FullMove = "d1-d7/g7".parse()?;
/// assert_eq!((full.from.to_string(), full.arrow.to_string()), ("d1".into(), "g7".into()));
/// assert_eq!(full.to_string(), "d1-d7/g7");
/// # Ok::<(), quiver_engine::game::InputError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    pub const fn new(queen: QueenMove, arrow: Square) -> FullMove {
        FullMove { from: queen.from, to: queen.to, arrow }
    }

    /// The queen move of this ply.
    #[inline]
    pub const fn queen(self) -> QueenMove {
        QueenMove { from: self.from, to: self.to }
    }
}
