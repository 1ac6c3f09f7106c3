//! Both sides' sets of squares in one register of 256 bits: [`WidePair`] for any board, [`SmallPair`] for those up to 8x8.
//!
//! Each type comes twice: with AVX2 alone, and with what AVX-512 adds for such registers. There bits are counted at once, and
//! the compiler makes one instruction of two operations on bits.
//!
//! # Safety
//! The values of this module exist only inside the functions that `kernel` enters after AVX2 was detected, and AVX-512 where
//! their parameter says so. That is why each intrinsic here may be used; nothing else in these files needs care.

mod small;
mod wide;

pub(super) use small::SmallPair;
pub(super) use wide::WidePair;

use std::arch::x86_64::*;

/// An expression of intrinsics.
macro_rules! avx {
    ($expression:expr) => {
        // SAFETY: this module's values exist only where the instructions were detected; see the module.
        unsafe { $expression }
    };
}
use avx;

/// A type of pairs in a register, for either instruction set.
macro_rules! register {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub(in crate::territory) struct $name<const AVX512: bool>(__m256i);

        impl<const AVX512: bool> std::ops::BitAnd for $name<AVX512> {
            type Output = Self;

            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                avx!($name(_mm256_and_si256(self.0, other.0)))
            }
        }

        impl<const AVX512: bool> std::ops::BitOr for $name<AVX512> {
            type Output = Self;

            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                avx!($name(_mm256_or_si256(self.0, other.0)))
            }
        }

        impl<const AVX512: bool> std::ops::BitXor for $name<AVX512> {
            type Output = Self;

            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                avx!($name(_mm256_xor_si256(self.0, other.0)))
            }
        }

        impl<const AVX512: bool> std::ops::Sub for $name<AVX512> {
            type Output = Self;

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                avx!($name(_mm256_andnot_si256(other.0, self.0)))
            }
        }

        impl<const AVX512: bool> PartialEq for $name<AVX512> {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                (*self ^ *other).is_empty()
            }
        }

        impl<const AVX512: bool> $name<AVX512> {
            #[inline(always)]
            fn words(self) -> [u64; 4] {
                let mut words = [0; 4];
                avx!(_mm256_storeu_si256(words.as_mut_ptr().cast(), self.0));
                words
            }
        }
    };
}
use register;

/// The bits of each 64-bit word counted: with AVX-512 at once, otherwise by half bytes, added up.
#[inline(always)]
fn bits_of_words<const AVX512: bool>(set: __m256i) -> __m256i {
    if AVX512 {
        return avx!(_mm256_popcnt_epi64(set));
    }
    avx!({
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
    avx!({
        let ab = _mm256_or_si256(a, _mm256_slli_epi64::<16>(b));
        let cd = _mm256_or_si256(c, _mm256_slli_epi64::<16>(d));
        _mm256_or_si256(ab, _mm256_slli_epi64::<32>(cd))
    })
}

/// The first word of each half, as four counts.
#[inline(always)]
fn counts_of_halves(counts: __m256i) -> [[i16; 4]; 2] {
    let half = |word: i64| word.to_le_bytes();
    let words: [i64; 2] = avx!([_mm256_extract_epi64::<0>(counts), _mm256_extract_epi64::<2>(counts)]);
    words.map(|word| {
        let bytes = half(word);
        std::array::from_fn(|index| i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]))
    })
}
