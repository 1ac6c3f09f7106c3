//! 64-bit words, which hold sets of squares, in the vector registers of x86-64.
//!
//! Each method is safe to call, because each value contains a proof that the processor has the
//! instructions that the method uses. Only detection at run time creates such a proof.

use std::arch::x86_64::*;
use std::fmt::Debug;

#[cfg(feature = "avx512")]
use super::features::Avx512;
use super::features::{Avx2, Task};
use super::words::{LookupTable, MAX_LANES, SideWords, Words, operators, word};

/// A proof that the processor has at least AVX2.
pub(crate) trait AvxFeatures: Copy + Debug {
    const AVX512: bool;

    /// The words in the longest registers that the proven instructions support.
    type Longest: Words<CpuFeatures = Self>;

    /// Runs a task with code that is compiled for these instructions.
    fn run<T: Task>(self, task: T) -> T::Output;
}

impl AvxFeatures for Avx2 {
    const AVX512: bool = false;
    type Longest = FourWords;

    #[inline(always)]
    fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn run_with_features<T: Task>(task: T) -> T::Output {
            task.run()
        }
        // SAFETY: `self` shows that the processor has all instructions that the function enables.
        unsafe { run_with_features(task) }
    }
}

#[cfg(feature = "avx512")]
impl AvxFeatures for Avx512 {
    const AVX512: bool = true;
    type Longest = EightWords;

    #[inline(always)]
    fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(
            enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vnni,avx512vpopcntdq"
        )]
        fn run_with_features<T: Task>(task: T) -> T::Output {
            task.run()
        }
        // SAFETY: `self` shows that the processor has all instructions that the function enables.
        unsafe { run_with_features(task) }
    }
}

/// Two words in a 128-bit register, one for each side of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoWords<P> {
    bits: __m128i,
    cpu: P,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FourWords {
    bits: __m256i,
    cpu: Avx2,
}

#[cfg(feature = "avx512")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct EightWords {
    bits: __m512i,
    cpu: Avx512,
}

/// Implements the methods that the three kinds of registers share.
macro_rules! register {
    ($name:ty, generics($($generics:tt)*), $features:ty, $batch:ty, $lanes:literal,
     operators($and:ident $or:ident $xor:ident $without:ident $add:ident),
     shifts($up:ident $down:ident),
     pairwise($($pairwise:ident $of_pairs:ident)+),
     numbers($high:ident $products:ident $add_32:ident $multiply:ident $every:ident),
     memory($splat:ident $load:ident $store:ident), { $($methods:tt)* }) => {
        operators! { [$($generics)*] $name, |a, b|
            // SAFETY: `cpu` shows that the processor has this instruction.
            Add add => Self { bits: unsafe { $add(a.bits, b.bits) }, cpu: a.cpu },
            // SAFETY: `cpu` shows that the processor has this instruction.
            BitAnd bitand => Self { bits: unsafe { $and(a.bits, b.bits) }, cpu: a.cpu },
            // SAFETY: `cpu` shows that the processor has this instruction.
            BitOr bitor => Self { bits: unsafe { $or(a.bits, b.bits) }, cpu: a.cpu },
            // SAFETY: `cpu` shows that the processor has this instruction.
            BitXor bitxor => Self { bits: unsafe { $xor(a.bits, b.bits) }, cpu: a.cpu },
            // SAFETY: `cpu` shows that the processor has this instruction.
            Sub sub => Self { bits: unsafe { $without(b.bits, a.bits) }, cpu: a.cpu },
        }

        impl<$($generics)*> Words for $name {
            type CpuFeatures = $features;
            type Batch = $batch;

            const LANES: usize = $lanes;

            #[inline(always)]
            fn cpu(self) -> $features {
                self.cpu
            }

            #[inline(always)]
            fn splat(cpu: $features, word: u64) -> Self {
                // SAFETY: `cpu` shows that the processor has this instruction.
                Self { bits: unsafe { $splat(word as i64) }, cpu }
            }

            #[inline(always)]
            fn load(cpu: $features, words: &[u64; MAX_LANES]) -> Self {
                // SAFETY: `cpu` shows that the instruction exists. It reads only from `words`.
                Self { bits: unsafe { $load(words.as_ptr().cast()) }, cpu }
            }

            #[inline(always)]
            fn store(self, words: &mut [u64; MAX_LANES]) {
                // SAFETY: `cpu` shows that the instruction exists. It writes only to `words`.
                unsafe { $store(words.as_mut_ptr().cast(), self.bits) };
            }

            #[inline(always)]
            fn shift_up(self, bits: u32) -> Self {
                // SAFETY: `cpu` shows that the processor has these instructions.
                Self { bits: unsafe { $up(self.bits, _mm_cvtsi32_si128(bits as i32)) }, cpu: self.cpu }
            }

            #[inline(always)]
            fn shift_down(self, bits: u32) -> Self {
                // SAFETY: `cpu` shows that the processor has these instructions.
                Self { bits: unsafe { $down(self.bits, _mm_cvtsi32_si128(bits as i32)) }, cpu: self.cpu }
            }

            $(#[inline(always)]
            fn $pairwise(self, other: Self) -> Self {
                // SAFETY: `cpu` shows that the processor has this instruction.
                Self { bits: unsafe { $of_pairs(self.bits, other.bits) }, cpu: self.cpu }
            })+

            #[inline(always)]
            fn high_products(self, factor: u16) -> Self {
                // SAFETY: `cpu` shows that the processor has these instructions.
                Self { bits: unsafe { $high(self.bits, $every(factor as i16)) }, cpu: self.cpu }
            }

            #[inline(always)]
            fn add_products(self, numbers: Self, weights: [i16; 4]) -> Self {
                // SAFETY: `cpu` shows that the processor has these instructions.
                let bits = unsafe {
                    $add_32(self.bits, $products(numbers.bits, $splat(word(weights) as i64)))
                };
                Self { bits, cpu: self.cpu }
            }

            #[inline(always)]
            fn sum_times(self, factor: Self) -> Self {
                // SAFETY: `cpu` shows that the processor has these instructions.
                let bits = unsafe { $multiply($add_32(self.bits, self.shift_down(32).bits), factor.bits) };
                Self { bits, cpu: self.cpu }
            }

            $($methods)*
        }
    };
}

