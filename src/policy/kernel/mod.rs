//! The inner loop of the network: 8-bit products added up in 32 bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod vnni;

use super::network::{CHANNELS, Layer};
use super::planes::MOST_SQUARES;
use crate::territory;

/// The place of a square that is burnt or off the board: its activations are zero.
pub(super) const ZERO: usize = MOST_SQUARES;
/// Squares that a kernel may compute at a time; more than there are, up to the next multiple.
pub(super) const BLOCK: usize = 4;

/// The sums of one layer at one square.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Sums(pub(super) [i32; CHANNELS]);

/// One layer to be added up over the squares of a board.
#[derive(Debug)]
pub(super) struct Job<'a> {
    /// The layer.
    pub(super) layer: &'a Layer,
    /// What the sums begin with.
    pub(super) begin: &'a [i32; CHANNELS],
    /// Activations from 0 to 127, `4 * groups` bytes a place; those of place [`ZERO`] are 0.
    pub(super) input: &'a [u8],
    /// For each output square the places of its taps, `taps` each.
    pub(super) neighbours: &'a [u8],
    /// Sums, one for each output square; their number is a multiple of [`BLOCK`].
    pub(super) sums: &'a mut [Sums],
}

impl Job<'_> {
    /// Checks what the kernels rely on.
    fn check(&self) {
        let (stride, taps) = (4 * self.layer.groups, self.layer.taps());
        assert!(self.input.len() == (ZERO + 1) * stride, "the input has a place for every square");
        assert!(self.sums.len().is_multiple_of(BLOCK), "sums come in blocks");
        assert!(self.neighbours.len() >= self.sums.len() * taps, "every sum has its neighbours");
        assert!(self.neighbours.iter().all(|&place| usize::from(place) <= ZERO), "places are on the board");
    }
}

/// An implementation of the inner loop; all give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain loops, for any processor.
    Portable,
    /// 256-bit registers. Only [`Kernel::avx2`] makes it.
    #[cfg(target_arch = "x86_64")]
    #[non_exhaustive]
    Avx2,
    /// 512-bit registers and their dot product of bytes. Only [`Kernel::vnni`] makes it.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    #[non_exhaustive]
    Vnni,
}

impl Kernel {
    /// The fastest that this processor has; the portable one where the evaluator's is.
    #[must_use]
    pub fn best() -> Kernel {
        if territory::Kernel::best() == territory::Kernel::Portable {
            return Kernel::Portable;
        }
        Kernel::available().next().unwrap_or(Kernel::Portable)
    }

    /// Those that this processor can run, the fastest first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        [Kernel::vnni(), Kernel::avx2(), Some(Kernel::Portable)].into_iter().flatten()
    }

    /// The AVX2 kernel, if this processor has it.
    #[must_use]
    pub fn avx2() -> Option<Kernel> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Some(Kernel::Avx2);
        }
        None
    }

    /// The AVX-512 kernel, if this processor has its dot product.
    #[must_use]
    pub fn vnni() -> Option<Kernel> {
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
            return Some(Kernel::Vnni);
        }
        None
    }

    /// Its name: `portable`, `avx2` or `vnni`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "avx2",
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Vnni => "vnni",
        }
    }

    /// Adds a layer up.
    ///
    /// # Panics
    /// If the job's slices do not fit together.
    pub(super) fn run(self, job: Job<'_>) {
        job.check();
        match self {
            Kernel::Portable => portable::run(job),
            // SAFETY: only `avx2` makes this kernel, after it found the instructions.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { avx2::run(job) },
            // SAFETY: only `vnni` makes this kernel, after it found the instructions.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Vnni => unsafe { vnni::run(job) },
        }
    }
}
