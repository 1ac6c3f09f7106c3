//! Two players: the difference between them and how sure it is.

use super::{Pairs, moments};
use crate::normal::{self, QUANTILE};

/// Elo points at a score of `score` out of 1, by the logistic curve; infinite at 0 and 1.
pub(crate) fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score, out of 1, at this difference in Elo.
pub(crate) fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The results of one player against another.
///
/// The score is that of all games; its error that of the pairs, since games of a pair depend on
/// each other. Where all pairs ended alike their variance is zero and says nothing, and the games
/// are taken for independent: too wide rather than too narrow, as colours changed make pairs even.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeadToHead {
    pub wins: u64,
    pub losses: u64,
    /// Whole pairs by games won.
    pub pairs: Pairs,
}

impl HeadToHead {
    pub(crate) fn games(&self) -> u64 {
        self.wins + self.losses
    }

    /// The share of games won; `None` before the first.
    pub(crate) fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.wins as f64 / self.games() as f64)
    }

    /// The score's standard error; `None` where every game ended alike, or there is none.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        let pairs: u64 = self.pairs.iter().sum();
        let by_pairs = moments(self.pairs.map(|count| count as f64))
            .map(|(_, variance)| variance / pairs as f64)
            .filter(|variance| *variance > 0.0);
        let by_games = || {
            let score = self.score()?;
            Some(score * (1.0 - score) / self.games() as f64)
        };
        by_pairs.or_else(by_games).filter(|variance| *variance > 0.0).map(f64::sqrt)
    }

    /// Half the width of the score's 95 % interval; `None` where it has no bound.
    pub(crate) fn score_error(&self) -> Option<f64> {
        self.standard_error().map(|error| QUANTILE * error)
    }

    /// The difference in Elo points, infinite where every game ended alike; `None` before the
    /// first.
    pub(crate) fn elo(&self) -> Option<f64> {
        self.score().map(elo_of)
    }

    /// Half the width, in Elo points, of the 95 % interval; `None` where it has no bound.
    pub(crate) fn elo_error(&self) -> Option<f64> {
        let (score, error) = (self.score()?, self.score_error()?);
        let half = (elo_of(score + error) - elo_of(score - error)) / 2.0;
        half.is_finite().then_some(half)
    }

    /// The normalised difference, in Elo points, with half the width of its 95 % interval: the
    /// score over its spread in one game, which says how many games show it whatever the openings.
    /// `None` until pairs differ.
    pub(crate) fn normalised_elo(&self) -> Option<(f64, f64)> {
        const SCALE: f64 = 800.0 / std::f64::consts::LN_10;
        let pairs: u64 = self.pairs.iter().sum();
        let (mean, variance) = moments(self.pairs.map(|count| count as f64))?;
        // A game's variance is twice that of a pair's mean.
        let spread = (2.0 * variance).sqrt();
        let error = QUANTILE * SCALE / (2.0 * pairs as f64).sqrt();
        (spread > 0.0).then(|| (SCALE * (mean - 0.5) / spread, error))
    }

    /// The 95 % interval in Elo points; `None` before the first game.
    ///
    /// It is the credible interval of the score under Jeffreys' prior, Beta(1/2, 1/2), so it has
    /// bounds after few games and near a score of 1, where `elo_error` has none. Games count for
    /// less, or more, than independent ones by the variance of the pairs. An end is infinite where
    /// every game was won, or every game lost.
    pub(crate) fn elo_interval(&self) -> Option<[f64; 2]> {
        let score = self.score()?;
        let independent =
            self.standard_error().map_or(self.games() as f64, |e| score * (1.0 - score) / (e * e));
        let [low, high] = credible(score * independent + 0.5, (1.0 - score) * independent + 0.5);
        Some([
            if self.wins == 0 { f64::NEG_INFINITY } else { low },
            if self.losses == 0 { f64::INFINITY } else { high },
        ])
    }

    /// The likelihood of superiority: how likely this player is the better one.
    pub(crate) fn superiority(&self) -> Option<f64> {
        let score = self.score()?;
        // Where every game ended alike: the games against even chances.
        let error = self.standard_error().unwrap_or(0.5 / (self.games() as f64).sqrt());
        Some(normal::below((score - 0.5) / error))
    }
}