const BITS_OF_NIBBLE: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

/// The methods of 128-bit and 256-bit registers, whose AVX2 instructions differ only in name.
macro_rules! avx2_methods {
    ($features:ty, bits($and:ident $or:ident $zero:ident),
     ones($popcnt:ident $nibbles:ident $every_byte:ident $add:ident $total:ident),
     lanes($test:ident $equal:ident $greater:ident $signs:ident $to_floats:ident $blend:ident),
     tables($load:expr, $shuffle:ident $up:ident $every:ident)) => {
        // AVX2 cannot count bits, so the code looks up the count of each half byte in a table.
        #[inline(always)]
        fn count_ones(self) -> Self {
            // SAFETY: `cpu` shows that AVX2 exists, and VPOPCNTDQ and VL if `AVX512` is true.
            // `$load` reads exactly the 128 bits of `BITS_OF_NIBBLE`, at any alignment.
            let bits = unsafe {
                if <$features>::AVX512 {
                    $popcnt(self.bits)
                } else {
                    let (low, table) = ($every_byte(15), ($load)(&BITS_OF_NIBBLE));
                    let of_low = $shuffle(table, $and(self.bits, low));
                    let of_high = $shuffle(table, $and($nibbles::<4>(self.bits), low));
                    $total($add(of_low, of_high), $zero())
                }
            };
            Self { bits, cpu: self.cpu }
        }

        #[inline(always)]
        fn is_zero(self) -> bool {
            // SAFETY: `cpu` shows that the processor has AVX2.
            unsafe { $test(self.bits, self.bits) != 0 }
        }

        #[inline(always)]
        fn less_than(self, other: Self) -> Self {
            // SAFETY: `cpu` shows that the processor has AVX2.
            Self { bits: unsafe { $greater(other.bits, self.bits) }, cpu: self.cpu }
        }

        #[inline(always)]
        fn zero_lane_mask(self) -> u32 {
            // SAFETY: `cpu` shows that the processor has AVX2.
            unsafe { $signs($to_floats($equal(self.bits, $zero()))) as u32 }
        }

        #[inline(always)]
        fn where_nonzero(self, condition: Self, otherwise: Self) -> Self {
            // SAFETY: `cpu` shows that the processor has AVX2.
            let bits = unsafe { $blend(self.bits, otherwise.bits, $equal(condition.bits, $zero())) };
            Self { bits, cpu: self.cpu }
        }

        // Looks up byte by byte. The result for an index byte with its highest bit set is 0.
        #[inline(always)]
        fn looked_up(self, table: &LookupTable) -> Self {
            let [low, high] = &table.bytes;
            // SAFETY: `cpu` shows that AVX2 exists. `$load` reads only the 128 bits of a table.
            let bits = unsafe {
                let of_low = $shuffle(($load)(low), $or(self.bits, $every(0x8000_u16 as i16)));
                let of_high = $shuffle(($load)(high), $or($up::<8>(self.bits), $every(0x80)));
                $or(of_low, of_high)
            };
            Self { bits, cpu: self.cpu }
        }
    };
}

