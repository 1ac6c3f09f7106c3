//! Sets of squares: one lane a row, for every board size.
//!
//! A row step is a lane shift and a column step a bit shift; nothing wraps as long as the result is
//! masked with a set of squares on the board, because bits 10 to 15 of a lane and lanes 10 to 15
//! never hold one.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub};

use super::square::Square;

/// A set of squares: bit `x` of lane `y`. One AVX2 register wide and aligned.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(C, align(32))]
pub struct Bitboard([u16; 16]);

impl Bitboard {
    /// No squares.
    pub const EMPTY: Bitboard = Bitboard([0; 16]);

    /// The set with these rows: bit `x` of `rows[y]`.
    #[inline]
    #[must_use]
    pub const fn from_rows(rows: [u16; 16]) -> Bitboard {
        Bitboard(rows)
    }

    /// The rows: bit `x` of element `y`.
    #[inline]
    #[must_use]
    pub const fn rows(&self) -> &[u16; 16] {
        &self.0
    }

    /// The set of this one square.
    #[inline]
    #[must_use]
    pub fn of(square: Square) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        set.insert(square);
        set
    }

    /// The same row in all sixteen lanes.
    #[inline]
    #[must_use]
    pub(crate) const fn splat(row: u16) -> Bitboard {
        Bitboard([row; 16])
    }

    /// Whether `square` is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(&self, square: Square) -> bool {
        self.0[square.y() as usize] >> square.x() & 1 != 0
    }

    /// Adds `square`.
    #[inline]
    pub const fn insert(&mut self, square: Square) {
        self.0[square.y() as usize] |= 1 << square.x();
    }

    /// Takes `square` out.
    #[inline]
    pub const fn remove(&mut self, square: Square) {
        self.0[square.y() as usize] &= !(1 << square.x());
    }

    /// This set with `square` in it.
    #[inline]
    #[must_use]
    pub const fn with(mut self, square: Square) -> Bitboard {
        self.insert(square);
        self
    }

    /// How many squares are in the set.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u32 {
        self.words().iter().map(|word| word.count_ones()).sum()
    }

    /// Whether no square is in the set.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words().iter().fold(0, |all, word| all | word) == 0
    }

    /// The `n`-th square of the set, from 0, in the order of [`Bitboard::iter`]; `None` beyond the
    /// last.
    #[inline]
    #[must_use]
    pub fn select(&self, mut n: u32) -> Option<Square> {
        for (index, mut word) in self.words().into_iter().enumerate() {
            let count = word.count_ones();
            if n < count {
                for _ in 0..n {
                    word &= word - 1;
                }
                return Some(Square::from_index(index as u8 * 64 + word.trailing_zeros() as u8));
            }
            n -= count;
        }
        None
    }

    /// The squares of the set, by rows and from left to right.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Squares {
        Squares { words: self.words(), word: 0 }
    }

    /// The squares one row step (`y + 1`) from these; the last lane is lost.
    #[inline]
    #[must_use]
    pub(crate) fn down<const STEPS: usize>(&self) -> Bitboard {
        Bitboard(std::array::from_fn(|y| if y >= STEPS { self.0[y - STEPS] } else { 0 }))
    }

    /// The squares one row step (`y - 1`) from these.
    #[inline]
    #[must_use]
    pub(crate) fn up<const STEPS: usize>(&self) -> Bitboard {
        Bitboard(std::array::from_fn(|y| if y + STEPS < 16 { self.0[y + STEPS] } else { 0 }))
    }

    /// The squares one column step (`x + 1`) from these.
    #[inline]
    #[must_use]
    pub(crate) fn right<const STEPS: usize>(&self) -> Bitboard {
        Bitboard(self.0.map(|row| row << STEPS))
    }

    /// The squares one column step (`x - 1`) from these.
    #[inline]
    #[must_use]
    pub(crate) fn left<const STEPS: usize>(&self) -> Bitboard {
        Bitboard(self.0.map(|row| row >> STEPS))
    }

    /// These squares and all a king's step from them, squares off the board included: mask the
    /// result.
    #[inline]
    #[must_use]
    pub fn king_reach(&self) -> Bitboard {
        let wide = *self | self.left::<1>() | self.right::<1>();
        wide | wide.up::<1>() | wide.down::<1>()
    }

    /// The column `x`, turned on its side: bit `y` of the result.
    #[inline]
    #[must_use]
    pub(crate) fn column(&self, x: u8) -> u16 {
        const EACH: u64 = 0x0001_0001_0001_0001;
        // Row 4w + r to bit 4w of lane r, where the words can share one multiplication ...
        let [a, b, c, d] = self.words().map(|word| word >> x & EACH);
        let lanes = a | b << 4 | c << 8 | d << 12;
        // ... which moves lane r to the highest, r bits up. No two bits meet, so there is no carry.
        (lanes.wrapping_mul(1 << 48 | 1 << 33 | 1 << 18 | 1 << 3) >> 48) as u16
    }

    /// The set as four words of four rows each, the lowest row in the lowest bits.
    #[inline]
    fn words(&self) -> [u64; 4] {
        std::array::from_fn(|word| {
            let row = |n: usize| u64::from(self.0[4 * word + n]) << (16 * n);
            row(0) | row(1) | row(2) | row(3)
        })
    }
}

