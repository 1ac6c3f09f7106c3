//! A query: positions to search and how, read field by field. `protocol.md` says the same in words.

use std::time::Duration;

use serde_json::Value;

use super::fields::{FieldError, Fields, excerpt, unexpected};
use crate::game::{Fen, FullMove, Game, Position, Size, Start};
use crate::players::EngineOptions;
use crate::search::{Limits, Stopwatch, Time};

/// The most time that can be asked for, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// The most playouts that can be asked for.
const MAX_PLAYOUTS: i64 = 1_000_000_000_000;

/// Values for what a query leaves out.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// The engine: its memory for each search, its seed and its parameters.
    pub engine: EngineOptions,
    /// The side of the board.
    pub board: usize,
    /// What one position may take.
    pub limits: QueryLimits,
}

/// What the search of one position may take; without a limit it goes on until it is terminated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryLimits {
    /// Playouts.
    pub playouts: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
    /// A game clock in place of a time for this move: what is left of it, and what each move adds.
    pub bank: Option<[Duration; 2]>,
}

/// Positions to search, and how.
#[derive(Clone, Debug)]
pub struct Query {
    /// Stands in every answer.
    pub id: String,
    /// The game.
    pub game: Game,
    /// The positions of the game to search, by the number of moves before them, ascending.
    pub turns: Vec<usize>,
    /// What each of them may take.
    pub limits: QueryLimits,
    /// What its engine is made with; the memory is the caller's choice.
    pub engine: EngineOptions,
    /// How often to answer before the end.
    pub report_every: Option<Duration>,
    /// Whether answers hold the territory map.
    pub territory: bool,
    /// Higher is searched first.
    pub priority: i64,
    /// Whether a search may go on from what an earlier one left behind.
    pub reuse: bool,
    /// Which moves answers list.
    pub listed: Listed,
}

/// Which moves an answer lists, and may name as the best. The search is of all moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Only these, unless there are none.
    pub allowed: Vec<FullMove>,
    /// Not these.
    pub avoided: Vec<FullMove>,
    /// Whether the priors of the listed moves also stand in one object.
    pub policy: bool,
    /// Whether each variation comes with the visits of its moves.
    pub line_visits: bool,
}

impl Listed {
    /// Whether a move is listed.
    #[must_use]
    pub fn has(&self, full: FullMove) -> bool {
        (self.allowed.is_empty() || self.allowed.contains(&full)) && !self.avoided.contains(&full)
    }
}

impl QueryLimits {
    /// The limits of a search that begins now, by the wall.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let time = match self.bank {
            Some([remaining, increment]) => Some(Time::Game { remaining, increment }),
            None => self.time.map(Time::PerMove),
        };
        Limits { time, playouts: self.playouts, stopwatch: Stopwatch::wall() }
    }
}

impl Query {
    pub(super) fn read(id: String, fields: &mut Fields, defaults: &Defaults) -> Result<Query, FieldError> {
        for (theirs, ours) in ALIASES {
            fields.alias(theirs, ours)?;
        }
        let height = fields.whole("boardYSize", 1..=i64::from(Size::MAX))?;
        let width = fields.peek("board").and_then(Value::as_i64);
        if let Some(height) = height.filter(|&height| width.is_some_and(|width| width != height)) {
            let message = format!("{height}: expected a square board, as boardXSize says");
            return Err(FieldError::new("boardYSize", message));
        }
        let game = read_game(fields, defaults.board)?;
        let turns = read_turns(fields.value("turns"), game.plies().len())?;
        let mut seconds =
            |name, least| Ok(fields.number(name, least..=MAX_SECONDS)?.map(Duration::from_secs_f64));
        let (time, report_every) = (seconds("time", 0.0)?, seconds("report_every", 0.01)?);
        let (remaining, increment) = (seconds("remaining", 0.0)?, seconds("increment", 0.0)?);
        if remaining.is_none() && increment.is_some() {
            return Err(FieldError::new("increment", "expected remaining as well"));
        }
        let asked = QueryLimits {
            playouts: fields.whole("playouts", 1..=MAX_PLAYOUTS)?.map(i64::cast_unsigned),
            time,
            bank: remaining.map(|left| [left, increment.unwrap_or_default()]),
        };
        let seed = fields.whole("seed", 0..=i64::MAX)?;
        Ok(Query {
            id,
            game,
            turns,
            limits: if asked == QueryLimits::default() { defaults.limits } else { asked },
            engine: EngineOptions {
                seed: seed.map_or(defaults.engine.seed, i64::cast_unsigned),
                threads: 1,
                ..read_parameters(fields.value("parameters"), &defaults.engine)?
            },
            report_every,
            territory: fields.flag("territory")?,
            priority: fields.whole("priority", -1_000_000..=1_000_000)?.unwrap_or(0),
            reuse: fields.flag("reuse")?,
            listed: Listed {
                allowed: read_listed(fields.value("allowMoves"), "allowMoves")?,
                avoided: read_listed(fields.value("avoidMoves"), "avoidMoves")?,
                policy: fields.flag("includePolicy")?,
                line_visits: fields.flag("includePVVisits")?,
            },
        })
    }
}

