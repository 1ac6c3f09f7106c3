//! Queries, which ask for searches of positions of a game. `protocol.md` describes their fields.

use std::time::Duration;

use amazons::Move;
use quiver_bot::Start;
use quiver_engine::search::{EngineOptions, Limits, Time};
use serde::Deserialize;

use super::fields::{FieldError, Object, Seconds, Whole, excerpt};
use super::game_fields::{BoardSide, GameFields, MoveTexts, parse_moves};
use crate::games::Game;

const MAX_PLAYOUTS: i64 = 1_000_000_000_000;

/// The values for fields that a query leaves out.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// The memory, seed, parameters and evaluator of each search.
    pub engine: EngineOptions,
    /// The number of squares along a side of the board.
    pub board: usize,
    /// The limits of each search.
    pub limits: Limits,
}

/// A request to search positions of a game.
#[derive(Clone, Debug)]
pub struct Query {
    /// The id, which every answer repeats.
    pub id: String,
    /// The game whose positions are searched.
    pub game: Game,
    /// The number of moves before each position to search, in ascending order.
    pub turns: Vec<usize>,
    /// The limits of each search. Without a limit, a search runs until it is terminated.
    pub limits: Limits,
    /// The parameters, memory and seed of each search. Every search runs in one thread.
    pub engine: EngineOptions,
    /// The interval between answers during a search; `None` to answer only at the end.
    pub report_every: Option<Duration>,
    /// The priority. Queries with a higher priority are searched first.
    pub priority: i64,
    /// True if the search may continue from the tree of an earlier query.
    pub reuse: bool,
    /// The moves that the answers list, and the optional fields that the answers have.
    pub answer: AnswerOptions,
}

/// Selects the moves and the optional fields of an answer. The search considers all moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerOptions {
    /// The answer lists only these moves. If this list is empty, the answer lists all moves.
    pub allowed: Vec<Move>,
    /// The moves that the answer leaves out.
    pub avoided: Vec<Move>,
    /// True if the answer has the prior probabilities of the listed moves.
    pub policy: bool,
    /// True if the answer has the visits of each move of the principal variations.
    pub pv_visits: bool,
    /// True if the answer has the territory map.
    pub territory: bool,
}

impl AnswerOptions {
    pub(crate) fn lists(&self, played: Move) -> bool {
        (self.allowed.is_empty() || self.allowed.contains(&played)) && !self.avoided.contains(&played)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct QueryFields {
    board_x_size: Option<BoardSide>,
    board_y_size: Option<BoardSide>,
    start: Option<Start>,
    position: Option<String>,
    moves: Option<MoveTexts>,
    analyze_turns: Option<TurnNumbers>,
    max_visits: Option<Whole<1, MAX_PLAYOUTS>>,
    remaining: Option<Seconds<0>>,
    increment: Option<Seconds<0>>,
    #[serde(default)]
    override_settings: OverrideSettings,
    seed: Option<Whole<0, { i64::MAX }>>,
    report_during_search_every: Option<Seconds<10>>,
    priority: Option<Whole<-1_000_000, 1_000_000>>,
    allow_moves: Option<MoveTexts>,
    avoid_moves: Option<MoveTexts>,
    #[serde(default)]
    include_policy: bool,
    #[serde(default, rename = "includePVVisits")]
    include_pv_visits: bool,
    #[serde(default)]
    territory: bool,
    #[serde(default)]
    reuse: bool,
}

/// The values of `overrideSettings`: a time limit and search parameters.
#[derive(Default, Deserialize)]
#[serde(expecting = "an object")]
struct OverrideSettings {
    #[serde(rename = "maxTime")]
    max_time: Option<Seconds<0>>,
    #[serde(flatten)]
    parameters: Object,
}

impl QueryFields {
    pub(super) fn query(self, id: String, defaults: &Defaults) -> Result<Query, FieldError> {
        let QueryFields { board_x_size, board_y_size, start, position, moves, .. } = self;
        let game = GameFields { board_x_size, board_y_size, start, position, moves }.game(defaults.board)?;
        let time = match (self.remaining, self.increment) {
            (None, Some(_)) => return Err(FieldError::new("increment", "expected remaining as well")),
            (None, None) => self.override_settings.max_time.map(|time| Time::PerMove(time.0)),
            (Some(remaining), added) => {
                let increment = added.map_or(Duration::ZERO, |added| added.0);
                Some(Time::Game { remaining: remaining.0, increment })
            }
        };
        let playouts = self.max_visits.map(|visits| visits.0.unsigned_abs());
        let limits = if time.is_none() && playouts.is_none() {
            defaults.limits.clone()
        } else {
            Limits { time, playouts, ..Limits::default() }
        };
        let mut engine = EngineOptions { threads: 1, ..defaults.engine.clone() };
        if let Some(seed) = self.seed {
            engine.seed = seed.0.unsigned_abs();
        }
        for (name, value) in &self.override_settings.parameters {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let set = engine.parameters.set(name, &text);
            set.map_err(|error| FieldError::new(&format!("overrideSettings.{name}"), error))?;
        }
        Ok(Query {
            id,
            turns: turn_numbers(self.analyze_turns, game.plies().len())?,
            game,
            limits,
            engine,
            report_every: self.report_during_search_every.map(|every| every.0),
            priority: self.priority.map_or(0, |priority| priority.0),
            reuse: self.reuse,
            answer: AnswerOptions {
                allowed: parse_moves(self.allow_moves, "allowMoves")?,
                avoided: parse_moves(self.avoid_moves, "avoidMoves")?,
                policy: self.include_policy,
                pv_visits: self.include_pv_visits,
                territory: self.territory,
            },
        })
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a list of whole numbers, or \"all\"")]
enum TurnNumbers {
    All(All),
    List(Vec<usize>),
}

#[derive(Deserialize)]
enum All {
    #[serde(rename = "all")]
    All,
}

fn turn_numbers(asked: Option<TurnNumbers>, moves: usize) -> Result<Vec<usize>, FieldError> {
    let mut numbers = match asked {
        None => vec![moves],
        Some(TurnNumbers::All(All::All)) => (0..=moves).collect(),
        Some(TurnNumbers::List(numbers)) => numbers,
    };
    if numbers.is_empty() || numbers.iter().any(|&number| number > moves) {
        let got = excerpt(&format!("{numbers:?}"));
        let message = format!("got {got}: expected a list of whole numbers from 0 to {moves}, or \"all\"");
        return Err(FieldError::new("analyzeTurns", message));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}
