//! The evaluator of a search: the built-in one, or one of the user's own.

use std::fmt;
use std::sync::Arc;

use crate::game::{Bitboard, QueenMove};
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
            Some(own) => {
                let after = |&queen| view.after_queen_move(queen, |half| ask(&**own, half));
                odds.extend(moves.iter().map(after));
            }
        }
    }

    #[inline]
    pub(super) fn arrows(&self, view: &View<'_>, arrows: Bitboard, odds: &mut Vec<f64>) {
        match &self.own {
            None => self.built_in.arrows(view, arrows, odds),
            Some(own) => {
                let view = view.turned();
                let after = |arrow| View { empty: view.empty - Bitboard::of(arrow), ..view };
                odds.extend(arrows.iter().map(|arrow| -ask(&**own, &after(arrow))));
            }
        }
    }
}

/// The log-odds of a view: minus infinity if the side to move cannot.
#[cold]
fn ask(own: &dyn Evaluate, view: &View<'_>) -> f64 {
    /// Far beyond all doubt, and finite: only the end of a game is certain.
    const MOST: f64 = 100.0;
    let amazons: Bitboard = view.amazons[0].iter().collect();
    if view.shooter.is_none() && (amazons.king_reach() & view.empty).is_empty() {
        return f64::NEG_INFINITY;
    }
    let odds = own.log_odds(view);
    if odds.is_nan() { 0.0 } else { odds.clamp(-MOST, MOST) }
}
