//! The normal distribution: its cumulative function, and the width of 95 % intervals.

/// Half the width of a 95 % interval, in standard errors.
pub(crate) const QUANTILE: f64 = 1.959_963_985;

/// The chance that a standard normal variable is below `x`.
///
/// Abramowitz and Stegun, 26.2.17; off by less than 7.5e-8, far below what any report prints.
pub(crate) fn below(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let tail = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if x < 0.0 { tail } else { 1.0 - tail }
}
