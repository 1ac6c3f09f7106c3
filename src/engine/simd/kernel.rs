//! The kernels (sets of processor instructions), and the choice of the kernel that the engine uses.

use std::sync::LazyLock;

use thiserror::Error;

#[cfg(target_arch = "x86_64")]
use super::avx::AvxFeatures;
#[cfg(target_arch = "x86_64")]
use super::features::{Avx2, Task};
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
use super::features::{Avx512, Vnni};
use super::portable::Word;
use super::words::Words;

/// A set of instructions for all vectorised code. The results of all kernels are equal bit by bit.
///
/// ```
/// use quiver_engine::simd::Kernel;
///
/// assert!(Kernel::NAMES.contains(&Kernel::best().name()));
/// assert!(Kernel::available().any(|kernel| kernel == Kernel::Portable));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// 64-bit words, for any processor. A WebAssembly module with SIMD also uses 128-bit vectors.
    Portable,
    /// 256-bit vector registers.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// 256-bit vector registers, and for the network 512-bit registers with dot products of bytes.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    Vnni(Vnni),
    /// 512-bit vector registers.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    Avx512(Avx512),
}

/// The error for a value of the variable `QUIVER_KERNEL` that names no kernel. Contains the value.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("QUIVER_KERNEL is '{0:.40}': expected portable, avx2, vnni or avx512")]
pub struct KernelError(pub String);

/// A computation on several 64-bit words at once. Implementations are inlined completely, so that
/// the compiler may use all instructions of a [`Kernel`].
pub(crate) trait WordTask {
    type Output;

    /// Runs the computation with the kernel's type `W`, which holds one word for `Portable`, four
    /// words for `Avx2` and `Vnni`, and eight words for `Avx512`.
    fn run<W: Words>(self, cpu: W::CpuFeatures) -> Self::Output;
}

impl Kernel {
    /// The names of all kernels, slowest first.
    pub const NAMES: [&str; 4] = ["portable", "avx2", "vnni", "avx512"];

    /// The fastest kernel that this processor can run and that the environment allows.
    pub fn best() -> Kernel {
        static BEST: LazyLock<Kernel> = LazyLock::new(|| {
            let allowed = Kernel::allowed().unwrap_or(&Kernel::NAMES);
            Kernel::available().find(|kernel| allowed.contains(&kernel.name())).unwrap_or(Kernel::Portable)
        });
        *BEST
    }

    /// The names of the kernels that the environment variable `QUIVER_KERNEL` allows: the kernel
    /// that it names and all slower kernels, or all kernels if the variable is empty or not set.
    ///
    /// # Errors
    /// If `QUIVER_KERNEL` is not the name of a kernel. [`Kernel::best`] then allows all kernels.
    pub fn allowed() -> Result<&'static [&'static str], KernelError> {
        let name = std::env::var_os("QUIVER_KERNEL").filter(|name| !name.is_empty());
        let Some(name) = name else { return Ok(&Kernel::NAMES) };
        let place = Kernel::NAMES.iter().position(|&known| name == known);
        let unknown = || KernelError(name.to_string_lossy().into_owned());
        place.map(|place| &Kernel::NAMES[..=place]).ok_or_else(unknown)
    }

    /// The kernels that this processor can run, fastest first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        let detected = [
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Avx512::detect().map(Kernel::Avx512),
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Vnni::detect().map(Kernel::Vnni),
            #[cfg(target_arch = "x86_64")]
            Avx2::detect().map(Kernel::Avx2),
            Some(Kernel::Portable),
        ];
        detected.into_iter().flatten()
    }

    /// The name of the kernel, which is one of [`Kernel::NAMES`].
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => "avx2",
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Vnni(_) => "vnni",
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512(_) => "avx512",
        }
    }

    #[inline(always)]
    pub(crate) fn run<T: WordTask>(self, task: T) -> T::Output {
        match self {
            Kernel::Portable => task.run::<Word>(()),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(cpu) => cpu.run(LongestWords { task, cpu }),
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Vnni(cpu) => cpu.avx2().run(LongestWords { task, cpu: cpu.avx2() }),
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512(cpu) => cpu.run(LongestWords { task, cpu }),
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct LongestWords<T, P> {
    task: T,
    cpu: P,
}

#[cfg(target_arch = "x86_64")]
impl<T: WordTask, P: AvxFeatures> Task for LongestWords<T, P> {
    type Output = T::Output;

    #[inline(always)]
    fn run(self) -> T::Output {
        self.task.run::<P::Longest>(self.cpu)
    }
}
