//! Lower and upper bounds of the value of a region, in moves for the first player.
//!
//! A private region is worth the moves that its owner can make there. A shared region lies between
//! two counts, in each of which one side moves only on squares that the other can never reach, and
//! the other side has every square that it reaches. Both counts are bounds in the sense of
//! combinatorial game theory, so they may be added over regions.
//!
//! The bounds are sound: as long as a side's amazons stand still, the other side reaches no square
//! behind them, neither with an amazon nor with an arrow. A side that answers every move elsewhere
//! by a move behind its own wall, and burns the square of every amazon that leaves the wall, keeps
//! the other side out for good. It has all moves of that filling, and the other side has at most
//! one move for each square it reaches.

use amazons::{Bitboard, Position, Side};

use super::filling::{Filler, PrivateRegion};
use super::region::Region;
use super::table::NewestTable;

/// The number of moves that a count of one private region may examine.
const MAX_MOVES: u32 = 6_000;

/// The value of a region in moves for the first player, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RegionValue {
    pub(super) least: i32,
    pub(super) most: i32,
    /// An estimate, in quarters of a move.
    pub(super) guess: i32,
}

impl RegionValue {
    /// Converts between the value for the first player and the value for `side`.
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
    /// A region whose value [`RegionEvaluator::value`] has not found yet.
    #[inline]
    pub(super) fn of(region: Region) -> SumPart {
        SumPart { region, key: region.key(), value: UNKNOWN }
    }
}

const UNKNOWN: RegionValue = RegionValue { least: i32::MAX, most: 0, guess: 0 };

#[derive(Debug)]
pub(super) struct RegionEvaluator {
    pub(super) filler: Filler,
    /// The fields of a [`RegionValue`].
    pub(super) known: NewestTable<(i8, i8, i16)>,
}

/// The squares that each side reaches while the other's amazons stand still, by [`Side::index`].
///
/// Takes a tenth of a microsecond, so the search uses it before the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prospects {
    /// The empty squares that the side reaches. It never makes more moves than these, unless the
    /// other side lets it through.
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

    /// The number of squares that both sides reach.
    pub fn contested(&self) -> u32 {
        (self.reached[0] & self.reached[1]).count()
    }

    /// True if bounds could decide the game for either side if all exclusive squares became moves.
    /// If false, only a search can decide it.
    pub fn may_be_decided(&self, to_move: Side) -> bool {
        let (own, other) = (to_move.index(), (!to_move).index());
        let [reached, exclusive] = [self.reached, self.exclusive].map(|sets| sets.map(Bitboard::count));
        exclusive[own] > reached[other] || reached[own] <= exclusive[other]
    }
}

impl RegionEvaluator {
    /// Finds the values of new regions. Looks all of them up first, so that memory waits overlap.
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
            let (least, most) = self.filler.count(&PrivateRegion::owned(region, owner), MAX_MOVES);
            return RegionValue { least, most, guess: 2 * (least + most) }.seen_by(owner);
        }
        let reach = Prospects::of(region);
        let certain_moves = Side::BOTH.map(|side| self.certain_moves(region, &reach, side));
        let [first, second] = reach.reached.map(count);
        let (least, most) = (certain_moves[0] - second, first - certain_moves[1]);
        RegionValue { least, most, guess: guess(region, &reach).clamp(4 * least, 4 * most) }
    }

    /// The moves that `side` certainly has on the squares that only it reaches. Its amazons next to
    /// the opponent's squares and amazons stay as a wall.
    #[inline]
    pub(super) fn certain_moves(&mut self, region: &Region, reach: &Prospects, side: Side) -> i32 {
        let (own, other) = (side.index(), (!side).index());
        let outside = (reach.reached[other] | region.amazons[other]).king_reach();
        let amazons = region.amazons[own];
        let room =
            PrivateRegion { empty: reach.exclusive[own], free: amazons - outside, pinned: amazons & outside };
        self.filler.count(&room, MAX_MOVES).0
    }
}

/// The number of squares as a signed integer.
#[inline]
fn count(set: Bitboard) -> i32 {
    set.count() as i32
}

/// The squares that the first player is nearer to by king moves, less the second's. A square counts
/// as one move, in quarters.
fn guess(region: &Region, reach: &Prospects) -> i32 {
    let [mut first, mut second] = region.amazons;
    let [alone_first, alone_second] = reach.exclusive.map(count);
    let mut open = reach.reached[0] & reach.reached[1];
    let mut nearer = 0;
    // The floods pass through squares that only one side reaches, but these are already counted.
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
