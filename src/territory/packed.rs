//! Sets of squares for the portable floods: in as few words as possible, so that every step is one
//! shift.
//!
//! [`Wide`] holds any board, [`Small`] boards up to 8x8 in half the words. A step may leave the
//! board: callers intersect the result with a set of squares on the board.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use crate::game::Bitboard;

/// One of the eight directions of a queen. Opposite ways shift by the same number of bits, up or
/// down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `x + 1`.
    East,
    /// `x - 1`.
    West,
    /// `y + 1`.
    South,
    /// `y - 1`.
    North,
    /// `x + 1`, `y + 1`.
    SouthEast,
    /// `x - 1`, `y - 1`.
    NorthWest,
    /// `x - 1`, `y + 1`.
    SouthWest,
    /// `x + 1`, `y - 1`.
    NorthEast,
}

/// A set of squares that floods run on. `a - b` is set difference.
pub trait Packed:
    Copy
    + Debug
    + Default
    + PartialEq
    + From<Bitboard>
    + Into<Bitboard>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + Sub<Output = Self>
{
    /// Whether a line of this board can be longer than eight squares.
    const LONG: bool;

    /// How many squares are in the set.
    fn count(self) -> i32;

    /// Whether there are none.
    fn is_empty(self) -> bool;

    /// These squares without those that a shift this way reaches round the edge of the board.
    fn entered(self, way: Way) -> Self;

    /// The squares shifted by this number of steps; some leave the board or come round its edge.
    fn shift(self, way: Way, steps: u32) -> Self;

    /// These squares and all a king's step from them.
    fn king_reach(self) -> Self;
}

macro_rules! set_operations {
    ($set:ident { $($word:ident),+ }) => {
        impl BitAnd for $set {
            type Output = $set;

            #[inline(always)]
            fn bitand(self, other: $set) -> $set {
                $set { $($word: self.$word & other.$word),+ }
            }
        }

        impl BitOr for $set {
            type Output = $set;

            #[inline(always)]
            fn bitor(self, other: $set) -> $set {
                $set { $($word: self.$word | other.$word),+ }
            }
        }

        impl BitOrAssign for $set {
            #[inline(always)]
            fn bitor_assign(&mut self, other: $set) {
                *self = *self | other;
            }
        }

        impl Sub for $set {
            type Output = $set;

            #[inline(always)]
            fn sub(self, other: $set) -> $set {
                $set { $($word: self.$word & !other.$word),+ }
            }
        }
    };
}

/// Any board, in two words of five rows: bit `11 * (y % 5) + x`. The eleventh column is spare and
/// never empty, so that what leaves a row on either side is lost in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wide {
    low: u64,
    high: u64,
}

set_operations!(Wide { low, high });

/// Bits of a row with its spare column, and of a word's five rows.
const STRIDE: u32 = 11;
const WORD: u32 = 5 * STRIDE;

impl Wide {
    #[inline(always)]
    fn up(self, bits: u32) -> Wide {
        Wide { low: self.low << bits, high: self.high << bits | self.low >> (WORD - bits) }
    }

    #[inline(always)]
    fn down(self, bits: u32) -> Wide {
        Wide { low: self.low >> bits | self.high << (WORD - bits), high: self.high >> bits }
    }
}

impl Packed for Wide {
    const LONG: bool = true;

    #[inline(always)]
    fn count(self) -> i32 {
        (self.low.count_ones() + self.high.count_ones()) as i32
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.low | self.high == 0
    }

    #[inline(always)]
    fn entered(self, _way: Way) -> Wide {
        self
    }

    #[inline(always)]
    fn shift(self, way: Way, steps: u32) -> Wide {
        match way {
            Way::East => self.up(steps),
            Way::West => self.down(steps),
            Way::South => self.up(STRIDE * steps),
            Way::North => self.down(STRIDE * steps),
            Way::SouthEast => self.up((STRIDE + 1) * steps),
            Way::NorthWest => self.down((STRIDE + 1) * steps),
            Way::SouthWest => self.up((STRIDE - 1) * steps),
            Way::NorthEast => self.down((STRIDE - 1) * steps),
        }
    }

    #[inline(always)]
    fn king_reach(self) -> Wide {
        let row = self | self.up(1) | self.down(1);
        row | row.up(STRIDE) | row.down(STRIDE)
    }
}

impl From<Bitboard> for Wide {
    #[inline(always)]
    fn from(set: Bitboard) -> Wide {
        let rows = set.rows();
        let word =
            |from: usize| (0..5).fold(0, |word, y| word | u64::from(rows[from + y]) << (STRIDE * y as u32));
        Wide { low: word(0), high: word(5) }
    }
}