/// KataGo's names of fields, and ours.
const ALIASES: [(&str, &str); 5] = [
    ("boardXSize", "board"),
    ("maxVisits", "playouts"),
    ("analyzeTurns", "turns"),
    ("overrideSettings", "parameters"),
    ("reportDuringSearchEvery", "report_every"),
];

/// Moves as a list, or as KataGo writes it: `[{"player":"B","moves":[...],"untilDepth":1}]`.
fn read_listed(value: Option<Value>, name: &'static str) -> Result<Vec<FullMove>, FieldError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let expected = "a list of moves, or of objects with moves";
    let list = value.as_array().ok_or_else(|| unexpected(name, &value, expected))?;
    let texts = list.iter().flat_map(|entry| match entry.get("moves").and_then(Value::as_array) {
        Some(moves) => moves.iter().collect::<Vec<_>>(),
        None => vec![entry],
    });
    let parse = |text: &Value| {
        let text = text.as_str().ok_or_else(|| unexpected(name, text, expected))?;
        text.parse().map_err(|error| FieldError::new(name, error))
    };
    texts.map(parse).collect()
}

/// The fields that say which game: `board`, `start`, `position`, `moves`.
///
/// # Errors
/// If one of them is wrong; all have been asked for then.
pub fn read_game(fields: &mut Fields, board: usize) -> Result<Game, FieldError> {
    let asked = fields.whole("board", 1..=i64::from(Size::MAX));
    let start = fields.text("start");
    let position = fields.text("position");
    let moves = fields.value("moves");

    let (asked, start) = (asked?.and_then(|side| usize::try_from(side).ok()), start?);
    let position = match position?.as_deref() {
        None | Some("startpos") => start_position(asked.unwrap_or(board), start.as_deref())?,
        Some(_) if start.is_some() => {
            return Err(FieldError::new("start", "the position is given: expected one of the two"));
        }
        Some(fen) => {
            let position = fen.parse::<Fen>().map_err(|error| FieldError::new("position", error))?.0;
            let size = position.size();
            match asked {
                Some(side) if usize::from(size.width().max(size.height())) != side => {
                    return Err(FieldError::new("board", format!("{side}, but the position is of {size}")));
                }
                _ => position,
            }
        }
    };
    Game::of(position, &read_moves(moves)?).map_err(|error| FieldError::new("moves", error))
}

fn start_position(board: usize, start: Option<&str>) -> Result<Position, FieldError> {
    let start = match start {
        None | Some("formula") => Start::Formula,
        Some("left") => Start::Left,
        Some(other) => {
            return Err(FieldError::new(
                "start",
                format!("got '{}': expected formula or left", excerpt(other)),
            ));
        }
    };
    let size = Size::square(board).map_err(|error| FieldError::new("board", error))?;
    start.position(size).map_err(|error| FieldError::new("board", error))
}

/// A list of moves, or one text with spaces between them.
///
/// # Errors
/// If one is no move.
pub fn read_moves(value: Option<Value>) -> Result<Vec<FullMove>, FieldError> {
    let parse = |text: &str| text.parse().map_err(|error| FieldError::new("moves", error));
    match value {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => text.split_ascii_whitespace().map(parse).collect(),
        Some(Value::Array(list)) => {
            let one = |value: &Value| match value {
                Value::String(text) => parse(text),
                // KataGo's pair of a colour and a move; turns alternate, so that the colour says
                // nothing.
                Value::Array(pair) if pair.len() == 2 && pair[1].is_string() => {
                    parse(pair[1].as_str().unwrap_or_default())
                }
                other => Err(unexpected("moves", other, "a move as a text, as in \"d1-d7/g7\"")),
            };
            list.iter().map(one).collect()
        }
        Some(other) => Err(unexpected("moves", &other, "a list of moves")),
    }
}

