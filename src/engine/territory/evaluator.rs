//! The evaluator as the search uses it: weights and kernel are chosen once. It gives the log-odds
//! of one view, or of all children of a node at a time.

use std::sync::Arc;

use super::counts::{BoardPlanes, neighbours};
use super::kernel::{Kernel, KernelTask};
use super::pair::{OneBoard, SidePair};
use super::view::View;
use super::weights::{Weights, WeightsAt};
use super::words::MAX_LANES;
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
    fn run<P: OneBoard>(self, cpu: P::CpuFeatures) -> f64 {
        let View { empty, amazons, half, .. } = *self.view;
        let counts = BoardPlanes::<P>::new(cpu, self.view).count();
        self.weights.at(empty.count(), half, amazons).log_odds(&counts)[0]
    }
}

/// The most children left over from whole batches that are faster alone.
const FEW: usize = 1;

/// The children of a node as planes of boards: what is the same for all, and how one differs.
trait Children {
    /// The differences between children.
    type Child;

    /// The planes of these children, at most [`SidePair::POSITIONS`] of them.
    fn planes<P: SidePair>(&self, shared: &BoardPlanes<P>, children: &[Self::Child]) -> BoardPlanes<P>;
}

/// Appends the log-odds of all children, times `sign`: a batch at a time, and the last few one by
/// one.
#[inline(always)]
fn evaluate<P: OneBoard, C: Children>(
    cpu: P::CpuFeatures,
    (view, weights): (&View<'_>, WeightsAt<'_>),
    sign: f64,
    kind: &C,
    mut children: &[C::Child],
    odds: &mut Vec<f64>,
) {
    let size = <P::Batch as SidePair>::POSITIONS;
    let shared = BoardPlanes::<P::Batch>::new(cpu, view);
    while children.len() > FEW {
        let (batch, rest) = children.split_at(children.len().min(size));
        let values = weights.log_odds(&kind.planes(&shared, batch).count());
        odds.extend(values[..batch.len()].iter().map(|value| sign * value));
        children = rest;
    }
    for child in children.chunks(1) {
        let shared = BoardPlanes::<P>::new(cpu, view);
        odds.push(sign * weights.log_odds(&kind.planes(&shared, child).count())[0]);
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
    fn run<P: OneBoard>(self, cpu: P::CpuFeatures) {
        let QueenMoves { view, moves, weights, odds } = self;
        // The queen leaves a square and takes one.
        let weights = weights.at(view.empty.count(), true, view.amazons);
        evaluate::<P, _>(cpu, (view, weights), 1.0, &MovedQueens, moves, odds);
    }
}

/// Children that differ by the move of one of the mover's amazons.
struct MovedQueens;

impl Children for MovedQueens {
    type Child = QueenMove;

    #[inline(always)]
    fn planes<P: SidePair>(&self, shared: &BoardPlanes<P>, moves: &[QueenMove]) -> BoardPlanes<P> {
        let cpu = shared.empty.cpu();
        let (mut from, mut to) = ([Square::default(); MAX_LANES], [Square::default(); MAX_LANES]);
        for (lane, queen) in moves.iter().enumerate() {
            (from[lane], to[lane]) = (queen.from, queen.to);
        }
        let (from, to) = (P::each(cpu, &from[..moves.len()]), P::each(cpu, &to[..moves.len()]));
        let around = neighbours(to);
        let BoardPlanes { mut amazons, mut surroundings, .. } = *shared;
        for slot in 0..MAX_AMAZONS {
            let moves = amazons[slot] & from;
            amazons[slot] = amazons[slot].moved(moves, to);
            surroundings[slot] = surroundings[slot].moved(moves, around);
        }
        BoardPlanes { empty: (shared.empty | from) - to, amazons, surroundings, waste: shared.waste }
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
    fn run<P: OneBoard>(self, cpu: P::CpuFeatures) {
        let View { empty, amazons: [shooters, others], waste, .. } = *self.view;
        // The arrow takes a square, and the others act next.
        let view = View { amazons: [others, shooters], waste: -waste, half: false, ..*self.view };
        let weights = self.weights.at(empty.count() - 1, false, view.amazons);
        let mut squares = [Square::default(); Square::INDICES];
        let mut count = 0;
        for arrow in self.arrows {
            squares[count] = arrow;
            count += 1;
        }
        evaluate::<P, _>(cpu, (&view, weights), -1.0, &BurntSquares, &squares[..count], self.odds);
    }
}

/// Children that differ by one burnt square.
struct BurntSquares;

impl Children for BurntSquares {
    type Child = Square;

    #[inline(always)]
    fn planes<P: SidePair>(&self, shared: &BoardPlanes<P>, arrows: &[Square]) -> BoardPlanes<P> {
        BoardPlanes { empty: shared.empty - P::each(shared.empty.cpu(), arrows), ..*shared }
    }
}
