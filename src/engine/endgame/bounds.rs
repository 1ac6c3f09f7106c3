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

use amazons::{Bitboard, Position, Side};

use super::filling::{Filler, Room};
use super::region::Region;
use super::table::NewestTable;

/// Moves that may be looked at to count the fillings of one room.
const MOVES: u32 = 6_000;

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

#[derive(Clone, Copy, Debug)]
pub(super) struct SumPart {
    pub(super) region: Region,
    pub(super) key: u64,
    pub(super) value: RegionValue,
}

impl SumPart {
    /// A region whose value is still to be found, by [`Assessor::value`].
    #[inline]
    pub(super) fn of(region: Region) -> SumPart {
        SumPart { region, key: region.key(), value: UNKNOWN }
    }
}

const UNKNOWN: RegionValue = RegionValue { least: i32::MAX, most: 0, guess: 0 };

#[derive(Debug)]
pub(super) struct Assessor {
    pub(super) filler: Filler,
    /// The fields of a [`RegionValue`].
    pub(super) known: NewestTable<(i8, i8, i16)>,
}

/// The reach of each side while the other's amazons stand still, by [`Side::index`].
///
/// Computed in a tenth of a microsecond, without allocation: the search asks it before it asks the
/// solver, which costs more.
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

impl Assessor {
    /// Values regions just made by [`SumPart::of`]: everything that waits for memory first, so that the
    /// waits overlap.
    #[inline]
    pub(super) fn value(&mut self, parts: &mut [SumPart]) {
        for part in parts.iter_mut() {
            if let Some((least, most, guess)) = self.known.get(part.key) {
                part.value = RegionValue { least: least.into(), most: most.into(), guess: guess.into() };
            }
        }
        for part in parts.iter_mut().filter(|part| part.value == UNKNOWN) {
            part.value = self.assess(&part.region);
            let RegionValue { least, most, guess } = part.value;
            self.known.keep(part.key, (least as i8, most as i8, guess as i16));
        }
    }

    fn assess(&mut self, region: &Region) -> RegionValue {
        if let Some(owner) = region.owner() {
            let (least, most) = self.filler.count(&Room::owned(region, owner), MOVES);
            return RegionValue { least, most, guess: 2 * (least + most) }.seen_by(owner);
        }
        let reach = Prospects::of(region);
        let certain = Side::BOTH.map(|side| self.certain(region, &reach, side));
        let [first, second] = reach.reached.map(count);
        let (least, most) = (certain[0] - second, first - certain[1]);
        RegionValue { least, most, guess: guess(region, &reach).clamp(4 * least, 4 * most) }
    }

    /// The moves that `side` is certain to have on the squares that it alone reaches: its amazons
    /// beside anything of the opponent's hold a wall.
    #[inline]
    pub(super) fn certain(&mut self, region: &Region, reach: &Prospects, side: Side) -> i32 {
        let (own, other) = (side.index(), (!side).index());
        let outside = (reach.reached[other] | region.amazons[other]).king_reach();
        let amazons = region.amazons[own];
        let room = Room { empty: reach.exclusive[own], free: amazons - outside, pinned: amazons & outside };
        self.filler.count(&room, MOVES).0
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
