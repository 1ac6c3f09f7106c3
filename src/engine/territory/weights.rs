//! Weights of the terms by phase: tables fitted to the engine's own games, and their files.
//!
//! A weight of a term is the sum of two functions, one of how much is contested and one of the
//! number of empty squares; each is linear between knots and constant beyond the last. All
//! arithmetic is in whole numbers, so every machine gets the same log-odds. `fit-weights` writes
//! the files (see `tuning/`); the shipped ones are embedded.
//!
//! Sums are taken over the columns that are counted. When a file is read, the weights of the
//! columns that follow from others are added to those of the others, so that both sums are the same
//! number.

mod file;
mod lookup;
mod phase;

use std::sync::{Arc, LazyLock};

pub use file::WeightsError;

use super::counts::Counts;
use super::pair::{Lanes, Pair};
use crate::game::Square;
use lookup::{Lookup, plus};
use phase::PhaseWeights;

/// The shipped weights for boards up to 8x8. A bot for larger boards only has none and uses the
/// others.
#[cfg(any(feature = "bot-8", not(feature = "bot-10")))]
const SMALL: &str = include_str!("weights/8.json");
#[cfg(all(feature = "bot-10", not(feature = "bot-8")))]
const SMALL: &str = LARGE;

/// The shipped weights for larger boards. A bot for boards up to 8x8 only has none and uses the
/// others.
#[cfg(any(feature = "bot-10", not(feature = "bot-8")))]
const LARGE: &str = include_str!("weights/10.json");
#[cfg(all(feature = "bot-8", not(feature = "bot-10")))]
const LARGE: &str = SMALL;

/// Weights for boards of one size.
///
/// ```
/// use quiver_engine::{Evaluator, Weights};
///
/// let [small, large] = Evaluator::default().weights().map(Weights::board);
/// assert_eq!((small, large), (8, 10));
/// ```
#[derive(Clone, PartialEq)]
pub struct Weights {
    board: u8,
    checksum: u64,
    provenance: String,
    contest: PhaseWeights,
    empty: PhaseWeights,
    /// By the segment of the contest, then of the empty squares.
    lookups: Vec<Lookup>,
    /// Units of the weighted sum in one of log-odds.
    unit: f64,
}

impl Weights {
    /// The weights shipped for large boards or for others: those for 8x8 serve all boards up to
    /// that. A build for one kind of board (features `bot-8`, `bot-10`) has the weights of that
    /// kind for all boards.
    fn shipped(large: bool) -> &'static Arc<Weights> {
        static SHIPPED: LazyLock<[Arc<Weights>; 2]> = LazyLock::new(|| {
            [SMALL, LARGE].map(|text| {
                // A test reads both, so what is built cannot fail here.
                Arc::new(text.parse().unwrap_or_else(|error| panic!("embedded weights: {error}")))
            })
        });
        &SHIPPED[usize::from(large)]
    }

    /// The shipped weights, for boards up to 8x8 and for larger ones.
    pub(super) fn all_shipped() -> [Arc<Weights>; 2] {
        [false, true].map(|large| Arc::clone(Weights::shipped(large)))
    }

    /// The side of the board that the weights were fitted on.
    #[must_use]
    pub fn board(&self) -> u8 {
        self.board
    }

    /// The checksum of the numbers: which weights these are.
    #[must_use]
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Where the weights come from, as one JSON object.
    #[must_use]
    pub fn provenance(&self) -> &str {
        &self.provenance
    }

    /// The weights for views with this number of empty squares.
    #[inline(always)]
    pub(super) fn at(&self, empty: u32, half: bool, amazons: [&[Square]; 2]) -> WeightsAt<'_> {
        let (segment, shares) = self.empty.place(empty as i16);
        let more_amazons = amazons[0].len() as i32 - amazons[1].len() as i32;
        WeightsAt { weights: self, segment, shares, half, more_amazons }
    }
}

/// Weights for views with one number of empty squares and of amazons.
#[derive(Clone, Copy)]
pub(super) struct WeightsAt<'a> {
    weights: &'a Weights,
    /// The segment of the empty squares, and the shares of its two knots.
    segment: usize,
    shares: [i64; 2],
    half: bool,
    more_amazons: i32,
}

impl WeightsAt<'_> {
    /// The log-odds that the side that acts next wins; minus infinity if it can do nothing.
    #[inline(always)]
    pub(super) fn log_odds<P: Pair>(&self, counts: &Counts<P>) -> f64 {
        if counts.stuck {
            return f64::NEG_INFINITY;
        }
        let Weights { contest, empty, lookups, unit, .. } = self.weights;
        let (segment, shares) = contest.place(counts.contest);
        let half = usize::from(self.half);
        let [a, b] = &contest.segments[segment].0[half];
        let [c, d] = &empty.segments[self.segment].0[half];
        let sums = P::Lanes::weighted_sums([counts.queens, counts.kings], [a, b, c, d]);
        let lookup = &lookups[segment * empty.segments.len() + self.segment];
        let amazons = lookup.sums(self.half, counts.freedom.values(), self.more_amazons);
        let [low, high, fewer, more] = plus(sums, amazons);
        let contest = i64::from(low) * shares[0] + i64::from(high) * shares[1];
        let empty = i64::from(fewer) * self.shares[0] + i64::from(more) * self.shares[1];
        (contest + empty) as f64 / unit
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Weights({}x{}, {:016x})", self.board, self.board, self.checksum)
    }
}
