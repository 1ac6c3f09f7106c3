//! The literature's yardstick: the evaluator of Campya (Kloetzer 2010, appendix B), whose numbers are all published.

use super::kernel::Kernel;
use super::lieberum::Lieberum;
use super::view::View;
use crate::game::{Bitboard, Square};

/// The log-odds that the side that acts next wins; minus infinity if it is to move and cannot.
///
/// `E = t1 + s t2 + 0.8 s (confinement of the opponent - own)` in points, with `s = min(1, w / 40)` and a tie worth
/// nothing; a logistic at a scale of 20 points makes a probability of it.
#[must_use]
pub fn log_odds(view: &View<'_>, kernel: Kernel) -> f64 {
    let around = |&square: &Square| Bitboard::of(square).king_reach() & *view.empty;
    if view.amazons[0].iter().all(|square| around(square).is_empty()) {
        return f64::NEG_INFINITY;
    }
    let terms = Lieberum::of(view, kernel);
    let fine = f64::from(Lieberum::FINE);
    let share = (f64::from(terms.contest) / fine / 40.0).min(1.0);
    let confinement = f64::from(terms.confinement[1] - terms.confinement[0]) / fine;
    (f64::from(terms.t1) + share * f64::from(terms.t2) + 0.8 * share * confinement) / 20.0
}
