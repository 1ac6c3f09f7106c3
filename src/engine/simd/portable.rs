//! The portable implementation of [`Words`], with one 64-bit word.

use super::words::{LookupTable, MAX_LANES, Words, operators, word};

const SIGN_BITS: u64 = 0x8000_8000_8000_8000;

/// One word. The type has other operators than `u64`: `-` removes bits, and `+` wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u64);

operators! { [] Word, |a, b|
    Add add => Word(a.0.wrapping_add(b.0)),
    BitAnd bitand => Word(a.0 & b.0),
    BitOr bitor => Word(a.0 | b.0),
    BitXor bitxor => Word(a.0 ^ b.0),
    Sub sub => Word(a.0 & !b.0),
}

impl Words for Word {
    type CpuFeatures = ();
    #[cfg(not(simd128))]
    type Batch = Word;
    #[cfg(simd128)]
    type Batch = super::wasm::WasmWords;

    const LANES: usize = 1;

    #[inline(always)]
    fn cpu(self) {}

    #[inline(always)]
    fn splat((): (), word: u64) -> Word {
        Word(word)
    }

    #[inline(always)]
    fn load((): (), words: &[u64; MAX_LANES]) -> Word {
        Word(words[0])
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; MAX_LANES]) {
        words[0] = self.0;
    }

    #[inline(always)]
    fn shift_up(self, bits: u32) -> Word {
        Word(self.0 << bits)
    }

    #[inline(always)]
    fn shift_down(self, bits: u32) -> Word {
        Word(self.0 >> bits)
    }

    #[inline(always)]
    fn count_ones(self) -> Word {
        Word(self.0.count_ones().into())
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    fn less_than(self, other: Word) -> Word {
        Word(u64::from((self.0 as i64) < other.0 as i64).wrapping_neg())
    }

    #[inline(always)]
    fn zero_lane_mask(self) -> u32 {
        u32::from(self.0 == 0)
    }

    #[inline(always)]
    fn where_nonzero(self, condition: Word, otherwise: Word) -> Word {
        if condition.0 != 0 { self } else { otherwise }
    }

    #[inline(always)]
    fn add_i16(self, other: Word) -> Word {
        Word(((self.0 & !SIGN_BITS) + (other.0 & !SIGN_BITS)) ^ ((self.0 ^ other.0) & SIGN_BITS))
    }

    #[inline(always)]
    fn sub_i16(self, other: Word) -> Word {
        Word(((self.0 | SIGN_BITS) - (other.0 & !SIGN_BITS)) ^ ((self.0 ^ !other.0) & SIGN_BITS))
    }

    #[inline(always)]
    fn high_products(self, factor: u16) -> Word {
        Word(word(numbers(self.0).map(|number| ((number as u16 as u32 * u32::from(factor)) >> 16) as i16)))
    }

    #[inline(always)]
    fn min_i16(self, other: Word) -> Word {
        let [a, b] = [self.0, other.0].map(numbers);
        Word(word(std::array::from_fn(|place| a[place].min(b[place]))))
    }

    #[inline(always)]
    fn add_products(self, values: Word, weights: [i16; 4]) -> Word {
        let [a, b, c, d] = numbers(values.0);
        let product = |number: i16, weight: i16| i32::from(number) * i32::from(weight);
        let low = self.0 as i32 + product(a, weights[0]) + product(b, weights[1]);
        let high = (self.0 >> 32) as i32 + product(c, weights[2]) + product(d, weights[3]);
        Word(u64::from(low as u32) | u64::from(high as u32) << 32)
    }

    #[inline(always)]
    fn looked_up(self, table: &LookupTable) -> Word {
        Word(word(numbers(self.0).map(|index| table.numbers[index as usize & 15])))
    }

    #[inline(always)]
    fn sum_times(self, factor: Word) -> Word {
        let sum = self.0 as i32 + (self.0 >> 32) as i32;
        Word((i64::from(sum) * factor.0 as i64) as u64)
    }
}

#[inline(always)]
fn numbers(word: u64) -> [i16; 4] {
    bytemuck::cast(word.to_le_bytes())
}
