//! Computes queen and king distances by floods, one distance at a time for both sides at once.
//!
//! The squares at one queen distance (a level) are filled from the previous level in eight
//! directions. A fill shifts the squares by 1, 2 and then 4, which covers lines of seven steps. On
//! boards larger than 8x8 it shifts them by 2 again, because lines may have nine steps. The masks
//! for these shifts depend only on the empty squares, so both sides and all levels share them.

use std::hint::black_box;

use amazons::{Bitboard, Square};

use super::kernel::{BoardTask, run_on};
use super::pair::SidePair;
use super::view::View;
use crate::simd::Kernel;

/// The empty squares at each distance from the mover's and the opponent's amazons. The last level
/// also contains the squares that are farther than `MAX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Levels<const MAX: usize> {
    sets: [[Bitboard; 2]; MAX],
    count: usize,
}

impl<const MAX: usize> Levels<MAX> {
    const NONE: Levels<MAX> = Levels { sets: [[Bitboard::EMPTY; 2]; MAX], count: 0 };

    fn push(&mut self, [own, other]: [Bitboard; 2]) {
        self.count = (self.count + 1).min(MAX);
        let last = &mut self.sets[self.count - 1];
        *last = [last[0] | own, last[1] | other];
    }

    /// The levels that have squares: element k holds the squares at distance k + 1.
    pub(crate) fn sets(&self) -> &[[Bitboard; 2]] {
        &self.sets[..self.count]
    }

    fn distance(&self, side: usize, square: Square) -> Option<usize> {
        self.sets().iter().position(|sets| sets[side].contains(square)).map(|level| level + 1)
    }
}

/// The queen and king distances of each square, for display, the network and other evaluators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    pub(crate) queen: Levels<15>,
    pub(crate) king: Levels<24>,
}

struct Flood<'a>(&'a View<'a>);

impl BoardTask for Flood<'_> {
    type Output = Distances;

    #[inline(always)]
    fn run<P: SidePair>(self, cpu: P::CpuFeatures) -> Distances {
        let (amazons, empty) = (P::amazons(cpu, self.0.amazons), P::both_sides(cpu, self.0.empty));
        let mut distances = Distances { queen: Levels::NONE, king: Levels::NONE };
        let lines = empty.queen_step_masks();
        let (mut frontier, mut left) = (amazons.queen_step(&lines) & empty, empty);
        while !frontier.is_empty() {
            distances.queen.push(frontier.boards());
            left = left - frontier;
            frontier = frontier.queen_step(&lines) & left;
        }
        (frontier, left) = (amazons.king_step() & empty, empty);
        while !frontier.is_empty() {
            distances.king.push(frontier.boards());
            left = left - frontier;
            frontier = frontier.king_step() & left;
        }
        distances
    }
}

impl Distances {
    /// Computes the distances from the mover's and the opponent's amazons.
    pub fn of(view: &View<'_>, kernel: Kernel) -> Distances {
        run_on(kernel, view.size, Flood(view))
    }

    /// The number of queen moves from the nearest amazon of the mover (`side` 0) or the opponent
    /// (1) to an empty square; 15 stands for 15 or more; `None` if the square cannot be reached.
    pub fn queen(&self, side: usize, square: Square) -> Option<usize> {
        self.queen.distance(side, square)
    }

    /// Like [`Distances::queen`], but the number of king moves; 24 stands for 24 or more.
    pub fn king(&self, side: usize, square: Square) -> Option<usize> {
        self.king.distance(side, square)
    }
}

struct QueenFlood<'a>(&'a View<'a>);

impl BoardTask for QueenFlood<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<P: SidePair>(self, cpu: P::CpuFeatures) -> u64 {
        let (mut frontier, mut left) = (P::amazons(cpu, self.0.amazons), P::both_sides(cpu, self.0.empty));
        let lines = left.queen_step_masks();
        let mut levels = 0;
        loop {
            frontier = black_box(frontier.queen_step(&lines) & left);
            if frontier.is_empty() {
                return levels;
            }
            left = left - frontier;
            levels += 1;
        }
    }
}

/// Computes the queen distances of both sides for `quiver bench`. Returns the largest distance.
pub fn flood_distances(view: &View<'_>, kernel: Kernel) -> u64 {
    run_on(kernel, view.size, QueenFlood(view))
}
