//! A game whose plies are played square by square: the queen, its destination and the arrow.

use amazons::{Move, Position, QueenMove, Square};

use crate::contest::Vertex;
use crate::games::Game;

#[derive(Clone, Debug)]
pub(super) struct StagedGame {
    game: Game,
    /// The squares already played in the unfinished ply: the queen's square and its destination.
    chosen: Vec<Square>,
    /// True if the side to move has passed or resigned and so has lost.
    conceded: bool,
}

impl StagedGame {
    pub(super) fn new(start: Position) -> StagedGame {
        StagedGame { game: Game::new(start), chosen: Vec::new(), conceded: false }
    }

    /// Returns the game without the squares of the unfinished ply.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// The position before the unfinished ply.
    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) fn chosen_squares(&self) -> &[Square] {
        &self.chosen
    }

    pub(super) fn is_over(&self) -> bool {
        self.conceded || self.position().winner().is_some()
    }

    pub(super) fn is_continued_by(&self, played: Move) -> bool {
        squares(played).starts_with(&self.chosen)
    }

    /// Returns the square to play next in this ply so that the ply becomes the full move `played`.
    pub(super) fn next_square_of(&self, played: Move) -> Square {
        squares(played)[self.chosen.len()]
    }

    pub(super) fn play(&mut self, square: Square) -> Result<(), String> {
        self.expect_not_over()?;
        let position = self.position();
        let size = position.size();
        let blocked = |from| format!("expected an open line from {}", Vertex { square: from, size });
        match *self.chosen {
            [] => {
                if !position.queen_moves().any(|queen| queen.from == square) {
                    return Err(format!("no amazon of the {} player can move from it", position.to_move()));
                }
                self.chosen.push(square);
            }
            [from] => {
                position.move_queen(QueenMove { from, to: square }).map_err(|_| blocked(from))?;
                self.chosen.push(square);
            }
            [from, to, ..] => {
                let played = Move::new(QueenMove { from, to }, square);
                self.game.play(played).map_err(|_| blocked(to))?;
                self.chosen.clear();
            }
        }
        Ok(())
    }

    pub(super) fn concede(&mut self) -> Result<(), String> {
        self.expect_not_over()?;
        self.conceded = true;
        Ok(())
    }

    fn expect_not_over(&self) -> Result<(), String> {
        let over = "the game is over: expected undo or clear_board";
        if self.is_over() { Err(over.to_owned()) } else { Ok(()) }
    }

    /// Takes back the last square, pass or resignation. Returns false if the game is at its start.
    pub(super) fn undo(&mut self) -> bool {
        if std::mem::take(&mut self.conceded) || self.chosen.pop().is_some() {
            return true;
        }
        let Some(last) = self.game.undo() else { return false };
        self.chosen = squares(last.played)[..2].to_vec();
        true
    }
}

/// The squares of a ply in the order in which they are played.
pub(super) fn squares(played: Move) -> [Square; 3] {
    [played.from, played.to, played.arrow]
}
