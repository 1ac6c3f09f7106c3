//! The board as the floods hold it: two words of five rows, a spare column between rows.
//!
//! A row takes eleven bits, so a step in any direction is one shift by a constant, and what leaves a row on
//! either side falls into the spare column, which is never empty. Two words instead of four also halve the
//! population counts. No step masks its result: whoever takes one cuts it with a set of squares on the board.

use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use crate::game::Bitboard;

/// A set of squares: bit `11 * (y % 5) + x` of the low word for rows 0 to 4, of the high word for rows 5 to 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Packed {
    low: u64,
    high: u64,
}

/// Bits of a row with its spare column, and of a word's five rows.
const STRIDE: u32 = 11;
const WORD: u32 = 5 * STRIDE;

impl Packed {
    pub(super) const EMPTY: Packed = Packed { low: 0, high: 0 };

    #[inline(always)]
    pub(super) fn count(self) -> i32 {
        (self.low.count_ones() + self.high.count_ones()) as i32
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.low | self.high == 0
    }

    /// All squares `BITS` bits further on: 1 east, 11 south, 12 south-east, 10 south-west, or multiples.
    #[inline(always)]
    pub(super) fn forward<const BITS: u32>(self) -> Packed {
        Packed { low: self.low << BITS, high: self.high << BITS | self.low >> (WORD - BITS) }
    }

    /// All squares `BITS` bits back: the opposite directions.
    #[inline(always)]
    pub(super) fn back<const BITS: u32>(self) -> Packed {
        Packed { low: self.low >> BITS | self.high << (WORD - BITS), high: self.high >> BITS }
    }

    /// These squares and all a king's step from them.
    #[inline(always)]
    pub(super) fn king_reach(self) -> Packed {
        let wide = self | self.forward::<1>() | self.back::<1>();
        wide | wide.forward::<STRIDE>() | wide.back::<STRIDE>()
    }
}

impl From<Bitboard> for Packed {
    #[inline(always)]
    fn from(set: Bitboard) -> Packed {
        let rows = set.rows();
        let word =
            |from: usize| (0..5).fold(0, |word, y| word | u64::from(rows[from + y]) << (STRIDE * y as u32));
        Packed { low: word(0), high: word(5) }
    }
}

impl From<Packed> for Bitboard {
    #[inline(always)]
    fn from(set: Packed) -> Bitboard {
        let row = |y: usize| {
            let word = if y < 5 { set.low } else { set.high };
            if y < 10 { (word >> (STRIDE * (y as u32 % 5))) as u16 & 0x3ff } else { 0 }
        };
        Bitboard::from_rows(std::array::from_fn(row))
    }
}

impl BitAnd for Packed {
    type Output = Packed;

    #[inline(always)]
    fn bitand(self, other: Packed) -> Packed {
        Packed { low: self.low & other.low, high: self.high & other.high }
    }
}

impl BitOr for Packed {
    type Output = Packed;

    #[inline(always)]
    fn bitor(self, other: Packed) -> Packed {
        Packed { low: self.low | other.low, high: self.high | other.high }
    }
}

impl BitOrAssign for Packed {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Packed) {
        *self = *self | other;
    }
}

/// Set difference.
impl Sub for Packed {
    type Output = Packed;

    #[inline(always)]
    fn sub(self, other: Packed) -> Packed {
        Packed { low: self.low & !other.low, high: self.high & !other.high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Size, Square};

    #[test]
    fn steps_are_steps_on_the_board() {
        let board = Size::square(10).unwrap().mask();
        for from in &board {
            let set = Packed::from(Bitboard::of(from));
            assert_eq!(Bitboard::from(set), Bitboard::of(from));
            let cut = |moved: Packed| Bitboard::from(moved & Packed::from(board));
            let expected = |dx: i8, dy: i8| {
                let (x, y) = (from.x() as i8 + dx, from.y() as i8 + dy);
                let square = u8::try_from(x).ok().zip(u8::try_from(y).ok());
                square.and_then(|(x, y)| Square::new(x, y)).into_iter().collect::<Bitboard>()
            };
            assert_eq!(cut(set.forward::<1>()), expected(1, 0), "{from}");
            assert_eq!(cut(set.back::<1>()), expected(-1, 0), "{from}");
            assert_eq!(cut(set.forward::<11>()), expected(0, 1), "{from}");
            assert_eq!(cut(set.back::<11>()), expected(0, -1), "{from}");
            assert_eq!(cut(set.forward::<12>()), expected(1, 1), "{from}");
            assert_eq!(cut(set.back::<12>()), expected(-1, -1), "{from}");
            assert_eq!(cut(set.forward::<10>()), expected(-1, 1), "{from}");
            assert_eq!(cut(set.back::<10>()), expected(1, -1), "{from}");
            assert_eq!(cut(set.king_reach()), Bitboard::of(from).king_reach() & board, "{from}");
        }
    }
}
