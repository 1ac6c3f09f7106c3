//! The processor's instruction sets, and the values that show that it has them.

use std::fmt::Debug;

#[cfg(feature = "avx512")]
use super::Eight;
use super::Four;
use crate::territory::words::Words;

/// Shows that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// Shows everything that [`Avx2`] shows. The processor also has these parts of AVX-512: F, BW, DQ,
/// VL, VBMI2, VNNI and VPOPCNTDQ.
#[cfg(feature = "avx512")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

/// Defines `has`, which asks the processor for an instruction set by name.
macro_rules! instruction_sets {
    ($($name:tt)+) => {
        /// True if the processor has these instructions.
        fn has(name: &str) -> bool {
            match name {
                $($name => is_x86_feature_detected!($name),)+
                _ => false,
            }
        }
    };
}

instruction_sets! {
    "avx2" "bmi1" "bmi2" "lzcnt" "popcnt"
    "avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512vbmi2" "avx512vnni" "avx512vpopcntdq"
}

impl Avx2 {
    const SETS: [&str; 5] = ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"];

    /// Asks the processor.
    #[must_use]
    pub fn detect() -> Option<Avx2> {
        Avx2::shown_by(has)
    }

    /// The value, if a processor with these instruction sets may have it.
    fn shown_by(has: impl Fn(&str) -> bool) -> Option<Avx2> {
        Avx2::SETS.into_iter().all(has).then_some(Avx2(()))
    }
}

#[cfg(feature = "avx512")]
impl Avx512 {
    const SETS: [&str; 7] =
        ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi2", "avx512vnni", "avx512vpopcntdq"];

    /// Asks the processor.
    #[must_use]
    pub fn detect() -> Option<Avx512> {
        Avx512::shown_by(has)
    }

    /// As [`Avx2::shown_by`].
    fn shown_by(has: impl Fn(&str) -> bool) -> Option<Avx512> {
        Avx2::shown_by(&has)?;
        Avx512::SETS.into_iter().all(has).then_some(Avx512(()))
    }
}

/// Shows that the processor has at least AVX2. Only the two types above, which detection makes,
/// implement it.
pub(in crate::territory) trait CpuFeatures: Copy + Debug {
    /// True if the processor has AVX-512 as well.
    const AVX512: bool;

    /// The longest registers that pay.
    type Longest: Words<CpuFeatures = Self>;
}

impl CpuFeatures for Avx2 {
    const AVX512: bool = false;
    type Longest = Four;
}

#[cfg(feature = "avx512")]
impl CpuFeatures for Avx512 {
    const AVX512: bool = true;
    type Longest = Eight;
}

#[cfg(all(test, feature = "avx512"))]
mod tests {
    use super::*;

    #[test]
    fn takes_the_next_kernel_without_an_instruction_set() {
        let sets = [&Avx2::SETS[..], &Avx512::SETS[..]].concat();
        for subset in 0..1_u32 << sets.len() {
            let has = |name: &str| {
                let index = sets.iter().position(|&set| set == name);
                index.is_some_and(|index| subset >> index & 1 != 0)
            };
            let lower = (1 << Avx2::SETS.len()) - 1;
            assert_eq!(Avx2::shown_by(has).is_some(), subset & lower == lower, "{subset:b}");
            assert_eq!(Avx512::shown_by(has).is_some(), subset == (1 << sets.len()) - 1, "{subset:b}");
        }
    }
}
