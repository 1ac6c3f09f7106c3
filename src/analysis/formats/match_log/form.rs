//! Reads the JSON of one match, which may be nested in objects and strings, into a [`MatchLog`].

use amazons::Side;
use quiver_bot::Coordinates;
use serde::Serialize;
use serde_json::Value;

use super::{MatchLog, excerpt};
use crate::InputError;
use crate::games::TurnFacts;

/// The largest number of nested objects and JSON strings around a log's array of entries.
const MAX_WRAPS: usize = 8;

pub(super) fn match_log(mut value: Value) -> Result<MatchLog, InputError> {
    let none = |got: &str| {
        InputError(format!("got {got}: expected an array of entries, alone or in key log, logs or loglist"))
    };
    let mut log = MatchLog::default();
    for _ in 0..MAX_WRAPS {
        value = match value {
            Value::String(text) => {
                let got = || format!("the string \"{}\" is no JSON", excerpt(&text));
                let error = |_| InputError(format!("{}: expected the JSON of a match log", got()));
                serde_json::from_str(&text).map_err(error)?
            }
            Value::Object(mut object) => {
                let mut keys = ["log", "logs", "loglist"].into_iter();
                let found = keys.find_map(|key| object.remove(key).filter(|inner| !inner.is_null()));
                let inner = found.ok_or_else(|| none(&describe(&object)))?;
                log.id =
                    log.id.or_else(|| object.get("_id").or_else(|| object.get("id")).and_then(name_or_id));
                if let Some(Value::Array(players)) = object.get("players") {
                    log.players = [0, 1].map(|slot| players.get(slot).and_then(name_or_id));
                }
                inner
            }
            Value::Array(entries) if !entries.is_empty() => {
                read_entries(&mut log, &entries)?;
                return Ok(log);
            }
            other => return Err(none(&describe(&other))),
        };
    }
    Err(none(&format!("entries in more than {MAX_WRAPS} objects and strings")))
}

fn read_entries(log: &mut MatchLog, entries: &[Value]) -> Result<(), InputError> {
    for (index, entry) in entries.iter().enumerate() {
        let error =
            |expected: &str| InputError(format!("entry {index} is {}: expected {expected}", describe(entry)));
        if log.finish.is_some() {
            return Err(error("nothing after the judge's finish"));
        }
        let output = &entry["output"];
        match output["command"].as_str() {
            Some("request") => log.turns.push((output.clone(), None)),
            Some("finish") => log.finish = Some(output.clone()),
            _ if !output.is_null() => return Err(error("an output with the command request or finish")),
            _ => {
                let open = log.turns.last_mut().filter(|(_, answer)| answer.is_none());
                let (request, answer) = open.ok_or_else(|| error("an output of the judge"))?;
                let mut sides = asked_side(request).into_iter().chain(Side::BOTH);
                let side = sides.find(|&side| entry[player_key(side)].is_object());
                let side = side.ok_or_else(|| error("an answer under the key 0 or 1"))?;
                *answer = Some((side, entry[player_key(side)].clone()));
            }
        }
    }
    let counted = log
        .turns
        .iter()
        .any(|(request, _)| legal_move_counts(request).is_some() || stated_last_move(request).is_some());
    let finished = log.finish.as_ref().is_some_and(|finish| legal_move_counts(finish).is_some());
    let other =
        "a match of another game: expected moves (x0, y0, ..., y2), or a display (blackCount, whiteCount)";
    if counted || finished { Ok(()) } else { Err(InputError(other.to_owned())) }
}

pub(super) fn asked_side(request: &Value) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| request["content"].get(player_key(side)).is_some())
}

/// The last move that the judge's request states; [`Coordinates::NONE`] before the first move.
pub(super) fn stated_last_move(request: &Value) -> Option<Coordinates> {
    asked_side(request).and_then(|side| coordinates(&request["content"][player_key(side)]))
}

/// The numbers of legal moves of both sides, as the judge counts them. After an illegal move they
/// may be wrong, because the judge may have moved the queen before it counted.
pub(super) fn legal_move_counts(output: &Value) -> Option<[u64; 2]> {
    let display = &output["display"];
    Some([display["blackCount"].as_u64()?, display["whiteCount"].as_u64()?])
}

/// The scores of the first and the second player: 2 for the winner, 0 for the loser.
pub(super) fn scores(finish: &Value) -> Option<[f64; 2]> {
    let [first, second] = Side::BOTH.map(|side| finish["content"][player_key(side)].as_f64());
    Some([first?, second?])
}

pub(super) fn winner(finish: &Value) -> Option<Side> {
    let by_score = scores(finish).filter(|[first, second]| first != second);
    let by_score = by_score.map(|[first, second]| if first > second { Side::First } else { Side::Second });
    Side::BOTH.into_iter().find(|side| finish["display"]["winner"] == side.index()).or(by_score)
}

pub(super) fn verdict(answer: &Value) -> String {
    excerpt(answer["verdict"].as_str().unwrap_or("OK"))
}

pub(super) fn facts(answer: &Value) -> TurnFacts {
    let number = |key| answer[key].as_f64().filter(|number| TurnFacts::RESOURCE_AMOUNTS.contains(number));
    TurnFacts {
        comment: text(&answer["debug"]).unwrap_or_default(),
        seconds: number("time").map(|milliseconds| milliseconds / 1000.0),
        megabytes: number("memory"),
        kept_running: answer["keep_running"] == true,
        ..TurnFacts::default()
    }
}