/// The middle 95 % of the Elo difference whose score has the distribution Beta(`wins`, `losses`).
fn credible(wins: f64, losses: f64) -> [f64; 2] {
    const CELLS: usize = 4000;
    // Where the log-density has fallen by this much, the rest of the distribution is negligible.
    const FALL: f64 = 30.0;
    // On the axis of Elo the density is p^wins (1 - p)^losses, with one peak.
    let log_density = |elo: f64| wins * score_of(elo).ln() + losses * score_of(-elo).ln();
    let peak = elo_of(wins / (wins + losses));
    let end = |side: f64| {
        let mut reach = 1.0;
        while log_density(peak) - log_density(peak + side * reach) < FALL {
            reach *= 1.25;
        }
        peak + side * reach
    };
    let (first, last) = (end(-1.0), end(1.0));
    let width = (last - first) / CELLS as f64;
    let masses: Vec<f64> = (0..CELLS)
        .map(|cell| (log_density(first + (cell as f64 + 0.5) * width) - log_density(peak)).exp())
        .collect();
    let total: f64 = masses.iter().sum();
    let quantile = |share: f64| {
        let mut below = 0.0;
        for (cell, mass) in masses.iter().enumerate() {
            if below + mass >= share * total {
                return first + (cell as f64 + (share * total - below) / mass) * width;
            }
            below += mass;
        }
        last
    };
    [quantile(0.025), quantile(0.975)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: Option<f64>, expected: f64, tolerance: f64) {
        assert!(got.is_some_and(|got| (got - expected).abs() <= tolerance), "{got:?} for {expected}");
    }

    /// Three outcomes 0, 1/2 and 1 are three outcomes, be they a pair without draws or a game with:
    /// these are the values that fastchess (Disservin, app/tests/elo_test.cpp, "EloWDL 1" and "2")
    /// expects of its model of wins, losses and draws.
    #[test]
    fn published_values_are_met() {
        let standing = |lost, split, won| HeadToHead {
            wins: 2 * won + split,
            losses: 2 * lost + split,
            pairs: [lost, split, won],
        };
        let second = standing(96, 111, 136);
        near(second.elo(), 40.70, 0.01);
        near(second.elo_error(), 30.43, 0.01);
        near(second.superiority(), 0.9960, 0.00005);
        near(standing(89, 123, 76).superiority(), 0.1553, 0.00005);
    }

    /// Quantiles of the beta distribution, by SciPy's `betaincinv`.
    #[test]
    fn intervals_have_bounds_near_the_ends() {
        let ends = |lost, split, won| {
            let standing =
                HeadToHead { wins: 2 * won + split, losses: 2 * lost + split, pairs: [lost, split, won] };
            standing.elo_interval().expect("games")
        };
        for (got, scores) in [
            (credible(37.5, 3.5), [0.813185703, 0.978423326]),
            (credible(0.5, 10.5), [4.78904332e-05, 0.217196268]),
            (credible(50_000.5, 49_000.5), [0.501935967, 0.508164748]),
        ] {
            for (elo, score) in got.into_iter().zip(scores) {
                assert!((elo - elo_of(score)).abs() < 0.02, "{elo} for {}", elo_of(score));
            }
        }
        // 92.5 % of 40 games: three pairs split.
        let [low, high] = ends(0, 3, 17);
        assert!(250.0 < low && low < 330.0 && 600.0 < high && high < 800.0, "{low} to {high}");
        let [low, high] = ends(0, 0, 10);
        assert!(low > 300.0 && high.is_infinite());
        // Of many games it is the interval of the normal distribution.
        let [low, high] = ends(960, 1110, 1360);
        assert!((low - (40.70 - 9.62)).abs() < 0.1 && (high - (40.70 + 9.62)).abs() < 0.1, "{low} {high}");
        assert_eq!(HeadToHead { wins: 0, losses: 0, pairs: [0; 3] }.elo_interval(), None);
    }

    #[test]
    fn elo_and_score_undo_each_other() {
        for elo in [-700.0, -3.5, 0.0, 120.0] {
            assert!((elo_of(score_of(elo)) - elo).abs() < 1e-9);
        }
        assert!((score_of(400.0) - 10.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        let none = HeadToHead { wins: 0, losses: 0, pairs: [0; 3] };
        assert_eq!(
            (none.score(), none.elo(), none.elo_error(), none.superiority()),
            (None, None, None, None)
        );
        let all = HeadToHead { wins: 20, losses: 0, pairs: [0, 0, 10] };
        assert_eq!((all.elo(), all.elo_error()), (Some(f64::INFINITY), None));
        assert!(all.superiority().is_some_and(|los| los > 0.9999));
        // Every pair split: the games' own variance stands in, and neither player is better.
        let even = HeadToHead { wins: 10, losses: 10, pairs: [0, 10, 0] };
        near(even.elo(), 0.0, 1e-12);
        near(even.superiority(), 0.5, 1e-6);
        near(even.standard_error(), 0.5 / 20f64.sqrt(), 1e-12);
        let single = HeadToHead { wins: 1, losses: 0, pairs: [0; 3] };
        near(single.superiority(), 0.8413, 0.0001);
        // One pair won of two: the interval reaches a score of 1 and has no bound in Elo.
        let few = HeadToHead { wins: 3, losses: 1, pairs: [0, 1, 1] };
        assert_eq!(few.elo_error(), None);
    }
}
