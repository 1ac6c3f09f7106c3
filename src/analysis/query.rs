//! What may be asked: a line of JSON, checked field by field. `protocol.md` says the same in words.

use std::time::Duration;

use serde_json::Value;

use super::fields::{FieldError, Fields, excerpt, unexpected};
use super::game_line::GameLine;
use crate::game::{Fen, FullMove, Position, Size, Start};
use crate::players::EngineOptions;
use crate::search::{Limits, Stopwatch, Time};

/// The most time that can be asked for, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// The most playouts that can be asked for.
const MAX_PLAYOUTS: i64 = 1_000_000_000_000;

/// What a query has that says nothing of it.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// The engine: its memory for each search, its seed and its parameters.
    pub engine: EngineOptions,
    /// The side of the board.
    pub board: usize,
    /// What one position may take.
    pub limits: Effort,
}

/// What the search of one position may take; without a limit it goes on until it is terminated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Playouts.
    pub playouts: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
    /// A game clock in place of a time for this move: what is left of it, and what each move adds.
    pub bank: Option<[Duration; 2]>,
}

/// A line that was understood.
#[derive(Clone, Debug)]
pub enum Request {
    /// Positions to search.
    Query(Box<Query>),
    /// End a query.
    Terminate {
        /// The request's own id.
        id: String,
        /// The id of the query.
        target: String,
        /// The turns to end; all if there are none.
        turns: Vec<usize>,
    },
    /// End every query.
    TerminateAll {
        /// The request's own id.
        id: String,
    },
    /// Say which program this is.
    Version {
        /// The request's own id.
        id: String,
    },
}

/// Positions to search, and how.
#[derive(Clone, Debug)]
pub struct Query {
    /// Stands in every answer.
    pub id: String,
    /// The game.
    pub line: GameLine,
    /// The positions of the line to search, by the number of moves before them, ascending.
    pub turns: Vec<usize>,
    /// What each of them may take.
    pub limits: Effort,
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
}

impl Listed {
    /// Whether a move is listed.
    #[must_use]
    pub fn has(&self, full: FullMove) -> bool {
        (self.allowed.is_empty() || self.allowed.contains(&full)) && !self.avoided.contains(&full)
    }
}

/// A line that was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct RequestError {
    /// Its id, if that much could be read.
    pub id: Option<String>,
    /// The field and what is wrong with it; the field is empty where it is the line.
    pub error: FieldError,
}

impl Effort {
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

impl Request {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Request::Query(query) => &query.id,
            Request::Terminate { id, .. } | Request::TerminateAll { id } | Request::Version { id } => id,
        }
    }

    /// Reads a line; also gives a warning for each field that is unknown.
    ///
    /// # Errors
    /// If it is no object, or a field of it is wrong.
    pub fn read(line: &[u8], defaults: &Defaults) -> Result<(Request, Vec<FieldError>), RequestError> {
        let whole = |message: String| RequestError { id: None, error: FieldError::new("", message) };
        let object = match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => object,
            Ok(other) => {
                return Err(whole(format!("got {}: expected an object", excerpt(&other.to_string()))));
            }
            Err(error) => return Err(whole(format!("no JSON: {error}"))),
        };
        let mut fields = Fields::new(object);
        let id = id(&mut fields).map_err(|error| RequestError { id: None, error })?;
        let request = request(id.clone(), &mut fields, defaults);
        match request {
            Ok(request) => Ok((request, fields.warnings())),
            Err(error) => Err(RequestError { error: fields.named(error), id: Some(id) }),
        }
    }
}

fn id(fields: &mut Fields) -> Result<String, FieldError> {
    let id = fields.text("id")?.ok_or_else(|| FieldError::new("id", "missing: expected a text"))?;
    if id.is_empty() || id.len() > 200 {
        return Err(FieldError::new("id", format!("a text of {} bytes: expected 1 to 200", id.len())));
    }
    Ok(id)
}

