//! Statistics of game results: Elo with error bars, likelihood of superiority, sequential tests,
//! and ratings of many players.
//!
//! The game has no draws. The statistical unit is the pair: two games from one opening with colours
//! exchanged, of which a player wins 0, 1 or 2. Pairs are independent. The games of a pair are not.

mod bradley_terry;
mod sprt;

use std::fmt;

use serde::Serialize;

use crate::normal_distribution::{self, NORMAL_QUANTILE_97_5};
pub(crate) use bradley_terry::{Rating, Ratings, rating_against, rating_bound_of_losses, ratings};
pub(crate) use sprt::{Sprt, SprtReport};

/// The numbers of pairs of games in which a player won 0, 1 and 2 games.
pub(crate) type PairCounts = [u64; 3];

/// Wilson's 95 % interval (1927) of a probability, given the share of successes in `n` trials. The
/// lower end is exactly 0 if the share is 0, and the upper end is exactly 1 if the share is 1.
pub(crate) fn wilson(share: f64, n: f64) -> [f64; 2] {
    let z = NORMAL_QUANTILE_97_5;
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    [if share == 0.0 { 0.0 } else { centre - half }, if share == 1.0 { 1.0 } else { centre + half }]
}

/// Converts an expected score, in \[0,1\], to an Elo difference, which is infinite for 0 and 1.
pub(crate) fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Converts a player's Elo minus its opponent's to the player's expected score, in \[0,1\].
pub(crate) fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The results of one player against another player, with their statistics. Intervals are Wilson's
/// 95 % intervals, and errors are half the width of an interval.
///
/// The score counts all games. The width of its interval comes from the variance of the pairs,
/// because the two games of a pair depend on each other. If all pairs have the same score, their
/// variance is zero, and the games are treated as independent. The interval then tends to be too
/// wide, because exchanging the colours reduces the variance of a pair's score.
///
/// All fields except counts are `None` before the first game. An error is also `None` if its
/// interval is unbounded. JSON shows `None` and infinite numbers as null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct HeadToHead {
    pub wins: u64,
    pub losses: u64,
    pub score: Option<f64>,
    pub score_error: Option<f64>,
    pub elo: Option<f64>,
    pub elo_error: Option<f64>,
    /// The 95 % interval of the Elo difference. One end is infinite if one player won every game.
    pub elo_interval: Option<[f64; 2]>,
    /// The normalised Elo: the score minus 0.5, divided by the standard deviation of a game's score
    /// and scaled to Elo points. With a larger value, fewer games suffice to detect the difference.
    /// `None` if all pairs have the same score.
    pub normalised_elo: Option<f64>,
    pub normalised_elo_error: Option<f64>,
    /// The likelihood of superiority: the probability that this player is the stronger one.
    pub los: Option<f64>,
    pub pairs: PairCounts,
}

impl HeadToHead {
    pub(crate) fn new(wins: u64, losses: u64, pairs: PairCounts) -> HeadToHead {
        const NORMALISED_ELO_SCALE: f64 = 800.0 / std::f64::consts::LN_10;
        let none = HeadToHead { wins, losses, pairs, ..HeadToHead::default() };
        let (games, count) = ((wins + losses) as f64, pairs.iter().sum::<u64>() as f64);
        if games == 0.0 {
            return none;
        }
        let score = wins as f64 / games;
        // `mean` and `pair_variance` are the mean and the variance of a pair's score, in [0,1].
        let [lost, split, won] = pairs.map(|pairs| pairs as f64 / count.max(1.0));
        let mean = 0.5 * split + won;
        let pair_variance = lost * mean * mean + split * (0.5 - mean).powi(2) + won * (1.0 - mean).powi(2);
        let by_games = score * (1.0 - score) / games;
        let variance = if pair_variance > 0.0 { pair_variance / count } else { by_games };
        let error = (variance > 0.0).then_some(variance.sqrt());
        let independent = error.map_or(games, |error| score * (1.0 - score) / (error * error));
        // The variance of a game's score is twice the variance of the score of a pair.
        let normalised = |figure: f64| {
            (pair_variance > 0.0).then_some(NORMALISED_ELO_SCALE * figure / (2.0 * pair_variance).sqrt())
        };
        let interval = wilson(score, independent);
        let elo_interval = interval.map(elo_of);
        let half = |[low, high]: [f64; 2]| Some((high - low) / 2.0).filter(|error| error.is_finite());
        HeadToHead {
            score: Some(score),
            score_error: half(interval),
            elo: Some(elo_of(score)),
            elo_error: half(elo_interval),
            elo_interval: Some(elo_interval),
            normalised_elo: normalised(mean - 0.5),
            normalised_elo_error: normalised(NORMAL_QUANTILE_97_5 * (pair_variance / count).sqrt()),
            // If one player won every game, `error` is missing. The standard error of a score
            // between equal players replaces it.
            los: Some(normal_distribution::cumulative_probability(
                (score - 0.5) / error.unwrap_or(0.5 / games.sqrt()),
            )),
            ..none
        }
    }
}

impl fmt::Display for HeadToHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elo = self.elo.zip(self.elo_interval).map_or("-".to_owned(), |(elo, [low, high])| {
            let error = self.elo_error.map_or(String::new(), |error| format!(" +/- {error:.1}"));
            format!("{elo:.1}{error} (95 % interval {low:.0} to {high:.0})")
        });
        let normalised = self.normalised_elo.zip(self.normalised_elo_error);
        let normalised = normalised.map_or("-".to_owned(), |(elo, error)| format!("{elo:.1} +/- {error:.1}"));
        let los = self.los.map_or("-".to_owned(), |los| format!("{:.1} %", 100.0 * los));
        let [lost, split, won] = self.pairs;
        write!(f, "Elo: {elo}, nElo: {normalised}, LOS: {los}, pairs (0-1-2): {lost} - {split} - {won}")
    }
}
