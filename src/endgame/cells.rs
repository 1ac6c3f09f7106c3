//! Sets of squares as the solver holds them: one 128-bit word, every king's step a shift.
//!
//! Rows lie eleven bits apart, so that what leaves a row on either side is lost in a spare column
//! that is never open. [`Bitboard`](crate::game::Bitboard) serves the floods of whole boards; here
//! sets are hashed, split and kept in tables by the million, and half the size counts.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub};

use crate::game::{Bitboard, Square};

/// A set of squares: bit `11 * y + x`. `a - b` is set difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Cells(pub(super) u128);

/// Bits from a row to the next.
const STRIDE: u32 = 11;

/// The four ways to higher bits; the other four are their opposites.
const WAYS: [u32; 4] = [1, STRIDE - 1, STRIDE, STRIDE + 1];

impl Cells {
    pub(super) const EMPTY: Cells = Cells(0);

    /// The set of this one square.
    #[inline]
    pub(super) fn of(square: Square) -> Cells {
        Cells(1 << (STRIDE * u32::from(square.y()) + u32::from(square.x())))
    }

    /// The square of a set that holds just one; of others, the first.
    #[inline]
    pub(super) fn square(self) -> Square {
        let bit = self.0.trailing_zeros();
        // Only squares of the largest board are ever put in; the corner stands in for "cannot be".
        Square::new((bit % STRIDE) as u8, (bit / STRIDE) as u8).unwrap_or_default()
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(super) fn count(self) -> i32 {
        self.0.count_ones() as i32
    }

    /// The first square, as a set; empty if there is none.
    #[inline]
    pub(super) fn first(self) -> Cells {
        Cells(self.0 & self.0.wrapping_neg())
    }

    /// These squares and all a king's step from them, squares off the board included: mask the
    /// result.
    #[inline]
    pub(super) fn king_reach(self) -> Cells {
        let row = self.0 | self.0 << 1 | self.0 >> 1;
        Cells(row | row << STRIDE | row >> STRIDE)
    }

    /// The squares of `through` that king steps over `through` reach from these.
    #[inline]
    pub(super) fn flood(self, through: Cells) -> Cells {
        let mut reached = self.king_reach() & through;
        loop {
            let next = reached.king_reach() & through;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// How many king's steps the farthest square of `through` is away over them: one amazon can
    /// burn the square it leaves as often.
    #[inline]
    pub(super) fn walk(self, through: Cells) -> u32 {
        let mut steps = 0;
        let mut reached = self.king_reach() & through;
        let mut before = Cells::EMPTY;
        while reached != before {
            steps += 1;
            before = reached;
            reached = reached.king_reach() & through;
        }
        steps
    }

    /// The squares that a queen or arrow on this one square reaches in one go through `empty`.
    #[inline]
    pub(super) fn queen_reach(self, empty: Cells) -> Cells {
        let mut reached = 0;
        for way in WAYS {
            let mut up = self.0 << way & empty.0;
            while up != 0 {
                reached |= up;
                up = up << way & empty.0;
            }
            let mut down = self.0 >> way & empty.0;
            while down != 0 {
                reached |= down;
                down = down >> way & empty.0;
            }
        }
        Cells(reached)
    }

    /// A number for this set that equal sets share and others all but never.
    #[inline]
    pub(super) fn hash(self, seed: u64) -> u64 {
        // The high word has 46 bits, so that no set makes a factor zero.
        let product =
            u128::from(self.0 as u64 ^ seed) * u128::from((self.0 >> 64) as u64 ^ 0x9e37_79b9_7f4a_7c15);
        (product >> 64) as u64 ^ product as u64
    }
}

impl Iterator for Cells {
    type Item = Cells;

    /// The squares one by one, each as a set.
    #[inline]
    fn next(&mut self) -> Option<Cells> {
        let first = self.first();
        self.0 ^= first.0;
        (!first.is_empty()).then_some(first)
    }
}

impl From<&Bitboard> for Cells {
    #[inline]
    fn from(set: &Bitboard) -> Cells {
        let rows = set.rows();
        let half =
            |from: usize| (0..5).fold(0, |word, y| word | u64::from(rows[from + y]) << (STRIDE * y as u32));
        Cells(u128::from(half(0)) | u128::from(half(5)) << (5 * STRIDE))
    }
}

impl From<&[Square]> for Cells {
    #[inline]
    fn from(squares: &[Square]) -> Cells {
        squares.iter().fold(Cells::EMPTY, |set, &square| set | Cells::of(square))
    }
}

impl BitAnd for Cells {
    type Output = Cells;

    #[inline]
    fn bitand(self, other: Cells) -> Cells {
        Cells(self.0 & other.0)
    }
}

impl BitAndAssign for Cells {
    #[inline]
    fn bitand_assign(&mut self, other: Cells) {
        self.0 &= other.0;
    }
}

impl BitOr for Cells {
    type Output = Cells;

    #[inline]
    fn bitor(self, other: Cells) -> Cells {
        Cells(self.0 | other.0)
    }
}

impl BitOrAssign for Cells {
    #[inline]
    fn bitor_assign(&mut self, other: Cells) {
        self.0 |= other.0;
    }
}

impl Sub for Cells {
    type Output = Cells;

    #[inline]
    fn sub(self, other: Cells) -> Cells {
        Cells(self.0 & !other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Size, queen_reach};

    #[test]
    fn sets_agree_with_bitboards() {
        let mut state = 7_u64;
        for round in 0..200 {
            let size = Size::new(1 + round % 10, 1 + round / 7 % 10).unwrap();
            let empty: Bitboard = size
                .mask()
                .iter()
                .filter(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    state >> 61 > 2
                })
                .collect();
            let cells = Cells::from(&empty);
            assert!(cells.map(Cells::square).eq(empty.iter()));
            assert_eq!(cells.count(), empty.count() as i32);
            for square in &size.mask() {
                let reach = Cells::of(square).queen_reach(cells);
                assert_eq!(reach, Cells::from(&queen_reach(square, &empty)));
                let king = Bitboard::of(square).king_reach() & empty;
                assert_eq!(Cells::of(square).king_reach() & cells, Cells::from(&king));
            }
        }
    }
}
