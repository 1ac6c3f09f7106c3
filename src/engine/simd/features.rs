//! Detects which instruction sets an x86-64 processor has, and represents each set by a value.

/// A computation that is compiled for a set of processor instructions. Implementations are inlined
/// completely, so that the compiler may use all instructions of the set.
pub(crate) trait Task {
    type Output;

    fn run(self) -> Self::Output;
}

/// A proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// A proof that the processor has [`Avx2`] and the parts F, BW and VNNI of AVX-512.
#[cfg(feature = "avx512")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vnni(Avx2);

/// A proof that the processor has [`Vnni`] and the parts DQ, VL, VBMI2 and VPOPCNTDQ of AVX-512.
#[cfg(feature = "avx512")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

impl Avx2 {
    /// Detects at run time whether this processor has the instructions of this type.
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
impl Vnni {
    /// Detects at run time whether this processor has the instructions of this type.
    pub fn detect() -> Option<Vnni> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        Avx2::detect().filter(|_| has_all).map(Vnni)
    }

    #[inline(always)]
    pub(crate) fn avx2(self) -> Avx2 {
        self.0
    }
}

#[cfg(feature = "avx512")]
impl Avx512 {
    /// Detects at run time whether this processor has the instructions of this type.
    pub fn detect() -> Option<Avx512> {
        let has_all = is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vpopcntdq");
        Vnni::detect().filter(|_| has_all).map(|_| Avx512(()))
    }
}