/// The turns asked for, ascending and each once; the last of the line where none is.
pub(super) fn read_turns(value: Option<Value>, moves: usize) -> Result<Vec<usize>, FieldError> {
    let expected = || format!("a list of whole numbers from 0 to {moves}, or \"all\"");
    match value {
        None => Ok(vec![moves]),
        Some(Value::String(text)) if text == "all" => Ok((0..=moves).collect()),
        Some(Value::Array(list)) if !list.is_empty() => {
            let one = |value: &Value| {
                let turn = value.as_u64().and_then(|turn| usize::try_from(turn).ok());
                turn.filter(|&turn| turn <= moves).ok_or_else(|| unexpected("turns", value, &expected()))
            };
            let mut turns = list.iter().map(one).collect::<Result<Vec<_>, _>>()?;
            turns.sort_unstable();
            turns.dedup();
            Ok(turns)
        }
        Some(other) => Err(unexpected("turns", &other, &expected())),
    }
}

fn read_parameters(overrides: Option<Value>, base: &EngineOptions) -> Result<EngineOptions, FieldError> {
    let mut options = base.clone();
    let overrides = match overrides {
        None => return Ok(options),
        Some(Value::Object(overrides)) => overrides,
        Some(other) => return Err(unexpected("parameters", &other, "an object of names and numbers")),
    };
    for (name, value) in &overrides {
        let field = format!("parameters.{name}");
        let Value::Number(number) = value else { return Err(unexpected(&field, value, "a number")) };
        options.set(name, &number.to_string()).map_err(|error| FieldError::new(&field, error))?;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::request::AnalysisRequest;
    use crate::analysis::request::tests::read;

    fn query(text: &str) -> Query {
        match read(text).unwrap().0 {
            AnalysisRequest::Query(query) => *query,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_not_said_is_as_usual() {
        let query = query(r#"{"id":"a"}"#);
        assert_eq!(
            (query.turns.as_slice(), query.limits.playouts, query.engine.seed),
            (&[0][..], Some(9), 3)
        );
        assert_eq!(query.game.start().size().width(), 8);
        assert!(!query.territory && !query.reuse && query.report_every.is_none());
    }

    #[test]
    fn a_limit_that_is_given_is_the_only_one() {
        let query = query(r#"{"id":"a","time":0.5,"parameters":{"exploration":1,"playout_plies":3}}"#);
        let time = Some(Duration::from_millis(500));
        assert_eq!(query.limits, QueryLimits { time, ..QueryLimits::default() });
        assert_eq!(
            query.engine.changed().collect::<Vec<_>>(),
            [("exploration", 1.0), ("playout_plies", 3.0)]
        );
    }

    #[test]
    fn a_game_clock_takes_the_place_of_a_time() {
        let limits = query(r#"{"id":"a","remaining":60,"increment":1.5}"#).limits.limits();
        let [remaining, increment] = [60_000, 1_500].map(Duration::from_millis);
        assert_eq!(limits.time, Some(Time::Game { remaining, increment }));
        let error = read(r#"{"id":"a","increment":1}"#).unwrap_err().error;
        assert_eq!(error.field, "increment");
    }

    #[test]
    fn moves_come_as_a_list_or_a_text_and_turns_in_any_order() {
        let list = query(r#"{"id":"a","moves":["c1-c3/c5","a6-b6/b5"],"turns":[2,0,2]}"#);
        assert_eq!((list.game.plies().len(), list.turns.as_slice()), (2, &[0, 2][..]));
        assert_eq!(query(r#"{"id":"a","moves":"c1-c3/c5 a6-b6/b5","turns":"all"}"#).turns, [0, 1, 2]);
        assert_eq!(query(r#"{"id":"a","moves":"c1-c3/c5"}"#).turns, [1]);
    }

    #[test]
    fn katagos_names_mean_the_same() {
        let query = query(
            r#"{"id":"a","boardXSize":8,"boardYSize":8,"moves":[["B","c1-c3/c5"]],"maxVisits":7,"analyzeTurns":[0],
                "overrideSettings":{"exploration":1},"reportDuringSearchEvery":0.5,"includePolicy":true,
                "avoidMoves":[{"player":"B","moves":["c1-c3/c5"],"untilDepth":1}]}"#,
        );
        assert_eq!((query.game.plies().len(), query.turns.as_slice()), (1, &[0][..]));
        assert_eq!((query.limits.playouts, query.engine.changed().count()), (Some(7), 1));
        assert!(query.report_every.is_some() && query.listed.policy);
        assert!(
            !query.listed.has("c1-c3/c5".parse().unwrap()) && query.listed.has("c1-c3/c4".parse().unwrap())
        );
    }
}
