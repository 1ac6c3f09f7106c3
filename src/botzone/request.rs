//! The four forms of a request, told apart by themselves.
//!
//! | | full history | this turn only |
//! |---|---|---|
//! | JSON | an object with `requests` | an object with `x0` |
//! | text | the number of turns alone on a line, the plies on lines of their own | six integers |
//!
//! A line is checked for its shape here. Whether its numbers are squares and its moves legal is for
//! [`history`](super::history) to say, which knows the board.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::six;
use crate::game::Coordinates;
use crate::messages;

/// The most turns a side can have: 92 squares are empty at the start of 10x10, and every ply burns
/// one.
pub const MAX_TURNS: usize = 46;

/// What the judge asks in one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// How it was written, and how the answer must be.
    pub form: Form,
    /// What it says about the match.
    pub content: Content,
    /// The judge's own limit for this turn, where it names one.
    pub time_limit: Option<TimeLimit>,
}

/// A limit that a request names for its turn.
///
/// The site does not document the unit. Values from 50 on are milliseconds; smaller ones cannot be,
/// so they are seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeLimit {
    /// The limit.
    pub time: Duration,
    /// Whether the number was read as seconds.
    pub in_seconds: bool,
}

/// The least number that is read as milliseconds.
pub const LEAST_MILLISECONDS: u64 = 50;

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.in_seconds { "seconds, since it is below 50" } else { "milliseconds" };
        write!(f, "time_limit {} s: the number was read as {unit}", self.time.as_secs_f64())
    }
}

/// The two ways to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// One object on one line.
    Json,
    /// Integers ("simplified interaction").
    Text,
}

/// The part of the match that a request tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// All of it: request, response, request and so on, an odd number of them. The first is
    /// [`Coordinates::NONE`] for the first player.
    History(Vec<Coordinates>),
    /// The opponent's last move, or [`Coordinates::NONE`] for the first player's first turn.
    Turn(Coordinates),
}

/// A place in a match, for messages. Turns are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A turn, as far as the process knows the match.
    Turn(usize),
    /// What the judge sent in this turn.
    Request(usize),
    /// What was answered in this turn.
    Response(usize),
}

impl Place {
    /// The entry with this index in a history of request, response, request and so on.
    #[must_use]
    pub fn of_history(index: usize) -> Place {
        let turn = index / 2 + 1;
        if index.is_multiple_of(2) { Place::Request(turn) } else { Place::Response(turn) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Turn(turn) => write!(f, "turn {turn}"),
            Place::Request(turn) => write!(f, "turn {turn}, request"),
            Place::Response(turn) => write!(f, "turn {turn}, response"),
        }
    }
}

/// Why input is not a request: where, what was got and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct RequestError {
    /// Where in the match.
    pub place: Place,
    /// The rest of the message.
    pub fault: String,
}

impl RequestError {
    pub(super) fn new(place: Place, fault: impl Into<String>) -> RequestError {
        RequestError { place, fault: fault.into() }
    }

    /// There is no request.
    pub(super) fn empty(turn: usize) -> RequestError {
        RequestError::new(Place::Turn(turn), "the input is empty: expected a request")
    }
}

/// What one line of input is by itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Opening {
    /// A whole request.
    Request(Request),
    /// The beginning of a text history of this many turns.
    History(usize),
}

/// Reads the first line of a request, which is not blank. `turn` is that of a bare request here,
/// and what messages name.
pub(super) fn parse_opening(line: &str, turn: usize) -> Result<Opening, RequestError> {
    let error = |fault| RequestError::new(Place::Turn(turn), fault);
    if line.starts_with('{') {
        return parse_object(line, turn).map(Opening::Request);
    }
    if let Ok(coordinates) = line.parse::<Coordinates>() {
        let content = Content::Turn(coordinates);
        return Ok(Opening::Request(Request { form: Form::Text, content, time_limit: None }));
    }
    let digits = line.strip_prefix('-').unwrap_or(line);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let expected = "expected a JSON object, a number of turns or six integers x0 y0 x1 y1 x2 y2";
        return Err(error(format!("'{}' is no request: {expected}", excerpt(line))));
    }
    let turns = line.parse().ok().filter(|turns| (1..=MAX_TURNS).contains(turns));
    let expected = || format!("a history of {} turns: expected 1 to {MAX_TURNS}", excerpt(line));
    turns.map(Opening::History).ok_or_else(|| error(expected()))
}

