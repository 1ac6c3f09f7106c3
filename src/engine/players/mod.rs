//! The players: all code that chooses a move to play.
//!
//! The bot and the match runner use engines only through the trait [`Player`].

mod book;
mod campya;
mod levels;

use std::fmt;
use std::str::FromStr;

use amazons::{Move, Position};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::search::{Candidate, Engine, EngineOptions, Limits, Report};
use crate::territory::{Evaluator, View};
pub use book::{Book, BookError};
use campya::Campya;
pub use levels::{LEVELS, Level, Method};

/// A player, which chooses moves in one game at a time, as in the example `match_of_two`.
pub trait Player: Send {
    /// Prepares the player, so that its first turn starts faster. Never changes the chosen moves.
    fn warm_up(&mut self) {}

    /// Sets the current position.
    fn set_position(&mut self, position: &Position);

    /// Plays a legal move of either side: see [`Engine::advance_unchecked`].
    fn advance(&mut self, chosen: Move);

    /// Chooses a move without playing it; `None` if the side to move has no move.
    fn choose(&mut self, limits: &Limits) -> Option<Choice>;
}

/// The item with the greatest value; if several are equal, the first of them.
fn greatest<T>(items: impl Iterator<Item = (f64, T)>) -> Option<T> {
    let greatest = items.reduce(|best, next| if next.0 > best.0 { next } else { best });
    greatest.map(|(_, item)| item)
}

/// The move with the best static value among these legal moves; if several are equal, the first.
pub fn greedy_move(position: &Position, moves: impl Iterator<Item = Move>) -> Option<Move> {
    let evaluator = Evaluator::default();
    greatest(moves.map(|chosen| {
        let next = position.play_unchecked(chosen);
        (-evaluator.log_odds(&View::from(&next)), chosen)
    }))
}

/// The move that a player has chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The chosen move.
    pub chosen: Move,
    /// The report of the search, if the player searches.
    pub report: Option<Report>,
}

impl Choice {
    /// Chooses one of the candidates of `report`. The report then describes the candidate's move. If
    /// the solver has proven that every move loses, the report keeps this result.
    pub fn of_candidate(candidate: Candidate, report: Report) -> Choice {
        let Candidate { played, value, proven, line, .. } = candidate;
        let (best, is_lost) = (report.best, report.proven && report.value == 0.0);
        let mut report = Report { best: played, principal_variation: line, ..report };
        if !is_lost {
            (report.value, report.proven) = (value, proven);
            report.ending = report.ending.filter(|_| played == best);
        }
        Choice { chosen: played, report: Some(report) }
    }
}

impl From<Move> for Choice {
    fn from(chosen: Move) -> Choice {
        Choice { chosen, report: None }
    }
}

/// A player whose engine keeps a search tree. `choose_move` searches and then chooses a move.
struct EnginePlayer<F> {
    engine: Engine,
    choose_move: F,
}

impl<F: FnMut(&mut Engine, &Limits) -> Option<Choice> + Send> Player for EnginePlayer<F> {
    fn warm_up(&mut self) {
        self.engine.warm_up();
    }

    fn set_position(&mut self, position: &Position) {
        self.engine.set_position(position);
    }

    fn advance(&mut self, chosen: Move) {
        self.engine.advance_unchecked(chosen);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        (self.choose_move)(&mut self.engine, limits)
    }
}

/// A player that keeps no search tree from one turn to the next.
struct StatelessPlayer<F> {
    position: Position,
    choose_move: F,
}

impl<F: FnMut(&Position, &Limits) -> Option<Choice> + Send> Player for StatelessPlayer<F> {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, chosen: Move) {
        self.position = self.position.play_unchecked(chosen);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        (self.choose_move)(&self.position, limits)
    }
}

fn stateless_player(
    position: &Position,
    choose_move: impl FnMut(&Position, &Limits) -> Option<Choice> + Send + 'static,
) -> Box<dyn Player> {
    Box::new(StatelessPlayer { position: *position, choose_move })
}