fn request(id: String, fields: &mut Fields, defaults: &Defaults) -> Result<Request, FieldError> {
    match fields.text("action")?.as_deref() {
        None | Some("query") => Ok(Request::Query(Box::new(Query::read(id, fields, defaults)?))),
        Some("terminate") => {
            fields.alias("terminateId", "terminate")?;
            fields.alias("turnNumbers", "turns")?;
            let turns = match fields.value("turns") {
                None => Vec::new(),
                some => read_turns(some, usize::from(u8::MAX))?,
            };
            let target = fields.text("terminate")?;
            let target =
                target.ok_or_else(|| FieldError::new("terminate", "missing: expected the id of a query"))?;
            Ok(Request::Terminate { id, target, turns })
        }
        Some("terminate_all") => Ok(Request::TerminateAll { id }),
        Some("version") => Ok(Request::Version { id }),
        Some(other) => Err(FieldError::new(
            "action",
            format!("got '{}': expected query, terminate, terminate_all or version", excerpt(other)),
        )),
    }
}

impl Query {
    fn read(id: String, fields: &mut Fields, defaults: &Defaults) -> Result<Query, FieldError> {
        for (theirs, ours) in ALIASES {
            fields.alias(theirs, ours)?;
        }
        // Every field is taken before any is judged: the fields that are left are unknown.
        let height = fields.whole("boardYSize", 1..=i64::from(Size::MAX));
        let width = fields.peek("board").and_then(Value::as_i64);
        let allowed = read_listed(fields.value("allowMoves"), "allowMoves");
        let avoided = read_listed(fields.value("avoidMoves"), "avoidMoves");
        let policy = fields.flag("includePolicy");
        let line = read_line(fields, defaults.board);
        let turns = fields.value("turns");
        let playouts = fields.whole("playouts", 1..=MAX_PLAYOUTS);
        let time = fields.number("time", 0.0..=MAX_SECONDS);
        let remaining = fields.number("remaining", 0.0..=MAX_SECONDS);
        let increment = fields.number("increment", 0.0..=MAX_SECONDS);
        let seed = fields.whole("seed", 0..=i64::MAX);
        let overrides = fields.value("parameters");
        let report_every = fields.number("report_every", 0.01..=MAX_SECONDS);
        let territory = fields.flag("territory");
        let priority = fields.whole("priority", -1_000_000..=1_000_000);
        let reuse = fields.flag("reuse");

        if let Some(height) = height?.filter(|&height| width.is_some_and(|width| width != height)) {
            return Err(FieldError::new(
                "boardYSize",
                format!("{height}: expected a square board, as boardXSize says"),
            ));
        }
        let bank = match (remaining?, increment?) {
            (None, Some(_)) => return Err(FieldError::new("increment", "expected remaining as well")),
            (remaining, increment) => {
                remaining.map(|left| [left, increment.unwrap_or(0.0)].map(Duration::from_secs_f64))
            }
        };
        let line = line?;
        let turns = read_turns(turns, line.moves().len())?;
        let asked = Effort {
            playouts: playouts?.map(i64::cast_unsigned),
            time: time?.map(Duration::from_secs_f64),
            bank,
        };
        Ok(Query {
            id,
            line,
            turns,
            limits: if asked == Effort::default() { defaults.limits } else { asked },
            engine: EngineOptions {
                seed: seed?.map_or(defaults.engine.seed, i64::cast_unsigned),
                threads: 1,
                ..read_parameters(overrides, &defaults.engine)?
            },
            report_every: report_every?.map(Duration::from_secs_f64),
            territory: territory?,
            priority: priority?.unwrap_or(0),
            reuse: reuse?,
            listed: Listed { allowed: allowed?, avoided: avoided?, policy: policy? },
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
pub fn read_line(fields: &mut Fields, board: usize) -> Result<GameLine, FieldError> {
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
    GameLine::new(position, read_moves(moves)?).map_err(|error| FieldError::new("moves", error))
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
                // KataGo's pair of a colour and a move; turns alternate, so that the colour says nothing.
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
fn read_turns(value: Option<Value>, moves: usize) -> Result<Vec<usize>, FieldError> {
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

    fn read(text: &str) -> Result<Request, RequestError> {
        warned(text).map(|(request, _)| request)
    }

    fn warned(text: &str) -> Result<(Request, Vec<FieldError>), RequestError> {
        let engine = EngineOptions { memory: 1 << 20, seed: 3, ..EngineOptions::default() };
        let limits = Effort { playouts: Some(9), ..Effort::default() };
        Request::read(text.as_bytes(), &Defaults { engine, board: 8, limits })
    }

    fn query(text: &str) -> Query {
        match read(text).unwrap() {
            Request::Query(query) => *query,
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
        assert_eq!(query.line.positions()[0].size().width(), 8);
        assert!(!query.territory && !query.reuse && query.report_every.is_none());
    }

    #[test]
    fn a_limit_that_is_given_is_the_only_one() {
        let query = query(r#"{"id":"a","time":0.5,"parameters":{"exploration":1,"playout_plies":3}}"#);
        let time = Some(Duration::from_millis(500));
        assert_eq!(query.limits, Effort { time, ..Effort::default() });
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
        assert_eq!((list.line.moves().len(), list.turns.as_slice()), (2, &[0, 2][..]));
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
        assert_eq!((query.line.moves().len(), query.turns.as_slice()), (1, &[0][..]));
        assert_eq!((query.limits.playouts, query.engine.changed().count()), (Some(7), 1));
        assert!(query.report_every.is_some() && query.listed.policy);
        assert!(
            !query.listed.has("c1-c3/c5".parse().unwrap()) && query.listed.has("c1-c3/c4".parse().unwrap())
        );
    }

    #[test]
    fn an_unknown_field_is_a_warning() {
        let (_, warnings) = warned(r#"{"id":"a","playout":5,"komi":7}"#).unwrap();
        let fields: Vec<&str> = warnings.iter().map(|warning| warning.field.as_str()).collect();
        assert_eq!(fields, ["komi", "playout"]);
        assert!(warnings[0].message.starts_with("no such field: expected one of id, action"));
    }

    #[test]
    fn every_fault_names_its_field() {
        let cases = [
            ("nonsense", None, "", "no JSON: expected"),
            ("[]", None, "", "got []: expected an object"),
            ("{}", None, "id", "missing"),
            (r#"{"id":7}"#, None, "id", "got 7: expected a text"),
            (r#"{"id":"a","playouts":0}"#, Some("a"), "playouts", "got 0: expected a whole number from 1"),
            (r#"{"id":"a","playouts":1.5}"#, Some("a"), "playouts", "got 1.5"),
            (r#"{"id":"a","time":-1}"#, Some("a"), "time", "a number from 0 to 86400"),
            (r#"{"id":"a","position":"3/3"}"#, Some("a"), "position", "a FEN of 1 fields"),
            (r#"{"id":"a","position":"Q1q w","start":"left"}"#, Some("a"), "start", "one of the two"),
            (r#"{"id":"a","position":"Q1q w","board":8}"#, Some("a"), "board", "the position is of 3x1"),
            (r#"{"id":"a","board":7}"#, Some("a"), "board", "no start position for a board of 7x7"),
            (r#"{"id":"a","moves":["c1-c3"]}"#, Some("a"), "moves", "'c1-c3' is no full move"),
            (r#"{"id":"a","moves":["c1-c8/c7"]}"#, Some("a"), "moves", "move 1, c1-c8/c7: "),
            (r#"{"id":"a","moves":[1]}"#, Some("a"), "moves", "got 1: expected a move"),
            (r#"{"id":"a","turns":[1]}"#, Some("a"), "turns", "whole numbers from 0 to 0"),
            (r#"{"id":"a","turns":[]}"#, Some("a"), "turns", "got []"),
            (r#"{"id":"a","parameters":{"speed":1}}"#, Some("a"), "parameters.speed", "no parameter"),
            (
                r#"{"id":"a","parameters":{"exploration":"x"}}"#,
                Some("a"),
                "parameters.exploration",
                "a number",
            ),
            (r#"{"id":"a","territory":1}"#, Some("a"), "territory", "true or false"),
            (r#"{"id":"a","action":"dance"}"#, Some("a"), "action", "got 'dance'"),
            (r#"{"id":"a","action":"terminate"}"#, Some("a"), "terminate", "missing"),
            (r#"{"id":"a","maxVisits":0}"#, Some("a"), "maxVisits", "got 0: expected a whole number from 1"),
            (r#"{"id":"a","maxVisits":5,"playouts":5}"#, Some("a"), "maxVisits", "playouts is there as well"),
            (r#"{"id":"a","boardXSize":8,"boardYSize":10}"#, Some("a"), "boardYSize", "a square board"),
            (r#"{"id":"a","allowMoves":[7]}"#, Some("a"), "allowMoves", "a list of moves"),
        ];
        for (text, id, field, message) in cases {
            let error = read(text).unwrap_err();
            assert_eq!((error.id.as_deref(), error.error.field.as_str()), (id, field), "{text}: {error}");
            assert!(error.error.message.contains(message), "{text}: {error}");
        }
    }
}
