//! Lower and upper bounds of the value of a region.
//!
//! Values are moves in favour of the first player: a private region is worth the moves its owner
//! can make there, and a shared one lies between two counts in which one side moves only where the
//! other can never come, while the other has all it reaches. Both are bounds in the sense of
//! combinatorial games, so that they may be added over regions.
//!
//! The bounds are sound because, as long as a side's amazons stand still, the other reaches no
//! square behind them, neither with a queen nor with an arrow. A side that answers moves elsewhere
//! by moves behind its own walls, and burns the square of every amazon that leaves a wall, keeps
//! the other out for good; it has all moves of that filling, and the other at most one for each
//! square it reaches.

use super::filling::Filler;
use super::prospects::Prospects;
use super::region::Region;
use super::solver::MOVES;
use super::sum::SumPart;
use super::table::NewestTable;
use crate::game::{Bitboard, Side};

/// The value of a region in moves for the first player, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RegionValue {
    pub(super) least: i32,
    pub(super) most: i32,
    /// A guess, in quarters of a move.
    pub(super) guess: i32,
}

impl RegionValue {
    /// The value as `side` sees it, or for the first player what `side` sees.
    #[inline]
    pub(super) fn seen_by(self, side: Side) -> RegionValue {
        let RegionValue { least, most, guess } = self;
        if side == Side::First { self } else { RegionValue { least: -most, most: -least, guess: -guess } }
    }
}

#[derive(Debug)]
pub(super) struct Assessor {
    pub(super) filler: Filler,
    /// The fields of a [`RegionValue`].
    pub(super) known: NewestTable<(i8, i8, i16)>,
}

impl Assessor {
    #[inline]
    pub(super) fn value(&mut self, region: &Region, key: u64) -> RegionValue {
        match self.remembered(key) {
            Some(value) => value,
            None => self.assess_and_remember(region, key),
        }
    }

    /// Values regions whose keys are known: everything that waits for memory first, so that the waits
    /// overlap.
    pub(super) fn value_all(&mut self, parts: &mut [SumPart]) {
        const UNKNOWN: RegionValue = RegionValue { least: i32::MAX, most: 0, guess: 0 };
        parts.iter_mut().for_each(|part| part.value = self.remembered(part.key).unwrap_or(UNKNOWN));
        for SumPart { region, key, value } in parts.iter_mut().filter(|part| part.value == UNKNOWN) {
            *value = self.assess_and_remember(region, *key);
        }
    }

    #[inline]
    fn remembered(&self, key: u64) -> Option<RegionValue> {
        let (least, most, guess) = self.known.get(key)?;
        Some(RegionValue { least: least.into(), most: most.into(), guess: guess.into() })
    }

    fn assess_and_remember(&mut self, region: &Region, key: u64) -> RegionValue {
        let value = self.assess(region);
        let RegionValue { least, most, guess } = value;
        self.known.keep(key, (least as i8, most as i8, guess as i16));
        value
    }

    fn assess(&mut self, region: &Region) -> RegionValue {
        if let Some(owner) = region.owner() {
            let (least, most) = self.filler.count(&region.room(owner), MOVES);
            return RegionValue { least, most, guess: 2 * (least + most) }.seen_by(owner);
        }
        let reach = Prospects::of(region);
        let certain = Side::BOTH.map(|side| {
            let room = reach.own_room(region, side);
            self.filler.count(&room, MOVES).0
        });
        let [first, second] = reach.reached.map(count);
        let (least, most) = (certain[0] - second, first - certain[1]);
        RegionValue { least, most, guess: guess(region, &reach).clamp(4 * least, 4 * most) }
    }
}

/// The number of squares, as a difference of counts needs it.
#[inline]
fn count(set: Bitboard) -> i32 {
    set.count() as i32
}

/// The squares that the first player is nearer to by king moves, less the second's: a move a
/// square, in quarters.
fn guess(region: &Region, reach: &Prospects) -> i32 {
    let [mut first, mut second] = region.amazons;
    let [alone_first, alone_second] = reach.exclusive.map(count);
    let mut open = reach.reached[0] & reach.reached[1];
    let mut nearer = 0;
    // Squares that only one side reaches are passed through, but are counted already.
    let (mut seen_first, mut seen_second) = (Bitboard::EMPTY, Bitboard::EMPTY);
    while !open.is_empty() {
        first = first.king_reach() & region.empty;
        second = second.king_reach() & region.empty;
        seen_first |= first;
        seen_second |= second;
        let (one, two) = (open & seen_first, open & seen_second);
        nearer += count(one - two) - count(two - one);
        open = open - one - two;
        if (first | second).is_empty() {
            break;
        }
    }
    4 * (alone_first - alone_second + nearer)
}
