//! A line of the analysis engine's input, read field by field: a query, positions to search and how,
//! or another action. `protocol.md` says the same in words.

use std::time::Duration;

use amazons::{Game, Move, Position, Size, Start};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::fields::{FieldError, Fields, excerpt};
use crate::search::{EngineOptions, Limits, Time};

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

#[derive(Debug)]
pub struct AnalysisRequest {
    /// Its id, if that much could be read.
    pub id: Option<String>,
    /// The action asked for, or the field that is wrong.
    pub action: Result<Action, FieldError>,
    pub warnings: Vec<FieldError>,
}

#[derive(Debug)]
pub enum Action {
    Query(Box<Query>),
    /// End a query, by its id: these turns of it, or all if there are none.
    Terminate {
        target: String,
        turns: Vec<usize>,
    },
    TerminateAll,
    Version,
}

impl AnalysisRequest {
    pub fn read(line: &[u8], defaults: &Defaults) -> AnalysisRequest {
        let begin = Fields::parse(line).and_then(|mut fields| Ok((read_id(&mut fields)?, fields)));
        let (id, mut fields) = match begin {
            Ok(begun) => begun,
            Err(error) => return AnalysisRequest { id: None, action: Err(error), warnings: Vec::new() },
        };
        let action = read_action(id.clone(), &mut fields, defaults);
        let warnings = if action.is_ok() { fields.warnings() } else { Vec::new() };
        AnalysisRequest { id: Some(id), action, warnings }
    }
}

fn read_id(fields: &mut Fields) -> Result<String, FieldError> {
    let id = fields.text("id")?.ok_or_else(|| FieldError::new("id", "missing: expected a text"))?;
    if id.is_empty() || id.len() > 200 {
        return Err(FieldError::new("id", format!("a text of {} bytes: expected 1 to 200", id.len())));
    }
    Ok(id)
}

fn read_action(id: String, fields: &mut Fields, defaults: &Defaults) -> Result<Action, FieldError> {
    match fields.text("action")?.as_deref() {
        None | Some("query") => Ok(Action::Query(Box::new(Query::read(id, fields, defaults)?))),
        Some("terminate") => {
            let turns = read_turns(fields, ["turns", "turnNumbers"], u8::MAX.into())?.unwrap_or_default();
            let target = fields.read(&["terminate", "terminateId"], "a text")?;
            let missing = || FieldError::new("terminate", "missing: expected the id of a query");
            Ok(Action::Terminate { target: target.ok_or_else(missing)?, turns })
        }
        Some("terminate_all") => Ok(Action::TerminateAll),
        Some("version") => Ok(Action::Version),
        Some(other) => {
            let expected = "expected query, terminate, terminate_all or version";
            Err(FieldError::new("action", format!("got '{}': {expected}", excerpt(other))))
        }
    }
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
    /// Higher is searched first.
    pub priority: i64,
    /// True if a search may go on from what an earlier one left behind.
    pub reuse: bool,
    pub answer: AnswerOptions,
}

/// The moves that an answer lists and may name as the best, and its optional parts. The search is of
/// all moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerOptions {
    /// Only these, unless there are none.
    pub allowed: Vec<Move>,
    /// Not these.
    pub avoided: Vec<Move>,
    /// True if the priors of the listed moves also stand in one object.
    pub policy: bool,
    /// True if each variation comes with the visits of its moves.
    pub line_visits: bool,
    /// True if the territory map is part of it.
    pub territory: bool,
}

