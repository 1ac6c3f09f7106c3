//! One 256-bit register, and the values that show that the processor has the instructions for it.
//!
//! This file holds every intrinsic of the evaluator. Each method of [`Register`] is safe to call
//! because the value carries its CPU features, which only run-time detection makes. The methods are
//! inlined into the functions of `kernel` that enable the instructions, which turns each into one
//! or two instructions.

use std::arch::x86_64::*;
use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

use crate::territory::pair::{Lanes, Row};

/// Shows that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// Shows everything that [`Avx2`] shows. The processor also has these parts of AVX-512: F, DQ, VL and
/// VPOPCNTDQ.
#[cfg(feature = "avx512")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

impl Avx2 {
    /// Asks the processor.
    #[must_use]
    pub fn detect() -> Option<Avx2> {
        (is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt"))
        .then_some(Avx2(()))
    }
}

#[cfg(feature = "avx512")]
impl Avx512 {
    /// Asks the processor.
    #[must_use]
    pub fn detect() -> Option<Avx512> {
        Avx2::detect()?;
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq"))
        .then_some(Avx512(()))
    }
}

/// Shows that the processor has at least AVX2. Only the two types above, which detection makes,
/// implement it.
pub(in crate::territory) trait CpuFeatures: Copy + Debug {
    /// Whether the processor has AVX-512 as well.
    const AVX512: bool;
}

impl CpuFeatures for Avx2 {
    const AVX512: bool = false;
}

#[cfg(feature = "avx512")]
impl CpuFeatures for Avx512 {
    const AVX512: bool = true;
}

/// 256 bits. The methods are named after what they do to the bits; words have 64 of them, halves
/// 128.
#[derive(Clone, Copy, Debug)]
pub(in crate::territory) struct Register<P> {
    bits: __m256i,
    pub(super) cpu: P,
}

/// Methods of one instruction each: name, further arguments, intrinsic.
macro_rules! instructions {
    ($($(#[$about:meta])* $name:ident $(<$constant:ident>)? ($self:ident $(, $other:ident)?) => $value:expr;)+) => {
        impl<P: CpuFeatures> Register<P> {
            $(
                $(#[$about])*
                #[inline(always)]
                pub(super) fn $name $(<const $constant: i32>)? ($self $(, $other: Self)?) -> Self {
                    // SAFETY: `cpu` shows that the processor has AVX2, the only requirement of
                    // these intrinsics.
                    let bits = unsafe { $value };
                    Register { bits, cpu: $self.cpu }
                }
            )+
        }
    };
}

instructions! {
    /// The bits of these that `other` does not have.
    without(self, other) => _mm256_andnot_si256(other.bits, self.bits);
    /// Each word shifted to higher bits.
    words_up<BITS>(self) => _mm256_slli_epi64::<BITS>(self.bits);
    /// Each word shifted to lower bits.
    words_down<BITS>(self) => _mm256_srli_epi64::<BITS>(self.bits);
    /// Each word shifted to higher bits by the number in the same word of `by`.
    words_up_by(self, by) => _mm256_sllv_epi64(self.bits, by.bits);
    /// Each word shifted to lower bits by the number in the same word of `by`.
    words_down_by(self, by) => _mm256_srlv_epi64(self.bits, by.bits);
    /// Each half shifted to higher bits by whole bytes.
    halves_up<BYTES>(self) => _mm256_slli_si256::<BYTES>(self.bits);
    /// Each half shifted to lower bits by whole bytes.
    halves_down<BYTES>(self) => _mm256_srli_si256::<BYTES>(self.bits);
    /// The two halves exchanged.
    halves_exchanged(self) => _mm256_permute2x128_si256::<1>(self.bits, self.bits);
    /// The two words of each half exchanged.
    words_exchanged(self) => _mm256_shuffle_epi32::<0b0100_1110>(self.bits);
    /// Each half: the first word of this, the second of `other`.
    blended(self, other) => _mm256_blend_epi32::<0b1100_1100>(self.bits, other.bits);
    /// Each half: the first word of this, the first of `other`.
    first_words(self, other) => _mm256_unpacklo_epi64(self.bits, other.bits);
    /// Each half: the second word of this, the second of `other`.
    second_words(self, other) => _mm256_unpackhi_epi64(self.bits, other.bits);
    /// The first half of this, then of `other`.
    first_halves(self, other) => _mm256_permute2x128_si256::<0x20>(self.bits, other.bits);
    /// The second half of this, then of `other`.
    second_halves(self, other) => _mm256_permute2x128_si256::<0x31>(self.bits, other.bits);
    /// The words added.
    words_plus(self, other) => _mm256_add_epi64(self.bits, other.bits);
    /// The bytes added.
    bytes_plus(self, other) => _mm256_add_epi8(self.bits, other.bits);
    /// The bits of each byte counted.
    bits_of_bytes(self) => {
        let ones = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let low = _mm256_set1_epi8(15);
        let of_low = _mm256_shuffle_epi8(ones, _mm256_and_si256(self.bits, low));
        let of_high = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16::<4>(self.bits), low));
        _mm256_add_epi8(of_low, of_high)
    };
    /// The bytes of each word added up.
    bytes_of_words(self) => _mm256_sad_epu8(self.bits, _mm256_setzero_si256());
}

impl<P: CpuFeatures> Register<P> {
    /// These words, the lowest first.
    #[inline(always)]
    pub(super) fn from_words(cpu: P, [a, b, c, d]: [u64; 4]) -> Self {
        // SAFETY: `cpu` shows that the processor has AVX2.
        let bits = unsafe { _mm256_set_epi64x(d as i64, c as i64, b as i64, a as i64) };
        Register { bits, cpu }
    }

    /// The words, the lowest first.
    #[inline(always)]
    pub(super) fn words(self) -> [u64; 4] {
        let mut words = [0; 4];
        // SAFETY: `cpu` shows that the processor has AVX2, and `words` has room for 256 bits, at
        // any address.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.bits) };
        words
    }

    /// These bits in both halves.
    #[inline(always)]
    pub(super) fn in_both_halves(cpu: P, bits: u128) -> Self {
        let (low, high) = (bits as u64, (bits >> 64) as u64);
        Register::from_words(cpu, [low, high, low, high])
    }

    /// Whether all bits are 0.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        // SAFETY: `cpu` shows that the processor has AVX2.
        unsafe { _mm256_testz_si256(self.bits, self.bits) != 0 }
    }

    /// Whether all bits of the first half are 0.
    #[inline(always)]
    pub(super) fn first_half_is_zero(self) -> bool {
        // SAFETY: `cpu` shows that the processor has AVX2.
        unsafe {
            let half = _mm256_castsi256_si128(self.bits);
            _mm_testz_si128(half, half) != 0
        }
    }

    /// The bits of each word counted.
    #[inline(always)]
    pub(super) fn bits_of_words(self) -> Self {
        if P::AVX512 {
            // SAFETY: such a `cpu` shows AVX-512 VPOPCNTDQ for short registers.
            let bits = unsafe { _mm256_popcnt_epi64(self.bits) };
            return Register { bits, cpu: self.cpu };
        }
        self.bits_of_bytes().bytes_of_words()
    }

    /// The bits of each half counted: each half holds the count of this, then that of `other`, in
    /// words.
    #[inline(always)]
    pub(super) fn bits_of_halves(self, other: Self) -> Self {
        if P::AVX512 {
            let (a, b) = (self.bits_of_words(), other.bits_of_words());
            return a.first_words(b).words_plus(a.second_words(b));
        }
        let (a, b) = (self.bits_of_bytes(), other.bits_of_bytes());
        a.first_words(b).bytes_plus(a.second_words(b)).bytes_of_words()
    }

    /// The bits of each word counted, where each half of this and of `other` holds the same word
    /// twice: the count of this, then that of `other`.
    #[inline(always)]
    pub(super) fn bits_of_doubled_words(self, other: Self) -> Self {
        self.blended(other).bits_of_words()
    }

    /// Four registers of words below 2^16 side by side, sixteen bits each in every word.
    #[inline(always)]
    pub(super) fn side_by_side([a, b, c, d]: [Self; 4]) -> Self {
        (a | b.words_up::<16>()) | (c.words_up::<32>() | d.words_up::<48>())
    }

    /// Sixteen lanes from counts in words, the first half one side's and the second the other's:
    /// each side's lanes.
    #[inline(always)]
    pub(super) fn tally([a, b, c, d, e, f, g, h]: [Self; 8]) -> [Self; 2] {
        let (low, high) = (Self::side_by_side([a, b, c, d]), Self::side_by_side([e, f, g, h]));
        [low.first_halves(high), low.second_halves(high)]
    }
}

/// Operators on all bits.
macro_rules! operators {
    ($($operator:ident $method:ident $intrinsic:ident;)+) => {
        $(impl<P: CpuFeatures> $operator for Register<P> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: `cpu` shows that the processor has AVX2.
                let bits = unsafe { $intrinsic(self.bits, other.bits) };
                Register { bits, cpu: self.cpu }
            }
        })+
    };
}

