//! The evaluator without a search: a reference opponent.

use super::{Choice, Player};
use crate::game::{Bitboard, FullMove, Position};
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
    #[must_use]
    pub fn new(position: &Position) -> GreedyPlayer {
        GreedyPlayer { position: *position, evaluator: Evaluator::default() }
    }
}

impl Player for GreedyPlayer {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.play_unchecked(full);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        self.choose_among(self.position.size().mask(), limits)
    }

    fn choose_among(&mut self, amazons: Bitboard, _limits: &Limits) -> Option<Choice> {
        let mut best: Option<(f64, FullMove)> = None;
        for full in self.position.full_moves().filter(|full| amazons.contains(full.from)) {
            let next = self.position.play_unchecked(full);
            let odds = -self.evaluator.log_odds(&View::from(&next));
            if best.is_none_or(|(leader, _)| odds > leader) {
                best = Some((odds, full));
            }
        }
        best.map(|(_, full)| Choice { full, report: None })
    }
}
