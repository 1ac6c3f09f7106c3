//! The cumulative function of the normal distribution, and the width of its 95 % intervals.

/// The 97.5 % quantile of the standard normal distribution, which is half the width of a 95 %
/// confidence interval in standard errors.
pub(crate) const NORMAL_QUANTILE_97_5: f64 = 1.959_963_985;

/// The probability that a standard normal variable is below `x`, with an error below 7.5e-8. The
/// formula is number 26.2.17 of Abramowitz and Stegun.
pub(crate) fn cumulative_probability(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let tail = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if x < 0.0 { tail } else { 1.0 - tail }
}
