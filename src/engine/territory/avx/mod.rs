//! Both sides' sets of squares in one register of 256 bits: [`WidePair`] for any board,
//! [`SmallPair`] for those up to 8x8.
//!
//! Each type comes twice: with AVX2 alone, and with what AVX-512 adds for such registers. There the
//! bits of a word are counted by one instruction, and the compiler makes one instruction of two
//! operations on bits.

mod register;
mod small;
mod wide;

pub(super) use register::Avx2;
#[cfg(feature = "avx512")]
pub(super) use register::Avx512;
pub(super) use small::SmallPair;
pub(super) use wide::WidePair;

use register::{CpuFeatures, Register};

/// Operators of a type of pairs in a register.
macro_rules! operators {
    ($pair:ident) => {
        operators!($pair BitAnd bitand a b => a & b);
        operators!($pair BitOr bitor a b => a | b);
        operators!($pair BitXor bitxor a b => a ^ b);
        operators!($pair Sub sub a b => a.without(b));

        impl<P: CpuFeatures> PartialEq for $pair<P> {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                (self.0 ^ other.0).is_zero()
            }
        }
    };
    ($pair:ident $operator:ident $method:ident $a:ident $b:ident => $value:expr) => {
        impl<P: CpuFeatures> std::ops::$operator for $pair<P> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                $pair($value)
            }
        }
    };
}
use operators;
