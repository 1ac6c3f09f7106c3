//! Detects the processor's instructions, and defines the vectors of words that all kernels use.
//!
//! Code that is generic over `Words` is written once and compiled for each [`Kernel`].

#[cfg(target_arch = "x86_64")]
mod avx;
#[cfg(target_arch = "x86_64")]
mod features;
mod kernel;
mod portable;
#[cfg(simd128)]
mod wasm;
mod words;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx::{AvxFeatures, TwoWords};
#[cfg(target_arch = "x86_64")]
pub use features::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use features::Task;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub use features::{Avx512, Vnni};
pub(crate) use kernel::WordTask;
pub use kernel::{Kernel, KernelError};
pub(crate) use portable::Word;
pub(crate) use words::{LookupTable, MAX_LANES, SideWords, Words, operators, word};
