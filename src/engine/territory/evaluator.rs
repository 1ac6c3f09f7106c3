use std::fmt;
use std::sync::Arc;

use amazons::{Bitboard, MAX_AMAZONS, QueenMove, Size, Square};

use super::counts::{BoardPlanes, neighbours};
use super::kernel::{BoardTask, run_on};
use super::pair::{BatchOf, SeparateSides, SidePair};
use super::squares::Squares;
use super::view::View;
use super::weights::{Weights, WeightsAt};
use crate::simd::{Kernel, MAX_LANES};

/// Estimates the winning chance of the side to act, without search.
///
/// ```
/// use quiver_engine::amazons::Position;
/// use quiver_engine::territory::{Evaluator, View, logistic};
///
/// // The first player has the larger private area.
/// let position: Position = "3*q1/3***/6/6/Q5/6 w".parse()?;
/// let chance = logistic(Evaluator::default().log_odds(&View::from(&position)));
/// assert!(chance > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    kernel: Kernel,
    weights: [Arc<Weights>; 2],
    own: Option<Arc<dyn Evaluate>>,
}

/// An evaluator that a user writes for [`Evaluator::with_own`], as in the example `own_evaluator`.
pub trait Evaluate: fmt::Debug + Send + Sync {
    /// The log-odds that the side to act wins: the natural logarithm of p / (1 - p). The caller
    /// makes sure that this side can act, and treats NaN as 0.
    fn log_odds(&self, view: &View<'_>) -> f64;
}

impl Evaluate for Evaluator {
    fn log_odds(&self, view: &View<'_>) -> f64 {
        Evaluator::log_odds(self, view)
    }
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator { kernel: Kernel::best(), weights: Weights::all_shipped(), own: None }
    }
}

impl Evaluator {
    /// Replaces the kernel that the evaluator uses.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Evaluator {
        Evaluator { kernel, ..self }
    }

    /// Replaces the weights for boards up to 8x8, or for larger boards if `weights.board() > 8`.
    #[must_use]
    pub fn with_weights(mut self, weights: Arc<Weights>) -> Evaluator {
        let large = weights.board() > 8;
        self.weights[usize::from(large)] = weights;
        self
    }

    /// Replaces all weights by the user's own evaluator.
    #[must_use]
    pub fn with_own(self, own: Arc<dyn Evaluate>) -> Evaluator {
        Evaluator { own: Some(own), ..self }
    }

    /// The weights for boards up to 8x8, then for larger boards.
    pub fn weights(&self) -> [&Weights; 2] {
        self.weights.each_ref().map(Arc::as_ref)
    }

    /// The log-odds that the side to act wins: the natural logarithm of p / (1 - p). Minus infinity
    /// if that side must move an amazon and cannot.
    #[inline]
    pub fn log_odds(&self, view: &View<'_>) -> f64 {
        match &self.own {
            None => run_on(self.kernel, view.size, SingleView { view, weights: self.weights_on(view.size) }),
            Some(own) => user_evaluator_log_odds(&**own, view),
        }
    }

    /// Appends the log-odds of the half plies after these queen moves, for the side that moves. The
    /// half plies get the [dead squares](View::dead_squares) of the position.
    pub fn queen_moves(&self, view: &View<'_>, moves: &[QueenMove], log_odds: &mut Vec<f64>) {
        // The number of empty squares stays the same, because the amazon leaves one and enters one.
        let weights = self.weights_on(view.size).at(view.empty.count(), true, view.amazons);
        let singles = match self.own {
            None => run_on(self.kernel, view.size, ChildBatches { view, weights, changes: moves, log_odds }),
            Some(_) => moves,
        };
        let [own, other] = view.amazons;
        for &QueenMove { from, to } in singles {
            let mut movers = [to; MAX_AMAZONS];
            let staying = own.iter().filter(|&&square| square != from);
            movers[1..].iter_mut().zip(staying).for_each(|(slot, &square)| *slot = square);
            let amazons = [&movers[..own.len().min(MAX_AMAZONS)], other];
            let empty = (view.empty | Bitboard::of(from)) - Bitboard::of(to);
            log_odds.push(self.log_odds(&View { empty, amazons, shooter: Some(to), ..*view }));
        }
    }

    /// Appends the log-odds of the positions after these arrows of a half ply, for the side that
    /// shoots, in ascending order of the squares. The log-odds are infinite if the other side then
    /// has no move. The positions get the [dead squares](View::dead_squares) of the half ply.
    pub fn arrows(&self, view: &View<'_>, arrows: Bitboard, log_odds: &mut Vec<f64>) {
        let [own, other] = view.amazons;
        let view = View { amazons: [other, own], shooter: None, dead_squares: -view.dead_squares, ..*view };
        let weights = self.weights_on(view.size).at(view.empty.count() - 1, false, view.amazons);
        let mut squares = [Square::default(); Square::INDICES];
        let mut count = 0;
        for arrow in arrows {
            squares[count] = arrow;
            count += 1;
        }
        let first = log_odds.len();
        let changes = &squares[..count];
        let singles = match self.own {
            None => run_on(self.kernel, view.size, ChildBatches { view: &view, weights, changes, log_odds }),
            Some(_) => changes,
        };
        for &arrow in singles {
            log_odds.push(self.log_odds(&View { empty: view.empty - Bitboard::of(arrow), ..view }));
        }
        log_odds[first..].iter_mut().for_each(|log_odds| *log_odds = -*log_odds);
    }

    #[inline(always)]
    fn weights_on(&self, size: Size) -> &Weights {
        &self.weights[usize::from(size.is_large())]
    }
}

