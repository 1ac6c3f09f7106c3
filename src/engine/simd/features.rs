//! Instructions of x86-64 beyond the oldest, each set shown by a value that only detection makes.

/// A computation that a kernel's instructions are enabled for. Implementations are inlined whole,
/// so that the compiler may use every instruction of the kernel's processor.
pub(crate) trait Task {
    type Output;

    fn run(self) -> Self::Output;
}

/// A proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// A proof of [`Avx2`] and of these parts of AVX-512: F, BW and VNNI.
#[cfg(feature = "avx512")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vnni(Avx2);

/// A proof of [`Vnni`] and of these parts of AVX-512: DQ, VL, VBMI2 and VPOPCNTDQ.
#[cfg(feature = "avx512")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512(());

impl Avx2 {
    /// Detects the features at run time.
    pub fn detect() -> Option<Avx2> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has_all.then_some(Avx2(()))
    }

    #[inline(always)]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn enabled<T: Task>(task: T) -> T::Output {
            task.run()
        }
        // SAFETY: `self` shows that the processor has all that the function enables.
        unsafe { enabled(task) }
    }
}

#[cfg(feature = "avx512")]
impl Vnni {
    /// Detects the features at run time.
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
    /// Detects the features at run time.
    pub fn detect() -> Option<Avx512> {
        let has_all = is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vpopcntdq");
        Vnni::detect().filter(|_| has_all).map(|_| Avx512(()))
    }

    /// The compiler makes one instruction of any function of three words.
    #[inline(always)]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(
            enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vnni,avx512vpopcntdq"
        )]
        fn enabled<T: Task>(task: T) -> T::Output {
            task.run()
        }
        // SAFETY: `self` shows that the processor has all that the function enables.
        unsafe { enabled(task) }
    }
}
