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

/// The 95 % interval of a chance, in \[0,1\], by the share of successes in `n` trials (Wilson 1927).
/// An end is exactly 0 or 1 if the share is.
pub(crate) fn wilson(share: f64, n: f64) -> [f64; 2] {
    let z = QUANTILE;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    [if share == 0.0 { 0.0 } else { middle - half }, if share == 1.0 { 1.0 } else { middle + half }]
}
