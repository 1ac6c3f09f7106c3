//! A game whose plies come square by square: the queen, its destination, the arrow.

use amazons::{Move, Position, QueenMove, Square};

use crate::games::Game;

/// A game and the squares of an unfinished ply.
#[derive(Clone, Debug)]
pub(super) struct StagedGame {
    game: Game,
    /// The queen's square, then its destination, as far as they are chosen.
    begun: Vec<Square>,
    /// True if the side to move has passed or resigned and so has lost.
    given_up: bool,
}

impl StagedGame {
    pub(super) fn new(game: Game) -> StagedGame {
        StagedGame { game, begun: Vec::new(), given_up: false }
    }

    /// The whole plies.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// The position before the unfinished ply.
    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    /// The squares of the unfinished ply: at most the queen's and its destination.
    pub(super) fn begun(&self) -> &[Square] {
        &self.begun
    }

    /// True if no further square may be played.
    pub(super) fn is_over(&self) -> bool {
        self.given_up || self.position().winner().is_some()
    }

    /// True if a full move begins with the squares of the unfinished ply.
    pub(super) fn goes_on_with(&self, played: Move) -> bool {
        squares(played).starts_with(&self.begun)
    }

    /// The square of a full move at the current stage.
    pub(super) fn square_of(&self, played: Move) -> Square {
        squares(played)[self.begun.len()]
    }

    /// Plays the next square.
    pub(super) fn play(&mut self, square: Square) -> Result<(), String> {
        if self.is_over() {
            return Err("the game is over: expected undo or clear_board".to_owned());
        }
        let position = self.position();
        match *self.begun {
            [] => {
                if !position.queen_moves().any(|queen| queen.from == square) {
                    return Err(format!("no amazon of the {} player can leave", position.to_move()));
                }
                self.begun.push(square);
            }
            [from] => {
                position.move_queen(QueenMove { from, to: square }).map_err(|error| error.to_string())?;
                self.begun.push(square);
            }
            [from, to, ..] => {
                let played = Move::new(QueenMove { from, to }, square);
                self.game.play(played).map_err(|error| error.to_string())?;
                self.begun.clear();
            }
        }
        Ok(())
    }

    /// The side to move passes or resigns, and loses.
    pub(super) fn give_up(&mut self) -> Result<(), String> {
        if self.is_over() {
            return Err("the game is over: expected undo or clear_board".to_owned());
        }
        self.given_up = true;
        Ok(())
    }

    /// Takes the last square back, or the surrender. Returns false at the start.
    pub(super) fn undo(&mut self) -> bool {
        if self.given_up {
            self.given_up = false;
            return true;
        }
        if self.begun.pop().is_some() {
            return true;
        }
        let Some(last) = self.game.undo() else { return false };
        self.begun = squares(last.played)[..2].to_vec();
        true
    }
}

/// The squares of a full move in the order in which they are played.
fn squares(played: Move) -> [Square; 3] {
    [played.from, played.to, played.arrow]
}
