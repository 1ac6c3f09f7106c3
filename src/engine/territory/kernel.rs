//! Kernels: the implementations of the evaluator, of which the processor's features decide one.

use std::sync::LazyLock;

use amazons::{InputError, Size};

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
use super::avx::Avx512;
#[cfg(target_arch = "x86_64")]
use super::avx::{Avx2, Two};
#[cfg(target_arch = "x86_64")]
use super::pair::Together;
use super::pair::{Both, SidePair};
use super::squares::{Small, Wide};
use super::words::Word;

/// An implementation of the floods, and of selection in the search; all give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain words, for any processor.
    Portable,
    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// 512-bit registers.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    Avx512(Avx512),
}

/// A computation with the sides of a position.
pub(crate) trait KernelTask {
    type Output;

    /// Computes it; `P` holds one position. Implementations are inlined whole, so that the compiler
    /// may use every instruction of the kernel's processor.
    fn run<P: SidePair>(self, cpu: P::CpuFeatures) -> Self::Output;
}

impl Kernel {
    /// The names of all kernels, the slowest first.
    pub const NAMES: [&str; 3] = ["portable", "avx2", "avx512"];

    /// The fastest kernel that this processor can run and that the environment allows.
    pub fn best() -> Kernel {
        static BEST: LazyLock<Kernel> = LazyLock::new(|| {
            let allowed = Kernel::allowed().unwrap_or(&Kernel::NAMES);
            Kernel::available().find(|kernel| allowed.contains(&kernel.name())).unwrap_or(Kernel::Portable)
        });
        *BEST
    }

    /// The names of the kernels that the environment allows: all up to the one that `QUIVER_KERNEL`
    /// names, or the portable one if `QUIVER_PORTABLE` is set to anything but the empty text or `0`.
    ///
    /// # Errors
    /// If `QUIVER_KERNEL` names no kernel; [`Kernel::best`] then allows all.
    pub fn allowed() -> Result<&'static [&'static str], InputError> {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        if set("QUIVER_PORTABLE").is_some_and(|value| value != "0") {
            return Ok(&Kernel::NAMES[..1]);
        }
        let Some(name) = set("QUIVER_KERNEL") else { return Ok(&Kernel::NAMES) };
        let place = Kernel::NAMES.iter().position(|&known| known == name);
        place.map(|place| &Kernel::NAMES[..=place]).ok_or_else(|| {
            InputError(format!("QUIVER_KERNEL is '{name:.40}': expected portable, avx2 or avx512"))
        })
    }

    /// The kernels that this processor can run, the fastest first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        let detected = [
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Avx512::detect().map(Kernel::Avx512),
            #[cfg(target_arch = "x86_64")]
            Avx2::detect().map(Kernel::Avx2),
            Some(Kernel::Portable),
        ];
        detected.into_iter().flatten()
    }

    /// Its name, one of [`Kernel::NAMES`].
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => "avx2",
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512(_) => "avx512",
        }
    }

    #[inline]
    pub(crate) fn run<T: KernelTask>(self, size: Size, task: T) -> T::Output {
        self.run_by(!size.is_large(), task)
    }

    #[inline(always)]
    pub(crate) fn run_by<T: KernelTask>(self, small: bool, task: T) -> T::Output {
        match self {
            Kernel::Portable if small => task.run::<Both<Small<Word>>>(()),
            Kernel::Portable => task.run::<Both<Wide<Word>>>(()),
            // SAFETY: `cpu` shows that the processor has all that `run_avx2` enables.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(cpu) if small => unsafe { run_avx2::<Together<Small<Two<Avx2>>>, T>(task, cpu) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(cpu) => unsafe { run_avx2::<Together<Wide<Two<Avx2>>>, T>(task, cpu) },
            // SAFETY: `cpu` shows that the processor has all that `run_avx512` enables.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512(cpu) if small => unsafe {
                run_avx512::<Together<Small<Two<Avx512>>>, T>(task, cpu)
            },
            // SAFETY: as above.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512(cpu) => unsafe { run_avx512::<Together<Wide<Two<Avx512>>>, T>(task, cpu) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2<P: SidePair, T: KernelTask>(task: T, cpu: P::CpuFeatures) -> T::Output {
    task.run::<P>(cpu)
}

/// The task, compiled for processors with AVX-512. The compiler makes one instruction of any function
/// of three words.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vnni,avx512vpopcntdq"
)]
fn run_avx512<P: SidePair, T: KernelTask>(task: T, cpu: P::CpuFeatures) -> T::Output {
    task.run::<P>(cpu)
}
