//! What the features are worth, by phase.
//!
//! The weights are a logistic regression on the engine's own games: 1,500 on 10x10 and 2,000 on 8x8 at 300 playouts a
//! move, from openings of two to six random plies, every position and half ply of them labelled with 0.7 times the
//! result plus 0.3 times the search's value. A penalty holds neighbouring rows of a table together. Log-loss on the
//! tenth of the games that was held out: 0.374 on 10x10, 0.371 on 8x8. The fit was made outside this repository, by a
//! program that is not part of it.

use super::features::{Features, View};

/// Number of weighted terms: t1, ties, t2, c1, c2, confinement, tempo; ties and tempo once more for half plies.
const TERMS: usize = 9;

/// Contest at which each row of a table holds; between two rows weights are interpolated, beyond the last constant.
const KNOTS: [f64; 6] = [0.0, 4.0, 10.0, 20.0, 35.0, 55.0];

/// Log-odds a unit of each term, a row a knot.
type Table = [[f64; TERMS]; KNOTS.len()];

/// Weights for boards with more than eight squares on a side.
const LARGE: Table = [
    [0.2821, 0.0081, 0.2174, 0.1475, 0.2898, 0.2371, -0.3058, -0.0013, -0.0978],
    [0.2155, 0.0087, 0.1616, 0.0806, 0.2113, 0.2410, -0.0594, -0.0018, -0.0892],
    [0.1651, 0.0093, 0.1180, 0.0291, 0.1635, 0.2068, 0.1036, -0.0027, -0.2084],
    [0.1248, 0.0090, 0.0825, -0.0084, 0.1399, 0.2043, 0.1906, -0.0037, -0.2621],
    [0.0891, 0.0058, 0.0573, -0.0324, 0.1341, 0.2282, 0.1924, -0.0031, -0.2146],
    [0.0404, 0.0019, 0.0022, -0.0703, 0.0844, 0.3057, 0.1796, -0.0039, -0.1413],
];

/// Weights for boards up to 8x8.
const SMALL: Table = [
    [0.4002, 0.0229, 0.2841, 0.2266, 0.4779, 0.2697, -0.4745, 0.0016, -0.0653],
    [0.2794, 0.0226, 0.1854, 0.0883, 0.3327, 0.2678, -0.0740, -0.0009, 0.0442],
    [0.1922, 0.0203, 0.1151, 0.0192, 0.2610, 0.2108, 0.0915, -0.0040, -0.1875],
    [0.1341, 0.0132, 0.0685, 0.0051, 0.2397, 0.1901, 0.1519, -0.0046, -0.2382],
    [0.0568, 0.0084, -0.0017, -0.0375, 0.1734, 0.2291, 0.1687, -0.0059, -0.2743],
    [0.0368, 0.0064, -0.0256, -0.0489, 0.1399, 0.2103, 0.1504, -0.0101, -0.3151],
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
    let table = if view.size.width().max(view.size.height()) > 8 { &LARGE } else { &SMALL };
    let (low, high) = (sum(&table[upper - 1]), sum(&table[upper]));
    low + (high - low) * share
}
