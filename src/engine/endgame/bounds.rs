//! Lower and upper bounds of the value of a region, in moves for the first player.
//!
//! The value of a private region is the number of moves that its owner can make in it. The value of
//! a shared region lies between two counts. In each, one side moves only on squares that the other
//! can never reach, and the other side gets a move for every square that it reaches. The counts are
//! bounds in the sense of combinatorial game theory, so bounds of regions may be added.
//!
//! The bounds are correct, because a side can keep the other out. As long as its amazons stay where
//! they are, the other side reaches no square behind them, neither with an amazon nor with an
//! arrow. The side answers every move elsewhere by a move behind this wall, and burns the square of
//! every amazon that leaves the wall. So it can make all moves of that filling, and the other side
//! has at most one move for each square that it reaches.

use amazons::{Bitboard, Position, Side};

use super::filling::{Filler, PrivateRegion};
use super::region::Region;
use super::table::NewestTable;

/// The number of moves that the count of one private region may examine.
const MOVES_PER_COUNT: u32 = 6_000;

/// The bounds and an estimate of a region's value, in moves for the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RegionValue {
    pub(super) least: i32,
    pub(super) most: i32,
    /// An estimate of the value, in quarters of a move.
    pub(super) guess: i32,
}

impl RegionValue {
    /// Converts the value for the first player to the value for `side`, or back.
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
    /// A region whose value [`RegionEvaluator::value`] has not computed yet.
    #[inline]
    pub(super) fn of(region: Region) -> SumPart {
        SumPart { region, key: region.key(), value: UNKNOWN }
    }
}

const UNKNOWN: RegionValue = RegionValue { least: i32::MAX, most: 0, guess: 0 };

#[derive(Debug)]
pub(super) struct RegionEvaluator {
    pub(super) filler: Filler,
    /// The known values by [`Region::key`], as the fields of a [`RegionValue`].
    pub(super) known: NewestTable<(i8, i8, i16)>,
}

/// The squares that each side reaches while the other's amazons do not move, by [`Side::index`].
///
/// Takes a tenth of a microsecond, so the search computes them before it asks the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prospects {
    /// The empty squares that each side reaches. A side never makes more moves than these squares,
    /// unless the other side opens a way to other squares.
    pub reached: [Bitboard; 2],
    /// The empty squares that only this side reaches.
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

    /// True if bounds might decide the game, because they would do so if all exclusive squares
    /// became moves. If false, only a search can decide it.
    pub fn may_be_decided(&self, to_move: Side) -> bool {
        let (own, other) = (to_move.index(), (!to_move).index());
        let [reached, exclusive] = [self.reached, self.exclusive].map(|sets| sets.map(Bitboard::count));
        exclusive[own] > reached[other] || reached[own] <= exclusive[other]
    }
}

impl RegionEvaluator {
    /// Computes the values of new regions. Looks them all up first, so that memory waits overlap.
    #[inline]
    pub(super) fn value(&mut self, parts: &mut [SumPart]) {
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
            let (least, most) = self.filler.count(&PrivateRegion::owned(region, owner), MOVES_PER_COUNT);
            return RegionValue { least, most, guess: 2 * (least + most) }.seen_by(owner);
        }
        let reach = Prospects::of(region);
        let certain_moves = Side::BOTH.map(|side| self.certain_moves(region, &reach, side));
        let [first, second] = reach.reached.map(count);
        let (least, most) = (certain_moves[0] - second, first - certain_moves[1]);
        RegionValue { least, most, guess: guess(region, &reach).clamp(4 * least, 4 * most) }
    }

    /// The number of moves that `side` certainly has on squares that only it reaches. Its amazons
    /// next to squares or amazons of the opponent stay in place as a wall.
    #[inline]
    pub(super) fn certain_moves(&mut self, region: &Region, reach: &Prospects, side: Side) -> i32 {
        let (own, other) = (side.index(), (!side).index());
        let outside = (reach.reached[other] | region.amazons[other]).king_reach();
        let amazons = region.amazons[own];
        let room =
            PrivateRegion { empty: reach.exclusive[own], free: amazons - outside, pinned: amazons & outside };
        self.filler.count(&room, MOVES_PER_COUNT).0
    }
}

/// The number of squares as a signed integer.
#[inline]
fn count(set: Bitboard) -> i32 {
    set.count() as i32
}

/// Estimates the value of a region in quarters of a move: four times the difference between the
/// squares that each side is nearer to by king moves.
fn guess(region: &Region, reach: &Prospects) -> i32 {
    let [mut first, mut second] = region.amazons;
    let [alone_first, alone_second] = reach.exclusive.map(count);
    let mut open = reach.reached[0] & reach.reached[1];
    let mut nearer = 0;
    // The floods also pass through squares that only one side reaches, which are already counted.
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
