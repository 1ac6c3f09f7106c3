//! Both sides' sets of squares in one AVX2 register.
//!
//! [`WidePair`] holds any board: each side is one 128-bit half, bit `4 + 12 * y + x`. Rows of twelve bits keep two spare
//! columns that are never empty, so nothing comes round an edge; the offset puts a row's spare columns on the border of
//! the two 64-bit words, so that a step along a row is one shift; two rows are three bytes, so that two or four rows
//! up or down are one shift as well. [`SmallPair`] holds boards up to 8x8, one word a side, each in two of the four words,
//! so that one operation goes two ways for both sides.
//!
//! # Safety
//! The values of this module exist only inside the functions that `kernel` enters after AVX2 was detected. That
//! is why each intrinsic here may be used; nothing else in this file needs care.

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Sub};

use super::pair::Pair;
use crate::game::{Bitboard, Square};

/// An expression of intrinsics.
macro_rules! avx2 {
    ($expression:expr) => {
        // SAFETY: this module's values exist only where AVX2 was detected; see the head of the file.
        unsafe { $expression }
    };
}

macro_rules! register {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name(__m256i);

        impl BitAnd for $name {
            type Output = $name;

            #[inline(always)]
            fn bitand(self, other: $name) -> $name {
                avx2!($name(_mm256_and_si256(self.0, other.0)))
            }
        }

        impl BitOr for $name {
            type Output = $name;

            #[inline(always)]
            fn bitor(self, other: $name) -> $name {
                avx2!($name(_mm256_or_si256(self.0, other.0)))
            }
        }

        impl BitXor for $name {
            type Output = $name;

            #[inline(always)]
            fn bitxor(self, other: $name) -> $name {
                avx2!($name(_mm256_xor_si256(self.0, other.0)))
            }
        }

        impl Sub for $name {
            type Output = $name;

            #[inline(always)]
            fn sub(self, other: $name) -> $name {
                avx2!($name(_mm256_andnot_si256(other.0, self.0)))
            }
        }

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &$name) -> bool {
                (*self ^ *other).is_empty()
            }
        }

        impl $name {
            #[inline(always)]
            fn words(self) -> [u64; 4] {
                let mut words = [0; 4];
                avx2!(_mm256_storeu_si256(words.as_mut_ptr().cast(), self.0));
                words
            }
        }
    };
}

register!(
    /// Any board: a half of the register a side.
    WidePair
);

register!(
    /// A board up to 8x8: two words of the register a side, which are the same.
    SmallPair
);

/// The bits of each byte counted, and the counts of each 64-bit word added up.
#[inline(always)]
fn bits_of_words(set: __m256i) -> __m256i {
    avx2!({
        let ones = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let low = _mm256_set1_epi8(15);
        let of_low = _mm256_shuffle_epi8(ones, _mm256_and_si256(set, low));
        let of_high = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16::<4>(set), low));
        _mm256_sad_epu8(_mm256_add_epi8(of_low, of_high), _mm256_setzero_si256())
    })
}

/// Four results of [`bits_of_words`] side by side, sixteen bits each in every word.
#[inline(always)]
fn side_by_side([a, b, c, d]: [__m256i; 4]) -> __m256i {
    avx2!({
        let ab = _mm256_or_si256(a, _mm256_slli_epi64::<16>(b));
        let cd = _mm256_or_si256(c, _mm256_slli_epi64::<16>(d));
        _mm256_or_si256(ab, _mm256_slli_epi64::<32>(cd))
    })
}

/// The first word of each half, as four counts.
#[inline(always)]
fn counts_of_halves(counts: __m256i) -> [[i16; 4]; 2] {
    let half = |word: i64| word.to_le_bytes();
    let words: [i64; 2] = avx2!([_mm256_extract_epi64::<0>(counts), _mm256_extract_epi64::<2>(counts)]);
    words.map(|word| {
        let bytes = half(word);
        std::array::from_fn(|index| i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]))
    })
}

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
pub(super) struct Strides {
    one: WidePair,
    two: WidePair,
    four: WidePair,
}

/// The masks of all ways but east, which needs the empty squares alone.
#[derive(Clone, Copy)]
pub(super) struct WideLines {
    empty: WidePair,
    west: Strides,
    north: [Strides; 3],
    south: [Strides; 3],
}

impl WidePair {
    /// Bits up within each half; none leaves a word but into the next of its half.
    #[inline(always)]
    fn up<const BITS: i32, const REST: i32>(self) -> WidePair {
        avx2!({
            let carried = _mm256_srli_epi64::<REST>(_mm256_slli_si256::<8>(self.0));
            WidePair(_mm256_or_si256(_mm256_slli_epi64::<BITS>(self.0), carried))
        })
    }

    #[inline(always)]
    fn down<const BITS: i32, const REST: i32>(self) -> WidePair {
        avx2!({
            let carried = _mm256_slli_epi64::<REST>(_mm256_srli_si256::<8>(self.0));
            WidePair(_mm256_or_si256(_mm256_srli_epi64::<BITS>(self.0), carried))
        })
    }

