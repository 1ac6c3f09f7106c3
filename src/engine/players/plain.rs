//! Reference opponents without a search: the evaluator alone, and random moves.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Choice, Player, greatest};
use crate::game::{FullMove, Position};
use crate::search::Limits;
use crate::territory::{Evaluator, View};

/// Plays the full move with the best static value, the first among equals. Evaluates every full
/// move.
#[derive(Clone, Debug)]
pub struct GreedyPlayer {
    position: Position,
    evaluator: Evaluator,
}

impl GreedyPlayer {
    /// A player about to play from `position`.
    pub fn new(position: &Position) -> GreedyPlayer {
        GreedyPlayer { position: *position, evaluator: Evaluator::default() }
    }

    /// The move with the best static value among these legal moves, the first among equals; `None`
    /// if there are none.
    pub fn best(&self, moves: impl Iterator<Item = FullMove>) -> Option<FullMove> {
        greatest(moves.map(|full| {
            let next = self.position.play_unchecked(full);
            (-self.evaluator.log_odds(&View::from(&next)), full)
        }))
    }
}

impl Player for GreedyPlayer {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.play_unchecked(full);
    }

    fn choose(&mut self, _limits: &Limits) -> Option<Choice> {
        let full = self.best(self.position.full_moves())?;
        Some(Choice { full, report: None })
    }
}

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
