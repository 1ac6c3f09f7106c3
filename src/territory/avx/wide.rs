//! Any board.
//!
//! Each side is one 128-bit half, bit `4 + 12 * y + x`. Rows of twelve bits keep two spare columns that are never empty, so
//! nothing comes round an edge; the offset puts a row's spare columns on the border of the two 64-bit words, so that a step
//! along a row is one shift; two rows are three bytes, so that two or four rows up or down are one shift as well.

use std::arch::x86_64::*;

use super::{avx, bits_of_words, counts_of_halves, register, side_by_side};
use crate::game::{Bitboard, Square};
use crate::territory::pair::Pair;

register!(
    /// Any board: a half of the register a side.
    WidePair
);

/// Bits of a row of a [`WidePair`] with its two spare columns, and the bit of square (0, 0).
const STRIDE: usize = 12;
const FIRST: usize = 4;

/// For every square its bit and its neighbours' bits, by [`Square::index`].
struct Around {
    square: [u128; 256],
    neighbours: [u128; 256],
}

static WIDE: Around = {
    let mut around = Around { square: [0; 256], neighbours: [0; 256] };
    let (mut x, mut y) = (0, 0);
    while y < 10 {
        let bit: u128 = 1 << (FIRST + STRIDE * y + x);
        let row = bit | bit << 1 | bit >> 1;
        let square = 16 * y + x;
        around.square[square] = bit;
        around.neighbours[square] = (row | row << STRIDE | row >> STRIDE) & !bit;
        x += 1;
        if x == 10 {
            (x, y) = (0, y + 1);
        }
    }
    around
};

/// The masks of one way: squares entered by one, two and four steps.
#[derive(Clone, Copy)]
pub(in crate::territory) struct Strides<const AVX512: bool> {
    one: WidePair<AVX512>,
    two: WidePair<AVX512>,
    four: WidePair<AVX512>,
}

/// The masks of all ways but east, which needs the empty squares alone.
#[derive(Clone, Copy)]
pub(in crate::territory) struct WideLines<const AVX512: bool> {
    empty: WidePair<AVX512>,
    west: Strides<AVX512>,
    north: [Strides<AVX512>; 3],
    south: [Strides<AVX512>; 3],
}

impl<const AVX512: bool> WidePair<AVX512> {
    /// Bits up within each half; none leaves a word but into the next of its half.
    #[inline(always)]
    fn up<const BITS: i32, const REST: i32>(self) -> Self {
        avx!({
            let carried = _mm256_srli_epi64::<REST>(_mm256_slli_si256::<8>(self.0));
            WidePair(_mm256_or_si256(_mm256_slli_epi64::<BITS>(self.0), carried))
        })
    }

    #[inline(always)]
    fn down<const BITS: i32, const REST: i32>(self) -> Self {
        avx!({
            let carried = _mm256_slli_epi64::<REST>(_mm256_srli_si256::<8>(self.0));
            WidePair(_mm256_or_si256(_mm256_srli_epi64::<BITS>(self.0), carried))
        })
    }

    #[inline(always)]
    fn south(self) -> Self {
        self.up::<12, 52>()
    }

    #[inline(always)]
    fn north(self) -> Self {
        self.down::<12, 52>()
    }

    /// Whole bytes up: three are two rows.
    #[inline(always)]
    fn bytes_up<const BYTES: i32>(self) -> Self {
        avx!(WidePair(_mm256_slli_si256::<BYTES>(self.0)))
    }

    #[inline(always)]
    fn bytes_down<const BYTES: i32>(self) -> Self {
        avx!(WidePair(_mm256_srli_si256::<BYTES>(self.0)))
    }

    #[inline(always)]
    fn east<const STEPS: i32>(self) -> Self {
        avx!(WidePair(_mm256_slli_epi64::<STEPS>(self.0)))
    }

    #[inline(always)]
    fn west<const STEPS: i32>(self) -> Self {
        avx!(WidePair(_mm256_srli_epi64::<STEPS>(self.0)))
    }

    /// All that is open to the east of these squares, which are in the lines' empty squares: adding to the
    /// first square of a run carries through to the run's end.
    #[inline(always)]
    fn carried_east(self, empty: Self) -> Self {
        let sum = avx!(WidePair(_mm256_add_epi64(empty.0, self.0)));
        self | (sum ^ empty)
    }
}

/// The fill one way: `$near` shifts by one step, given once because three ways share its row step; the expressions in
/// `$set` shift by two steps and by four. A macro, since what a closure does would not be compiled for AVX2.
macro_rules! fill {
    ($from:expr, $near:expr, $lines:expr, $set:ident => $two:expr, $four:expr) => {{
        let $set = $from | ($lines.one & $near);
        let $set = $set | ($lines.two & $two);
        let $set = $set | ($lines.four & $four);
        $set | ($lines.two & $two)
    }};
}

macro_rules! strides {
    ($empty:expr, $near:expr, $set:ident => $two:expr) => {{
        let $set = $empty & $near;
        Strides { one: $empty, two: $set, four: $set & $two }
    }};
}

impl<const AVX512: bool> Pair for WidePair<AVX512> {
    type Lines = WideLines<AVX512>;