    #[inline(always)]
    fn south(self) -> WidePair {
        self.up::<12, 52>()
    }

    #[inline(always)]
    fn north(self) -> WidePair {
        self.down::<12, 52>()
    }

    /// Whole bytes up: three are two rows.
    #[inline(always)]
    fn bytes_up<const BYTES: i32>(self) -> WidePair {
        avx2!(WidePair(_mm256_slli_si256::<BYTES>(self.0)))
    }

    #[inline(always)]
    fn bytes_down<const BYTES: i32>(self) -> WidePair {
        avx2!(WidePair(_mm256_srli_si256::<BYTES>(self.0)))
    }

    #[inline(always)]
    fn east<const STEPS: i32>(self) -> WidePair {
        avx2!(WidePair(_mm256_slli_epi64::<STEPS>(self.0)))
    }

    #[inline(always)]
    fn west<const STEPS: i32>(self) -> WidePair {
        avx2!(WidePair(_mm256_srli_epi64::<STEPS>(self.0)))
    }

    /// All that is open to the east of these squares, which are in the lines' empty squares: adding to the
    /// first square of a run carries through to the run's end.
    #[inline(always)]
    fn carried_east(self, empty: WidePair) -> WidePair {
        let sum = avx2!(WidePair(_mm256_add_epi64(empty.0, self.0)));
        self | (sum ^ empty)
    }
}

