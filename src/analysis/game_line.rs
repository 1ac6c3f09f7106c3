//! A game as far as it went: where it began, its moves, and every position on the way.

use crate::game::{FullMove, IllegalMove, Position};

/// A start position and moves that are legal from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameLine {
    moves: Vec<FullMove>,
    /// The start and the position after each move.
    positions: Vec<Position>,
}

/// A move of a line that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {number}, {full}: {why}")]
pub struct GameLineError {
    /// Its number, from 1.
    pub number: usize,
    /// The move.
    pub full: FullMove,
    /// Why not.
    #[source]
    pub why: IllegalMove,
}

impl GameLine {
    /// Plays the moves from a start position.
    ///
    /// # Errors
    /// If one is illegal.
    pub fn new(start: Position, moves: Vec<FullMove>) -> Result<GameLine, GameLineError> {
        let mut positions = vec![start];
        let mut position = start;
        for (index, &full) in moves.iter().enumerate() {
            position = position.play(full).map_err(|why| GameLineError { number: index + 1, full, why })?;
            positions.push(position);
        }
        Ok(GameLine { moves, positions })
    }

    /// The moves.
    #[must_use]
    pub fn moves(&self) -> &[FullMove] {
        &self.moves
    }

    /// The start and the position after each move: one more than there are moves.
    #[must_use]
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The move that led to the position after this many moves; `None` at the start.
    #[must_use]
    pub fn last(&self, turn: usize) -> Option<FullMove> {
        self.moves.get(turn.checked_sub(1)?).copied()
    }
}
