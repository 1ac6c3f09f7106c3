//! The sequential probability ratio test (SPRT). After each pair of games it decides whether one of
//! two hypotheses about the difference in Elo is accepted or more games are needed.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::{PairCounts, score_of};
use crate::InputError;
use crate::messages::{counted, excerpt};

/// The probability that a test accepts the wrong hypothesis: H1 if H0 is true, or H0 if H1 is true.
const ERROR_PROBABILITY: f64 = 0.05;

/// A generalised sequential probability ratio test on pairs of games, in logistic Elo.
///
/// A pair has three outcomes: 0, 1 or 2 wins. Each hypothesis states an expected score. The test
/// computes the likeliest distribution of outcomes for each expected score and compares the two
/// likelihoods. The source is M. Van den Bergh, support_MLE_multinomial.pdf on cantate.be/Fishtest,
/// proposition 1.1. Fishtest does the same with five outcomes of a pair, because chess has draws.
/// As in Fishtest, an outcome that has not occurred counts as a thousandth of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Sprt {
    /// The tested player's rating minus its opponent's rating, in Elo, under hypothesis H0.
    pub elo0: f64,
    /// The tested player's rating minus its opponent's under H1. Always greater than `elo0`.
    pub elo1: f64,
}

/// The hypothesis that a sequential test has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum SprtDecision {
    H0,
    H1,
}

/// The state of a sequential test after the pairs of games so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct SprtReport {
    #[serde(flatten)]
    pub test: Sprt,
    llr: f64,
    bounds: [f64; 2],
    pub pairs: PairCounts,
    pub verdict: Option<SprtDecision>,
}

impl Sprt {
    /// The log-likelihood ratio of H1 to H0 after these pairs of games. It is 0 without pairs.
    fn llr(&self, pairs: PairCounts) -> f64 {
        if pairs == [0; 3] {
            return 0.0;
        }
        let weights = pairs.map(|count| if count == 0 { 1e-3 } else { count as f64 });
        let total: f64 = weights.iter().sum();
        let shares = weights.map(|weight| weight / total);
        let [x0, x1] = [self.elo0, self.elo1].map(|elo| lagrange_multiplier(shares, score_of(elo)));
        let [s0, s1] = [self.elo0, self.elo1].map(score_of);
        // Under a hypothesis with the expected score s, the likeliest share of an outcome is its
        // observed share divided by 1 + x (outcome - s), where `lagrange_multiplier` returns x. The
        // observed shares cancel out in the ratio of the two likelihoods.
        let logs = PAIR_SCORES.map(|outcome| (x0 * (outcome - s0)).ln_1p() - (x1 * (outcome - s1)).ln_1p());
        weights.iter().zip(logs).map(|(weight, log)| weight * log).sum()
    }

    pub(crate) fn report(&self, pairs: PairCounts) -> SprtReport {
        // H1 is accepted if `llr` reaches `bound`, and H0 if `llr` falls to `-bound`.
        let (bound, llr) = (((1.0 - ERROR_PROBABILITY) / ERROR_PROBABILITY).ln(), self.llr(pairs));
        let accepted = if llr > 0.0 { SprtDecision::H1 } else { SprtDecision::H0 };
        let verdict = (llr.abs() >= bound).then_some(accepted);
        SprtReport { test: *self, llr, bounds: [-bound, bound], pairs, verdict }
    }
}

impl fmt::Display for SprtReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Sprt { elo0, elo1 }, [low, high]) = (self.test, self.bounds);
        let count = counted(self.pairs.iter().sum::<u64>(), "pair", "pairs");
        write!(f, "SPRT [{elo0:.2}, {elo1:.2}]: LLR {:.2} ({low:.2}, {high:.2}) after {count}, ", self.llr)?;
        match self.verdict {
            None => f.write_str("no verdict yet"),
            Some(verdict) => write!(f, "{verdict:?} accepted"),
        }
    }
}

/// The scores of a pair with 0, 1 and 2 games won, in \[0,1\].
const PAIR_SCORES: [f64; 3] = [0.0, 0.5, 1.0];

