//! Several 64-bit words, to which each operation applies at once. Such words hold sets of squares.
//!
//! A lane is one word. Counts are stored as four 16-bit numbers in each lane.

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

    /// The type of words with the most lanes for the same processor. It holds batches of positions.
    type Batch: Words<CpuFeatures = Self::CpuFeatures>;

    const LANES: usize;

    fn cpu(self) -> Self::CpuFeatures;
    fn splat(cpu: Self::CpuFeatures, word: u64) -> Self;

    fn load(cpu: Self::CpuFeatures, words: &[u64; MAX_LANES]) -> Self;

    fn store(self, words: &mut [u64; MAX_LANES]);

    fn shift_up(self, bits: u32) -> Self;

    fn shift_down(self, bits: u32) -> Self;

    /// Shifts each word to higher bits, and shifts in the highest bits of `low`. `bits` is 1 to 63.
    #[inline(always)]
    fn shift_up_from(self, low: Self, bits: u32) -> Self {
        self.shift_up(bits) | low.shift_down(64 - bits)
    }

    /// Shifts each word to lower bits, and shifts in the lowest bits of `high`. `bits` is 1 to 63.
    #[inline(always)]
    fn shift_down_from(self, high: Self, bits: u32) -> Self {
        self.shift_down(bits) | high.shift_up(64 - bits)
    }

    fn count_ones(self) -> Self;
    fn is_zero(self) -> bool;

    /// -1 in each lane whose signed word is less than the word of `other`; 0 in other lanes.
    fn less_than(self, other: Self) -> Self;

    /// A number whose bit `i` is 1 if the word in lane `i` is zero.
    fn zero_lane_mask(self) -> u32;

    /// The lanes of `self` where `condition` is not zero, and the lanes of `otherwise` elsewhere.
    fn where_nonzero(self, condition: Self, otherwise: Self) -> Self;

    /// Adds each 16-bit number of `self` to the number at the same place in `other`, modulo 2^16.
    fn add_i16(self, other: Self) -> Self;

    /// Subtracts each 16-bit number of `other` from its counterpart in `self`, modulo 2^16.
    fn sub_i16(self, other: Self) -> Self;

    /// The high 16 bits of the product of each unsigned 16-bit number with `factor`.
    fn high_products(self, factor: u16) -> Self;

    /// The smaller 16-bit number at each place of `self` and `other`. No number may be negative.
    fn min_i16(self, other: Self) -> Self;

    /// Multiplies the four signed 16-bit numbers in each lane of `numbers` by `weights`. Adds the
    /// two lower products to the lower signed 32-bit sum in `self`, and the rest to the higher sum.
    fn add_products(self, numbers: Self, weights: [i16; 4]) -> Self;

    /// Looks up the four 16-bit indexes of each lane in a table. Each index is below 16.
    fn looked_up(self, table: &LookupTable) -> Self;

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

    /// Adds the two 32-bit sums of each lane, and multiplies the result by the lane's factor, which
    /// has at most 31 bits. The product is a signed 64-bit number.
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
pub(crate) struct LookupTable {
    pub(crate) numbers: [i16; 16],
    pub(crate) bytes: [[u8; 16]; 2],
}

impl LookupTable {
    pub(crate) fn new(numbers: [i16; 16]) -> LookupTable {
        LookupTable { numbers, bytes: [0, 1].map(|byte| numbers.map(|number| number.to_le_bytes()[byte])) }
    }
}

#[inline(always)]
pub(crate) const fn word([a, b, c, d]: [i16; 4]) -> u64 {
    a as u16 as u64 | (b as u16 as u64) << 16 | (c as u16 as u64) << 32 | (d as u16 as u64) << 48
}

/// Implements the operators of a type. The first form takes an expression for each operator. The
/// second form takes one expression for `&`, `|`, `^` and `-`. The expression calls `$apply`, which
/// stands for the operator, on the fields of `$a` and `$b`. This is a macro, because closures
/// cannot use the kernel's instructions.
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
