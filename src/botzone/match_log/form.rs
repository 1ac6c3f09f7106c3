//! From the JSON of one match, in whatever wrapping, to a [`MatchLog`].

use serde::Serialize;
use serde_json::Value;

use super::{Finish, LoggedAnswer, MatchLog, Reply, Turn, excerpt};
use crate::game::{Coordinates, Side, TurnFacts};

/// The keys under which the array of a match may stand.
const LOG_KEYS: [&str; 3] = ["log", "logs", "loglist"];

/// How deep the array may be wrapped: an object around it and JSON in strings, with some to spare.
const MAX_WRAPS: usize = 8;

/// The error of JSON that is no log of an Amazons match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
                let found = LOG_KEYS.iter().find_map(|key| object.remove(*key).filter(|log| !log.is_null()));
                let inner = found.ok_or_else(|| FormError::NoLog { got: describe(&object) })?;
                log.id = log.id.or_else(|| object.get("_id").or_else(|| object.get("id")).and_then(id));
                if let Some(Value::Array(players)) = object.get("players") {
                    log.players = [0, 1].map(|slot| players.get(slot).and_then(name));
                }
                inner
            }
            Value::Array(entries) if !entries.is_empty() => {
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
        let output = &entry["output"];
        match output["command"].as_str() {
            Some("request") => log.turns.push(request(output)),
            Some("finish") => log.finish = Some(finish(output)),
            _ if !output.is_null() => return Err(error("an output with the command request or finish")),
            _ => {
                let turn = log.turns.last_mut().filter(|turn| turn.answer.is_none());
                let turn = turn.ok_or_else(|| error("an output of the judge"))?;
                let mut sides = turn.asked.into_iter().chain(Side::BOTH);
                let side = sides.find(|&side| entry[slot(side)].is_object());
                let side = side.ok_or_else(|| error("an answer under the key 0 or 1"))?;
                turn.answer = Some(answer(side, &entry[slot(side)]));
            }
        }
    }
    let counted = log.turns.iter().any(|turn| turn.counts.is_some() || turn.shown.is_some());
    let finished = log.finish.as_ref().is_some_and(|finish| finish.counts.is_some());
    if counted || finished { Ok(()) } else { Err(FormError::OtherGame) }
}

fn request(output: &Value) -> Turn {
    let content = &output["content"];
    let asked = Side::BOTH.into_iter().find(|&side| content.get(slot(side)).is_some());
    let shown = asked.and_then(|side| coordinates(&content[slot(side)]));
    Turn { asked, shown, counts: counts(output), answer: None }
}

fn finish(output: &Value) -> Finish {
    let (content, display) = (&output["content"], &output["display"]);
    let [first, second] = Side::BOTH.map(|side| content[slot(side)].as_f64());
    let scores = first.zip(second).map(|(first, second)| [first, second]);
    let by_score = scores.filter(|[first, second]| first != second);
    let by_score = by_score.map(|[first, second]| if first > second { Side::First } else { Side::Second });
    Finish {
        winner: Side::BOTH.into_iter().find(|side| display["winner"] == side.index()).or(by_score),
        scores,
        error: display["err"].as_str().map(excerpt),
        shown: coordinates(display),
        counts: counts(output),
    }
}

fn answer(side: Side, fields: &Value) -> LoggedAnswer {
    let number = |key| fields[key].as_f64().filter(|number| *number >= 0.0);
    LoggedAnswer {
        side,
        reply: reply(fields),
        verdict: excerpt(fields["verdict"].as_str().unwrap_or("OK")),
        facts: TurnFacts {
            comment: text(&fields["debug"]).unwrap_or_default(),
            seconds: number("time").map(|milliseconds| milliseconds / 1000.0),
            megabytes: number("memory"),
            kept_running: fields["keep_running"] == true,
            ..TurnFacts::default()
        },
    }
}

/// The move: under `response`, for a human under `content`, or in the text that a text bot wrote.
fn reply(fields: &Value) -> Reply {
    let values = ["response", "content", "raw"].map(|key| &fields[key]);
    if let Some(numbers) = values.into_iter().find_map(coordinates) {
        return Reply::Numbers(numbers);
    }
    match values.into_iter().find_map(text) {
        Some(text) if !text.trim().is_empty() => Reply::Unreadable(excerpt(&text)),
        _ => Reply::Missing,
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
    let display = &output["display"];
    Some([display["blackCount"].as_u64()?, display["whiteCount"].as_u64()?])
}

fn id(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value["$oid"].as_str()).map(excerpt)
}

/// A player's name, however deep it stands; a bot without one goes by its id.
fn name(player: &Value) -> Option<String> {
    match player {
        Value::String(text) => Some(excerpt(text)),
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

/// A string as it is, anything else as JSON; `None` for null.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The beginning of a value's JSON.
fn describe(value: &impl Serialize) -> String {
    excerpt(&serde_json::to_string(value).unwrap_or_default())
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
        let LoggedAnswer { verdict, facts, .. } = log.unwrap().turns[0].answer.clone().unwrap();
        assert_eq!(
            (facts.milliseconds(), facts.megabytes, facts.kept_running),
            (Some(931.0), Some(12.0), true)
        );
        assert_eq!((verdict.as_str(), facts.comment.as_str()), ("TLE", "{\"n\":1}"));
    }

    #[test]
    fn what_is_no_log_is_refused_by_what_it_is() {
        let refusal = |value: Value| match_log(value).unwrap_err().to_string();
        let request = json!({"output": {"command": "request", "content": {"0": none()}}});
        let finish = json!({"output": {"command": "finish", "content": {"0": 2, "1": 0}}});
        let cases = [
            (json!([]), "got []: expected an array of entries"),
            (json!(null), "got null"),
            (json!({"moves": 1, "id": 2}), "got {\"id\":2,\"moves\":1}: expected"),
            (json!("hello"), "the string \"hello\" is no JSON"),
            (json!([1]), "entry 0 is 1: expected an output of the judge"),
            (json!([{"0": {}}]), "entry 0 is {\"0\":{}}: expected an output of the judge"),
            (json!([request, {"0": {}}, {"1": {}}]), "entry 2 is {\"1\":{}}: expected an output"),
            (json!([request, {"2": {}}]), "entry 1 is {\"2\":{}}: expected an answer under the key 0 or 1"),
            (json!([request, {"0": 5}]), "entry 1 is {\"0\":5}: expected an answer"),
            (
                json!([{"output": {"command": "wait"}}]),
                "expected an output with the command request or finish",
            ),
            (json!([request, finish, finish]), "expected nothing after"),
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