/// The fill one way: `$near` shifts by one step, given once because three ways share its row step; the expressions in
/// `$set` shift by two steps and by four. A macro, since what a closure does would not be compiled for AVX2.
macro_rules! fill {
    ($from:expr, $near:expr, $lines:expr, $set:ident => $two:expr, $four:expr) => {{
        let $set: WidePair = $from | ($lines.one & $near);
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

impl Pair for WidePair {
    type Lines = WideLines;

    #[inline(always)]
    fn nothing() -> WidePair {
        avx2!(WidePair(_mm256_setzero_si256()))
    }

    #[inline(always)]
    fn same(set: &Bitboard) -> WidePair {
        avx2!({
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
    fn of(amazons: [&[Square]; 2]) -> WidePair {
        let [own, other] = amazons.map(|squares| {
            squares.iter().fold(0, |set, square| set | WIDE.square[usize::from(square.index())])
        });
        WidePair::halves(own, other)
    }

    #[inline(always)]
    fn neighbours(squares: [Option<Square>; 2]) -> WidePair {
        let [own, other] =
            squares.map(|square| square.map_or(0, |square| WIDE.neighbours[usize::from(square.index())]));
        WidePair::halves(own, other)
    }

    #[inline(always)]
    fn lines(self) -> WideLines {
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
    fn queen_step(self, lines: &WideLines) -> WidePair {
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
    fn king_step(self) -> WidePair {
        let row = self | self.east::<1>() | self.west::<1>();
        row | row.south() | row.north()
    }

    #[inline(always)]
    fn exchanged(self) -> WidePair {
        avx2!(WidePair(_mm256_permute2x128_si256::<1>(self.0, self.0)))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        avx2!(_mm256_testz_si256(self.0, self.0) != 0)
    }

    #[inline(always)]
    fn counts(sets: [WidePair; 4]) -> [[i16; 4]; 2] {
        let [a, b, c, d] = sets;
        let counts =
            side_by_side([bits_of_words(a.0), bits_of_words(b.0), bits_of_words(c.0), bits_of_words(d.0)]);
        counts_of_halves(avx2!(_mm256_add_epi64(counts, _mm256_srli_si256::<8>(counts))))
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

impl WidePair {
    #[inline(always)]
    fn halves(own: u128, other: u128) -> WidePair {
        let word = |set: u128, index: u32| (set >> (64 * index)) as i64;
        avx2!(WidePair(_mm256_set_epi64x(word(other, 1), word(other, 0), word(own, 1), word(own, 0))))
    }
}

/// What a queen's move on a board up to 8x8 goes by: its eight ways two at a time, words of each half apart.
#[derive(Clone, Copy)]
pub(super) struct SmallLines {
    /// Squares entered by one, two and four steps: east and south, south-east and south-west, and the four opposite.
    ways: [[SmallPair; 3]; 4],
}

const FIRST_COLUMN: i64 = 0x0101_0101_0101_0101;
const LAST_COLUMN: i64 = FIRST_COLUMN << 7;

/// The same two words in both halves.
#[inline(always)]
fn halves(first: i64, second: i64) -> __m256i {
    avx2!(_mm256_set_epi64x(second, first, second, first))
}

impl SmallPair {
    /// Up by so many bits in the first word of each half, and in the second.
    #[inline(always)]
    fn up(self, first: i64, second: i64) -> SmallPair {
        avx2!(SmallPair(_mm256_sllv_epi64(self.0, halves(first, second))))
    }

    #[inline(always)]
    fn down(self, first: i64, second: i64) -> SmallPair {
        avx2!(SmallPair(_mm256_srlv_epi64(self.0, halves(first, second))))
    }

    /// These squares without the columns that a step the way of each word cannot enter.
    #[inline(always)]
    fn without(self, first: i64, second: i64) -> SmallPair {
        avx2!(SmallPair(_mm256_andnot_si256(halves(first, second), self.0)))
    }

    /// Squares entered by one (these), two and four steps up.
    #[inline(always)]
    fn strides_up(self, a: i64, b: i64) -> [SmallPair; 3] {
        let two = self & self.up(a, b);
        [self, two, two & two.up(2 * a, 2 * b)]
    }

    #[inline(always)]
    fn strides_down(self, a: i64, b: i64) -> [SmallPair; 3] {
        let two = self & self.down(a, b);
        [self, two, two & two.down(2 * a, 2 * b)]
    }

    /// These squares and all that is open up from them.
    #[inline(always)]
    fn filled_up(self, strides: &[SmallPair; 3], a: i64, b: i64) -> SmallPair {
        let filled = self | (strides[0] & self.up(a, b));
        let filled = filled | (strides[1] & filled.up(2 * a, 2 * b));
        filled | (strides[2] & filled.up(4 * a, 4 * b))
    }

    #[inline(always)]
    fn filled_down(self, strides: &[SmallPair; 3], a: i64, b: i64) -> SmallPair {
        let filled = self | (strides[0] & self.down(a, b));
        let filled = filled | (strides[1] & filled.down(2 * a, 2 * b));
        filled | (strides[2] & filled.down(4 * a, 4 * b))
    }

    /// Both words of each half put together.
    #[inline(always)]
    fn gathered(self) -> SmallPair {
        self | avx2!(SmallPair(_mm256_shuffle_epi32::<0b0100_1110>(self.0)))
    }

    #[inline(always)]
    fn words_of(own: u64, other: u64) -> SmallPair {
        let (own, other) = (own as i64, other as i64);
        avx2!(SmallPair(_mm256_set_epi64x(other, other, own, own)))
    }
}

/// Bit `8 * y + x` for a square of a board up to 8x8.
#[inline(always)]
fn small_bit(square: Square) -> u64 {
    1 << (8 * square.y() + square.x())
}

impl Pair for SmallPair {
    type Lines = SmallLines;

    #[inline(always)]
    fn nothing() -> SmallPair {
        avx2!(SmallPair(_mm256_setzero_si256()))
    }

    #[inline(always)]
    fn same(set: &Bitboard) -> SmallPair {
        avx2!({
            let rows = _mm_loadu_si128(set.rows().as_ptr().cast());
            SmallPair(_mm256_broadcastq_epi64(_mm_packus_epi16(rows, rows)))
        })
    }

    #[inline(always)]
    fn of(amazons: [&[Square]; 2]) -> SmallPair {
        let [own, other] =
            amazons.map(|squares| squares.iter().fold(0, |set, &square| set | small_bit(square)));
        SmallPair::words_of(own, other)
    }

    #[inline(always)]
    fn neighbours(squares: [Option<Square>; 2]) -> SmallPair {
        let [own, other] = squares.map(|square| square.map_or(0, small_bit));
        let set = SmallPair::words_of(own, other);
        set.king_step() - set
    }

    #[inline(always)]
    fn lines(self) -> SmallLines {
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
    fn queen_step(self, lines: &SmallLines) -> SmallPair {
        let ways = &lines.ways;
        let up = self.filled_up(&ways[0], 1, 8) | self.filled_up(&ways[1], 9, 7);
        let down = self.filled_down(&ways[2], 1, 8) | self.filled_down(&ways[3], 9, 7);
        (up | down).gathered()
    }

    #[inline(always)]
    fn king_step(self) -> SmallPair {
        let row = avx2!({
            let east = SmallPair(_mm256_slli_epi64::<1>(self.0)).without(FIRST_COLUMN, FIRST_COLUMN);
            let west = SmallPair(_mm256_srli_epi64::<1>(self.0)).without(LAST_COLUMN, LAST_COLUMN);
            self | east | west
        });
        avx2!(row | SmallPair(_mm256_slli_epi64::<8>(row.0)) | SmallPair(_mm256_srli_epi64::<8>(row.0)))
    }

    #[inline(always)]
    fn exchanged(self) -> SmallPair {
        avx2!(SmallPair(_mm256_permute2x128_si256::<1>(self.0, self.0)))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        avx2!(_mm256_testz_si256(self.0, self.0) != 0)
    }

    #[inline(always)]
    fn counts([a, b, c, d]: [SmallPair; 4]) -> [[i16; 4]; 2] {
        avx2!({
            // Each half holds a set twice, so two sets share a register.
            let ab = bits_of_words(_mm256_blend_epi32::<0b1100_1100>(a.0, b.0));
            let cd = bits_of_words(_mm256_blend_epi32::<0b1100_1100>(c.0, d.0));
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
