//! Which implementation computes: chosen once, by what the processor has.

use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use super::avx::{SmallPair, WidePair};
use super::packed::{Small, Wide};
use super::pair::{Both, Pair};
use crate::game::Size;

/// An implementation of [`Pair`]; all give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain words, for any processor.
    Portable,
    /// 256-bit registers. Only [`Kernel::avx2`] makes it.
    #[cfg(target_arch = "x86_64")]
    #[non_exhaustive]
    Avx2,
    /// The same with what AVX-512 adds for registers of 256 bits. Only [`Kernel::avx512`] makes it.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    #[non_exhaustive]
    Avx512,
}

/// Something to compute with pairs of any kind.
pub trait Task {
    /// What comes of it.
    type Output;

    /// Computes it. To be inlined whole, so that the compiler may use what the kernel's processor has.
    fn run<P: Pair>(self) -> Self::Output;
}

impl Kernel {
    /// The fastest that this processor has; the portable one if the environment variable `QUIVER_PORTABLE` is set to
    /// anything but nothing or `0`.
    #[must_use]
    pub fn best() -> Kernel {
        static BEST: LazyLock<Kernel> = LazyLock::new(|| {
            let forced =
                std::env::var_os("QUIVER_PORTABLE").is_some_and(|value| !value.is_empty() && value != "0");
            if forced { None } else { Kernel::available().next() }.unwrap_or(Kernel::Portable)
        });
        *BEST
    }

    /// Those that this processor has what they need for, the fastest first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        [Kernel::avx512(), Kernel::avx2(), Some(Kernel::Portable)].into_iter().flatten()
    }

    /// The AVX2 kernel, if this processor has it.
    #[must_use]
    pub fn avx2() -> Option<Kernel> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            return Some(Kernel::Avx2);
        }
        None
    }

    /// The AVX-512 kernel, if this processor has what it needs of that.
    #[must_use]
    pub fn avx512() -> Option<Kernel> {
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        if Kernel::avx2().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
        {
            return Some(Kernel::Avx512);
        }
        None
    }

    /// Its name: `portable`, `avx2` or `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "avx2",
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512 => "avx512",
        }
    }

    /// Computes something about boards of this size.
    #[inline]
    pub fn run<T: Task>(self, size: Size, task: T) -> T::Output {
        let small = size.width() <= 8 && size.height() <= 8;
        match self {
            Kernel::Portable if small => task.run::<Both<Small>>(),
            Kernel::Portable => task.run::<Both<Wide>>(),
            // SAFETY: `avx2` is the only place that makes this kernel, and it asked the processor.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 if small => unsafe { run_avx2::<SmallPair<false>, T>(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { run_avx2::<WidePair<false>, T>(task) },
            // SAFETY: `avx512` is the only place that makes this kernel, and it asked the processor.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512 if small => unsafe { run_avx512::<SmallPair<true>, T>(task) },
            // SAFETY: as above.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512 => unsafe { run_avx512::<WidePair<true>, T>(task) },
        }
    }
}

impl Kernel {
    /// [`Kernel::run`] of a task that is worth a program of its own, being many small ones at once: by kernels that gain from
    /// that. The portable one hands it back.
    #[inline]
    pub fn run_batch<T: Task>(self, size: Size, task: T) -> Result<T::Output, T> {
        if self == Kernel::Portable { Err(task) } else { Ok(self.run(size, task)) }
    }
}

/// The task, compiled for processors with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2<P: Pair, T: Task>(task: T) -> T::Output {
    task.run::<P>()
}

/// The task, compiled for processors with the AVX-512 instructions for short registers: one for any function of three bits.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512vpopcntdq")]
fn run_avx512<P: Pair, T: Task>(task: T) -> T::Output {
    task.run::<P>()
}
