//! The end of a game: who won, and why.

use crate::position::Position;
use crate::side::Side;

/// The end of a game, by the rules or as the record of the game states it. There are no draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The player who won.
    pub winner: Side,
    /// The reason why the game ended.
    pub cause: Cause,
    /// The winner's lead in moves at the end, at least 0; `None` if the record does not state it.
    pub margin: Option<f64>,
}

/// The reason why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The loser has no move left.
    NoMove,
    /// The loser resigned.
    Resignation,
    /// The loser's time ran out.
    Time,
    /// The loser broke a rule.
    Forfeit,
    /// The record names a winner but no reason, and this player has not won by the rules.
    Unstated,
}

impl Outcome {
    /// An outcome without a margin.
    pub fn new(winner: Side, cause: Cause) -> Outcome {
        Outcome { winner, cause, margin: None }
    }

    /// The outcome by the rules at `position`; `None` if the side to move has a move.
    pub fn of(position: &Position) -> Option<Outcome> {
        position.winner().map(|winner| Outcome::new(winner, Cause::NoMove))
    }

    /// The outcome of a game that ends at `position` and that `winner` has won. The cause is
    /// `NoMove` if the loser is to move and has no legal move, otherwise `Unstated`.
    pub fn at(position: &Position, winner: Side) -> Outcome {
        let by_rules = position.winner() == Some(winner);
        Outcome::new(winner, if by_rules { Cause::NoMove } else { Cause::Unstated })
    }
}
