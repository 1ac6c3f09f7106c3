//! The reach of each side, computed in a tenth of a microsecond. The search asks it before it asks
//! the solver, which costs more.

use super::bounds::Reach;
use super::region::Region;
use crate::game::{Bitboard, Position, Side};

/// The reach of each side while the other's amazons stand still, by [`Side::index`].
///
/// A pure function of the squares, without allocation and without search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prospects {
    /// Empty squares that the side gets to: it never makes more moves than that unless the other
    /// side lets it through.
    pub reached: [u32; 2],
    /// Those of them that the other side cannot get to.
    pub exclusive: [u32; 2],
}

impl From<&Position> for Prospects {
    fn from(position: &Position) -> Prospects {
        let Reach { all, exclusive } = Reach::of(&Region::whole(position));
        Prospects { reached: all.map(Bitboard::count), exclusive: exclusive.map(Bitboard::count) }
    }
}

impl Prospects {
    /// Squares that both sides reach.
    pub fn contested(&self) -> u32 {
        self.reached[0] - self.exclusive[0]
    }

    /// True if bounds could decide the game for either side if all exclusive squares were moves. If
    /// not, only a search can.
    pub fn may_be_decided(&self, to_move: Side) -> bool {
        let (own, other) = (to_move.index(), (!to_move).index());
        self.exclusive[own] > self.reached[other] || self.reached[own] <= self.exclusive[other]
    }
}
