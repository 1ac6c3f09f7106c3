//! Runs a computation with the code that is compiled for a kernel and a board size.

use amazons::Size;

#[cfg(target_arch = "x86_64")]
use super::pair::PackedSides;
use super::pair::{SeparateSides, SidePair};
use super::squares::{LargeBoardSet, SmallBoardSet};
#[cfg(target_arch = "x86_64")]
use crate::simd::{AvxFeatures, Task, TwoWords};
use crate::simd::{Kernel, Word};

/// A computation on pairs of sets of squares: a set of the mover and a set of the opponent.
pub(super) trait BoardTask {
    type Output;

    /// Runs the computation on sets of type `P`, which hold one position. Implementations are
    /// inlined completely, so that the compiler may use all instructions of the kernel.
    fn run<P: SidePair>(self, cpu: P::CpuFeatures) -> Self::Output;
}

#[inline]
pub(super) fn run_on<T: BoardTask>(kernel: Kernel, size: Size, task: T) -> T::Output {
    let small = !size.is_large();
    match kernel {
        Kernel::Portable if small => task.run::<SeparateSides<SmallBoardSet<Word>>>(()),
        Kernel::Portable => task.run::<SeparateSides<LargeBoardSet<Word>>>(()),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2(cpu) => run_packed(small, task, cpu),
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        Kernel::Vnni(cpu) => run_packed(small, task, cpu.avx2()),
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        Kernel::Avx512(cpu) => run_packed(small, task, cpu),
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn run_packed<T: BoardTask, P: AvxFeatures>(small: bool, task: T, cpu: P) -> T::Output {
    if small {
        cpu.run(TaskOnPair::<PackedSides<SmallBoardSet<TwoWords<P>>>, T> { task, cpu })
    } else {
        cpu.run(TaskOnPair::<PackedSides<LargeBoardSet<TwoWords<P>>>, T> { task, cpu })
    }
}

#[cfg(target_arch = "x86_64")]
struct TaskOnPair<P: SidePair, T> {
    task: T,
    cpu: P::CpuFeatures,
}

#[cfg(target_arch = "x86_64")]
impl<P: SidePair, T: BoardTask> Task for TaskOnPair<P, T> {
    type Output = T::Output;

    #[inline(always)]
    fn run(self) -> T::Output {
        self.task.run::<P>(self.cpu)
    }
}