    #[inline(always)]
    fn nothing() -> Self {
        avx!(WidePair(_mm256_setzero_si256()))
    }

    #[inline(always)]
    fn same(set: &Bitboard) -> Self {
        avx!({
            let rows = _mm256_loadu_si256(set.rows().as_ptr().cast());
            // Two rows of twelve bits in each double word, then without the byte between them.
            let pairs = _mm256_madd_epi16(rows, _mm256_set1_epi32(0x1000_0001));
            let low = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
            let last = _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, -1);
            let packed = _mm_or_si128(
                _mm_shuffle_epi8(_mm256_castsi256_si128(pairs), low),
                _mm_shuffle_epi8(_mm256_extracti128_si256::<1>(pairs), last),
            );
            WidePair(_mm256_broadcastsi128_si256(packed)).up::<4, 60>()
        })
    }

    #[inline(always)]
    fn of(amazons: [&[Square]; 2]) -> Self {
        let [own, other] = amazons.map(|squares| {
            squares.iter().fold(0, |set, square| set | WIDE.square[usize::from(square.index())])
        });
        WidePair::halves(own, other)
    }

    #[inline(always)]
    fn neighbours(squares: [Option<Square>; 2]) -> Self {
        let [own, other] =
            squares.map(|square| square.map_or(0, |square| WIDE.neighbours[usize::from(square.index())]));
        WidePair::halves(own, other)
    }

    #[inline(always)]
    fn lines(self) -> WideLines<AVX512> {
        let (south, north) = (self.south(), self.north());
        WideLines {
            empty: self,
            west: strides!(self, self.west::<1>(), set => set.west::<2>()),
            north: [
                strides!(self, north, set => set.bytes_down::<3>()),
                strides!(self, north.east::<1>(), set => set.bytes_down::<3>().east::<2>()),
                strides!(self, north.west::<1>(), set => set.bytes_down::<3>().west::<2>()),
            ],
            south: [
                strides!(self, south, set => set.bytes_up::<3>()),
                strides!(self, south.east::<1>(), set => set.bytes_up::<3>().east::<2>()),
                strides!(self, south.west::<1>(), set => set.bytes_up::<3>().west::<2>()),
            ],
        }
    }

    #[inline(always)]
    fn queen_step(self, lines: &WideLines<AVX512>) -> Self {
        let east = (self.east::<1>() & lines.empty).carried_east(lines.empty);
        let west = fill!(self, self.west::<1>(), lines.west, set => set.west::<2>(), set.west::<4>());
        let (near, up) = (self.north(), &lines.north);
        let north = fill!(self, near, up[0], set => set.bytes_down::<3>(), set.bytes_down::<6>());
        let north_east = fill!(
            self, near.east::<1>(), up[1],
            set => set.bytes_down::<3>().east::<2>(), set.bytes_down::<6>().east::<4>()
        );
        let north_west = fill!(
            self, near.west::<1>(), up[2],
            set => set.bytes_down::<3>().west::<2>(), set.bytes_down::<6>().west::<4>()
        );
        let (near, down) = (self.south(), &lines.south);
        let south = fill!(self, near, down[0], set => set.bytes_up::<3>(), set.bytes_up::<6>());
        let south_east = fill!(
            self, near.east::<1>(), down[1],
            set => set.bytes_up::<3>().east::<2>(), set.bytes_up::<6>().east::<4>()
        );
        let south_west = fill!(
            self, near.west::<1>(), down[2],
            set => set.bytes_up::<3>().west::<2>(), set.bytes_up::<6>().west::<4>()
        );
        ((east | west) | (north | south)) | ((north_east | south_west) | (north_west | south_east))
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        let row = self | self.east::<1>() | self.west::<1>();
        row | row.south() | row.north()
    }

    #[inline(always)]
    fn exchanged(self) -> Self {
        avx!(WidePair(_mm256_permute2x128_si256::<1>(self.0, self.0)))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        avx!(_mm256_testz_si256(self.0, self.0) != 0)
    }

    #[inline(always)]
    fn counts(sets: [Self; 4]) -> [[i16; 4]; 2] {
        let [a, b, c, d] = sets;
        let counts = side_by_side([
            bits_of_words::<AVX512>(a.0),
            bits_of_words::<AVX512>(b.0),
            bits_of_words::<AVX512>(c.0),
            bits_of_words::<AVX512>(d.0),
        ]);
        counts_of_halves(avx!(_mm256_add_epi64(counts, _mm256_srli_si256::<8>(counts))))
    }

    fn boards(self) -> [Bitboard; 2] {
        let words = self.words();
        [0, 2].map(|word| {
            let set = u128::from(words[word + 1]) << 64 | u128::from(words[word]);
            Bitboard::from_rows(std::array::from_fn(|y| {
                if y < 10 { (set >> (FIRST + STRIDE * y)) as u16 & 0x3ff } else { 0 }
            }))
        })
    }
}

impl<const AVX512: bool> WidePair<AVX512> {
    #[inline(always)]
    fn halves(own: u128, other: u128) -> Self {
        let word = |set: u128, index: u32| (set >> (64 * index)) as i64;
        avx!(WidePair(_mm256_set_epi64x(word(other, 1), word(other, 0), word(own, 1), word(own, 0))))
    }
}
