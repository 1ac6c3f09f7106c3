//! Reference opponents that keep nothing from turn to turn: the evaluator alone, random moves, and a
//! search from an empty tree.

use super::{Choice, Player, greatest};
use crate::game::{FullMove, Position};
use crate::search::Limits;
use crate::territory::{Evaluator, View};

/// Plays by a rule that needs the position and the limits alone.
pub(super) struct PlainPlayer<F> {
    position: Position,
    rule: F,
}

impl<F: FnMut(&Position, &Limits) -> Option<Choice> + Send> PlainPlayer<F> {
    /// A player about to play from `position`.
    pub(super) fn new(position: &Position, rule: F) -> PlainPlayer<F> {
        PlainPlayer { position: *position, rule }
    }
}

impl<F: FnMut(&Position, &Limits) -> Option<Choice> + Send> Player for PlainPlayer<F> {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.play_unchecked(full);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        (self.rule)(&self.position, limits)
    }
}

/// The move with the best static value among these legal moves, the first among equals; `None` if
/// there are none.
pub fn greedy_move(position: &Position, moves: impl Iterator<Item = FullMove>) -> Option<FullMove> {
    let evaluator = Evaluator::default();
    greatest(moves.map(|full| {
        let next = position.play_unchecked(full);
        (-evaluator.log_odds(&View::from(&next)), full)
    }))
}