register! {
    TwoWords<P>, generics(P: AvxFeatures), P, P::Longest, 2,
    operators(_mm_and_si128 _mm_or_si128 _mm_xor_si128 _mm_andnot_si128 _mm_add_epi64),
    shifts(_mm_sll_epi64 _mm_srl_epi64),
    pairwise(add_i16 _mm_add_epi16 sub_i16 _mm_sub_epi16 min_i16 _mm_min_epi16),
    numbers(_mm_mulhi_epu16 _mm_madd_epi16 _mm_add_epi32 _mm_mul_epi32 _mm_set1_epi16),
    memory(_mm_set1_epi64x _mm_loadu_si128 _mm_storeu_si128),
    {
        avx2_methods! {
            P, bits(_mm_and_si128 _mm_or_si128 _mm_setzero_si128),
            ones(_mm_popcnt_epi64 _mm_srli_epi16 _mm_set1_epi8 _mm_add_epi8 _mm_sad_epu8),
            lanes(_mm_testz_si128 _mm_cmpeq_epi64 _mm_cmpgt_epi64 _mm_movemask_pd _mm_castsi128_pd
                  _mm_blendv_epi8),
            tables(|bytes: &[u8; 16]| _mm_loadu_si128(bytes.as_ptr().cast()),
                   _mm_shuffle_epi8 _mm_slli_epi16 _mm_set1_epi16)
        }
    }
}

impl<P: AvxFeatures> SideWords for TwoWords<P> {
    #[inline(always)]
    fn swapped(self) -> Self {
        // SAFETY: `cpu` shows that the processor has AVX2.
        TwoWords { bits: unsafe { _mm_shuffle_epi32::<0b0100_1110>(self.bits) }, cpu: self.cpu }
    }

    #[inline(always)]
    fn new(cpu: P, [own, other]: [u64; 2]) -> Self {
        // SAFETY: `cpu` shows that the processor has AVX2.
        TwoWords { bits: unsafe { _mm_set_epi64x(other as i64, own as i64) }, cpu }
    }
}

register! {
    FourWords, generics(), Avx2, FourWords, 4,
    operators(_mm256_and_si256 _mm256_or_si256 _mm256_xor_si256 _mm256_andnot_si256 _mm256_add_epi64),
    shifts(_mm256_sll_epi64 _mm256_srl_epi64),
    pairwise(add_i16 _mm256_add_epi16 sub_i16 _mm256_sub_epi16 min_i16 _mm256_min_epi16),
    numbers(_mm256_mulhi_epu16 _mm256_madd_epi16 _mm256_add_epi32 _mm256_mul_epi32 _mm256_set1_epi16),
    memory(_mm256_set1_epi64x _mm256_loadu_si256 _mm256_storeu_si256),
    {
        avx2_methods! {
            Avx2, bits(_mm256_and_si256 _mm256_or_si256 _mm256_setzero_si256),
            ones(_mm256_popcnt_epi64 _mm256_srli_epi16 _mm256_set1_epi8 _mm256_add_epi8 _mm256_sad_epu8),
            lanes(_mm256_testz_si256 _mm256_cmpeq_epi64 _mm256_cmpgt_epi64 _mm256_movemask_pd
                  _mm256_castsi256_pd _mm256_blendv_epi8),
            tables(|bytes: &[u8; 16]| _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast())),
                   _mm256_shuffle_epi8 _mm256_slli_epi16 _mm256_set1_epi16)
        }
    }
}

