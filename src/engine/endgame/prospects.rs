//! The reach of each side, computed in a tenth of a microsecond. The search asks it before it asks
//! the solver, which costs more.

use super::filling::Room;
use super::region::Region;
use crate::game::{Bitboard, Position, Side};

/// The reach of each side while the other's amazons stand still, by [`Side::index`].
///
/// A pure function of the squares, without allocation and without search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prospects {
    /// Empty squares that the side gets to: it never makes more moves than that unless the other
    /// side lets it through.
    pub reached: [Bitboard; 2],
    /// Those of them that the other side cannot get to.
    pub exclusive: [Bitboard; 2],
}

impl From<&Position> for Prospects {
    fn from(position: &Position) -> Prospects {
        Prospects::of(&Region::whole(position))
    }
}

impl Prospects {
    #[inline]
    pub(super) fn of(region: &Region) -> Prospects {
        let [first, second] = region.amazons.map(|amazons| amazons.flood(region.empty));
        Prospects { reached: [first, second], exclusive: [first - second, second - first] }
    }

    /// The squares that `side` alone reaches, as a room: amazons beside anything of the opponent's
    /// hold a wall.
    #[inline]
    pub(super) fn own_room(&self, region: &Region, side: Side) -> Room {
        let (own, other) = (side.index(), (!side).index());
        let outside = (self.reached[other] | region.amazons[other]).king_reach();
        let amazons = region.amazons[own];
        Room { empty: self.exclusive[own], amazons: [amazons - outside, amazons & outside] }
    }

    /// Squares that both sides reach.
    pub fn contested(&self) -> u32 {
        (self.reached[0] & self.reached[1]).count()
    }

    /// True if bounds could decide the game for either side if all exclusive squares were moves. If
    /// not, only a search can.
    pub fn may_be_decided(&self, to_move: Side) -> bool {
        let (own, other) = (to_move.index(), (!to_move).index());
        let [reached, exclusive] = [self.reached, self.exclusive].map(|sets| sets.map(Bitboard::count));
        exclusive[own] > reached[other] || reached[own] <= exclusive[other]
    }
}
