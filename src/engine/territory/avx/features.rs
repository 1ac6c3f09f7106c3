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

impl Avx2 {
    /// Asks the processor.
    pub fn detect() -> Option<Avx2> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then_some(Avx2(()))
    }
}

#[cfg(feature = "avx512")]
impl Avx512 {
    /// Asks the processor.
    pub fn detect() -> Option<Avx512> {
        Avx2::detect()?;
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx512vpopcntdq");
        has_all.then_some(Avx512(()))
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
