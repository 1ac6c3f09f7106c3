//! Queen and king distances by flood: every square of a level at once.
//!
//! A level of queen distance is a fill, in eight directions, of the level before it through the empty squares.
//! The fill doubles its stride (1, 2, 4, and 2 more for the ninth square of a line); which strides are open
//! depends on the empty squares alone, so both sides and all levels share those masks.

use super::packed::Packed;
use crate::game::{Bitboard, Square};

/// The empty squares at each distance from a set of amazons, up to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels<const MAX: usize> {
    sets: [Packed; MAX],
    count: usize,
    reached: Packed,
}

/// Queen distances: few boards need more than five, and 2^-15 of a square decides nothing.
pub type QueenLevels = Levels<15>;

/// King distances: differences beyond 6 are not told apart, so the far end of a long corridor may be cut.
pub type KingLevels = Levels<24>;

impl<const MAX: usize> Levels<MAX> {
    /// Floods from `amazons`: `step` gives all squares one step from a set, occupied ones included.
    #[inline(always)]
    fn flood(amazons: Packed, empty: Packed, step: impl Fn(Packed) -> Packed) -> Levels<MAX> {
        let mut levels = Levels { sets: [Packed::EMPTY; MAX], count: 0, reached: Packed::EMPTY };
        let mut frontier = amazons;
        loop {
            frontier = (step(frontier) & empty) - levels.reached;
            if frontier.is_empty() {
                return levels;
            }
            levels.reached |= frontier;
            // Beyond the last level that is kept, squares count as on it.
            levels.count = (levels.count + 1).min(MAX);
            levels.sets[levels.count - 1] |= frontier;
        }
    }

    /// The levels that hold squares: element k the empty squares at distance k + 1, the last of `MAX` those at
    /// `MAX` or more.
    #[inline(always)]
    pub(super) fn sets(&self) -> &[Packed] {
        &self.sets[..self.count]
    }

    /// The empty squares that can be reached at all.
    #[inline(always)]
    pub(super) fn reached(&self) -> Packed {
        self.reached
    }

    /// How many squares are at this distance.
    #[inline(always)]
    #[must_use]
    pub fn count(&self, distance: usize) -> u64 {
        let set = distance.checked_sub(1).and_then(|level| self.sets().get(level));
        set.map_or(0, |set| set.count() as u64)
    }

    /// The distance of an empty square, at most `MAX`; `None` if it cannot be reached.
    #[must_use]
    pub fn distance(&self, square: Square) -> Option<usize> {
        self.sets().iter().position(|&set| Bitboard::from(set).contains(square)).map(|level| level + 1)
    }
}

/// The empty squares of a board and what they alone say about queen moves.
#[derive(Clone, Copy, Debug)]
pub struct OpenLines {
    empty: Packed,
    /// Per direction: squares entered by two and by four steps over empty squares.
    strides: [[Packed; 2]; 8],
}

macro_rules! directions {
    ($($index:literal $shift:ident $bits:literal;)+) => {
        impl OpenLines {
            /// The masks for these empty squares.
            #[inline(always)]
            #[must_use]
            pub fn new(empty: Bitboard) -> OpenLines {
                let empty = Packed::from(empty);
                let strides = [$({
                    let two = empty & empty.$shift::<$bits>();
                    [two, two & two.$shift::<{ 2 * $bits }>()]
                },)+];
                OpenLines { empty, strides }
            }

            /// The squares a queen's move from those of `from`, and more beyond its ends that are not empty.
            #[inline(always)]
            fn queen_step(&self, from: Packed) -> Packed {
                let mut reach = Packed::EMPTY;
                $({
                    let [two, four] = self.strides[$index];
                    let mut filled = from | (self.empty & from.$shift::<$bits>());
                    filled |= two & filled.$shift::<{ 2 * $bits }>();
                    filled |= four & filled.$shift::<{ 4 * $bits }>();
                    filled |= two & filled.$shift::<{ 2 * $bits }>();
                    reach |= filled;
                })+
                reach
            }
        }
    };
}

directions! {
    0 forward 1;
    1 back 1;
    2 forward 11;
    3 back 11;
    4 forward 12;
    5 back 12;
    6 forward 10;
    7 back 10;
}

impl OpenLines {
    /// Queen distances from `amazons`.
    #[inline(always)]
    #[must_use]
    pub fn queen_levels(&self, amazons: Bitboard) -> QueenLevels {
        Levels::flood(Packed::from(amazons), self.empty, |from| self.queen_step(from))
    }

    /// King distances from `amazons`.
    #[inline(always)]
    #[must_use]
    pub fn king_levels(&self, amazons: Bitboard) -> KingLevels {
        Levels::flood(Packed::from(amazons), self.empty, Packed::king_reach)
    }
}
