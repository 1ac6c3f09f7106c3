//! The page's sample program, done right: paths are free, queens go any distance, arrows land where they should.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Choice, Player};
use crate::game::{FullMove, Position};
use crate::search::Limits;

/// Plays a uniformly random queen move and a uniformly random arrow.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    position: Option<Position>,
    rng: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A player whose moves follow from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> RandomPlayer {
        RandomPlayer { position: None, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Player for RandomPlayer {
    fn set_position(&mut self, position: &Position) {
        self.position = Some(*position);
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.map(|position| position.play_unchecked(full));
    }

    fn choose(&mut self, _limits: &Limits) -> Option<Choice> {
        let full = self.position?.random_full_move(&mut self.rng)?;
        Some(Choice { full, report: None })
    }
}
