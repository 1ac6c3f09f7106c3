//! Regions: the 8-connected components of the squares that are not burnt.
//!
//! Regions without empty squares or without amazons have no moves and are ignored.

use amazons::{Bitboard, Move, Position, Side, Square};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) empty: Bitboard,
    pub(super) amazons: [Bitboard; 2],
}

impl Region {
    /// A region with these empty squares and amazons. Its squares need not be connected.
    #[inline]
    pub(super) fn new(empty: Bitboard, amazons: [&[Square]; 2]) -> Region {
        Region { empty, amazons: amazons.map(|amazons| amazons.iter().copied().collect()) }
    }

    #[inline]
    pub(super) fn whole(position: &Position) -> Region {
        Region::new(position.empty(), Side::BOTH.map(|side| position.amazons(side)))
    }

    /// The side that has all amazons of the region; `None` if both sides have amazons, or neither.
    #[inline]
    pub(super) fn owner(&self) -> Option<Side> {
        match (self.amazons[0].is_empty(), self.amazons[1].is_empty()) {
            (false, true) => Some(Side::First),
            (true, false) => Some(Side::Second),
            _ => None,
        }
    }

    /// The connected parts of the region that have both an amazon and an empty square.
    #[inline]
    pub(super) fn parts(self) -> impl Iterator<Item = Region> {
        let alive = |part: &Region| !part.empty.is_empty() && !(part.amazons[0] | part.amazons[1]).is_empty();
        let mut rest = self.empty | self.amazons[0] | self.amazons[1];
        let parts = std::iter::from_fn(move || {
            let first = rest.first();
            (!first.is_empty()).then(|| {
                let part = first | first.flood(rest);
                rest -= part;
                Region { empty: self.empty & part, amazons: self.amazons.map(|amazons| amazons & part) }
            })
        });
        parts.filter(alive)
    }

    /// The region after a move of `side`. The result may have several connected parts.
    #[inline]
    pub(super) fn after(&self, side: Side, Move { from, to, arrow }: Move) -> Region {
        let mut next = *self;
        let amazons = &mut next.amazons[side.index()];
        amazons.remove(from);
        amazons.insert(to);
        next.empty.insert(from);
        next.empty.remove(to);
        next.empty.remove(arrow);
        next
    }

    #[inline]
    pub(super) fn key(&self) -> u64 {
        hash([self.amazons[0], self.amazons[1], self.empty], 0x5851_f42d_4c95_7f2d)
    }
}

#[inline]
pub(super) fn hash(sets: [Bitboard; 3], seed: u64) -> u64 {
    sets.into_iter().fold(seed, |seed, set| {
        // The second factor is never 0, because bit 63 is set in the constant and never in `high`.
        let [low, high] = set.halves();
        let product = u128::from(low ^ seed) * u128::from(high ^ 0x9e37_79b9_7f4a_7c15);
        (product >> 64) as u64 ^ product as u64
    })
}
