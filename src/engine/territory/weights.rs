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
mod phase;

use std::sync::{Arc, LazyLock};

use super::counts::Counts;
use super::pair::{Numbers, SidePair};
use super::words::{MAX_LANES, Words};
use crate::game::Square;
use crate::shipped;
use phase::{KNOT, PARTS, PhaseWeights, Row, far_column, near_column};

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
    contest: PhaseWeights,
    empty: PhaseWeights,
    /// Units of the weighted sum in one of log-odds.
    unit: f64,
}

impl Weights {
    /// The shipped weights, for boards up to 8x8 and for larger ones. A build for one kind of board
    /// (features `bot-8`, `bot-10`) has the weights of that kind for all boards.
    pub(super) fn all_shipped() -> [Arc<Weights>; 2] {
        static SHIPPED: LazyLock<Vec<Arc<Weights>>> = LazyLock::new(|| {
            let read = |text: &str| {
                // A test reads both, so what is built cannot fail here.
                Arc::new(text.parse().unwrap_or_else(|error| panic!("embedded weights: {error}")))
            };
            shipped::SHIPPED.iter().map(|files| read(files.weights)).collect()
        });
        [false, true].map(|large| Arc::clone(&SHIPPED[shipped::place(large)]))
    }

    /// The side of the board that the weights were fitted on.
    pub fn board(&self) -> u8 {
        self.board
    }

    /// The checksum of the numbers: which weights these are.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// The weights for views with this number of empty squares.
    #[inline(always)]
    pub(super) fn at(&self, empty: u32, half: bool, amazons: [&[Square]; 2]) -> WeightsAt<'_> {
        let (knot, shares) = self.empty.place(empty as usize);
        let more_amazons = amazons[0].len() as i32 - amazons[1].len() as i32;
        WeightsAt { weights: self, rows: self.empty.rows(knot, half), shares, half, more_amazons }
    }
}

/// Weights for views with one number of empty squares and of amazons.
#[derive(Clone, Copy)]
pub(super) struct WeightsAt<'a> {
    weights: &'a Weights,
    rows: [&'a Row; 2],
    shares: [u64; 2],
    half: bool,
    more_amazons: i32,
}

impl WeightsAt<'_> {
    /// The sums of two rows, each times its share. `freedom` has the columns of each amazon.
    #[inline(always)]
    fn weighted<P: SidePair>(
        &self,
        rows: [&Row; 2],
        shares: [P::Words; 2],
        counts: &Counts<P>,
        freedom: Numbers<P::Words>,
    ) -> P::Words {
        let mut total = P::Words::splat(counts.contest.cpu(), 0);
        for (row, share) in rows.into_iter().zip(shares) {
            let sums = row.sums([counts.queens, counts.kings], freedom, self.more_amazons);
            total = total + sums.sum_times(share);
        }
        total
    }

    /// The log-odds that the side that acts next wins, for each position; minus infinity if it can
    /// do nothing.
    #[inline(always)]
    pub(super) fn log_odds<P: SidePair>(&self, counts: &Counts<P>) -> [f64; MAX_LANES] {
        let Weights { contest, unit, .. } = self.weights;
        let cpu = counts.contest.cpu();
        let [own_near, own_far, near, far] = counts.freedom;
        let freedom = [near_column(own_near), far_column(own_far), near_column(near), far_column(far)];
        let [fewer, more] = self.shares;
        let shares = [P::Words::splat(cpu, fewer), P::Words::splat(cpu, more)];
        let of_empty = self.weighted(self.rows, shares, counts, freedom);

        let places = counts.contest.entries(&contest.places);
        let (knots, upper) = (places & P::Words::splat(cpu, KNOT), places.down(32));
        let shares = [P::Words::splat(cpu, PARTS.into()).minus(upper), upper];
        let mut words = [0; MAX_LANES];
        knots.store(&mut words);
        let mut totals = of_empty;
        // Most batches lie between the same two knots.
        let mut pending = (1_u32 << P::POSITIONS) - 1;
        while pending != 0 {
            let knot = words[pending.trailing_zeros() as usize % MAX_LANES];
            let of_contest = self.weighted(contest.rows(knot as usize, self.half), shares, counts, freedom);
            let elsewhere = knots ^ P::Words::splat(cpu, knot);
            totals = totals.where_any(elsewhere, of_contest + of_empty);
            pending &= !elsewhere.zero_lanes();
        }
        totals.store(&mut words);
        let mut odds = [0.0; MAX_LANES];
        for position in 0..P::POSITIONS {
            let is_stuck = counts.stuck >> position & 1 != 0;
            odds[position] = if is_stuck { f64::NEG_INFINITY } else { words[position] as i64 as f64 / unit };
        }
        odds
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Weights({}x{}, {:016x})", self.board, self.board, self.checksum)
    }
}