operators! {
    BitAnd bitand _mm256_and_si256;
    BitOr bitor _mm256_or_si256;
    BitXor bitxor _mm256_xor_si256;
    Add add _mm256_add_epi16;
    Sub sub _mm256_sub_epi16;
}

impl<P: CpuFeatures> Lanes for Register<P> {
    type CpuFeatures = P;

    #[inline(always)]
    fn new(cpu: P, lanes: &[i16; 16]) -> Self {
        // SAFETY: `cpu` shows that the processor has AVX2, and `lanes` holds 256 bits, at any
        // address.
        let bits = unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) };
        Register { bits, cpu }
    }

    #[inline(always)]
    fn values(self) -> [i16; 16] {
        let mut lanes = [0; 16];
        // SAFETY: `cpu` shows that the processor has AVX2, and `lanes` has room for 256 bits, at
        // any address.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.bits) };
        lanes
    }

    #[inline(always)]
    fn weighted_sum(self, weights: &[i16; 16]) -> i32 {
        let weights = Self::new(self.cpu, weights);
        // SAFETY: `cpu` shows that the processor has AVX2.
        unsafe {
            let products = _mm256_madd_epi16(self.bits, weights.bits);
            let four =
                _mm_add_epi32(_mm256_castsi256_si128(products), _mm256_extracti128_si256::<1>(products));
            let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b0100_1110>(four));
            _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b1011_0001>(two)))
        }
    }

    #[inline(always)]
    fn weighted_sums([first, second]: [Self; 2], [a, b, c, d]: [&Row; 4]) -> [i32; 4] {
        let [a, b, c, d] = [
            first.products_with(second, a),
            first.products_with(second, b),
            first.products_with(second, c),
            first.products_with(second, d),
        ];
        let mut sums = [0; 4];
        // SAFETY: `cpu` shows that the processor has AVX2, and `sums` has room for 128 bits, at any
        // address.
        unsafe {
            let ab = _mm256_hadd_epi32(a.bits, b.bits);
            let cd = _mm256_hadd_epi32(c.bits, d.bits);
            let halves = _mm256_hadd_epi32(ab, cd);
            let all = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
            _mm_storeu_si128(sums.as_mut_ptr().cast(), all);
        }
        sums
    }
}

impl<P: CpuFeatures> Register<P> {
    /// The products of the lanes of two registers with a row, added up in eight groups of four.
    #[inline(always)]
    fn products_with(self, second: Self, Row(row): &Row) -> Self {
        let weights = [Self::new(self.cpu, &row[0]), Self::new(self.cpu, &row[1])];
        // SAFETY: `cpu` shows that the processor has AVX2.
        let bits = unsafe {
            _mm256_add_epi32(
                _mm256_madd_epi16(self.bits, weights[0].bits),
                _mm256_madd_epi16(second.bits, weights[1].bits),
            )
        };
        Register { bits, cpu: self.cpu }
    }
}