#[cold]
fn user_evaluator_log_odds(own: &dyn Evaluate, view: &View<'_>) -> f64 {
    /// The limit to which a user's log-odds are clamped. Infinity would mean the end of the game.
    const MAX_LOG_ODDS: f64 = 100.0;
    let amazons: Bitboard = view.amazons[0].iter().copied().collect();
    if view.shooter.is_none() && (amazons.king_reach() & view.empty).is_empty() {
        return f64::NEG_INFINITY;
    }
    let log_odds = own.log_odds(view);
    if log_odds.is_nan() { 0.0 } else { log_odds.clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS) }
}

struct SingleView<'a> {
    view: &'a View<'a>,
    weights: &'a Weights,
}

impl BoardTask for SingleView<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<P: SidePair>(self, cpu: P::CpuFeatures) -> f64 {
        const { assert!(P::POSITIONS == 1) };
        let View { empty, amazons, shooter, .. } = *self.view;
        let counts = BoardPlanes::<P>::new(cpu, self.view).count();
        self.weights.at(empty.count(), shooter.is_some(), amazons).log_odds(&counts)[0]
    }
}

/// True in a build for one board only, as for Botzone. This build omits the portable kernel's code
/// for batches, because the code is large and few of Botzone's machines use this kernel.
const IS_SINGLE_BOARD_BUILD: bool = cfg!(not(all(feature = "boards-8", feature = "boards-10")));

struct ChildBatches<'a, 'c, C> {
    view: &'a View<'a>,
    weights: WeightsAt<'a>,
    changes: &'c [C],
    log_odds: &'a mut Vec<f64>,
}

impl<'c, C: ChildMove> BoardTask for ChildBatches<'_, 'c, C> {
    /// The children that the caller must evaluate one by one: the last child if it would be alone
    /// in a batch, all children if the build has no batches for the kernel, otherwise no child.
    type Output = &'c [C];

    #[inline(always)]
    fn run<P: SidePair>(self, cpu: P::CpuFeatures) -> &'c [C] {
        let (size, count) = (BatchOf::<P>::POSITIONS, self.changes.len());
        if IS_SINGLE_BOARD_BUILD && size == 1 {
            return self.changes;
        }
        let (batches, singles) = self.changes.split_at(count - usize::from(count % size == 1));
        let shared = BoardPlanes::<BatchOf<P>>::new(cpu, self.view);
        let wanted = self.log_odds.len() + batches.len();
        for batch in batches.chunks(size) {
            let log_odds = self.weights.log_odds(&C::planes_of_children(&shared, batch).count());
            // Copies all lanes: a copy of constant length is fast. `truncate` removes unused lanes.
            self.log_odds.extend_from_slice(&log_odds[..size]);
        }
        self.log_odds.truncate(wanted);
        singles
    }
}

trait ChildMove: Sized {
    /// Makes the sets of up to [`SidePair::POSITIONS`] children from the sets of their parent.
    fn planes_of_children<S: Squares>(
        before: &BoardPlanes<SeparateSides<S>>,
        children: &[Self],
    ) -> BoardPlanes<SeparateSides<S>>;
}

impl ChildMove for QueenMove {
    #[cfg_attr(not(unoptimised), inline(always))]
    fn planes_of_children<S: Squares>(
        before: &BoardPlanes<SeparateSides<S>>,
        moves: &[QueenMove],
    ) -> BoardPlanes<SeparateSides<S>> {
        let cpu = before.empty.cpu();
        let (mut from, mut to) = ([Square::default(); MAX_LANES], [Square::default(); MAX_LANES]);
        for (lane, queen) in moves.iter().enumerate() {
            (from[lane], to[lane]) = (queen.from, queen.to);
        }
        let (from, to) = (
            SeparateSides::per_position(cpu, &from[..moves.len()]),
            SeparateSides::per_position(cpu, &to[..moves.len()]),
        );
        let around = neighbours(to);
        let BoardPlanes { mut amazons, mut surroundings, .. } = *before;
        for slot in 0..MAX_AMAZONS {
            let moves = amazons[slot] & from;
            amazons[slot] = amazons[slot].replace_own_where(moves, to);
            surroundings[slot] = surroundings[slot].replace_own_where(moves, around);
        }
        BoardPlanes { empty: (before.empty | from) - to, amazons, surroundings, ..*before }
    }
}

impl ChildMove for Square {
    #[cfg_attr(not(unoptimised), inline(always))]
    fn planes_of_children<S: Squares>(
        before: &BoardPlanes<SeparateSides<S>>,
        arrows: &[Square],
    ) -> BoardPlanes<SeparateSides<S>> {
        BoardPlanes {
            empty: before.empty - SeparateSides::per_position(before.empty.cpu(), arrows),
            ..*before
        }
    }
}
