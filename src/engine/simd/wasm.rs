//! 64-bit words, which hold sets of squares, in the vector registers of WebAssembly.

use std::arch::wasm32::*;

use super::words::{LookupTable, MAX_LANES, Words, operators, word};

/// Two words in a 128-bit register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WasmWords(v128);

operators! { [] WasmWords, |a, b|
    Add add => WasmWords(u64x2_add(a.0, b.0)),
    BitAnd bitand => WasmWords(v128_and(a.0, b.0)),
    BitOr bitor => WasmWords(v128_or(a.0, b.0)),
    BitXor bitxor => WasmWords(v128_xor(a.0, b.0)),
    Sub sub => WasmWords(v128_andnot(a.0, b.0)),
}

impl Words for WasmWords {
    type CpuFeatures = ();
    type Batch = WasmWords;

    const LANES: usize = 2;

    #[inline(always)]
    fn cpu(self) {}

    #[inline(always)]
    fn splat((): (), word: u64) -> WasmWords {
        WasmWords(u64x2_splat(word))
    }

    #[inline(always)]
    fn load((): (), words: &[u64; MAX_LANES]) -> WasmWords {
        WasmWords(u64x2(words[0], words[1]))
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; MAX_LANES]) {
        (words[0], words[1]) = (u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0));
    }

    #[inline(always)]
    fn shift_up(self, bits: u32) -> WasmWords {
        WasmWords(u64x2_shl(self.0, bits))
    }

    #[inline(always)]
    fn shift_down(self, bits: u32) -> WasmWords {
        WasmWords(u64x2_shr(self.0, bits))
    }

    // On x86-64, counting the bits of each word separately is faster than `i8x16.popcnt`.
    #[inline(always)]
    fn count_ones(self) -> WasmWords {
        let [low, high] = [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)];
        WasmWords(u64x2(low.count_ones().into(), high.count_ones().into()))
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        !v128_any_true(self.0)
    }

    #[inline(always)]
    fn less_than(self, other: WasmWords) -> WasmWords {
        WasmWords(i64x2_lt(self.0, other.0))
    }

    #[inline(always)]
    fn zero_lane_mask(self) -> u32 {
        i64x2_bitmask(i64x2_eq(self.0, i64x2_splat(0))).into()
    }

    #[inline(always)]
    fn where_nonzero(self, condition: WasmWords, otherwise: WasmWords) -> WasmWords {
        WasmWords(v128_bitselect(otherwise.0, self.0, i64x2_eq(condition.0, i64x2_splat(0))))
    }

    #[inline(always)]
    fn add_i16(self, other: WasmWords) -> WasmWords {
        WasmWords(i16x8_add(self.0, other.0))
    }

    #[inline(always)]
    fn sub_i16(self, other: WasmWords) -> WasmWords {
        WasmWords(i16x8_sub(self.0, other.0))
    }

    #[inline(always)]
    fn high_products(self, factor: u16) -> WasmWords {
        let factor = u16x8_splat(factor);
        let (low, high) = (u32x4_extmul_low_u16x8(self.0, factor), u32x4_extmul_high_u16x8(self.0, factor));
        WasmWords(u16x8_shuffle::<1, 3, 5, 7, 9, 11, 13, 15>(low, high))
    }

    #[inline(always)]
    fn min_i16(self, other: WasmWords) -> WasmWords {
        WasmWords(i16x8_min(self.0, other.0))
    }

    #[inline(always)]
    fn add_products(self, numbers: WasmWords, weights: [i16; 4]) -> WasmWords {
        WasmWords(i32x4_add(self.0, i32x4_dot_i16x8(numbers.0, u64x2_splat(word(weights)))))
    }

    // Looks up each entry's low and high byte separately. An index byte of 16 or more gives 0.
    #[inline(always)]
    fn looked_up(self, table: &LookupTable) -> WasmWords {
        let [low, high] = &table.bytes;
        // SAFETY: each table has the 16 bytes that `v128_load` reads, from any address.
        let (low, high) = unsafe { (v128_load(low.as_ptr().cast()), v128_load(high.as_ptr().cast())) };
        let of_low = u8x16_swizzle(low, v128_or(self.0, u16x8_splat(0x8000)));
        let of_high = u8x16_swizzle(high, v128_or(u16x8_shl(self.0, 8), u16x8_splat(0x80)));
        WasmWords(v128_or(of_low, of_high))
    }

    #[inline(always)]
    fn sum_times(self, factor: WasmWords) -> WasmWords {
        let sums = i32x4_add(self.0, u64x2_shr(self.0, 32));
        let low = |words| i32x4_shuffle::<0, 2, 0, 2>(words, words);
        WasmWords(i64x2_extmul_low_i32x4(low(sums), low(factor.0)))
    }
}
