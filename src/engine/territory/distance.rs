//! Queen and king distances by flood: every square of a level at once, for both sides at once.
//!
//! A level of queen distance is a fill, in eight directions, of the level before it through the
//! empty squares. The fill doubles its stride (1, 2, 4, and on long boards 2 more for the last
//! squares of a line); which strides are open depends on the empty squares alone, so both sides and
//! all levels share those masks.

use super::kernel::{Kernel, KernelTask};
use super::pair::OneBoard;
use super::view::View;
use crate::game::{Bitboard, Square};

/// The empty squares at each distance from each side's amazons, up to `MAX`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levels<P, const MAX: usize> {
    sets: [P; MAX],
    count: usize,
    reached: P,
}

/// Queen distances from 1 to 15; larger ones count as 15.
pub(crate) type QueenLevels<P> = Levels<P, 15>;

/// King distances: differences beyond 6 are not told apart, so the far end of a long corridor may
/// be cut.
pub(crate) type KingLevels<P> = Levels<P, 24>;

impl<P: OneBoard, const MAX: usize> Levels<P, MAX> {
    #[inline(always)]
    fn none(cpu: P::CpuFeatures) -> Levels<P, MAX> {
        let nothing = P::same(cpu, Bitboard::EMPTY);
        Levels { sets: [nothing; MAX], count: 0, reached: nothing }
    }

    /// Adds the squares of the next level. Beyond the last level that is kept, squares count as on
    /// it.
    #[inline(always)]
    fn push(&mut self, frontier: P) {
        self.reached = self.reached | frontier;
        self.count = (self.count + 1).min(MAX);
        let last = &mut self.sets[self.count - 1];
        *last = *last | frontier;
    }

    /// The levels that hold squares of either side: element k the empty squares at distance k + 1,
    /// the last of `MAX` those at `MAX` or more.
    #[inline(always)]
    #[must_use]
    pub(crate) fn sets(&self) -> &[P] {
        &self.sets[..self.count]
    }

    /// The empty squares that can be reached at all.
    #[inline(always)]
    #[must_use]
    pub(crate) fn reached(&self) -> P {
        self.reached
    }
}

/// Queen distances of both sides.
#[inline(always)]
#[must_use]
pub(crate) fn queen_levels<P: OneBoard>(amazons: P, empty: P) -> QueenLevels<P> {
    let lines = empty.lines();
    let mut levels = Levels::none(empty.cpu());
    let mut frontier = amazons.queen_step(&lines) & empty;
    while !frontier.is_empty() {
        levels.push(frontier);
        frontier = (frontier.queen_step(&lines) & empty) - levels.reached;
    }
    levels
}

/// King distances of both sides.
#[inline(always)]
#[must_use]
pub(crate) fn king_levels<P: OneBoard>(amazons: P, empty: P) -> KingLevels<P> {
    let mut levels = Levels::none(empty.cpu());
    let mut frontier = amazons.king_step() & empty;
    while !frontier.is_empty() {
        levels.push(frontier);
        frontier = (frontier.king_step() & empty) - levels.reached;
    }
    levels
}

/// Distances square by square, for display and for the inputs of other models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    queen: Vec<[Bitboard; 2]>,
    king: Vec<[Bitboard; 2]>,
}

/// The levels of a view as boards.
struct Flood<'a>(&'a View<'a>);

impl KernelTask for Flood<'_> {
    type Output = Distances;

    #[inline(always)]
    fn run<P: OneBoard>(self, cpu: P::CpuFeatures) -> Distances {
        let (amazons, empty) = (P::sides(cpu, self.0.amazons), P::same(cpu, self.0.empty));
        let boards = |sets: &[P]| sets.iter().map(|set| set.boards()).collect();
        Distances {
            queen: boards(queen_levels(amazons, empty).sets()),
            king: boards(king_levels(amazons, empty).sets()),
        }
    }
}

impl Distances {
    /// The distances from the mover's and the opponent's amazons.
    #[must_use]
    pub fn of(view: &View<'_>, kernel: Kernel) -> Distances {
        kernel.run(view.size, Flood(view))
    }

    /// Queen moves from the nearest amazon of the mover (0) or the opponent (1) to an empty square,
    /// at most 15; `None` if it cannot be reached.
    #[must_use]
    pub fn queen(&self, side: usize, square: Square) -> Option<usize> {
        Distances::level(&self.queen, side, square)
    }

    /// The same in king's moves, at most 24.
    #[must_use]
    pub fn king(&self, side: usize, square: Square) -> Option<usize> {
        Distances::level(&self.king, side, square)
    }

    fn level(levels: &[[Bitboard; 2]], side: usize, square: Square) -> Option<usize> {
        levels.iter().position(|sets| sets[side].contains(square)).map(|level| level + 1)
    }
}
