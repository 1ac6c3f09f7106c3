//! From the JSON of one match, in whatever wrapping, to a [`MatchLog`].

use serde_json::{Map, Value};

use super::{Finish, JudgeError, LoggedAnswer, MatchLog, Reply, RunStatus, Turn, excerpt};
use crate::game::{Coordinates, Side};

/// The keys under which the array of a match may stand.
const LOG_KEYS: [&str; 3] = ["log", "logs", "loglist"];

/// How deep the array may be wrapped: an object around it and JSON in strings, with some to spare.
const MAX_WRAPS: usize = 8;

/// Why a piece of JSON is no log of an Amazons match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum FormError {
    #[error("no JSON at line {line}, column {column}: {what}")]
    Json { line: usize, column: usize, what: String },
    #[error("the string \"{got}\" is no JSON: expected a match log encoded as one")]
    EncodedJson { got: String },
    #[error("a match of more than {limit} bytes: expected less, real ones have some ten thousand")]
    TooLong { limit: usize },
    #[error("got {got}: expected an array of entries, bare or under log, logs or loglist")]
    NoLog { got: String },
    #[error("entry {index} is {got}: expected {expected}")]
    Entry { index: usize, got: String, expected: &'static str },
    #[error("a match of another game: expected moves x0 to y2 or display.blackCount and whiteCount")]
    OtherGame,
}

/// Reads one match: a bare array, an object around it, JSON in strings around either.
pub(super) fn match_log(mut value: Value) -> Result<MatchLog, FormError> {
    let mut log = MatchLog::default();
    for _ in 0..MAX_WRAPS {
        value = match value {
            Value::String(text) => {
                serde_json::from_str(&text).map_err(|_| FormError::EncodedJson { got: excerpt(&text) })?
            }
            Value::Object(mut object) => {
                let got = describe_object(&object);
                let found = LOG_KEYS.iter().find_map(|key| object.remove(*key).filter(|log| !log.is_null()));
                let inner = found.ok_or(FormError::NoLog { got })?;
                log.id = log.id.or_else(|| object.get("_id").or_else(|| object.get("id")).and_then(id));
                if let Some(Value::Array(players)) = object.get("players") {
                    log.players = [0, 1].map(|slot| players.get(slot).and_then(name));
                }
                inner
            }
            Value::Array(entries) => {
                read_entries(&mut log, &entries)?;
                return Ok(log);
            }
            other => return Err(FormError::NoLog { got: describe(&other) }),
        };
    }
    Err(FormError::NoLog { got: format!("a log wrapped more than {MAX_WRAPS} times") })
}

fn read_entries(log: &mut MatchLog, entries: &[Value]) -> Result<(), FormError> {
    for (index, entry) in entries.iter().enumerate() {
        let error = |expected| FormError::Entry { index, got: describe(entry), expected };
        if log.finish.is_some() {
            return Err(error("nothing after the judge's finish"));
        }
        let object = entry.as_object().ok_or_else(|| error("an object"))?;
        if let Some(output) = object.get("output") {
            match output.get("command").and_then(Value::as_str) {
                Some("request") => log.turns.push(request(output)),
                Some("finish") => log.finish = Some(finish(output)),
                _ => return Err(error("an output with the command request or finish")),
            }
            continue;
        }
        let turn = log.turns.last_mut().filter(|turn| turn.answer.is_none());
        let turn = turn.ok_or_else(|| error("an output of the judge"))?;
        let slots = match turn.asked {
            Some(side) => [side, !side],
            None => Side::BOTH,
        };
        let found = slots.into_iter().find_map(|side| Some((side, object.get(slot(side))?.as_object()?)));
        let (side, fields) = found.ok_or_else(|| error("an answer under the key 0 or 1"))?;
        turn.answer = Some(answer(side, fields));
    }
    if log.turns.is_empty() && log.finish.is_none() {
        return Err(FormError::NoLog { got: "an empty array".into() });
    }
    let counted = log.turns.iter().any(|turn| turn.counts.is_some() || turn.shown.is_some());
    let finished = log.finish.as_ref().is_some_and(|finish| finish.counts.is_some());
    if counted || finished { Ok(()) } else { Err(FormError::OtherGame) }
}

fn request(output: &Value) -> Turn {
    let content = output.get("content").and_then(Value::as_object);
    let asked = content
        .and_then(|content| Side::BOTH.into_iter().find_map(|side| Some((side, content.get(slot(side))?))));
    Turn {
        asked: asked.map(|(side, _)| side),
        shown: asked.and_then(|(_, numbers)| coordinates(numbers)),
        counts: counts(output),
        answer: None,
    }
}