fn parse_object(line: &str, turn: usize) -> Result<Request, RequestError> {
    let error = |fault: String| RequestError::new(Place::Turn(turn), fault);
    let object: Map<String, Value> =
        serde_json::from_str(line).map_err(|fault| error(format!("broken JSON: {fault}")))?;
    let content = if object.contains_key("requests") {
        Content::History(parse_history(&object, turn)?)
    } else if object.contains_key("x0") {
        Content::Turn(parse_coordinates(&object, Place::Request(turn))?)
    } else {
        let fault = "the object has neither 'requests' nor 'x0': expected a history or a move";
        return Err(error(fault.to_owned()));
    };
    let time_limit = object.get("time_limit").and_then(parse_time_limit);
    Ok(Request { form: Form::Json, content, time_limit })
}

/// The two lists as one, in the order of the match.
fn parse_history(object: &Map<String, Value>, turn: usize) -> Result<Vec<Coordinates>, RequestError> {
    let list = |name: &str| match object.get(name) {
        Some(Value::Array(list)) => Ok(list),
        other => {
            let fault = format!("'{name}' is {}: expected a list of moves", describe(other));
            Err(RequestError::new(Place::Turn(turn), fault))
        }
    };
    let (requests, responses) = (list("requests")?, list("responses")?);
    let counts = [requests.len(), responses.len()];
    if counts[0] != counts[1] + 1 {
        let [asked, answered] = counts;
        let fault =
            format!("{asked} requests and {answered} responses: expected one request more than responses");
        return Err(RequestError::new(Place::Turn(asked.max(1)), fault));
    }
    let mut lists = [requests.iter(), responses.iter()];
    let entries = (0..counts[0] + counts[1]).filter_map(|index| Some((index, lists[index % 2].next()?)));
    let entry = |(index, value): (usize, &Value)| match (Place::of_history(index), value) {
        (place, Value::Object(object)) => parse_coordinates(object, place),
        (place, other) => {
            let expected = "expected an object with x0, y0, x1, y1, x2 and y2";
            Err(RequestError::new(place, format!("{} is no move: {expected}", describe(Some(other)))))
        }
    };
    entries.map(entry).collect()
}

/// Six plain integers. 3.0 and "3" are refused like 3.5: the judge sends neither.
fn parse_coordinates(object: &Map<String, Value>, place: Place) -> Result<Coordinates, RequestError> {
    six::read(object, Value::as_i64).map_err(|(name, value)| {
        RequestError::new(place, format!("{name} is {}: expected a whole number", describe(value)))
    })
}

/// A limit as the judge writes it, a number or a string. One that says nothing usable is as good as
/// none: it could only lower a limit that stands anyway.
fn parse_time_limit(value: &Value) -> Option<TimeLimit> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    let in_seconds = number < LEAST_MILLISECONDS as f64;
    let seconds = if in_seconds { number } else { number / 1000.0 };
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())?;
    Some(TimeLimit { time, in_seconds })
}

/// A JSON value in a message: short, on one line.
fn describe(value: Option<&Value>) -> String {
    value.map_or_else(|| String::from("missing"), |value| excerpt(&value.to_string()))
}

