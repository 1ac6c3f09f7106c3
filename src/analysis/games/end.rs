//! The end of a game: the winner, the cause, and the facts of the loser's last turn.

use amazons::{Cause, Outcome, Position, Side};
use quiver_bot::Coordinates;
use serde::{Deserialize, Serialize};

use super::turn::TurnFacts;

/// The end of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameEnd {
    /// The winner.
    pub winner: Side,
    /// The cause of the end.
    pub kind: EndKind,
    /// The winner's lead in moves at the end, at least 0; `None` if it is not stated.
    pub margin: Option<f64>,
    /// A text that explains the end, such as the loser's faulty answer or the referee's proof.
    pub detail: Option<String>,
    /// The coordinates that the loser answered instead of a legal move.
    pub answered: Option<Coordinates>,
    /// The time, memory and comment of the last turn, if the loser made no legal move in it.
    pub turn: TurnFacts,
}

/// The cause of the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// The loser has no move left.
    NoMove,
    /// The referee's solver proved which player wins.
    Proven,
    /// The loser resigned.
    Resignation,
    /// The record names a winner without a cause, and the loser has moves left.
    Unstated,
    /// The record names a winner, but contradicts itself or the rules.
    Disputed,
    /// The loser answered with a move that is illegal in the position.
    IllegalMove,
    /// The loser's answer is not a move.
    Malformed,
    /// The loser's time ran out.
    Time,
    /// The loser's program ended before the game did.
    Crash,
    /// The loser's program neither answered nor computed.
    Stall,
    /// The loser's program used too much memory.
    Memory,
    /// The loser's program wrote too much output.
    Output,
    /// Another fault of the loser, or an unknown one.
    Forfeit,
}

impl GameEnd {
    /// An end of which only the winner and the cause are known.
    pub fn new(winner: Side, kind: EndKind) -> GameEnd {
        let turn = TurnFacts::default();
        GameEnd { winner, kind, margin: None, detail: None, answered: None, turn }
    }

    /// An end whose cause is `NoMove` if `winner` has won in `position`, otherwise `Unstated`.
    pub fn at(position: &Position, winner: Side) -> GameEnd {
        let by_rules = position.winner() == Some(winner);
        GameEnd::new(winner, if by_rules { EndKind::NoMove } else { EndKind::Unstated })
    }
}

impl EndKind {
    /// True if the loser broke a rule of the game or of the contest.
    pub fn is_fault(self) -> bool {
        self >= EndKind::IllegalMove
    }

    /// True if the loser committed a fault or resigned.
    pub fn is_failure(self) -> bool {
        self.is_fault() || self == EndKind::Resignation
    }
}

impl From<Outcome> for GameEnd {
    fn from(outcome: Outcome) -> GameEnd {
        let kind = match outcome.cause {
            Cause::NoMove => EndKind::NoMove,
            Cause::Resignation => EndKind::Resignation,
            Cause::Time => EndKind::Time,
            Cause::Forfeit => EndKind::Forfeit,
            Cause::Unstated => EndKind::Unstated,
        };
        GameEnd { margin: outcome.margin, ..GameEnd::new(outcome.winner, kind) }
    }
}

/// Keeps only the facts that notations such as SGF can express.
impl From<GameEnd> for Outcome {
    fn from(end: GameEnd) -> Outcome {
        let cause = match end.kind {
            EndKind::NoMove => Cause::NoMove,
            EndKind::Resignation => Cause::Resignation,
            EndKind::Time | EndKind::Stall => Cause::Time,
            kind if kind.is_fault() => Cause::Forfeit,
            _ => Cause::Unstated,
        };
        Outcome { margin: end.margin, ..Outcome::new(end.winner, cause) }
    }
}
