//! A position as a sum of regions. One number is the value of all regions whose value is known
//! exactly. The other regions are open, and have a lower and an upper bound.

use amazons::Side;

use super::bounds::{RegionValue, SumPart};
use super::table::ProofNumbers;

/// A sum of regions. Its open regions, whose value is not exactly known, are in `Solver::parts`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    /// The index in `Solver::parts` of the first open region of the sum.
    pub(super) first_part: usize,
    /// The keys of the open regions, added with overflow, so their order does not matter.
    key: u64,
    /// The value of the exactly known regions, in moves for the first player.
    spare_moves: i32,
    open: RegionValue,
}

impl Sum {
    /// An empty sum, whose open regions (without exact value) will begin at
    /// `Solver::parts[first_part]`.
    pub(super) fn new(first_part: usize) -> Sum {
        Sum { first_part, ..Sum::default() }
    }

    /// Adds a region. Returns true if it is open, which means that its value is not exactly known.
    #[inline]
    pub(super) fn add_part(&mut self, SumPart { key, value, .. }: &SumPart) -> bool {
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

    /// The number of moves by which `side` is ahead in the exactly known regions; may be negative.
    #[inline]
    pub(super) fn spare_moves(&self, side: Side) -> i32 {
        if side == Side::First { self.spare_moves } else { -self.spare_moves }
    }

    /// A table key of the open regions and the side to move. It ignores exactly known regions.
    #[inline]
    pub(super) fn key(&self, mover: Side) -> u64 {
        // Multiplication by an odd number is invertible, so keys of different sums stay distinct.
        if mover == Side::First { self.key } else { self.key.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 1 }
    }

    /// The proof numbers of a win or loss of the side to move; `None` if the bounds prove neither.
    #[inline]
    pub(super) fn verdict(&self, mover: Side) -> Option<ProofNumbers> {
        let RegionValue { least, most, .. } = self.value(mover);
        if least > 0 {
            Some(ProofNumbers::WON)
        } else if most <= 0 {
            Some(ProofNumbers::LOST)
        } else {
            None
        }
    }

    #[inline]
    pub(super) fn estimate(&self, mover: Side) -> ProofNumbers {
        // `guess` is in quarters of a move. The right to move is worth half a move, or 2 quarters.
        let ahead = 2 + self.value(mover).guess;
        let cost = |behind: i32| {
            let behind = behind.clamp(0, 60) as u32;
            4 + behind + behind * behind / 4
        };
        ProofNumbers { phi: cost(-ahead), delta: cost(ahead) }
    }
}