/// The squares of a [`Bitboard`], by rows and from left to right.
#[derive(Clone, Debug)]
pub struct Squares {
    words: [u64; 4],
    word: u8,
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        while self.word < 4 {
            let word = &mut self.words[usize::from(self.word)];
            if *word != 0 {
                let bit = word.trailing_zeros() as u8;
                *word &= *word - 1;
                return Some(Square::from_index(self.word * 64 + bit));
            }
            self.word += 1;
        }
        None
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.words.iter().map(|word| word.count_ones() as usize).sum();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Squares {}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl IntoIterator for &Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        self.iter()
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|y| self.0[y] & other.0[y]))
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|y| self.0[y] | other.0[y]))
    }
}

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(self.0.map(|row| !row))
    }
}

/// Set difference.
impl Sub for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn sub(self, other: Bitboard) -> Bitboard {
        Bitboard(std::array::from_fn(|y| self.0[y] & !other.0[y]))
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        *self = *self & other;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        *self = *self | other;
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|square| square.to_string())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: u8, y: u8) -> Square {
        Square::new(x, y).unwrap()
    }

    #[test]
    fn a_set_gives_back_its_squares_in_order() {
        let squares = [square(3, 0), square(0, 3), square(9, 3), square(0, 4), square(9, 9)];
        let set: Bitboard = squares.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), squares);
        assert_eq!((set.count(), set.iter().len()), (5, 5));
        for (n, square) in squares.into_iter().enumerate() {
            assert_eq!(set.select(n as u32), Some(square));
        }
        assert_eq!(set.select(5), None);
        assert!((set - set).is_empty() && !set.is_empty());
    }

    #[test]
    fn a_column_has_a_bit_for_each_of_its_rows() {
        let rows = std::array::from_fn(|y| (y as u16).wrapping_mul(0x9e37) ^ 0x5a5a);
        let set = Bitboard::from_rows(rows);
        for x in 0..16 {
            let expected = (0..16).fold(0, |column, y| column | (rows[y] >> x & 1) << y);
            assert_eq!(set.column(x), expected, "column {x}");
        }
    }

    #[test]
    fn a_kings_reach_is_at_most_nine_squares() {
        let board = crate::game::Size::square(10).unwrap().mask();
        assert_eq!((Bitboard::of(square(4, 4)).king_reach() & board).count(), 9);
        assert_eq!((Bitboard::of(square(0, 9)).king_reach() & board).count(), 4);
        assert_eq!((Bitboard::of(square(9, 4)).king_reach() & board).count(), 6);
    }
}
