//! Statistics of results: Elo with error bars, likelihood of superiority, sequential tests, and
//! ratings of many players.
//!
//! The game has no draws. The statistical unit is the pair: two games from one opening with colours
//! exchanged, of which a player wins 0, 1 or 2. Pairs are independent of each other, but the games
//! of a pair are not.

mod bradley_terry;
mod sprt;

use std::fmt;

use serde::Serialize;

use crate::normal_distribution::{self, QUANTILE};
pub(crate) use bradley_terry::{Rating, Ratings, rating_against, rating_bound_of_losses, ratings};
pub(crate) use sprt::{Sprt, SprtReport};

/// The numbers of pairs of which a player won 0, 1 and 2 games.
pub(crate) type Pairs = [u64; 3];

/// Wilson's 95 % interval (1927) of a probability, given the share of successes in `n` trials. The
/// lower end is exactly 0 if the share is 0, and the upper end exactly 1 if it is 1.
pub(crate) fn wilson(share: f64, n: f64) -> [f64; 2] {
    let z = QUANTILE;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    [if share == 0.0 { 0.0 } else { middle - half }, if share == 1.0 { 1.0 } else { middle + half }]
}

/// The Elo difference at which the expected score of a game, in \[0,1\], is `score`. It is infinite
/// at 0 and 1.
pub(crate) fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score of a game, in \[0,1\], at this Elo difference.
pub(crate) fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The results of one player against another. Intervals are Wilson's 95 % intervals, and errors are
/// half their width.
///
/// The score counts all games. Because the games of a pair depend on each other, the variance of
/// the pairs decides how many independent games they are worth. If all pairs ended alike, their
/// variance is zero and useless, and the games count as independent. The interval is then rather
/// too wide than too narrow, because exchanged colours make pairs more even.
///
/// Before the first game every figure is `None`, and so is an error whose interval is unbounded.
/// JSON shows these, and infinite figures, as null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct HeadToHead {
    pub wins: u64,
    pub losses: u64,
    pub score: Option<f64>,
    pub score_error: Option<f64>,
    pub elo: Option<f64>,
    pub elo_error: Option<f64>,
    /// The 95 % interval of Elo. One end is infinite if every game was won or every game was lost.
    pub elo_interval: Option<[f64; 2]>,
    /// The normalised Elo: the score's distance from one half in standard deviations of a game,
    /// scaled to Elo points. It tells how many games show the difference. `None` until pairs
    /// differ.
    pub normalised_elo: Option<f64>,
    pub normalised_elo_error: Option<f64>,
    /// The likelihood of superiority: the probability that this player is the stronger one.
    pub los: Option<f64>,
    /// The complete pairs, by the number of games won.
    pub pairs: Pairs,
}

impl HeadToHead {
    pub(crate) fn new(wins: u64, losses: u64, pairs: Pairs) -> HeadToHead {
        const SCALE: f64 = 800.0 / std::f64::consts::LN_10;
        let none = HeadToHead { wins, losses, pairs, ..HeadToHead::default() };
        let (games, count) = ((wins + losses) as f64, pairs.iter().sum::<u64>() as f64);
        if games == 0.0 {
            return none;
        }
        let score = wins as f64 / games;
        // The mean score of a pair, and the variance of this score.
        let [lost, split, won] = pairs.map(|pairs| pairs as f64 / count.max(1.0));
        let mean = 0.5 * split + won;
        let spread = lost * mean * mean + split * (0.5 - mean).powi(2) + won * (1.0 - mean).powi(2);
        let by_games = score * (1.0 - score) / games;
        let variance = if spread > 0.0 { spread / count } else { by_games };
        let error = (variance > 0.0).then_some(variance.sqrt());
        let independent = error.map_or(games, |error| score * (1.0 - score) / (error * error));
        // The variance of a game is twice that of the mean score of its pair.
        let normalised = |figure: f64| (spread > 0.0).then_some(SCALE * figure / (2.0 * spread).sqrt());
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
            normalised_elo_error: normalised(QUANTILE * (spread / count).sqrt()),
            // If every game ended alike, the error is that of games with even chances.
            los: Some(normal_distribution::below((score - 0.5) / error.unwrap_or(0.5 / games.sqrt()))),
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