#[cfg(feature = "avx512")]
register! {
    EightWords, generics(), Avx512, EightWords, 8,
    operators(_mm512_and_si512 _mm512_or_si512 _mm512_xor_si512 _mm512_andnot_si512 _mm512_add_epi64),
    shifts(_mm512_sll_epi64 _mm512_srl_epi64),
    pairwise(add_i16 _mm512_add_epi16 sub_i16 _mm512_sub_epi16 min_i16 _mm512_min_epi16),
    numbers(_mm512_mulhi_epu16 _mm512_madd_epi16 _mm512_add_epi32 _mm512_mul_epi32 _mm512_set1_epi16),
    memory(_mm512_set1_epi64 _mm512_loadu_si512 _mm512_storeu_si512),
    {
        #[inline(always)]
        fn shift_up_from(self, low: Self, bits: u32) -> Self {
            // SAFETY: `cpu` shows that the processor has VBMI2.
            let bits = unsafe { _mm512_shldv_epi64(self.bits, low.bits, _mm512_set1_epi64(bits.into())) };
            EightWords { bits, cpu: self.cpu }
        }

        #[inline(always)]
        fn shift_down_from(self, high: Self, bits: u32) -> Self {
            // SAFETY: `cpu` shows that the processor has VBMI2.
            let bits = unsafe { _mm512_shrdv_epi64(self.bits, high.bits, _mm512_set1_epi64(bits.into())) };
            EightWords { bits, cpu: self.cpu }
        }

        #[inline(always)]
        fn count_ones(self) -> Self {
            // SAFETY: `cpu` shows that the processor has VPOPCNTDQ.
            EightWords { bits: unsafe { _mm512_popcnt_epi64(self.bits) }, cpu: self.cpu }
        }

        #[inline(always)]
        fn is_zero(self) -> bool {
            // SAFETY: `cpu` shows that the processor has AVX-512.
            unsafe { _mm512_test_epi64_mask(self.bits, self.bits) == 0 }
        }

        #[inline(always)]
        fn less_than(self, other: Self) -> Self {
            // SAFETY: `cpu` shows that the processor has AVX-512.
            let bits = unsafe { _mm512_movm_epi64(_mm512_cmplt_epi64_mask(self.bits, other.bits)) };
            EightWords { bits, cpu: self.cpu }
        }

        #[inline(always)]
        fn zero_lane_mask(self) -> u32 {
            // SAFETY: `cpu` shows that the processor has AVX-512.
            unsafe { _mm512_testn_epi64_mask(self.bits, self.bits).into() }
        }

        #[inline(always)]
        fn where_nonzero(self, condition: Self, otherwise: Self) -> Self {
            // SAFETY: `cpu` shows that the processor has AVX-512.
            let bits = unsafe {
                let any = _mm512_test_epi64_mask(condition.bits, condition.bits);
                _mm512_mask_mov_epi64(otherwise.bits, any, self.bits)
            };
            EightWords { bits, cpu: self.cpu }
        }

        #[inline(always)]
        fn entries(self, table: &[u64]) -> Self {
            assert!(!table.is_empty(), "a table has entries");
            // SAFETY: `cpu` shows that the processor has AVX-512, and no index is beyond the table.
            let bits = unsafe {
                let index = _mm512_min_epu64(self.bits, _mm512_set1_epi64(table.len() as i64 - 1));
                _mm512_i64gather_epi64::<8>(index, table.as_ptr().cast())
            };
            EightWords { bits, cpu: self.cpu }
        }

        #[inline(always)]
        fn looked_up(self, table: &LookupTable) -> Self {
            // SAFETY: `cpu` shows that AVX-512 BW exists. The load reads only the table's 256 bits.
            let bits = unsafe {
                let table = _mm256_loadu_si256(table.numbers.as_ptr().cast());
                _mm512_permutexvar_epi16(self.bits, _mm512_broadcast_i64x4(table))
            };
            EightWords { bits, cpu: self.cpu }
        }
    }
}
