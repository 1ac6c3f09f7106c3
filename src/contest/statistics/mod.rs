//! What results mean: Elo with error bars, likelihood of superiority, sequential tests, ratings of
//! many.
//!
//! There are no draws. The unit of evidence is the pair: two games from one opening with colours
//! changed, of which a player wins 0, 1 or 2. Pairs are independent of each other, games of a pair
//! are not.

mod bradley_terry;
mod elo;
mod placement;
mod share;
mod sprt;

pub(crate) use bradley_terry::{Rating, Ratings, ratings};
pub(crate) use elo::{HeadToHead, elo_of, score_of};
pub(crate) use placement::placed;
pub(crate) use share::wilson;
pub(crate) use sprt::{Sprt, SprtDecision};

/// Numbers of pairs that brought a player 0, 1 and 2 wins.
pub(crate) type Pairs = [u64; 3];

/// Mean score of a game and variance of a pair's mean score; `None` without pairs.
fn moments(weights: [f64; 3]) -> Option<(f64, f64)> {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let [lost, split, won] = weights.map(|weight| weight / total);
    let mean = 0.5 * split + won;
    let variance = lost * mean * mean + split * (0.5 - mean).powi(2) + won * (1.0 - mean).powi(2);
    Some((mean, variance))
}
