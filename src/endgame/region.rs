//! Regions: the 8-connected components of the squares that are not burnt.
//!
//! No move and no arrow ever leaves its region, so that a position is the sum of its regions. Those
//! without empty squares or without amazons are over and are left out.

use super::cells::Cells;
use crate::game::{Position, Side};

/// Connected squares that are not burnt, with their amazons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) empty: Cells,
    /// By [`Side::index`].
    pub(super) amazons: [Cells; 2],
}

impl Region {
    /// The whole of a position, connected or not.
    #[inline]
    pub(super) fn whole(position: &Position) -> Region {
        let amazons = Side::BOTH.map(|side| Cells::from(position.amazons(side)));
        Region { empty: Cells::from(position.empty()), amazons }
    }

    /// Everything not burnt.
    #[inline]
    pub(super) fn open(&self) -> Cells {
        self.empty | self.amazons[0] | self.amazons[1]
    }

    /// The side whose amazons alone stand here, if it is one's.
    #[inline]
    pub(super) fn owner(&self) -> Option<Side> {
        match (self.amazons[0].is_empty(), self.amazons[1].is_empty()) {
            (false, true) => Some(Side::First),
            (true, false) => Some(Side::Second),
            _ => None,
        }
    }

    /// What lies here of `cells`.
    #[inline]
    fn within(&self, cells: Cells) -> Region {
        Region { empty: self.empty & cells, amazons: self.amazons.map(|amazons| amazons & cells) }
    }

    /// The connected parts in which a side can still move.
    #[inline]
    pub(super) fn parts(self) -> Parts {
        Parts { whole: self, rest: self.open() }
    }

    /// After a side's amazon has gone and shot. The result may be in parts.
    #[inline]
    pub(super) fn after(&self, side: Side, from: Cells, to: Cells, arrow: Cells) -> Region {
        let mut next = *self;
        let amazons = &mut next.amazons[side.index()];
        *amazons = (*amazons - from) | to;
        next.empty = (next.empty | from) - to - arrow;
        next
    }

    /// A number that tells regions apart; see [`Cells::hash`].
    #[inline]
    pub(super) fn key(&self) -> u64 {
        let amazons = self.amazons[1].hash(self.amazons[0].hash(0x5851_f42d_4c95_7f2d));
        self.empty.hash(amazons)
    }
}

/// An iterator over connected parts.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    whole: Region,
    rest: Cells,
}

impl Iterator for Parts {
    type Item = Region;

    #[inline]
    fn next(&mut self) -> Option<Region> {
        loop {
            let first = self.rest.first();
            if first.is_empty() {
                return None;
            }
            let part = first | first.flood(self.rest);
            self.rest = self.rest - part;
            let region = self.whole.within(part);
            let alive = !region.empty.is_empty() && !(region.amazons[0] | region.amazons[1]).is_empty();
            if alive {
                return Some(region);
            }
        }
    }
}
