//! The evaluator of Campya (Kloetzer, PhD thesis 2010, appendix B), whose numbers are all
//! published.

use super::kernel::Kernel;
use super::lieberum::Lieberum;
use super::view::View;
use crate::game::{Bitboard, Square};

/// The log-odds that the side that acts next wins; minus infinity if it is to move and cannot.
///
/// `E = t1 + s t2 + 0.8 s (confinement of the opponent - own)` in points, with `s = min(1, w / 40)`
/// and a tie worth nothing; a logistic at a scale of 20 points makes a probability of it.
#[must_use]
pub fn log_odds(view: &View<'_>, kernel: Kernel) -> f64 {
    let around = |&square: &Square| Bitboard::of(square).king_reach() & view.empty;
    if view.amazons[0].iter().all(|square| around(square).is_empty()) {
        return f64::NEG_INFINITY;
    }
    let terms = Lieberum::of(view, kernel);
    let fine = f64::from(Lieberum::FINE);
    let share = (f64::from(terms.contest) / fine / 40.0).min(1.0);
    let confinement = f64::from(terms.confinement[1] - terms.confinement[0]) / fine;
    (f64::from(terms.t1) + share * f64::from(terms.t2) + 0.8 * share * confinement) / 20.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Fen, Position};

    fn points(fen: &str) -> f64 {
        let position: Position = fen.parse::<Fen>().unwrap().0;
        let odds = Kernel::available().map(|kernel| log_odds(&View::from(&position), kernel));
        let odds: Vec<f64> = odds.collect();
        assert!(odds.iter().all(|&each| each == odds[0]), "{fen}: {odds:?}");
        20.0 * odds[0]
    }

    /// Points of positions that were worked out by hand. D1 and D2 are queen and king distances.
    #[test]
    fn gives_the_points_of_the_published_formula() {
        // Corridor a2 Q, b2, c2, d2 q, e2. D1: b2 1 and 1, c2 1 and 1, e2 - and 1: t1 = -1, w = 1 +
        // 1 = 2, s = 2/40. D2: b2 1 and 2, c2 2 and 1, e2 - and 1: t2 = 1 - 1 - 1 = -1. alpha Q: b2
        // 2^-1 * 1 (c2) + c2 2^-2 * 1 (b2) = 0.75; alpha q: c2 2^-1 * 1 + b2 2^-2 * 1 = 0.75. E =
        // -1 - 2/40 + 0
        let corridor = -1.05;
        // Square with Q a3, q c1; a1, a2, c2 burnt; b1, b2, b3, c3 empty. D1: b3 1 and 2, c3 1 and
        // 2, b2 1 and 1, b1 2 and 1: t1 = 1 + 1 - 1 = 1, w = 1/2 + 1/2 + 1 + 1/2 = 2.5, s = 1/16.
        // D2: b3 1 and 2, c3 2 and 2, b2 1 and 1, b1 2 and 1: t2 = 1 - 1 = 0. Empty neighbours: b3
        // 2 (c3, b2), c3 2 (b3, b2), b2 3 (b3, c3, b1), b1 1 (b2). alpha Q: b3 2/2 + c3 2/4 + b2
        // 3/2 = 3, P = 30/8; alpha q: b1 1/2 + b2 3/2 = 2, P = 30/7. E = 1 + 0.8/16 * (30/7 - 30/8)
        let square = 1.0 + 0.05 * (30.0 / 7.0 - 30.0 / 8.0);
        // Two squares and one, nothing contested: w = 0, E = t1 = 1.
        for (fen, expected) in [
            ("Q2q1/***** w", corridor),
            ("Q2q1/***** b", -corridor),
            ("Q2/*1*/*1q w", square),
            ("Q2/*1*/*1q b", -square),
            ("Q2*1q/****** w", 1.0),
            ("Q2*1q/****** b", -1.0),
        ] {
            // Each amazon's confinement is rounded to 1/32,768.
            assert!((points(fen) - expected).abs() < 1e-4, "{fen}: {} for {expected}", points(fen));
        }
        assert_eq!(points("Q*q1/**** w"), f64::NEG_INFINITY);
    }
}
