//! The evaluator of a search: the built-in one, or one of the user's own.

use std::fmt;
use std::sync::Arc;

use crate::game::{Bitboard, QueenMove, Square};
use crate::territory::{Evaluator, Kernel, View};

/// An evaluator of one's own, for [`EngineOptions::own_evaluator`](super::EngineOptions), as in the
/// example `own_evaluator`.
pub trait Evaluate: fmt::Debug + Send + Sync {
    /// The log-odds that the side that acts next wins: the natural logarithm of p / (1 - p). The
    /// search asks only where that side can act. NaN counts as 0.
    fn log_odds(&self, view: &View<'_>) -> f64;
}

impl Evaluate for Evaluator {
    fn log_odds(&self, view: &View<'_>) -> f64 {
        Evaluator::log_odds(self, view)
    }
}

/// The evaluator that a worker asks, with the methods of [`Evaluator`].
#[derive(Clone, Debug, Default)]
pub(super) struct AnyEvaluator {
    pub(super) built_in: Evaluator,
    pub(super) own: Option<Arc<dyn Evaluate>>,
}

impl AnyEvaluator {
    #[inline]
    pub(super) fn kernel(&self) -> Kernel {
        self.built_in.kernel()
    }

    #[inline]
    pub(super) fn log_odds(&self, view: &View<'_>) -> f64 {
        match &self.own {
            None => self.built_in.log_odds(view),
            Some(own) => ask(&**own, view),
        }
    }

    #[inline]
    pub(super) fn queen_moves(&self, view: &View<'_>, moves: &[QueenMove], odds: &mut Vec<f64>) {
        match &self.own {
            None => self.built_in.queen_moves(view, moves, odds),
            Some(own) => odds.extend(moves.iter().map(|&queen| after_queen_move(&**own, view, queen))),
        }
    }

    #[inline]
    pub(super) fn arrows(&self, view: &View<'_>, arrows: Bitboard, odds: &mut Vec<f64>) {
        match &self.own {
            None => self.built_in.arrows(view, arrows, odds),
            Some(own) => odds.extend(arrows.iter().map(|arrow| after_arrow(&**own, view, arrow))),
        }
    }
}

/// The log-odds of a view: minus infinity if the side to move cannot.
fn ask(own: &dyn Evaluate, view: &View<'_>) -> f64 {
    /// Far beyond all doubt, and finite: only the end of a game is certain.
    const MOST: f64 = 100.0;
    let amazons: Bitboard = view.amazons[0].iter().collect();
    if !view.half && (amazons.king_reach() & view.empty).is_empty() {
        return f64::NEG_INFINITY;
    }
    let odds = own.log_odds(view);
    if odds.is_nan() { 0.0 } else { odds.clamp(-MOST, MOST) }
}

/// The log-odds of the half ply after a queen move, for the side that moves.
#[cold]
fn after_queen_move(own: &dyn Evaluate, view: &View<'_>, queen: QueenMove) -> f64 {
    let QueenMove { from, to } = queen;
    let mut movers: Vec<Square> = view.amazons[0].to_vec();
    movers.iter_mut().filter(|square| **square == from).for_each(|square| *square = to);
    movers.sort_unstable();
    let empty = view.empty.with(from) - Bitboard::of(to);
    ask(own, &View { empty, amazons: [&movers, view.amazons[1]], half: true, ..*view })
}

/// The log-odds of the position after an arrow, for the side that shoots.
#[cold]
fn after_arrow(own: &dyn Evaluate, view: &View<'_>, arrow: Square) -> f64 {
    let [shooters, others] = view.amazons;
    let empty = view.empty - Bitboard::of(arrow);
    -ask(own, &View { empty, amazons: [others, shooters], half: false, waste: -view.waste, ..*view })
}
