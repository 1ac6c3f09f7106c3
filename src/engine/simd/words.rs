//! Several 64-bit words, to which each operation applies at once. Sets of squares consist of them.
//!
//! A lane is one word. [`Word`] is the portable implementation with one lane; `avx` has registers
//! of two, four and eight lanes, and `wasm` of two. Counts are stored as four 16-bit numbers in
//! each lane.

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

pub(crate) const MAX_LANES: usize = 8;

/// One or more words. Operators work on each lane separately. `a - b` has the bits of `a` that `b`
/// lacks, and `a + b` is the sum modulo 2^64.
pub(crate) trait Words:
    Copy
    + Debug
    + Add<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Sub<Output = Self>
{
    /// A proof that the processor has the instructions of this implementation.
    type CpuFeatures: Copy + Debug;

    /// The words with which the same processor evaluates several positions at once.
    type Batch: Words<CpuFeatures = Self::CpuFeatures>;

    const LANES: usize;

    fn cpu(self) -> Self::CpuFeatures;
    fn splat(cpu: Self::CpuFeatures, word: u64) -> Self;

    /// Loads the first words of `words`, one into each lane.
    fn load(cpu: Self::CpuFeatures, words: &[u64; MAX_LANES]) -> Self;

    /// Writes the lanes to the first elements of `words`.
    fn store(self, words: &mut [u64; MAX_LANES]);

    /// Shifts each word to higher bits.
    fn up(self, bits: u32) -> Self;

    /// Shifts each word to lower bits.
    fn down(self, bits: u32) -> Self;

    /// Shifts each word to higher bits, and shifts in the highest bits of `low`. `bits` is 1 to 63.
    #[inline(always)]
    fn up_from(self, low: Self, bits: u32) -> Self {
        self.up(bits) | low.down(64 - bits)
    }

    /// Shifts each word to lower bits, and shifts in the lowest bits of `high`. `bits` is 1 to 63.
    #[inline(always)]
    fn down_from(self, high: Self, bits: u32) -> Self {
        self.down(bits) | high.up(64 - bits)
    }

    fn ones(self) -> Self;
    fn is_zero(self) -> bool;

    /// -1 in each lane whose signed word is less than that of `other`, and 0 in the other lanes.
    fn less_than(self, other: Self) -> Self;

    /// The lanes whose word is zero, as the bits of a number.
    fn zero_lanes(self) -> u32;

    /// The lanes of `self` where `condition` is not zero, and those of `otherwise` elsewhere.
    fn where_any(self, condition: Self, otherwise: Self) -> Self;

    /// The sums of the 16-bit numbers of both words, modulo 2^16.
    fn plus(self, other: Self) -> Self;

    /// The differences of the 16-bit numbers of both words, modulo 2^16.
    fn minus(self, other: Self) -> Self;

    /// The high 16 bits of the product of each unsigned 16-bit number with `factor`.
    fn high_products(self, factor: u16) -> Self;

    /// The smaller of each two 16-bit numbers, none of which may be negative.
    fn lesser(self, other: Self) -> Self;

    /// Adds the products of signed 16-bit numbers to signed 32-bit sums: the two lower products of
    /// each lane to its lower sum, the two higher products to its higher sum.
    fn add_products(self, numbers: Self, weights: [i16; 4]) -> Self;

    /// Looks up the four 16-bit indexes of each lane in a table. Each index is below 16.
    fn looked_up(self, table: &Table) -> Self;

    /// Looks up the index of each lane in a table. An index after the end gives the last entry.
    #[inline(always)]
    fn entries(self, table: &[u64]) -> Self {
        let mut words = [0; MAX_LANES];
        self.store(&mut words);
        for word in &mut words[..Self::LANES] {
            *word = table[(*word as usize).min(table.len() - 1)];
        }
        Self::load(self.cpu(), &words)
    }

    /// Adds the two 32-bit sums of each lane, and multiplies the result by a factor of at most 31
    /// bits, which gives a signed 64-bit number.
    fn sum_times(self, factor: Self) -> Self;
}

/// Words with two lanes, one for each side.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub(crate) trait SideWords: Words {
    fn swapped(self) -> Self;
    fn new(cpu: Self::CpuFeatures, words: [u64; 2]) -> Self;
}

