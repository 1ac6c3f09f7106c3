//! A player that moves at random: the weakest reference opponent.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Choice, Player};
use crate::game::{FullMove, Position};
use crate::search::Limits;

/// Plays a uniformly random queen move and a uniformly random arrow.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    position: Position,
    rng: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A player whose moves follow from `seed`.
    pub fn new(seed: u64, position: &Position) -> RandomPlayer {
        RandomPlayer { position: *position, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Player for RandomPlayer {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.play_unchecked(full);
    }

    fn choose(&mut self, _limits: &Limits) -> Option<Choice> {
        let full = self.position.random_full_move(&mut self.rng)?;
        Some(Choice { full, report: None })
    }
}