impl From<Wide> for Bitboard {
    #[inline(always)]
    fn from(set: Wide) -> Bitboard {
        let row = |y: usize| {
            let word = if y < 5 { set.low } else { set.high };
            if y < 10 { (word >> (STRIDE * (y as u32 % 5))) as u16 & 0x3ff } else { 0 }
        };
        Bitboard::from_rows(std::array::from_fn(row))
    }
}

/// A board up to 8x8, in one word: bit `8 * y + x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Small {
    word: u64,
}

set_operations!(Small { word });

impl Small {
    const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
    const LAST_COLUMN: u64 = Small::FIRST_COLUMN << 7;
}

impl Packed for Small {
    const LONG: bool = false;

    #[inline(always)]
    fn count(self) -> i32 {
        self.word.count_ones() as i32
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.word == 0
    }

    #[inline(always)]
    fn entered(self, way: Way) -> Small {
        let round = match way {
            Way::East | Way::SouthEast | Way::NorthEast => Small::FIRST_COLUMN,
            Way::West | Way::SouthWest | Way::NorthWest => Small::LAST_COLUMN,
            Way::South | Way::North => 0,
        };
        Small { word: self.word & !round }
    }

    #[inline(always)]
    fn shift(self, way: Way, steps: u32) -> Small {
        let word = match way {
            Way::East => self.word << steps,
            Way::West => self.word >> steps,
            Way::South => self.word << (8 * steps),
            Way::North => self.word >> (8 * steps),
            Way::SouthEast => self.word << (9 * steps),
            Way::NorthWest => self.word >> (9 * steps),
            Way::SouthWest => self.word << (7 * steps),
            Way::NorthEast => self.word >> (7 * steps),
        };
        Small { word }
    }

    #[inline(always)]
    fn king_reach(self) -> Small {
        let row =
            self | self.shift(Way::East, 1).entered(Way::East) | self.shift(Way::West, 1).entered(Way::West);
        row | row.shift(Way::South, 1) | row.shift(Way::North, 1)
    }
}

impl From<Bitboard> for Small {
    #[inline(always)]
    fn from(set: Bitboard) -> Small {
        let row = |word, y: usize| word | u64::from(set.rows()[y]) << (8 * y);
        Small { word: (0..8).fold(0, row) }
    }
}

impl From<Small> for Bitboard {
    #[inline(always)]
    fn from(set: Small) -> Bitboard {
        let bytes = set.word.to_le_bytes();
        Bitboard::from_rows(std::array::from_fn(|y| bytes.get(y).copied().map_or(0, u16::from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Size, Square};

    const WAYS: [(Way, i8, i8); 8] = [
        (Way::East, 1, 0),
        (Way::West, -1, 0),
        (Way::South, 0, 1),
        (Way::North, 0, -1),
        (Way::SouthEast, 1, 1),
        (Way::NorthWest, -1, -1),
        (Way::SouthWest, -1, 1),
        (Way::NorthEast, 1, -1),
    ];

    fn steps_are_steps_on_the_board<P: Packed>(size: Size) {
        let board = size.mask();
        assert_eq!(P::from(board).count(), board.count() as i32);
        for from in &board {
            let set = P::from(Bitboard::of(from));
            assert_eq!(set.into(), Bitboard::of(from));
            for (way, dx, dy) in WAYS {
                let (x, y) = (from.x() as i8 + dx, from.y() as i8 + dy);
                let square = u8::try_from(x).ok().zip(u8::try_from(y).ok());
                let square = square.and_then(|(x, y)| Square::new(x, y));
                let expected: Bitboard = square.filter(|&square| size.contains(square)).into_iter().collect();
                let stepped = set.shift(way, 1) & P::from(board).entered(way);
                assert_eq!(stepped.into(), expected, "{from} {way:?}");
            }
            let reach = set.king_reach() & P::from(board);
            assert_eq!(reach.into(), Bitboard::of(from).king_reach() & board, "{from}");
        }
    }

    #[test]
    fn both_kinds_step_alike() {
        for side in [1, 4, 7, 8] {
            steps_are_steps_on_the_board::<Small>(Size::square(side).unwrap());
            steps_are_steps_on_the_board::<Wide>(Size::square(side).unwrap());
        }
        steps_are_steps_on_the_board::<Wide>(Size::square(9).unwrap());
        steps_are_steps_on_the_board::<Wide>(Size::square(10).unwrap());
    }
}