/// A kind of built-in player. Each kind has a name, such as `greedy` or `level1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub enum PlayerKind {
    /// The engine at full strength.
    Quiver,
    /// A player that plays the full move with the best static value by the shipped weights, without
    /// a search.
    Greedy,
    /// The textbook search of the literature: UCT with RAVE.
    Campya,
    /// A player that plays a uniformly random queen move with a uniformly random arrow.
    Random,
    /// A weaker player of the strength of one of [`LEVELS`].
    Level(Level),
}

/// The error if no player has the given name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no player is called '{got:.40}': expected quiver, greedy, campya, random or level1 to level14")]
pub struct PlayerKindError {
    /// The unknown name.
    pub got: String,
}

impl From<PlayerKind> for String {
    fn from(kind: PlayerKind) -> String {
        kind.to_string()
    }
}

impl TryFrom<String> for PlayerKind {
    type Error = PlayerKindError;

    fn try_from(name: String) -> Result<PlayerKind, PlayerKindError> {
        name.parse()
    }
}

impl FromStr for PlayerKind {
    type Err = PlayerKindError;

    fn from_str(name: &str) -> Result<PlayerKind, PlayerKindError> {
        let named = [PlayerKind::Quiver, PlayerKind::Greedy, PlayerKind::Campya, PlayerKind::Random];
        let mut kinds = named.into_iter().chain(LEVELS.map(PlayerKind::Level));
        kinds.find(|kind| kind.to_string() == name).ok_or_else(|| PlayerKindError { got: name.to_owned() })
    }
}

impl fmt::Display for PlayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlayerKind::Quiver => "quiver",
            PlayerKind::Greedy => "greedy",
            PlayerKind::Campya => "campya",
            PlayerKind::Random => "random",
            PlayerKind::Level(level) => return write!(f, "level{}", level.number),
        })
    }
}

impl PlayerKind {
    /// True if the player searches until a limit ends the search.
    pub fn searches(self) -> bool {
        matches!(self, PlayerKind::Quiver | PlayerKind::Campya)
    }

    /// The names and values of the constants in the player's search. No option changes them.
    pub fn constants(self) -> &'static [(&'static str, f64)] {
        match self {
            PlayerKind::Campya => &campya::CONSTANTS,
            _ => &[],
        }
    }

    /// Creates a player of this kind, which will play from `position`.
    pub fn build(self, options: &EngineOptions, position: &Position) -> Box<dyn Player> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        match self {
            PlayerKind::Quiver => {
                let choose_move = |engine: &mut Engine, limits: &Limits| {
                    engine.search(limits).map(|report| Choice { chosen: report.best, report: Some(report) })
                };
                Box::new(EnginePlayer { engine: Engine::new(options, position), choose_move })
            }
            PlayerKind::Greedy => {
                stateless_player(position, |at, _| greedy_move(at, at.legal_moves_iter()).map(Choice::from))
            }
            PlayerKind::Campya => {
                let mut campya = Campya::new(options, position.size());
                stateless_player(position, move |at, limits| campya.choose(at, limits))
            }
            PlayerKind::Random => {
                stateless_player(position, move |at, _| at.random_move(&mut rng).map(Choice::from))
            }
            PlayerKind::Level(level) => match level.method {
                Method::Sample(moves) => {
                    let evaluator = options.evaluator.clone();
                    stateless_player(position, move |at, _| {
                        level.best_of_random_moves(moves, at, &evaluator, &mut rng)
                    })
                }
                Method::Search(playouts) => {
                    let choose_move = move |engine: &mut Engine, limits: &Limits| {
                        level.search(playouts, engine, limits, &mut rng)
                    };
                    Box::new(EnginePlayer { engine: Engine::new(options, position), choose_move })
                }
            },
        }
    }
}
