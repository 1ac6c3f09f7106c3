//! Boards up to 8x8.
//!
//! One word a side, each in two of the four words, so that one operation goes two ways for both sides.

use std::arch::x86_64::*;

use super::{avx, bits_of_words, counts_of_halves, register};
use crate::game::{Bitboard, Square};
use crate::territory::pair::Pair;

register!(
    /// A board up to 8x8: two words of the register a side, which are the same.
    SmallPair
);

/// What a queen's move on a board up to 8x8 goes by: its eight ways two at a time, words of each half apart.
#[derive(Clone, Copy)]
pub(in crate::territory) struct SmallLines<const AVX512: bool> {
    /// Squares entered by one, two and four steps: east and south, south-east and south-west, and the four opposite.
    ways: [[SmallPair<AVX512>; 3]; 4],
}

const FIRST_COLUMN: i64 = 0x0101_0101_0101_0101;
const LAST_COLUMN: i64 = FIRST_COLUMN << 7;

/// The same two words in both halves.
#[inline(always)]
fn halves(first: i64, second: i64) -> __m256i {
    avx!(_mm256_set_epi64x(second, first, second, first))
}

impl<const AVX512: bool> SmallPair<AVX512> {
    /// Up by so many bits in the first word of each half, and in the second.
    #[inline(always)]
    fn up(self, first: i64, second: i64) -> Self {
        avx!(SmallPair(_mm256_sllv_epi64(self.0, halves(first, second))))
    }

    #[inline(always)]
    fn down(self, first: i64, second: i64) -> Self {
        avx!(SmallPair(_mm256_srlv_epi64(self.0, halves(first, second))))
    }

    /// These squares without the columns that a step the way of each word cannot enter.
    #[inline(always)]
    fn without(self, first: i64, second: i64) -> Self {
        avx!(SmallPair(_mm256_andnot_si256(halves(first, second), self.0)))
    }

    /// Squares entered by one (these), two and four steps up.
    #[inline(always)]
    fn strides_up(self, a: i64, b: i64) -> [Self; 3] {
        let two = self & self.up(a, b);
        [self, two, two & two.up(2 * a, 2 * b)]
    }

    #[inline(always)]
    fn strides_down(self, a: i64, b: i64) -> [Self; 3] {
        let two = self & self.down(a, b);
        [self, two, two & two.down(2 * a, 2 * b)]
    }

    /// These squares and all that is open up from them.
    #[inline(always)]
    fn filled_up(self, strides: &[Self; 3], a: i64, b: i64) -> Self {
        let filled = self | (strides[0] & self.up(a, b));
        let filled = filled | (strides[1] & filled.up(2 * a, 2 * b));
        filled | (strides[2] & filled.up(4 * a, 4 * b))
    }

    #[inline(always)]
    fn filled_down(self, strides: &[Self; 3], a: i64, b: i64) -> Self {
        let filled = self | (strides[0] & self.down(a, b));
        let filled = filled | (strides[1] & filled.down(2 * a, 2 * b));
        filled | (strides[2] & filled.down(4 * a, 4 * b))
    }

    /// Both words of each half put together.
    #[inline(always)]
    fn gathered(self) -> Self {
        self | avx!(SmallPair(_mm256_shuffle_epi32::<0b0100_1110>(self.0)))
    }

    #[inline(always)]
    fn words_of(own: u64, other: u64) -> Self {
        let (own, other) = (own as i64, other as i64);
        avx!(SmallPair(_mm256_set_epi64x(other, other, own, own)))
    }
}

/// Bit `8 * y + x` for a square of a board up to 8x8.
#[inline(always)]
fn small_bit(square: Square) -> u64 {
    1 << (8 * square.y() + square.x())
}

impl<const AVX512: bool> Pair for SmallPair<AVX512> {
    type Lines = SmallLines<AVX512>;

    #[inline(always)]
    fn nothing() -> Self {
        avx!(SmallPair(_mm256_setzero_si256()))
    }

    #[inline(always)]
    fn same(set: &Bitboard) -> Self {
        avx!({
            let rows = _mm_loadu_si128(set.rows().as_ptr().cast());
            SmallPair(_mm256_broadcastq_epi64(_mm_packus_epi16(rows, rows)))
        })
    }

    #[inline(always)]
    fn of(amazons: [&[Square]; 2]) -> Self {
        let [own, other] =
            amazons.map(|squares| squares.iter().fold(0, |set, &square| set | small_bit(square)));
        SmallPair::words_of(own, other)
    }

    #[inline(always)]
    fn neighbours(squares: [Option<Square>; 2]) -> Self {
        let [own, other] = squares.map(|square| square.map_or(0, small_bit));
        let set = SmallPair::words_of(own, other);
        set.king_step() - set
    }

    #[inline(always)]
    fn lines(self) -> SmallLines<AVX512> {
        let (first, last) = (FIRST_COLUMN, LAST_COLUMN);
        SmallLines {
            ways: [
                self.without(first, 0).strides_up(1, 8),
                self.without(first, last).strides_up(9, 7),
                self.without(last, 0).strides_down(1, 8),
                self.without(last, first).strides_down(9, 7),
            ],
        }
    }

    #[inline(always)]
    fn queen_step(self, lines: &SmallLines<AVX512>) -> Self {
        let ways = &lines.ways;
        let up = self.filled_up(&ways[0], 1, 8) | self.filled_up(&ways[1], 9, 7);
        let down = self.filled_down(&ways[2], 1, 8) | self.filled_down(&ways[3], 9, 7);
        (up | down).gathered()
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        let row = avx!({
            let east = SmallPair(_mm256_slli_epi64::<1>(self.0)).without(FIRST_COLUMN, FIRST_COLUMN);
            let west = SmallPair(_mm256_srli_epi64::<1>(self.0)).without(LAST_COLUMN, LAST_COLUMN);
            self | east | west
        });
        avx!(row | SmallPair(_mm256_slli_epi64::<8>(row.0)) | SmallPair(_mm256_srli_epi64::<8>(row.0)))
    }

    #[inline(always)]
    fn exchanged(self) -> Self {
        avx!(SmallPair(_mm256_permute2x128_si256::<1>(self.0, self.0)))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        avx!(_mm256_testz_si256(self.0, self.0) != 0)
    }

    #[inline(always)]
    fn counts([a, b, c, d]: [Self; 4]) -> [[i16; 4]; 2] {
        avx!({
            // Each half holds a set twice, so two sets share a register.
            let ab = bits_of_words::<AVX512>(_mm256_blend_epi32::<0b1100_1100>(a.0, b.0));
            let cd = bits_of_words::<AVX512>(_mm256_blend_epi32::<0b1100_1100>(c.0, d.0));
            // In every half: a, b and c, d in words; then a, c, b, d in quarters of the first word.
            let both = _mm256_or_si256(ab, _mm256_slli_epi64::<32>(cd));
            let second = _mm256_slli_epi64::<16>(_mm256_srli_si256::<8>(both));
            counts_of_halves(_mm256_or_si256(both, second))
        })
    }

    fn boards(self) -> [Bitboard; 2] {
        let words = self.words();
        [0, 2].map(|word| {
            let bytes = words[word].to_le_bytes();
            Bitboard::from_rows(std::array::from_fn(|y| bytes.get(y).copied().map_or(0, u16::from)))
        })
    }
}
