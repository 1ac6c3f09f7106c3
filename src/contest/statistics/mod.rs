//! The meaning of results: Elo with error bars, likelihood of superiority, sequential tests, ratings
//! of many.
//!
//! There are no draws. The unit of evidence is the pair: two games from one opening with colours
//! changed, of which a player wins 0, 1 or 2. Pairs are independent of each other, games of a pair
//! are not.

mod bradley_terry;
mod elo;
mod sprt;

pub(crate) use bradley_terry::{Rating, Ratings, placed, ratings};
pub(crate) use elo::{Standing, elo_of, score_of};
pub(crate) use sprt::{Sprt, SprtReport};

use crate::normal::QUANTILE;

/// Numbers of pairs that brought a player 0, 1 and 2 wins.
pub(crate) type Pairs = [u64; 3];

/// The 95 % interval of a chance by successes in trials (Wilson 1927); `None` without trials.
pub(crate) fn wilson(successes: u64, trials: u64) -> Option<[f64; 2]> {
    if trials == 0 {
        return None;
    }
    let (n, share, z) = (trials as f64, successes as f64 / trials as f64, QUANTILE);
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Some([(middle - half).max(0.0), (middle + half).min(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By SciPy's `binomtest(k, n).proportion_ci(method="wilson")`.
    #[test]
    fn published_values_are_met() {
        for (successes, trials, expected) in
            [(0, 10, [0.0, 0.277_533]), (5, 10, [0.236_593, 0.763_407]), (81, 263, [0.255_289, 0.366_210])]
        {
            let interval = wilson(successes, trials).unwrap();
            for (got, expected) in interval.into_iter().zip(expected) {
                assert!((got - expected).abs() < 1e-4, "{successes} of {trials}: {interval:?}");
            }
        }
        assert_eq!(wilson(0, 0), None);
    }
}