fn finish(output: &Value) -> Finish {
    let display = output.get("display");
    let score = |side| output.get("content")?.get(slot(side))?.as_f64();
    let winner = display.and_then(|display| match display.get("winner")?.as_u64()? {
        0 => Some(Side::First),
        1 => Some(Side::Second),
        _ => None,
    });
    let scores = score(Side::First).zip(score(Side::Second)).map(|(first, second)| [first, second]);
    let by_score = scores.and_then(|[first, second]| match first.total_cmp(&second) {
        std::cmp::Ordering::Greater => Some(Side::First),
        std::cmp::Ordering::Less => Some(Side::Second),
        std::cmp::Ordering::Equal => None,
    });
    Finish {
        winner: winner.or(by_score),
        scores,
        error: display.and_then(|display| display.get("err")?.as_str()).map(JudgeError::new),
        shown: display.and_then(coordinates),
        counts: counts(output),
    }
}

fn answer(side: Side, fields: &Map<String, Value>) -> LoggedAnswer {
    let number = |key| fields.get(key).and_then(Value::as_f64).filter(|number| *number >= 0.0);
    let debug = fields.get("debug").filter(|debug| !debug.is_null());
    LoggedAnswer {
        side,
        reply: reply(fields),
        verdict: fields.get("verdict").and_then(Value::as_str).map_or_else(RunStatus::ok, RunStatus::new),
        time_ms: number("time"),
        memory_mb: number("memory"),
        debug: debug.map(|debug| debug.as_str().map_or_else(|| debug.to_string(), str::to_owned)),
        keep_running: fields.get("keep_running").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// The move: under `response`, for a human under `content`, or in the text that a text bot wrote.
fn reply(fields: &Map<String, Value>) -> Reply {
    let mut rest = None;
    for key in ["response", "content", "raw"] {
        let Some(value) = fields.get(key).filter(|value| !value.is_null()) else { continue };
        match coordinates(value) {
            Some(numbers) => return Reply::Numbers(numbers),
            None => rest = rest.or(Some(value)),
        }
    }
    match rest {
        None => Reply::Missing,
        Some(Value::String(text)) if text.trim().is_empty() => Reply::Missing,
        Some(Value::String(text)) => Reply::Unreadable(excerpt(text)),
        Some(value) => Reply::Unreadable(excerpt(&value.to_string())),
    }
}

/// Six numbers as an object, or as text: then the first line counts, the rest is the bot's own.
fn coordinates(value: &Value) -> Option<Coordinates> {
    if let Value::String(text) = value {
        return text.lines().next()?.parse().ok();
    }
    let number = |name| match &value[name] {
        Value::String(text) => text.trim().parse().ok(),
        number => number.as_i64(),
    };
    let [x0, y0, x1, y1, x2, y2] = ["x0", "y0", "x1", "y1", "x2", "y2"].map(number);
    Some(Coordinates([x0?, y0?, x1?, y1?, x2?, y2?]))
}

fn counts(output: &Value) -> Option<[u64; 2]> {
    let display = output.get("display")?;
    Some([display.get("blackCount")?.as_u64()?, display.get("whiteCount")?.as_u64()?])
}

fn id(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.get("$oid")?.as_str())?;
    Some(text.chars().take(80).collect())
}

/// A player's name, however deep it stands; a bot without one goes by its id.
fn name(player: &Value) -> Option<String> {
    match player {
        Value::String(text) => Some(text.chars().take(80).collect()),
        Value::Object(object) => ["name", "nickname", "bot", "user", "_id", "$oid"]
            .iter()
            .find_map(|key| object.get(*key).and_then(name))
            .filter(|name| !name.is_empty()),
        _ => None,
    }
}

fn slot(side: Side) -> &'static str {
    ["0", "1"][side.index()]
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "true or false".into(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string \"{}\"", excerpt(text)),
        Value::Array(list) => format!("an array of {}", list.len()),
        Value::Object(object) => describe_object(object),
    }
}

