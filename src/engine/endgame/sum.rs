//! A position as a sum: what is settled is one number, and what is open are regions with their
//! bounds.
//!
//! The solver adds regions up as it goes; `play` ranks moves by what the sum after them is worth.

use amazons::Side;

use super::bounds::{RegionValue, SumPart};
use super::table::Numbers;

/// A sum of regions. Those that are open lie on the solver's stack of [`SumPart`]s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) first: usize,
    /// The keys of its parts, added up.
    key: u64,
    /// Value of what is settled and of what is open, for the first player.
    settled: i32,
    open: RegionValue,
}

impl Sum {
    /// The sum of nothing, whose parts will begin at `first` on the stack.
    pub(super) fn new(first: usize) -> Sum {
        Sum { first, ..Sum::default() }
    }

    /// Adds a region: to what is settled if its value is known exactly. Returns whether it is open.
    #[inline]
    pub(super) fn add(&mut self, SumPart { key, value, .. }: &SumPart) -> bool {
        let open = value.least != value.most;
        if open {
            self.key = self.key.wrapping_add(*key);
            self.open.least += value.least;
            self.open.most += value.most;
            self.open.guess += value.guess;
        } else {
            self.settled += value.least;
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
        let settled = self.settled;
        let all = RegionValue { least: settled + least, most: settled + most, guess: 4 * settled + guess };
        all.seen_by(side)
    }

    #[inline]
    pub(super) fn spend(mut self, side: Side) -> Sum {
        self.settled -= if side == Side::First { 1 } else { -1 };
        self
    }

    /// The settled moves, for `side`.
    #[inline]
    pub(super) fn settled(&self, side: Side) -> i32 {
        if side == Side::First { self.settled } else { -self.settled }
    }

    /// A number that tells apart what is open and who moves; the settled moves are not in it.
    #[inline]
    pub(super) fn key(&self, mover: Side) -> u64 {
        // An odd factor keeps the keys of both movers apart.
        if mover == Side::First { self.key } else { self.key.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 1 }
    }

    /// The proof by the bounds alone for the side to move.
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

    /// The expected work of either proof.
    #[inline]
    pub(super) fn estimate(&self, mover: Side) -> Numbers {
        // To move is worth half a move.
        let ahead = 2 + self.value(mover).guess;
        let cost = |behind: i32| {
            let behind = behind.clamp(0, 60) as u32;
            4 + behind + behind * behind / 4
        };
        Numbers { phi: cost(-ahead), delta: cost(ahead) }
    }
}