/// A table of sixteen numbers, in the two forms that lookup instructions need.
#[derive(Clone, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Table {
    pub(crate) numbers: [i16; 16],
    pub(crate) bytes: [[u8; 16]; 2],
}

impl Table {
    pub(crate) fn new(numbers: [i16; 16]) -> Table {
        Table { numbers, bytes: [0, 1].map(|byte| numbers.map(|number| number.to_le_bytes()[byte])) }
    }
}

#[inline(always)]
pub(crate) fn numbers(word: u64) -> [i16; 4] {
    bytemuck::cast(word.to_le_bytes())
}

#[inline(always)]
pub(crate) const fn word([a, b, c, d]: [i16; 4]) -> u64 {
    a as u16 as u64 | (b as u16 as u64) << 16 | (c as u16 as u64) << 32 | (d as u16 as u64) << 48
}

/// A word in which the highest bit of each 16-bit number is set.
const SIGN_BITS: u64 = 0x8000_8000_8000_8000;

/// The portable implementation with one lane. The type leaves the operators of `u64` unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u64);

/// Implements operators of a type, each by an expression of its two operands. The second form makes
/// all operators from one expression, in which `$apply` is the operator for the parts. A closure
/// instead of `$apply` would not be compiled for the kernel.
macro_rules! operators {
    ($generics:tt $name:ty, |$a:ident, $b:ident| $($operator:ident $method:ident => $value:expr,)+) => {
        $(operators! { @one $generics $name, $operator $method $a $b $value })+
    };
    ($generics:tt $name:ty, |$apply:ident, $a:ident, $b:ident| $value:expr) => {
        operators! { $generics $name, |$a, $b|
            BitAnd bitand => { let $apply = std::ops::BitAnd::bitand; $value },
            BitOr bitor => { let $apply = std::ops::BitOr::bitor; $value },
            BitXor bitxor => { let $apply = std::ops::BitXor::bitxor; $value },
            Sub sub => { let $apply = std::ops::Sub::sub; $value },
        }
    };
    (@one [$($generics:tt)*] $name:ty, $operator:ident $method:ident $a:ident $b:ident $value:expr) => {
        impl<$($generics)*> std::ops::$operator for $name {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $value
            }
        }
    };
}
pub(crate) use operators;

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
    type Batch = super::wasm::Two;

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
    fn up(self, bits: u32) -> Word {
        Word(self.0 << bits)
    }

    #[inline(always)]
    fn down(self, bits: u32) -> Word {
        Word(self.0 >> bits)
    }

    #[inline(always)]
    fn ones(self) -> Word {
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
    fn zero_lanes(self) -> u32 {
        u32::from(self.0 == 0)
    }

    #[inline(always)]
    fn where_any(self, condition: Word, otherwise: Word) -> Word {
        if condition.0 != 0 { self } else { otherwise }
    }

    #[inline(always)]
    fn plus(self, other: Word) -> Word {
        Word(((self.0 & !SIGN_BITS) + (other.0 & !SIGN_BITS)) ^ ((self.0 ^ other.0) & SIGN_BITS))
    }

    #[inline(always)]
    fn minus(self, other: Word) -> Word {
        Word(((self.0 | SIGN_BITS) - (other.0 & !SIGN_BITS)) ^ ((self.0 ^ !other.0) & SIGN_BITS))
    }

    #[inline(always)]
    fn high_products(self, factor: u16) -> Word {
        Word(word(numbers(self.0).map(|number| ((number as u16 as u32 * u32::from(factor)) >> 16) as i16)))
    }

    #[inline(always)]
    fn lesser(self, other: Word) -> Word {
        let other = numbers(other.0);
        let mut lesser = numbers(self.0);
        for (number, other) in lesser.iter_mut().zip(other) {
            *number = (*number).min(other);
        }
        Word(word(lesser))
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
    fn looked_up(self, table: &Table) -> Word {
        Word(word(numbers(self.0).map(|index| table.numbers[index as usize & 15])))
    }

    #[inline(always)]
    fn sum_times(self, factor: Word) -> Word {
        let sum = self.0 as i32 + (self.0 >> 32) as i32;
        Word((i64::from(sum) * factor.0 as i64) as u64)
    }
}
