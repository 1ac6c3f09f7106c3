//! Games of matches. They extend the [`Game`](amazons::Game) of the rules by facts that referees,
//! match logs and records state, such as the time of each turn and the cause of the end.

mod end;
mod turn;

use amazons::{Annotation, Outcome, Side};
use quiver_bot::InputError;
use serde::Serialize;

pub use end::{EndKind, GameEnd};
pub use turn::TurnFacts;

/// A game with the time, memory and comment of each turn, and the cause of its end.
pub type Game = amazons::Game<TurnFacts, GameEnd>;

/// A move of a [`Game`] with the facts about its turn, such as the time.
pub type PlayedMove = amazons::PlayedMove<TurnFacts>;

/// The main line or a variation of a [`Game`].
pub type Line = amazons::Line<TurnFacts>;

/// A game found in a text, or its error, with the number of the line on which the game begins.
pub type FoundGame<G = Game> = amazons::FoundGame<G, InputError>;

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

/// Methods of [`Game`]. They are in a trait, because the type belongs to the crate `amazons`.
pub trait MatchGame {
    /// The winner; `None` if the game has no end.
    fn winner(&self) -> Option<Side>;

    /// The time and memory that a side used in the game; `None` if its times are unknown. A last
    /// turn in which the side lost by a fault counts too.
    fn times(&self, side: Side) -> Option<SideTimes>;

    /// The game with only the facts that notations such as SGF can express.
    fn to_notation(&self) -> amazons::Game;
}

impl MatchGame for Game {
    fn winner(&self) -> Option<Side> {
        self.end.as_ref().map(|end| end.winner)
    }

    fn times(&self, side: Side) -> Option<SideTimes> {
        let lost = self.end.as_ref().map(|end| &end.turn);
        let facts = (1..).zip(self.plies().iter().map(|ply| &ply.facts).chain(lost));
        // Turns alternate, so every second ply is a turn of this side.
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

    fn to_notation(&self) -> amazons::Game {
        self.clone().map(Annotation::from, Outcome::from)
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