/// The beginning of a text in a message.
pub(super) fn excerpt(text: &str) -> String {
    messages::excerpt(text, 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Request {
        match parse_opening(line, 1).unwrap() {
            Opening::Request(request) => request,
            Opening::History(turns) => panic!("{line}: a history of {turns} turns"),
        }
    }

    fn refusal(line: &str) -> String {
        parse_opening(line, 7).unwrap_err().to_string()
    }

    #[test]
    fn the_forms_are_told_apart() {
        let bare = Content::Turn(Coordinates([3, 0, 3, 6, 6, 6]));
        for (line, form) in [
            ("3 0 3 6 6 6", Form::Text),
            ("3  0\t3 6 6 6", Form::Text),
            (r#"{"x0":3,"x1":3,"x2":6,"y0":0,"y1":6,"y2":6}"#, Form::Json),
            (r#"{"y2":6,"y1":6,"more":[{"x0":1}],"y0":0,"x2":6,"x1":3,"x0":3}"#, Form::Json),
        ] {
            let expected = Request { form, content: bare.clone(), time_limit: None };
            assert_eq!(request(line), expected, "{line}");
        }
        assert_eq!(parse_opening("46", 1).unwrap(), Opening::History(46));
        let line = r#"{"responses":[{"x0":1,"y0":2,"x1":3,"y1":4,"x2":5,"y2":6}],"data":"{\"x0\":1}","requests":
            [{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1},{"x0":6,"y0":5,"x1":4,"y1":3,"x2":2,"y2":1}]}"#;
        let expected = [Coordinates::NONE, Coordinates([1, 2, 3, 4, 5, 6]), Coordinates([6, 5, 4, 3, 2, 1])];
        assert_eq!(request(line).content, Content::History(expected.to_vec()));
    }

    #[test]
    fn limits_are_numbers_or_strings_or_nothing() {
        let limit = |value: &str| {
            let zero = r#""x0":0,"y0":0,"x1":0,"y1":0,"x2":0,"y2":0"#;
            request(&format!("{{{zero},\"time_limit\":{value},\"memory_limit\":\"256\"}}")).time_limit
        };
        for value in ["1000", "1000.0", "\"1000\"", "\" 1e3 \""] {
            let expected = TimeLimit { time: Duration::from_secs(1), in_seconds: false };
            assert_eq!(limit(value), Some(expected), "{value}");
        }
        for value in ["null", "0", "-5", "\"\"", "\"soon\"", "\"nan\"", "1e300", "[1]", "{}", "true"] {
            assert_eq!(limit(value), None, "{value}");
        }
    }

    #[test]
    fn reads_time_limits_below_50_as_seconds() {
        let limit = |value: &str| parse_time_limit(&serde_json::from_str(value).unwrap()).unwrap();
        for (value, milliseconds, in_seconds) in
            [("\"1\"", 1000, true), ("2.5", 2500, true), ("49.9", 49_900, true), ("50", 50, false)]
        {
            let expected = TimeLimit { time: Duration::from_millis(milliseconds), in_seconds };
            assert_eq!(limit(value), expected, "{value}");
        }
        let text = limit("1").to_string();
        assert_eq!(text, "time_limit 1 s: the number was read as seconds, since it is below 50");
    }

    #[test]
    fn what_is_no_request_says_where_and_why() {
        let none = r#"{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}"#;
        let cases = [
            ("hello", "turn 7: 'hello' is no request: expected a JSON object"),
            ("1 2 3 4 5", "turn 7: '1 2 3 4 5' is no request"),
            ("1 2 3 4 5 6 7", "is no request"),
            ("1 2 3 4 5 6.0", "is no request"),
            ("1 2 3 4 5 99999999999999999999", "is no request"),
            ("[1]", "turn 7: '[1]' is no request"),
            ("3.0", "turn 7: '3.0' is no request"),
            ("-", "turn 7: '-' is no request"),
            ("0", "turn 7: a history of 0 turns: expected 1 to 46"),
            ("-1", "turn 7: a history of -1 turns"),
            ("47", "turn 7: a history of 47 turns"),
            ("99999999999999999999", "a history of 99999999999999999999 turns"),
            ("{", "turn 7: broken JSON: EOF while parsing an object at line 1 column 1"),
            ("{}{}", "turn 7: broken JSON: trailing characters at line 1 column 3"),
            ("{}", "turn 7: the object has neither 'requests' nor 'x0'"),
            (r#"{"requests":3,"responses":[]}"#, "turn 7: 'requests' is 3: expected a list of moves"),
            (r#"{"requests":[]}"#, "turn 7: 'responses' is missing: expected a list of moves"),
            (r#"{"requests":[],"responses":[]}"#, "turn 1: 0 requests and 0 responses: expected one request"),
            (r#"{"requests":[1,2,3],"responses":[1]}"#, "turn 3: 3 requests and 1 responses"),
            (
                r#"{"requests":["-1"],"responses":[]}"#,
                "turn 1, request: \"-1\" is no move: expected an object",
            ),
            (
                r#"{"requests":[{}],"responses":[]}"#,
                "turn 1, request: x0 is missing: expected a whole number",
            ),
            (r#"{"x0":1,"y0":2.0}"#, "turn 7, request: y0 is 2.0: expected a whole number"),
            (r#"{"x0":1,"y0":"2"}"#, "turn 7, request: y0 is \"2\": expected a whole number"),
            (r#"{"x0":1e2}"#, "turn 7, request: x0 is 100.0"),
            (r#"{"x0":99999999999999999999}"#, "turn 7, request: x0 is "),
        ];
        for (line, expected) in cases {
            let message = refusal(line);
            assert!(message.contains(expected), "{line}: {message}");
        }
        let message = refusal(&format!(r#"{{"requests":[{none},{none}],"responses":[null]}}"#));
        assert_eq!(
            message,
            "turn 1, response: null is no move: expected an object with x0, y0, x1, y1, x2 and y2"
        );
    }

    #[test]
    fn messages_stay_short_and_on_one_line() {
        assert_eq!(excerpt("a\u{1b}[2J\r\nb'\"\u{2028}"), "a\\u{1b}[2J\\r\\nb'\"\\u{2028}");
        let message = refusal(&"\u{0}x\n".repeat(100_000));
        assert!(message.len() < 500 && !message.contains(['\n', '\u{0}']), "{message}");
        let deep = format!("{}1", "{\"requests\":[".repeat(100_000));
        assert!(refusal(&deep).contains("turn 7: broken JSON: recursion limit exceeded"));
    }
}