/// Finds the x where `sum share (outcome - mean) / (1 + x (outcome - mean))` falls through zero.
/// This sum times its denominators is `a x x + b x + c`, which falls through zero at the same x.
fn lagrange_multiplier(shares: [f64; 3], mean: f64) -> f64 {
    let distances = PAIR_SCORES.map(|outcome| outcome - mean);
    let all: f64 = distances.iter().sum();
    let a: f64 = distances.iter().product();
    let terms = || shares.iter().zip(distances);
    let b: f64 = terms().map(|(share, distance)| share * distance * (all - distance)).sum();
    let c: f64 = terms().map(|(share, distance)| share * distance).sum();
    let slope = (b * b - 4.0 * a * c).sqrt();
    // The two formulas for x are equal. Each formula avoids cancellation for one sign of b.
    if b < 0.0 { 2.0 * c / (slope - b) } else { -(slope + b) / (2.0 * a) }
}

impl FromStr for Sprt {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Sprt, InputError> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 1000.0);
        let test = text
            .split_once(',')
            .and_then(|(low, high)| Some(Sprt { elo0: number(low)?, elo1: number(high)? }));
        test.filter(|test| test.elo0 < test.elo1).ok_or_else(|| {
            let expected = "ELO0,ELO1 with ELO0 below ELO1, both between -1000 and 1000, as in 0,10";
            InputError(format!("'{}': expected {expected}", excerpt(text, 40)))
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Runs tests on random pairs until each has a verdict. Returns the share of tests that accept
    /// H1, and the mean number of pairs.
    fn simulate(test: Sprt, shares: [f64; 3], runs: u32, seed: u64) -> (f64, f64) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut accepted, mut length) = (0, 0);
        for _ in 0..runs {
            let mut pairs: PairCounts = [0; 3];
            let verdict = loop {
                let draw = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
                let outcome = usize::from(draw >= shares[0]) + usize::from(draw >= shares[0] + shares[1]);
                pairs[outcome] += 1;
                length += 1;
                if let Some(verdict) = test.report(pairs).verdict {
                    break verdict;
                }
            };
            accepted += u32::from(verdict == SprtDecision::H1);
        }
        (f64::from(accepted) / f64::from(runs), f64::from(length) / f64::from(runs))
    }

    /// The shares of pairs in which a player wins 0, 1 and 2 games. The player is rated `elo`
    /// points above its opponent, and `split` is the share of pairs with 1 win.
    fn shares(elo: f64, split: f64) -> [f64; 3] {
        let won = score_of(elo) - 0.5 * split;
        [1.0 - split - won, split, won]
    }

    #[test]
    fn sprt_error_rates_are_at_most_5_percent() {
        let runs = 1_000;
        let test = Sprt { elo0: 0.0, elo1: 40.0 };
        // Wrong verdicts are allowed in 5 % of runs, plus five standard deviations of this share.
        let tolerance = 5.0 * (0.05 * 0.95 / f64::from(runs)).sqrt();
        for (split, seed) in [(0.5, 1), (0.2, 2)] {
            let (type_one, _) = simulate(test, shares(0.0, split), runs, seed);
            let (power, _) = simulate(test, shares(40.0, split), runs, seed + 10);
            assert!(type_one > 0.0 && type_one < 0.05 + tolerance, "type I: {type_one}");
            assert!(power < 1.0 && 1.0 - power < 0.05 + tolerance, "type II: {}", 1.0 - power);
        }
        let even = test.report([0, 1_000, 0]);
        assert!(even.llr < 0.0 && even.verdict == Some(SprtDecision::H0), "{even:?}");
        // If more pairs end 1-1, the variance is smaller and tests are shorter.
        let (_, calm) = simulate(test, shares(40.0, 0.7), 200, 5);
        let (_, wild) = simulate(test, shares(40.0, 0.1), 200, 6);
        assert!(calm < wild, "{calm} pairs, {wild} pairs");
    }
}
