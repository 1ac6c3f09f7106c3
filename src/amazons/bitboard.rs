//! A set of squares, stored as one 128-bit word, for boards of every size.
//!
//! Each row takes twelve bits of the word, and a board has at most ten columns. The two spare
//! columns never hold a square, so one shift moves a set by a step in any direction, and no square
//! wraps into another row. Row 5 begins at bit 64, so each row lies in one 64-bit half of the word.

use core::fmt;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use super::square::{ROW_STRIDE, Square};

/// A set of squares, in which the square (x, y) is bit `4 + 12 * y + x`. `a - b` is set difference.
///
/// ```
/// use amazons::{Bitboard, Square};
///
/// let corner: Square = "a1".parse()?;
/// let wall = Bitboard::of("a2".parse()?).with("b2".parse()?);
/// assert!(wall.contains("b2".parse()?));
/// assert_eq!((wall | Bitboard::of(corner)).count(), 3);
/// assert!((wall & Bitboard::of(corner)).is_empty());
/// # Ok::<(), amazons::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(u128);

static SINGLE_SQUARES: [Bitboard; Square::INDICES] = {
    let mut singles = [Bitboard::EMPTY; Square::INDICES];
    let mut bit = 0;
    while bit < Square::INDICES {
        singles[bit] = Bitboard(1 << bit);
        bit += 1;
    }
    singles
};

impl Bitboard {
    /// The set without squares.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// The set with these bits, which must all be squares of the largest board.
    #[inline(always)]
    pub const fn from_bits(bits: u128) -> Bitboard {
        Bitboard(bits)
    }

    /// The bits of the set.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The low and the high 64 bits, with five rows in each half. Row 0 begins at bit 4 of the low
    /// half, and row 5 at bit 0 of the high half.
    #[inline(always)]
    pub const fn halves(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// The set that holds only `square`.
    #[inline(always)]
    pub fn of(square: Square) -> Bitboard {
        SINGLE_SQUARES[usize::from(square.index())]
    }

    /// True if `square` is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Adds `square`.
    #[inline]
    pub fn insert(&mut self, square: Square) {
        *self |= Bitboard::of(square);
    }

    /// Removes `square`.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        *self -= Bitboard::of(square);
    }

    /// The union of this set and `square`.
    #[inline]
    #[must_use]
    pub fn with(self, square: Square) -> Bitboard {
        self | Bitboard::of(square)
    }

    /// The number of squares in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// True if no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The square with index `n` in the order of [`Bitboard::iter`]; `None` if `n >= self.count()`.
    #[inline]
    pub fn select(self, n: u32) -> Option<Square> {
        let [low, high] = self.halves();
        let count = low.count_ones();
        let (mut word, n, base) = if n < count { (low, n, 0) } else { (high, n - count, 64) };
        for _ in 0..n.min(64) {
            word &= word.wrapping_sub(1);
        }
        (word != 0).then(|| Square::from_index_unchecked(base + word.trailing_zeros() as u8))
    }

    /// The set that holds only the first square of this set; empty if this set is empty.
    #[inline]
    pub const fn first(self) -> Bitboard {
        Bitboard(self.0 & self.0.wrapping_neg())
    }

    /// Iterates over the squares of the set, row by row from row 0, each row from left to right.
    #[inline]
    pub const fn iter(self) -> Squares {
        Squares { words: self.halves() }
    }

    /// The union of this set and all squares one king step away from it. The result may have bits
    /// off the board, which the caller must mask out.
    #[inline(always)]
    #[must_use]
    pub const fn king_reach(self) -> Bitboard {
        let row = self.0 | self.0 << 1 | self.0 >> 1;
        Bitboard(row | row << ROW_STRIDE | row >> ROW_STRIDE)
    }

    /// The squares of `through` that a king can reach from a square of this set in zero or more
    /// steps. Each step must end on a square of `through`.
    #[inline]
    #[must_use]
    pub fn flood(self, through: Bitboard) -> Bitboard {
        let mut reached = self.king_reach() & through;
        loop {
            let next = reached.king_reach() & through;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }
}

/// An iterator over the squares of a [`Bitboard`], row by row, each row from left to right.
#[derive(Clone, Debug)]
pub struct Squares {
    words: [u64; 2],
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let [low, high] = &mut self.words;
        let (word, base) = if *low != 0 { (low, 0) } else { (high, 64) };
        if *word == 0 {
            return None;
        }
        let square = Square::from_index_unchecked(base + word.trailing_zeros() as u8);
        *word &= *word - 1;
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.words.iter().map(|word| word.count_ones() as usize).sum();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Squares {}

impl FromIterator<Square> for Bitboard {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        self.iter()
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $assignment:ident $assign:ident $bits:expr),* $(,)?) => {
        $(impl $operator for Bitboard {
            type Output = Bitboard;

            #[inline(always)]
            fn $method(self, other: Bitboard) -> Bitboard {
                let combined: fn(u128, u128) -> u128 = $bits;
                Bitboard(combined(self.0, other.0))
            }
        }

        impl $assignment for Bitboard {
            #[inline(always)]
            fn $assign(&mut self, other: Bitboard) {
                *self = $operator::$method(*self, other);
            }
        })*
    };
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign |a, b| a & b,
    BitOr bitor BitOrAssign bitor_assign |a, b| a | b,
    BitXor bitxor BitXorAssign bitxor_assign |a, b| a ^ b,
    Sub sub SubAssign sub_assign |a, b| a & !b,
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
