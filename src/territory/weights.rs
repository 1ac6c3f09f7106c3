//! What the features are worth, by phase.

use super::features::{Features, View};

/// Number of weighted terms: t1, ties, t2, c1, c2, confinement, tempo; ties and tempo once more for half plies.
const TERMS: usize = 9;

/// Contest at which each row of a table holds; between two rows weights are interpolated, beyond the last constant.
const KNOTS: [f64; 6] = [0.0, 4.0, 10.0, 20.0, 35.0, 55.0];

/// Log-odds a unit of each term, a row a knot.
type Table = [[f64; TERMS]; KNOTS.len()];

/// Weights for boards with more than eight squares on a side.
const LARGE: Table = [
    [0.2982, 0.0089, 0.2126, 0.1018, 0.2717, 0.2084, -0.3116, -0.0006, -0.0769],
    [0.2186, 0.0095, 0.1464, 0.0420, 0.1841, 0.2073, -0.0545, -0.0011, -0.0521],
    [0.1613, 0.0101, 0.1008, 0.0076, 0.1307, 0.1812, 0.1090, -0.0022, -0.1778],
    [0.1189, 0.0095, 0.0728, -0.0042, 0.1133, 0.1406, 0.1886, -0.0033, -0.2659],
    [0.0797, 0.0061, 0.0531, -0.0119, 0.1104, 0.1538, 0.1829, -0.0025, -0.2183],
    [0.0253, 0.0011, 0.0044, -0.0475, 0.0750, 0.1744, 0.1483, -0.0022, -0.1457],
];

/// Weights for boards up to 8x8.
const SMALL: Table = [
    [0.4066, 0.0212, 0.2530, 0.1187, 0.3894, 0.1998, -0.4079, 0.0011, -0.0515],
    [0.2758, 0.0204, 0.1432, 0.0176, 0.2394, 0.1894, -0.0591, -0.0015, 0.0532],
    [0.1962, 0.0181, 0.0821, -0.0094, 0.1859, 0.1200, 0.0882, -0.0048, -0.1454],
    [0.1366, 0.0132, 0.0540, -0.0181, 0.1947, 0.1206, 0.1303, -0.0032, -0.2075],
    [0.0665, 0.0075, 0.0019, -0.0594, 0.1449, 0.1570, 0.1374, -0.0048, -0.2486],
    [0.0406, 0.0061, -0.0202, -0.0739, 0.1128, 0.1314, 0.1240, -0.0087, -0.2881],
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
