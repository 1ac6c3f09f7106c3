//! A whole flood of queen distances by itself: the part of the evaluator that `quiver bench` times.

use std::hint::black_box;

use super::distance::queen_levels;
use super::kernel::{Kernel, KernelTask};
use super::pair::OneBoard;
use super::view::View;
use crate::game::Bitboard;

/// Floods the queen distances of both sides. Returns the number of squares at distance 1, of the
/// side that acts next and of its opponent.
#[must_use]
pub fn flood_distances(view: &View<'_>, kernel: Kernel) -> [u32; 2] {
    kernel.run(view.size, DistanceFlood(view))
}

struct DistanceFlood<'a>(&'a View<'a>);

impl KernelTask for DistanceFlood<'_> {
    type Output = [u32; 2];

    #[inline(always)]
    fn run<P: OneBoard>(self, cpu: P::CpuFeatures) -> [u32; 2] {
        let levels = queen_levels(P::sides(cpu, self.0.amazons), P::same(cpu, self.0.empty));
        // All levels count, not only the first.
        let levels = black_box(&levels);
        levels
            .sets()
            .first()
            .copied()
            .unwrap_or(P::same(cpu, Bitboard::EMPTY))
            .count()
            .map(|count| count as u32)
    }
}
