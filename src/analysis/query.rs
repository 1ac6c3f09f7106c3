//! A query: positions to search and how, read field by field. `protocol.md` says the same in words.

use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::fields::{FieldError, Fields};
use crate::game::{Fen, FullMove, Game, Size, Start};
use crate::players::EngineOptions;
use crate::search::{Limits, Time};

/// The most time that can be asked for, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;
const MAX_PLAYOUTS: u64 = 1_000_000_000_000;

/// Values for what a query leaves out.
#[derive(Clone, Debug)]
pub struct Defaults {
    pub engine: EngineOptions,
    pub board: usize,
    pub limits: Limits,
}

/// Positions to search, and how.
#[derive(Clone, Debug)]
pub struct Query {
    /// Stands in every answer.
    pub id: String,
    pub game: Game,
    /// The positions of the game to search, by the number of moves before them, ascending.
    pub turns: Vec<usize>,
    /// The limits of each search, whose clock begins with it. Without a limit it goes on until it is
    /// terminated.
    pub limits: Limits,
    pub engine: EngineOptions,
    pub report_every: Option<Duration>,
    pub territory: bool,
    /// Higher is searched first.
    pub priority: i64,
    /// True if a search may go on from what an earlier one left behind.
    pub reuse: bool,
    pub listed: Listed,
}

/// Which moves an answer lists, and may name as the best. The search is of all moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Only these, unless there are none.
    pub allowed: Vec<FullMove>,
    /// Not these.
    pub avoided: Vec<FullMove>,
    /// True if the priors of the listed moves also stand in one object.
    pub policy: bool,
    /// True if each variation comes with the visits of its moves.
    pub line_visits: bool,
}

impl Listed {
    pub(crate) fn has(&self, full: FullMove) -> bool {
        (self.allowed.is_empty() || self.allowed.contains(&full)) && !self.avoided.contains(&full)
    }
}

impl Query {
    /// Reads the fields of a query, each under its own name or KataGo's.
    pub(super) fn read(id: String, fields: &mut Fields, defaults: &Defaults) -> Result<Query, FieldError> {
        let game = read_game(fields, defaults.board)?;
        let size = game.start().size();
        let height = fields.whole("boardYSize", 1..=Size::MAX)?;
        if let Some(height) = height.filter(|&height| height != size.width().max(size.height())) {
            let message = format!("{height}: expected a square board, as boardXSize says");
            return Err(FieldError::new("boardYSize", message));
        }
        let last = game.plies().len();
        let turns = read_turns(fields, ["turns", "analyzeTurns"], last)?.unwrap_or_else(|| vec![last]);
        let mut seconds = |names: &[_], least| {
            Ok(fields.number("number", names, least..=MAX_SECONDS)?.map(Duration::from_secs_f64))
        };
        let report_every = seconds(&["report_every", "reportDuringSearchEvery"], 0.01)?;
        let time = seconds(&["time"], 0.0)?;
        let time = match (seconds(&["remaining"], 0.0)?, seconds(&["increment"], 0.0)?) {
            (None, Some(_)) => return Err(FieldError::new("increment", "expected remaining as well")),
            (None, None) => time.map(Time::PerMove),
            (Some(remaining), added) => Some(Time::Game { remaining, increment: added.unwrap_or_default() }),
        };
        let playouts = fields.number("whole number", &["playouts", "maxVisits"], 1..=MAX_PLAYOUTS)?;
        let limits = if time.is_none() && playouts.is_none() {
            defaults.limits.clone()
        } else {
            Limits { time, playouts, ..Limits::default() }
        };
        let seed = fields.whole("seed", 0..=i64::MAX.cast_unsigned())?.unwrap_or(defaults.engine.seed);
        let engine = EngineOptions { seed, threads: 1, ..read_parameters(fields, &defaults.engine)? };
        Ok(Query {
            id,
            game,
            turns,
            limits,
            engine,
            report_every,
            territory: fields.flag("territory")?,
            priority: fields.whole("priority", -1_000_000..=1_000_000)?.unwrap_or(0),
            reuse: fields.flag("reuse")?,
            listed: Listed {
                allowed: read_moves(fields, "allowMoves")?,
                avoided: read_moves(fields, "avoidMoves")?,
                policy: fields.flag("includePolicy")?,
                line_visits: fields.flag("includePVVisits")?,
            },
        })
    }
}

/// Reads the fields that say which game: `board`, `start`, `position`, `moves`.
pub(crate) fn read_game(fields: &mut Fields, board: usize) -> Result<Game, FieldError> {
    let asked = fields.number("whole number", &["board", "boardXSize"], 1..=usize::from(Size::MAX))?;
    let start: Option<Start> = fields.read(&["start"], "formula or left")?;
    let position = match fields.text("position")?.as_deref() {
        None | Some("startpos") => {
            let start = start.unwrap_or_default();
            let size = Size::square(asked.unwrap_or(board)).and_then(|size| start.position(size));
            size.map_err(|error| FieldError::new("board", error))?
        }
        Some(_) if start.is_some() => {
            return Err(FieldError::new("start", "the position is given: expected one of the two"));
        }
        Some(fen) => {
            let Fen(position) = fen.parse().map_err(|error| FieldError::new("position", error))?;
            let size = position.size();
            if let Some(side) = asked.filter(|&side| usize::from(size.width().max(size.height())) != side) {
                return Err(FieldError::new("board", format!("{side}, but the position is of {size}")));
            }
            position
        }
    };
    let moves = read_moves(fields, "moves")?;
    Game::of(position, &moves).map_err(|error| FieldError::new("moves", error))
}

