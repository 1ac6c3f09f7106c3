//! What the features are worth, by phase.

use super::features::{Features, View};

/// Number of weighted terms: t1, ties, t2, c1, c2, confinement, tempo; ties and tempo once more for half plies.
const TERMS: usize = 9;

/// Contest at which each row of a table holds; between two rows weights are interpolated, beyond the last constant.
const KNOTS: [f64; 6] = [0.0, 4.0, 10.0, 20.0, 35.0, 55.0];

/// Log-odds a unit of each term, a row a knot.
type Table = [[f64; TERMS]; KNOTS.len()];

/// A hand-made guess after the published formulas: queen territory at the end, king distance and freedom early.
const TABLE: Table = [
    [0.70, 0.15, 0.00, 0.00, 0.00, 0.00, 0.20, 0.00, 0.00],
    [0.20, 0.03, 0.03, 0.02, 0.02, 0.01, 0.10, 0.00, 0.10],
    [0.12, 0.02, 0.05, 0.03, 0.03, 0.03, 0.10, 0.00, 0.10],
    [0.06, 0.01, 0.05, 0.04, 0.05, 0.05, 0.10, 0.00, 0.10],
    [0.03, 0.005, 0.04, 0.04, 0.05, 0.06, 0.10, 0.00, 0.10],
    [0.02, 0.003, 0.03, 0.03, 0.04, 0.07, 0.10, 0.00, 0.10],
];

/// The log-odds that the side that acts next wins: the natural logarithm of p / (1 - p).
#[inline(always)]
#[must_use]
pub fn log_odds(view: &View<'_>) -> f64 {
    let features = Features::of(view);
    let fine = 1.0 / f64::from(Features::FINE);
    let contest = f64::from(features.contest) * fine;
    let half = if view.half { 1.0 } else { 0.0 };
    let ties = f64::from(features.ties);
    let terms: [f64; TERMS] = [
        f64::from(features.t1),
        ties,
        f64::from(features.t2),
        f64::from(features.c1) * fine,
        f64::from(features.c2) / 6.0,
        f64::from(features.confinement[1] - features.confinement[0]) * fine,
        1.0,
        ties * half,
        half,
    ];
    let upper = KNOTS.iter().position(|&knot| contest < knot).unwrap_or(KNOTS.len() - 1).max(1);
    let (below, above) = (KNOTS[upper - 1], KNOTS[upper]);
    let share = ((contest - below) / (above - below)).min(1.0);
    let sum =
        |row: &[f64; TERMS]| -> f64 { row.iter().zip(&terms).map(|(weight, term)| weight * term).sum() };
    let (low, high) = (sum(&TABLE[upper - 1]), sum(&TABLE[upper]));
    low + (high - low) * share
}
