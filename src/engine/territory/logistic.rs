//! The exponential, the logistic function and the logarithm, with identical bits on every machine.
//!
//! Standard functions differ between platforms. The functions here use only the four basic
//! operations, which IEEE 754 rounds in exactly one way. Rust never fuses these operations.

use crate::simd::{Kernel, WordTask, Words};

/// e to the power of `x`, with a relative error of at most 2e-7. `x` is first clamped to [-60, 60].
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    // e^x = 2^(whole + part), |part| <= 1/2. The Taylor series of 2^part errs by less than 2e-7.
    let scaled = x.clamp(-60.0, 60.0) * std::f64::consts::LOG2_E;
    // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the lowest bits of the sum.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let rounded = scaled + ROUND;
    let t = (scaled - (rounded - ROUND)) * std::f64::consts::LN_2;
    let series = 1.0
        + t * (1.0 + t * (0.5 + t * (1.0 / 6.0 + t * (1.0 / 24.0 + t * (1.0 / 120.0 + t * (1.0 / 720.0))))));
    series * f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52)
}

/// The probability whose log-odds are `x`: 1 / (1 + e^-x), where `x` is first clamped to ±60.
///
/// ```
/// use quiver_engine::logistic;
///
/// assert_eq!(logistic(0.0), 0.5);
/// assert!(logistic(3.0) > 0.95);
/// ```
#[inline(always)]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

pub(crate) fn exp_all(numbers: &mut [f64], kernel: Kernel) {
    kernel.run(ExpTask(numbers));
}

/// The exponential of many numbers. Each number takes the same operations as in [`exp`], and the
/// compiler may vectorise the loop.
struct ExpTask<'a>(&'a mut [f64]);

impl WordTask for ExpTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Words>(self, _cpu: W::CpuFeatures) {
        self.0.iter_mut().for_each(|number| *number = exp(*number));
    }
}

/// The natural logarithm of a positive normal number, with an error of at most 2e-9.
#[inline]
pub(crate) fn ln(x: f64) -> f64 {
    // x = 2^exponent * part with 1/sqrt 2 <= part <= sqrt 2, and ln part = 2 artanh((part - 1) /
    // (part + 1)). The argument is at most 0.172, so all terms that `series` omits are below 2e-9.
    const SQRT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let exponent = x.to_bits().wrapping_sub(SQRT_HALF) as i64 >> 52;
    let part = f64::from_bits(x.to_bits().wrapping_sub((exponent << 52) as u64));
    let t = (part - 1.0) / (part + 1.0);
    let square = t * t;
    let series = 1.0
        + square
            * (1.0 / 3.0
                + square * (1.0 / 5.0 + square * (1.0 / 7.0 + square * (1.0 / 9.0 + square / 11.0))));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * t * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_close_to_the_platform() {
        for step in -6000..=6000 {
            let x = f64::from(step) / 100.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 2e-7, "{x}");
            assert!((logistic(x) + logistic(-x) - 1.0).abs() < 1e-6, "{x}");
        }
        for step in 1..=20_000 {
            let x = f64::from(step) * f64::from(step) / 1000.0;
            assert!((ln(x) - x.ln()).abs() < 4e-9 * x.ln().abs().max(0.5), "{x}");
        }
        assert_eq!(ln(1.0), 0.0);
        assert_eq!((exp(0.0), logistic(0.0)), (1.0, 0.5));
        assert_eq!(exp(1e300), exp(60.0));
        assert!(logistic(f64::NEG_INFINITY) > 0.0 && logistic(f64::INFINITY) <= 1.0);
    }

    #[test]
    fn batches_equal_single_results() {
        let edges = [f64::NEG_INFINITY, f64::MIN, -60.0, -0.0, 0.0, 1e-300, 60.0, 700.0, f64::MAX];
        let numbers: Vec<f64> =
            edges.into_iter().chain((-7000..7000).map(|step| f64::from(step) / 97.0)).collect();
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        let expected: Vec<f64> = numbers.iter().map(|&number| exp(number)).collect();
        for kernel in Kernel::available() {
            let mut powers = numbers.clone();
            exp_all(&mut powers, kernel);
            assert_eq!(bits(&powers), bits(&expected), "{}", kernel.name());
        }
    }
}