/// Moves in one text with spaces between them, or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum MoveTexts {
    One(String),
    List(Vec<MoveText>),
}

/// An entry of a list of moves: ours, or KataGo's two. Turns alternate, so a colour says nothing.
#[derive(Deserialize)]
#[serde(untagged)]
enum MoveText {
    Move(String),
    Coloured(IgnoredAny, String),
    Player { moves: Vec<String> },
}

impl MoveText {
    fn texts(self) -> Vec<String> {
        match self {
            MoveText::Move(text) | MoveText::Coloured(_, text) => vec![text],
            MoveText::Player { moves } => moves,
        }
    }
}

fn read_moves(fields: &mut Fields, name: &'static str) -> Result<Vec<FullMove>, FieldError> {
    let texts: Vec<String> = match fields.read(&[name], "a list of moves, as in [\"d1-d7/g7\"]")? {
        None => Vec::new(),
        Some(MoveTexts::One(text)) => text.split_ascii_whitespace().map(str::to_owned).collect(),
        Some(MoveTexts::List(list)) => list.into_iter().flat_map(MoveText::texts).collect(),
    };
    texts.iter().map(|text| text.parse().map_err(|error| FieldError::new(name, error))).collect()
}

/// The turns asked for, ascending and each once.
pub(super) fn read_turns(
    fields: &mut Fields,
    names: [&'static str; 2],
    moves: usize,
) -> Result<Option<Vec<usize>>, FieldError> {
    let Some((name, value)) = fields.take(&names)? else { return Ok(None) };
    if value == "all" {
        return Ok(Some((0..=moves).collect()));
    }
    let turns = Vec::<usize>::deserialize(&value).ok();
    let turns = turns.filter(|turns| !turns.is_empty() && turns.iter().all(|&turn| turn <= moves));
    let expected = format!("a list of whole numbers from 0 to {moves}, or \"all\"");
    let mut turns = turns.ok_or_else(|| FieldError::unexpected(name, &value, &expected))?;
    turns.sort_unstable();
    turns.dedup();
    Ok(Some(turns))
}

fn read_parameters(fields: &mut Fields, base: &EngineOptions) -> Result<EngineOptions, FieldError> {
    let mut options = base.clone();
    let names = ["parameters", "overrideSettings"];
    let overrides: Option<Map<String, Value>> = fields.read(&names, "an object of names and numbers")?;
    for (name, value) in overrides.into_iter().flatten() {
        let field = format!("parameters.{name}");
        let Value::Number(number) = value else {
            return Err(FieldError::unexpected(&field, &value, "a number"));
        };
        options.parameters.set(&name, &number.to_string()).map_err(|error| FieldError::new(&field, error))?;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::request::tests::query;

    #[test]
    fn a_limit_that_is_given_is_the_only_one() {
        let query = query(r#"{"id":"a","time":0.5,"parameters":{"exploration":1,"playout_plies":3}}"#);
        let time = Some(Time::PerMove(Duration::from_millis(500)));
        assert_eq!((query.limits.time, query.limits.playouts), (time, None));
        assert!(query.engine.parameters.chosen().eq([("exploration", 1.0), ("playout_plies", 3.0)]));
        let limits = self::query(r#"{"id":"a","remaining":60,"increment":1.5}"#).limits;
        let [remaining, increment] = [60_000, 1_500].map(Duration::from_millis);
        assert_eq!(limits.time, Some(Time::Game { remaining, increment }));
    }

    #[test]
    fn katagos_names_mean_the_same() {
        let query = query(
            r#"{"id":"a","boardXSize":8,"boardYSize":8,"moves":[["B","c1-c3/c5"]],"maxVisits":7,"analyzeTurns":[1,0,1],
                "overrideSettings":{"exploration":1},"reportDuringSearchEvery":0.5,"includePolicy":true,
                "avoidMoves":[{"player":"B","moves":["c1-c3/c5"],"untilDepth":1}]}"#,
        );
        assert_eq!((query.game.plies().len(), query.turns.as_slice()), (1, &[0, 1][..]));
        assert_eq!((query.limits.playouts, query.engine.parameters.chosen().count()), (Some(7), 1));
        assert!(query.report_every.is_some() && query.listed.policy);
        assert_eq!(
            ["c1-c3/c5", "c1-c3/c4"].map(|full| query.listed.has(full.parse().unwrap())),
            [false, true]
        );
    }
}