impl AnswerOptions {
    pub(crate) fn lists(&self, full: Move) -> bool {
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
            priority: fields.whole("priority", -1_000_000..=1_000_000)?.unwrap_or(0),
            reuse: fields.flag("reuse")?,
            answer: AnswerOptions {
                allowed: read_moves(fields, "allowMoves")?,
                avoided: read_moves(fields, "avoidMoves")?,
                policy: fields.flag("includePolicy")?,
                line_visits: fields.flag("includePVVisits")?,
                territory: fields.flag("territory")?,
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
            let position: Position = fen.parse().map_err(|error| FieldError::new("position", error))?;
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

fn read_moves(fields: &mut Fields, name: &'static str) -> Result<Vec<Move>, FieldError> {
    let texts: Vec<String> = match fields.read(&[name], "a list of moves, as in [\"d1-d7/g7\"]")? {
        None => Vec::new(),
        Some(MoveTexts::One(text)) => text.split_ascii_whitespace().map(str::to_owned).collect(),
        Some(MoveTexts::List(list)) => {
            let texts = |entry| match entry {
                MoveText::Move(text) | MoveText::Coloured(_, text) => vec![text],
                MoveText::Player { moves } => moves,
            };
            list.into_iter().flat_map(texts).collect()
        }
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
pub(super) mod tests {
    use super::*;

    /// Reads a line, where 50 playouts and this memory of each search are the defaults.
    fn read(text: &str, board: usize, memory: usize) -> AnalysisRequest {
        let engine = EngineOptions { memory, ..EngineOptions::default() };
        AnalysisRequest::read(text.as_bytes(), &Defaults { engine, board, limits: Limits::playouts(50) })
    }

    /// A query on 6x6.
    pub(in crate::analysis) fn query(text: &str, memory: usize) -> Query {
        let Action::Query(query) = read(text, 6, memory).action.unwrap() else { panic!("{text}") };
        *query
    }

    #[test]
    fn every_fault_names_its_field() {
        for (text, field, message) in [
            ("[]", "", "got []: expected an object"),
            (r#"{"id":7}"#, "id", "got 7: expected a text"),
            // These are fields of a query with an id.
            (r#""playouts":0"#, "playouts", "got 0: expected a whole number from 1"),
            (r#""playouts":1.5"#, "playouts", "got 1.5"),
            (r#""time":-1"#, "time", "a number from 0 to 86400"),
            (r#""position":"3/3""#, "position", "a FEN of 1 fields"),
            (r#""position":"Q1q w","start":"left""#, "start", "one of the two"),
            (r#""start":"right""#, "start", "expected formula or left"),
            (r#""position":"Q1q w","board":8"#, "board", "the position is of 3x1"),
            (r#""board":7"#, "board", "no start position for a board of 7x7"),
            (r#""moves":["c1-c3"]"#, "moves", "'c1-c3' is no full move"),
            (r#""moves":["c1-c8/c7"]"#, "moves", "move 1, c1-c8/c7: "),
            (r#""moves":[1]"#, "moves", "got [1]: expected a list of moves"),
            (r#""turns":[1]"#, "turns", "whole numbers from 0 to 0"),
            (r#""turns":[]"#, "turns", "got []"),
            (r#""parameters":{"speed":1}"#, "parameters.speed", "no parameter"),
            (r#""parameters":{"exploration":"x"}"#, "parameters.exploration", "a number"),
            (r#""territory":1"#, "territory", "true or false"),
            (r#""action":"dance""#, "action", "got 'dance'"),
            (r#""action":"terminate""#, "terminate", "missing"),
            (r#""maxVisits":0"#, "maxVisits", "got 0: expected a whole number from 1"),
            (r#""maxVisits":5,"playouts":5"#, "maxVisits", "playouts is there as well"),
            (r#""boardXSize":8,"boardYSize":10"#, "boardYSize", "a square board"),
            (r#""allowMoves":[7]"#, "allowMoves", "a list of moves"),
            (r#""increment":1"#, "increment", "expected remaining as well"),
        ] {
            let with_id = text.starts_with('"').then(|| format!("{{\"id\":\"a\",{text}}}"));
            let AnalysisRequest { id, action, .. } = read(with_id.as_deref().unwrap_or(text), 8, 1 << 20);
            let error = action.unwrap_err();
            assert_eq!((id, &*error.field), (with_id.map(|_| "a".to_owned()), field), "{text}: {error}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
        let warning = read(r#"{"id":"a","komi":7}"#, 8, 1 << 20).warnings.remove(0).to_string();
        assert!(warning.starts_with("komi: no such field: expected one of id, action"), "{warning}");
    }

    #[test]
    fn a_limit_that_is_given_is_the_only_one() {
        let query = |text| query(text, 1 << 20);
        let limits = query(r#"{"id":"a","remaining":60,"increment":1.5}"#).limits;
        let [remaining, increment] = [60_000, 1_500].map(Duration::from_millis);
        assert_eq!(limits.time, Some(Time::Game { remaining, increment }));
        let timed = query(r#"{"id":"a","time":0.5,"parameters":{"exploration":1,"playout_plies":3}}"#);
        let time = Some(Time::PerMove(Duration::from_millis(500)));
        assert_eq!((timed.limits.time, timed.limits.playouts), (time, None));
        assert!(timed.engine.parameters.chosen().eq([("exploration", 1.0), ("playout_plies", 3.0)]));
    }

    #[test]
    fn katagos_names_mean_the_same() {
        let query = query(
            r#"{"id":"a","boardXSize":8,"boardYSize":8,"moves":[["B","c1-c3/c5"]],"maxVisits":7,"analyzeTurns":[1,0,1],
                "overrideSettings":{"exploration":1},"reportDuringSearchEvery":0.5,"includePolicy":true,
                "avoidMoves":[{"player":"B","moves":["c1-c3/c5"],"untilDepth":1}]}"#,
            1 << 20,
        );
        assert_eq!((query.game.plies().len(), query.turns.as_slice()), (1, &[0, 1][..]));
        assert_eq!((query.limits.playouts, query.engine.parameters.chosen().count()), (Some(7), 1));
        assert!(query.report_every.is_some() && query.answer.policy);
        assert_eq!(
            ["c1-c3/c5", "c1-c3/c4"].map(|full| query.answer.lists(full.parse().unwrap())),
            [false, true]
        );
    }
}
