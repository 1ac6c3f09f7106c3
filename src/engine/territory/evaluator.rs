//! The evaluator as the search uses it: weights and kernel are chosen once. It gives the log-odds
//! of one view, or of all children of a node at a time.

use std::sync::Arc;

use super::counts::{self, Scene};
use super::kernel::{Kernel, KernelTask};
use super::pair::{Pair, Slots};
use super::view::View;
use super::weights::Weights;
use crate::game::{Bitboard, MAX_AMAZONS, QueenMove, Size, Square};

/// Estimates how likely the side that acts next is to win, without search. A pure function of the
/// view.
///
/// ```
/// use quiver_engine::game::Fen;
/// use quiver_engine::territory::{Evaluator, View, logistic};
///
/// // The first player has the larger room for itself.
/// let Fen(position) = "3*q1/3***/6/6/Q5/6 w".parse()?;
/// let chance = logistic(Evaluator::default().log_odds(&View::from(&position)));
/// assert!(chance > 0.9);
/// # Ok::<(), quiver_engine::game::FenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    kernel: Kernel,
    /// For boards up to 8x8 and for larger ones.
    weights: [Arc<Weights>; 2],
}

impl Default for Evaluator {
    /// With the shipped weights and the fastest kernel.
    fn default() -> Evaluator {
        Evaluator { kernel: Kernel::best(), weights: Weights::all_shipped() }
    }
}

impl Evaluator {
    /// The same by another kernel.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Evaluator {
        Evaluator { kernel, ..self }
    }

    /// The evaluator with these weights for the boards that they are for.
    #[must_use]
    pub fn with_weights(mut self, weights: Arc<Weights>) -> Evaluator {
        let large = weights.board() > 8;
        self.weights[usize::from(large)] = weights;
        self
    }

    /// The weights in use, for boards up to 8x8 and for larger ones.
    #[must_use]
    pub fn weights(&self) -> [&Weights; 2] {
        self.weights.each_ref().map(Arc::as_ref)
    }

    /// The log-odds that the side that acts next wins: the natural logarithm of p / (1 - p). Minus
    /// infinity if it is to move and cannot.
    #[inline]
    #[must_use]
    pub fn log_odds(&self, view: &View<'_>) -> f64 {
        self.kernel.run(view.size, One { view, weights: self.weights_on(view.size) })
    }

    /// Appends to `odds` the log-odds of the half plies after these queen moves of a position, for
    /// the side that moves. All have the [waste](View::waste) of the position.
    pub fn queen_moves(&self, view: &View<'_>, moves: &[QueenMove], odds: &mut Vec<f64>) {
        let weights = self.weights_on(view.size);
        self.kernel.run(view.size, QueenMoves { view, moves, weights, odds });
    }

    /// Appends to `odds` the log-odds of the positions after these arrows of a half ply, for the
    /// side that shoots, in the order of the set; infinity where the other side then has no move.
    /// All have the [waste](View::waste) of the half ply.
    pub fn arrows(&self, view: &View<'_>, arrows: Bitboard, odds: &mut Vec<f64>) {
        let weights = self.weights_on(view.size);
        self.kernel.run(view.size, Arrows { view, arrows, weights, odds });
    }

    /// The kernel that computes.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    #[inline(always)]
    fn weights_on(&self, size: Size) -> &Weights {
        &self.weights[usize::from(size.is_large())]
    }
}

/// One position or half ply.
struct One<'a> {
    view: &'a View<'a>,
    weights: &'a Weights,
}

impl KernelTask for One<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<P: Pair>(self, cpu: P::CpuFeatures) -> f64 {
        let View { empty, amazons, half, .. } = *self.view;
        self.weights.at(empty.count(), half, amazons).log_odds(&Scene::<P>::new(cpu, self.view).count())
    }
}

/// The half plies after queen moves of a position.
struct QueenMoves<'a> {
    view: &'a View<'a>,
    moves: &'a [QueenMove],
    weights: &'a Weights,
    odds: &'a mut Vec<f64>,
}

impl KernelTask for QueenMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pair>(self, cpu: P::CpuFeatures) {
        let View { empty, amazons: [own, other], waste, .. } = *self.view;
        // The queen leaves a square and takes one.
        let weights = self.weights.at(empty.count(), true, [own, other]);
        let waste = counts::waste::<P>(cpu, waste);
        let empty = P::same(cpu, empty);
        let opponents = counts::slots(other);
        // All that the moves of one amazon share is computed once. The first place is the moving
        // amazon's.
        for moves in self.moves.chunk_by(|a, b| a.from == b.from) {
            let from = moves[0].from;
            let mut staying: Slots = [None; MAX_AMAZONS];
            let mut squares = [Square::default(); MAX_AMAZONS];
            let mut count = 0;
            for &square in own.iter().filter(|&&square| square != from).take(MAX_AMAZONS - 1) {
                squares[count] = square;
                count += 1;
                staying[count] = Some(square);
            }
            let open = empty | P::of(cpu, [&[from], &[from]]);
            let amazons = P::of(cpu, [&squares[..count], other]);
            let surroundings = P::surroundings(cpu, [&staying, &opponents]);
            for &QueenMove { to, .. } in moves {
                let moved = P::surroundings(cpu, [&[Some(to), None, None, None], &[None; MAX_AMAZONS]]);
                let scene = Scene {
                    empty: open - P::of(cpu, [&[to], &[to]]),
                    amazons: amazons | P::of(cpu, [&[to], &[]]),
                    surroundings: P::joined(surroundings, moved),
                    waste,
                };
                self.odds.push(weights.log_odds(&scene.count()));
            }
        }
    }
}

/// The positions after arrows of a half ply.
struct Arrows<'a> {
    view: &'a View<'a>,
    arrows: Bitboard,
    weights: &'a Weights,
    odds: &'a mut Vec<f64>,
}

impl KernelTask for Arrows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pair>(self, cpu: P::CpuFeatures) {
        let View { empty, amazons: [shooters, others], waste, .. } = *self.view;
        // The arrow takes a square, and the others act next.
        let view = View { empty, amazons: [others, shooters], waste: -waste, half: false, ..*self.view };
        let weights = self.weights.at(empty.count() - 1, false, view.amazons);
        let before = Scene::<P>::new(cpu, &view);
        for arrow in self.arrows {
            let scene = Scene { empty: before.empty - P::of(cpu, [&[arrow], &[arrow]]), ..before };
            self.odds.push(-weights.log_odds(&scene.count()));
        }
    }
}