fn describe_object(object: &Map<String, Value>) -> String {
    if object.is_empty() {
        return "an empty object".into();
    }
    let keys: Vec<_> = object.keys().take(6).map(|key| excerpt(key)).collect();
    let more = if object.len() > keys.len() { " and more" } else { "" };
    format!("an object with {}{more}", keys.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn none() -> Value {
        json!({"x0": -1, "y0": -1, "x1": -1, "y1": -1, "x2": -1, "y2": -1})
    }

    fn entries(answer: Value) -> Value {
        json!([
            {"output": {"command": "request", "content": {"0": none()}, "display": {}}},
            {"0": answer},
        ])
    }

    fn reply_of(answer: Value) -> Reply {
        match_log(entries(answer)).unwrap().turns[0].answer.clone().unwrap().reply
    }

    #[test]
    fn every_wrapping_holds_the_same_log() {
        let bare = entries(json!({"raw": "5 0 3 2 6 5"}));
        let expected = match_log(bare.clone()).unwrap();
        let encoded = Value::String(bare.to_string());
        let twice = Value::String(encoded.to_string());
        for wrapped in [
            encoded.clone(),
            twice.clone(),
            json!({"log": bare}),
            json!({"logs": encoded}),
            json!({"loglist": twice}),
        ] {
            assert_eq!(match_log(wrapped.clone()).unwrap(), expected, "{wrapped}");
            assert_eq!(match_log(Value::String(wrapped.to_string())).unwrap(), expected, "{wrapped}");
        }
    }

    #[test]
    fn ids_and_names_are_found_where_they_stand() {
        let log = entries(json!({}));
        let with = |id: Value, players: Value| {
            let log = match_log(json!({"_id": id, "players": players, "log": log})).unwrap();
            (log.id, log.players)
        };
        let text = |text: &str| Some(text.to_owned());
        let bots = json!([{"type": "bot", "bot": {"name": "Alice", "user": {"name": "u"}}}, {"type": "bot", "bot": "5bd1"}]);
        assert_eq!(with(json!({"$oid": "5bd1"}), bots), (text("5bd1"), [text("Alice"), text("5bd1")]));
        assert_eq!(with(json!("7"), json!(["A"])), (text("7"), [text("A"), None]));
        assert_eq!(with(json!(7), json!("A")), (None, [None, None]));
    }

    #[test]
    fn a_move_is_found_wherever_it_stands() {
        let six = json!({"x0": 5, "y0": "0", "x1": 3, "y1": 2, "x2": 6, "y2": 5});
        let expected = Reply::Numbers(Coordinates([5, 0, 3, 2, 6, 5]));
        for answer in [
            json!({"response": six}),
            json!({"content": six}),
            json!({"response": null, "content": six}),
            json!({"raw": "5 0 3 2 6 5\nsome data"}),
            json!({"response": "5 0 3 2 6 5"}),
            json!({"response": "", "raw": "5 0 3 2 6 5"}),
        ] {
            assert_eq!(reply_of(answer.clone()), expected, "{answer}");
        }
        assert_eq!(reply_of(json!({})), Reply::Missing);
        assert_eq!(reply_of(json!({"raw": " "})), Reply::Missing);
        assert_eq!(reply_of(json!({"raw": "no\tmove"})), Reply::Unreadable("no\\tmove".into()));
        assert_eq!(reply_of(json!({"response": {"x0": 0.5}})), Reply::Unreadable(r#"{"x0":0.5}"#.into()));
    }

    #[test]
    fn an_answer_has_its_costs_and_its_debug() {
        let log = match_log(entries(
            json!({"time": 931, "memory": 12, "verdict": "TLE", "keep_running": true, "debug": {"n": 1}}),
        ));
        let answer = log.unwrap().turns[0].answer.clone().unwrap();
        assert_eq!((answer.time_ms, answer.memory_mb, answer.keep_running), (Some(931.0), Some(12.0), true));
        assert_eq!((answer.verdict, answer.debug.as_deref()), (RunStatus::time_limit(), Some("{\"n\":1}")));
    }

    #[test]
    fn what_is_no_log_is_refused_by_what_it_is() {
        let refusal = |value: Value| match_log(value).unwrap_err().to_string();
        let request = json!({"output": {"command": "request", "content": {"0": none()}}});
        let finish = json!({"output": {"command": "finish", "content": {"0": 2, "1": 0}}});
        let cases = [
            (json!([]), "got an empty array: expected an array of entries"),
            (json!(null), "got null"),
            (json!({"moves": 1, "id": 2}), "got an object with id, moves: expected"),
            (json!("hello"), "the string \"hello\" is no JSON"),
            (json!([1]), "entry 0 is the number 1: expected an object"),
            (json!([{"0": {}}]), "entry 0 is an object with 0: expected an output of the judge"),
            (json!([request, {"0": {}}, {"1": {}}]), "entry 2 is an object with 1: expected an output"),
            (
                json!([request, {"2": {}}]),
                "entry 1 is an object with 2: expected an answer under the key 0 or 1",
            ),
            (json!([request, {"0": 5}]), "entry 1 is an object with 0: expected an answer"),
            (
                json!([{"output": {"command": "wait"}}]),
                "expected an output with the command request or finish",
            ),
            (json!([request, finish, finish]), "entry 2 is an object with output: expected nothing after"),
            (json!([finish]), "a match of another game"),
            (
                json!([{"output": {"command": "request", "content": {"0": {"board": "rnbq"}}}}]),
                "another game",
            ),
        ];
        for (value, expected) in cases {
            let message = refusal(value);
            assert!(message.contains(expected), "{message}");
        }
        let deep = (0..10).fold(json!([]), |inner, _| json!({"log": inner}));
        assert!(refusal(deep).contains("wrapped more than 8 times"));
    }
}
