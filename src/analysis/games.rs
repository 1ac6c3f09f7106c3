//! Games of matches. The types of this module add to [`amazons::Game`] the facts that referees,
//! match logs and records state, such as the time of each turn and the cause of the end.

use std::ops::RangeInclusive;

use amazons::{Annotation, Cause, Outcome, Position, QueenMove, Side, Square};
use quiver_bot::{Coordinates, InputError};
use serde::{Deserialize, Serialize};

/// A game with the time, memory and comment of each turn, and the cause of its end.
pub type Game = amazons::Game<TurnFacts, GameEnd>;

/// A move of a [`Game`] with the facts about its turn, such as the time.
pub type PlayedMove = amazons::PlayedMove<TurnFacts>;

/// The main line or a variation of a [`Game`].
pub type Line = amazons::Line<TurnFacts>;

/// A game found in a text, or its error, with the number of the line on which the game begins.
pub type FoundGame<G = Game> = amazons::FoundGame<G, InputError>;

/// The facts about a turn that a match log or record of the game states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnFacts {
    /// The comment after the move, or an empty string.
    pub comment: String,
    /// The mover's own estimate of its winning chance, from 0 to 1.
    pub value: Option<f64>,
    /// True if the mover's estimate was proven.
    pub proven: bool,
    /// The seconds that the mover used.
    pub seconds: Option<f64>,
    /// The megabytes of memory that the mover used.
    pub megabytes: Option<f64>,
    /// The number of playouts or nodes of the mover's search.
    pub playouts: Option<u64>,
    /// True if the mover's program was kept running for its next turn.
    pub kept_running: bool,
    /// The most visited queen moves of the mover's search, each with its share of the root's visits
    /// in units of 1 / 65,535.
    pub queen_shares: Vec<(QueenMove, u16)>,
    /// The most visited arrows after the played queen move, each with its share of the visits of
    /// all arrows after this queen move, in units of 1 / 65,535.
    pub arrow_shares: Vec<(Square, u16)>,
}

impl TurnFacts {
    /// The allowed range of a time in seconds or milliseconds, or of a memory size in megabytes.
    pub const RESOURCE_AMOUNTS: RangeInclusive<f64> = Annotation::SECONDS;

    /// The milliseconds that the mover used, rounded to microseconds.
    pub fn milliseconds(&self) -> Option<f64> {
        self.seconds.map(|seconds| (seconds * 1e6).round() / 1e3)
    }
}

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
    /// The time, memory and comment of the turn, if any, in which the loser made no legal move.
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
    /// Another fault of the loser, or an unknown fault.
    Forfeit,
}

impl GameEnd {
    /// Builds an end whose only known facts are the winner and the cause.
    pub fn new(winner: Side, kind: EndKind) -> GameEnd {
        let turn = TurnFacts::default();
        GameEnd { winner, kind, margin: None, detail: None, answered: None, turn }
    }

    /// Builds an end. Its cause is `NoMove` if `winner` has won in `position`, else `Unstated`.
    pub fn with_inferred_kind(position: &Position, winner: Side) -> GameEnd {
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
    pub fn is_fault_or_resignation(self) -> bool {
        self.is_fault() || self == EndKind::Resignation
    }
}

/// The time and memory that one side used in a game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SideTimes {
    /// The number of turns whose time is known.
    pub turns: usize,
    /// The mean time of a turn, in milliseconds.
    pub mean_ms: f64,
    /// The time of the slowest turn, in milliseconds.
    pub worst_ms: f64,
    /// The ply of the slowest turn, from 1.
    pub worst_ply: usize,
    /// The largest memory that a turn used, in megabytes; `None` if it is not known.
    pub peak_mb: Option<f64>,
}

/// The methods of [`Game`], in a trait because the type `Game` belongs to the crate `amazons`.
pub trait MatchGame {
    /// The winner; `None` if the game has no end.
    fn winner(&self) -> Option<Side>;

    /// The time and memory that a side used in the game; `None` if no turn of the side has a known
    /// time. A last turn in which the side lost by a fault counts too.
    fn times(&self, side: Side) -> Option<SideTimes>;

    /// Returns a copy of the game with only the facts that notations such as SGF can express.
    fn without_match_facts(&self) -> amazons::Game;
}

impl MatchGame for Game {
    fn winner(&self) -> Option<Side> {
        self.end.as_ref().map(|end| end.winner)
    }

    fn times(&self, side: Side) -> Option<SideTimes> {
        let lost = self.end.as_ref().map(|end| &end.turn);
        let facts = (1..).zip(self.plies().iter().map(|ply| &ply.facts).chain(lost));
        // Turns alternate, so every second ply is a turn of `side`.
        let own: Vec<(usize, &TurnFacts)> =
            facts.skip(usize::from(side != self.start().to_move())).step_by(2).collect();
        let times = own.iter().filter_map(|&(ply, facts)| Some((ply, facts.milliseconds()?)));
        let times: Vec<(usize, f64)> = times.collect();
        // If several turns are equally slow, the first one is reported.
        let (worst_ply, worst_ms) = times.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let mean_ms = times.iter().map(|(_, time)| time).sum::<f64>() / times.len() as f64;
        let peak_mb = own.iter().filter_map(|(_, facts)| facts.megabytes).reduce(f64::max);
        Some(SideTimes { turns: times.len(), mean_ms, worst_ms, worst_ply, peak_mb })
    }

    fn without_match_facts(&self) -> amazons::Game {
        self.clone().map(Annotation::from, Outcome::from)
    }
}

impl From<Annotation> for TurnFacts {
    fn from(Annotation { comment, value, seconds }: Annotation) -> TurnFacts {
        TurnFacts { comment, value, seconds, ..TurnFacts::default() }
    }
}

impl From<TurnFacts> for Annotation {
    fn from(TurnFacts { comment, value, seconds, .. }: TurnFacts) -> Annotation {
        Annotation { comment, value, seconds }
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

/// Keeps only the facts of an end that notations such as SGF can express.
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

/// Converts a game of the crate `amazons` to a [`Game`], whose turns can have more facts.
pub fn from_notation(game: amazons::Game) -> Game {
    game.map(TurnFacts::from, GameEnd::from)
}

/// Converts a game that the crate `amazons` found in a text to a [`Game`] of this module.
pub fn found_from_notation<E: Into<InputError>>(found: amazons::FoundGame<amazons::Game, E>) -> FoundGame {
    let game = found.game.map(from_notation).map_err(E::into);
    FoundGame { line: found.line, game }
}
