//! Computes lower and upper bounds of a region's value, in moves for the first player.
//!
//! A private region has amazons of only one side. Its value is the number of moves that this side
//! can make in the region. A shared region has amazons of both sides. Its lower bound assumes that
//! the first player moves only on squares that the second player can never reach, and that the
//! second player gets a move for every square in its reach. The upper bound swaps the players.
//! The bounds of several regions add up, by combinatorial game theory.
//!
//! The bounds are correct, because the amazons of a side form a wall. While the wall's amazons stay
//! in place, no amazon or arrow of the other side reaches a square behind the wall. An amazon that
//! leaves the wall shoots its arrow at the square that it left, which keeps the wall closed. So the
//! other side cannot prevent moves behind the wall. The owner can make all moves counted there, one
//! after each move of the other side. The other side has at most one move per square it reaches.

use amazons::{Bitboard, Position, Side};

use super::filling::{FillingSearch, PrivateRegion};
use super::region::Region;
use super::table::AlwaysReplaceTable;

/// The largest number of moves to examine while counting moves on one side's exclusive squares.
const EXAMINED_MOVES_PER_COUNT: u32 = 6_000;

/// The bounds and an estimate of a region's value, in moves for the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RegionValue {
    pub(super) least: i32,
    pub(super) most: i32,
    /// An estimate of the region's value, in quarters of a move for the first player.
    pub(super) guess: i32,
}

impl RegionValue {
    #[inline]
    pub(super) fn seen_by(self, side: Side) -> RegionValue {
        let RegionValue { least, most, guess } = self;
        if side == Side::First { self } else { RegionValue { least: -most, most: -least, guess: -guess } }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SumPart {
    pub(super) region: Region,
    pub(super) key: u64,
    pub(super) value: RegionValue,
}

impl SumPart {
    /// A region with the value `UNKNOWN`, which [`RegionEvaluator::evaluate_parts`] replaces.
    #[inline]
    pub(super) fn of(region: Region) -> SumPart {
        SumPart { region, key: region.key(), value: UNKNOWN }
    }
}

const UNKNOWN: RegionValue = RegionValue { least: i32::MAX, most: 0, guess: 0 };

#[derive(Debug)]
pub(super) struct RegionEvaluator {
    pub(super) filling_search: FillingSearch,
    /// The `least`, `most` and `guess` of regions evaluated before, indexed by [`Region::key`].
    pub(super) known: AlwaysReplaceTable<(i8, i8, i16)>,
}

/// The squares that each side reaches while the other side's amazons do not move. The items of the
/// arrays are indexed by [`Side::index`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prospects {
    /// The empty squares that each side reaches.
    pub reached: [Bitboard; 2],
    /// The empty squares that each side reaches and the other side does not.
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

    /// The number of empty squares that both sides reach.
    pub fn contested(&self) -> u32 {
        (self.reached[0] & self.reached[1]).count()
    }

    /// True if the bounds of the regions' values might prove the winner. This quick test counts no
    /// moves: it assumes that a side has a move for each square that only this side reaches.
    pub fn may_be_decided(&self, to_move: Side) -> bool {
        let (own, other) = (to_move.index(), (!to_move).index());
        let [reached, exclusive] = [self.reached, self.exclusive].map(|sets| sets.map(Bitboard::count));
        exclusive[own] > reached[other] || reached[own] <= exclusive[other]
    }
}

impl RegionEvaluator {
    /// Fills in the value of each region. Reads all stored values first, so cache misses overlap.
    #[inline]
    pub(super) fn evaluate_parts(&mut self, parts: &mut [SumPart]) {
        for part in parts.iter_mut() {
            if let Some((least, most, guess)) = self.known.get(part.key) {
                part.value = RegionValue { least: least.into(), most: most.into(), guess: guess.into() };
            }
        }
        for part in parts.iter_mut().filter(|part| part.value == UNKNOWN) {
            part.value = self.evaluate(&part.region);
            let RegionValue { least, most, guess } = part.value;
            self.known.insert(part.key, (least as i8, most as i8, guess as i16));
        }
    }

    fn evaluate(&mut self, region: &Region) -> RegionValue {
        if let Some(owner) = region.owner() {
            let (least, most) = self
                .filling_search
                .move_count_bounds(&PrivateRegion::owned(region, owner), EXAMINED_MOVES_PER_COUNT);
            return RegionValue { least, most, guess: 2 * (least + most) }.seen_by(owner);
        }
        let reach = Prospects::of(region);
        let certain_moves = Side::BOTH.map(|side| self.certain_moves(region, &reach, side));
        let [first, second] = reach.reached.map(count);
        let (least, most) = (certain_moves[0] - second, first - certain_moves[1]);
        RegionValue { least, most, guess: guess(region, &reach).clamp(4 * least, 4 * most) }
    }

    /// The number of moves that `side` certainly has on squares that only `side` reaches. An
    /// amazon that keeps the opponent out must burn the square that it leaves.
    #[inline]
    pub(super) fn certain_moves(&mut self, region: &Region, reach: &Prospects, side: Side) -> i32 {
        let (own, other) = (side.index(), (!side).index());
        let outside = (reach.reached[other] | region.amazons[other]).king_reach();
        let amazons = region.amazons[own];
        let private_region =
            PrivateRegion { empty: reach.exclusive[own], free: amazons - outside, pinned: amazons & outside };
        self.filling_search.move_count_bounds(&private_region, EXAMINED_MOVES_PER_COUNT).0
    }
}

#[inline]
fn count(set: Bitboard) -> i32 {
    set.count() as i32
}

/// Estimates a region's value for the first player, in quarters of a move. Each square counts 4 for
/// the player who reaches it in fewer king moves, and 0 if both players need equally many.
fn guess(region: &Region, reach: &Prospects) -> i32 {
    let [mut first, mut second] = region.amazons;
    let [alone_first, alone_second] = reach.exclusive.map(count);
    let mut open = reach.reached[0] & reach.reached[1];
    let mut nearer = 0;
    // The loop counts only squares that both sides reach, but king moves may cross other squares.
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