/// Reads the six coordinates of an answer, which may lie outside the board. They are under the key
/// `response`, or `content` for a human, or `raw` for a bot that answers in text.
///
/// # Errors
/// If the answer has no six numbers. The error quotes the answer, or says that it is empty.
pub(super) fn reply(answer: &Value) -> Result<Coordinates, String> {
    let values = ["response", "content", "raw"].map(|key| &answer[key]);
    values.into_iter().find_map(coordinates).ok_or_else(|| match values.into_iter().find_map(text) {
        Some(text) if !text.trim().is_empty() => format!("\"{}\"", excerpt(&text)),
        _ => "no output".to_owned(),
    })
}

/// Reads six numbers from an object, or from the first line of a text. The other lines of a text
/// are the bot's own data.
pub(super) fn coordinates(value: &Value) -> Option<Coordinates> {
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

/// Returns the name of the player that `value` describes, or the player's id if there is no name.
/// If `value` is the id of a match, returns this id.
fn name_or_id(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(excerpt(text)),
        Value::Object(object) => ["name", "nickname", "bot", "user", "_id", "$oid"]
            .iter()
            .find_map(|key| object.get(*key).and_then(name_or_id))
            .filter(|name| !name.is_empty()),
        _ => None,
    }
}

fn player_key(side: Side) -> &'static str {
    ["0", "1"][side.index()]
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn describe(value: &impl Serialize) -> String {
    excerpt(&serde_json::to_string(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = r#"{"output": {"command": "request",
        "content": {"0": {"x0": -1, "y0": -1, "x1": -1, "y1": -1, "x2": -1, "y2": -1}}}}"#;

    fn value(json: &str) -> Value {
        serde_json::from_str(&json.replace("REQUEST", REQUEST)).unwrap()
    }

    #[test]
    fn finds_ids_and_names() {
        let named = |id: &str, players: &str| {
            let log = r#"[REQUEST, {"0": {}}]"#;
            let log = format!(r#"{{"_id": {id}, "players": {players}, "log": {log}}}"#);
            let log = match_log(value(&log)).unwrap();
            (log.id, log.players)
        };
        let text = |text: &str| Some(text.to_owned());
        let bots = r#"[{"type": "bot", "bot": {"name": "Alice", "user": {"name": "u"}}}, {"type": "bot", "bot": "5bd1"}]"#;
        assert_eq!(named(r#"{"$oid": "5bd1"}"#, bots), (text("5bd1"), [text("Alice"), text("5bd1")]));
        assert_eq!(named(r#""7""#, r#"["A"]"#), (text("7"), [text("A"), None]));
        assert_eq!(named("7", r#""A""#), (None, [None, None]));
    }

    #[test]
    fn reads_move_in_every_form_of_answer() {
        let six = r#"{"x0": 5, "y0": "0", "x1": 3, "y1": 2, "x2": 6, "y2": 5}"#;
        let expected = Ok(Coordinates([5, 0, 3, 2, 6, 5]));
        for answer in [
            r#"{"response": SIX}"#,
            r#"{"content": SIX}"#,
            r#"{"response": null, "content": SIX}"#,
            r#"{"raw": "5 0 3 2 6 5\nsome data"}"#,
            r#"{"response": "5 0 3 2 6 5"}"#,
            r#"{"response": "", "raw": "5 0 3 2 6 5"}"#,
        ] {
            assert_eq!(reply(&value(&answer.replace("SIX", six))), expected, "{answer}");
        }
        for (answer, expected) in [
            ("{}", "no output"),
            (r#"{"raw": " "}"#, "no output"),
            (r#"{"raw": "no\tmove"}"#, r#""no\tmove""#),
            (r#"{"response": {"x0": 0.5}}"#, r#""{"x0":0.5}""#),
        ] {
            assert_eq!(reply(&value(answer)), Err(expected.to_owned()));
        }
        assert_eq!(facts(&value(r#"{"time": 1e308, "memory": -1}"#)), TurnFacts::default());
    }

    #[test]
    fn error_quotes_what_is_no_log() {
        let finish = r#"{"output": {"command": "finish", "content": {"0": 2, "1": 0}}}"#;
        let deep = format!("{}[]{}", r#"{"log": "#.repeat(10), "}".repeat(10));
        for (log, expected) in [
            ("[]", "got []: expected an array of entries"),
            ("null", "got null"),
            (r#"{"moves": 1, "id": 2}"#, "got {\"id\":2,\"moves\":1}: expected"),
            (r#""hello""#, "the string \"hello\" is no JSON"),
            ("[1]", "entry 0 is 1: expected an output of the judge"),
            (r#"[{"0": {}}]"#, "entry 0 is {\"0\":{}}: expected an output of the judge"),
            (r#"[REQUEST, {"0": {}}, {"1": {}}]"#, "entry 2 is {\"1\":{}}: expected an output of the judge"),
            (r#"[REQUEST, {"2": {}}]"#, "entry 1 is {\"2\":{}}: expected an answer under the key 0 or 1"),
            (r#"[REQUEST, {"0": 5}]"#, "entry 1 is {\"0\":5}: expected an answer"),
            (r#"[{"output": {"command": "wait"}}]"#, "expected an output with the command request or finish"),
            ("[REQUEST, FINISH, FINISH]", "expected nothing after"),
            ("[FINISH]", "a match of another game"),
            (r#"[{"output": {"command": "request", "content": {"0": {"board": "rnbq"}}}}]"#, "another game"),
            (&deep, "in more than 8 objects and strings"),
        ] {
            let message = match_log(value(&log.replace("FINISH", finish))).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
