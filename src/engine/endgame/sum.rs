//! A position as a sum: one number for all exactly known regions, and the bounds of the others.
//!
//! The solver updates sums move by move; `play` ranks moves by the value of the sum after them.

use amazons::Side;

use super::bounds::{RegionValue, SumPart};
use super::table::Numbers;

/// A sum of regions. The open regions are on the solver's stack of [`SumPart`]s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) first: usize,
    /// The sum of the keys of the open regions.
    key: u64,
    /// The value of the regions that are known exactly, for the first player.
    spare_moves: i32,
    open: RegionValue,
}

impl Sum {
    /// An empty sum. Its regions will be pushed from index `first` on.
    pub(super) fn new(first: usize) -> Sum {
        Sum { first, ..Sum::default() }
    }

    /// Adds a region. Returns true if it is open, that is, if its value is not known exactly.
    #[inline]
    pub(super) fn add(&mut self, SumPart { key, value, .. }: &SumPart) -> bool {
        let open = value.least != value.most;
        if open {
            self.key = self.key.wrapping_add(*key);
            self.open.least += value.least;
            self.open.most += value.most;
            self.open.guess += value.guess;
        } else {
            self.spare_moves += value.least;
        }
        open
    }

    #[inline]
    pub(super) fn remove(&mut self, SumPart { key, value, .. }: &SumPart) {
        self.key = self.key.wrapping_sub(*key);
        self.open.least -= value.least;
        self.open.most -= value.most;
        self.open.guess -= value.guess;
    }

    #[inline]
    pub(super) fn value(&self, side: Side) -> RegionValue {
        let RegionValue { least, most, guess } = self.open;
        let spare_moves = self.spare_moves;
        let all = RegionValue {
            least: spare_moves + least,
            most: spare_moves + most,
            guess: 4 * spare_moves + guess,
        };
        all.seen_by(side)
    }

    #[inline]
    pub(super) fn use_spare_move(mut self, side: Side) -> Sum {
        self.spare_moves -= if side == Side::First { 1 } else { -1 };
        self
    }

    /// The spare moves of `side`; negative if the other side has them.
    #[inline]
    pub(super) fn spare_moves(&self, side: Side) -> i32 {
        if side == Side::First { self.spare_moves } else { -self.spare_moves }
    }

    /// The key of the open regions and the side to move; spare moves do not count.
    #[inline]
    pub(super) fn key(&self, mover: Side) -> u64 {
        // An odd factor keeps the keys of both movers apart.
        if mover == Side::First { self.key } else { self.key.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 1 }
    }

    /// The result for the side to move, if the bounds decide.
    #[inline]
    pub(super) fn verdict(&self, mover: Side) -> Option<Numbers> {
        let RegionValue { least, most, .. } = self.value(mover);
        if least > 0 {
            Some(Numbers::WON)
        } else if most <= 0 {
            Some(Numbers::LOST)
        } else {
            None
        }
    }

    #[inline]
    pub(super) fn estimate(&self, mover: Side) -> Numbers {
        // The right to move is worth half a move.
        let ahead = 2 + self.value(mover).guess;
        let cost = |behind: i32| {
            let behind = behind.clamp(0, 60) as u32;
            4 + behind + behind * behind / 4
        };
        Numbers { phi: cost(-ahead), delta: cost(ahead) }
    }
}
