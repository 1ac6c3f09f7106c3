//! Parses the requests of Botzone's judge: JSON or text, with all turns of the match or only one.
//!
//! | | full history | this turn only |
//! |---|---|---|
//! | JSON | an object with `requests` | an object with `x0` |
//! | text | a line with the number of turns, then a line for each ply | six integers |
//!
//! This module checks the syntax of a request. [`History`](crate::History) checks the moves.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::messages::{self, counted};
use crate::{Coordinates, InputError};

/// The line that the bot writes after its answer to ask the judge to keep the process running.
pub const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// The largest number of turns of a side: 10x10 begins with 92 empty squares, and a ply burns one.
const MAX_TURNS: usize = 46;

/// A request of the judge for one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeRequest {
    /// The format of the request, in which the bot also answers.
    pub form: RequestForm,
    /// The plies of the match that the request states.
    pub content: RequestBody,
    /// The time limit of this turn; `None` if the request states no limit.
    pub time_limit: Option<TimeLimit>,
}

/// The time limit of a turn in a request.
///
/// Botzone does not document the unit. A number of at least 50 is read as milliseconds. A smaller
/// number is read as seconds, because so few milliseconds are too short for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeLimit {
    /// The limit.
    pub time: Duration,
    /// True if the number was read as seconds.
    pub in_seconds: bool,
}

/// The smallest time limit that is read as milliseconds.
pub const LEAST_MILLISECONDS: u64 = 50;

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.in_seconds { "seconds, since it is below 50" } else { "milliseconds" };
        write!(f, "time_limit {} s: the number was read as {unit}", self.time.as_secs_f64())
    }
}

/// The format of a request and of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RequestForm {
    /// One JSON object on one line.
    Json,
    /// Lines of integers, which Botzone calls "simplified interaction".
    Text,
}

/// The plies that a request states: all plies of the match, or only the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestBody {
    /// All plies of the match in order, with [`Coordinates::NONE`] before them if the bot moves
    /// first. The list begins and ends with an entry from the judge, so its length is odd.
    History(Vec<Coordinates>),
    /// The opponent's last move, or [`Coordinates::NONE`] in the first turn of the first player.
    Turn(Coordinates),
}

/// The number of turns, with which a full history in text form begins; `None` for other requests.
pub(super) fn turns(text: &str) -> Option<usize> {
    text.lines().next()?.parse().ok().filter(|turns| (1..=MAX_TURNS).contains(turns))
}

/// The number of lines missing in a full history in text form; 0 for other requests.
pub(super) fn missing_lines(text: &str) -> usize {
    turns(text).map_or(0, |turns| (2 * turns).saturating_sub(text.lines().count()))
}

impl FromStr for JudgeRequest {
    type Err = InputError;

    fn from_str(text: &str) -> Result<JudgeRequest, InputError> {
        if text.starts_with('{') {
            return read_object(text);
        }
        let content = match turns(text) {
            None => RequestBody::Turn(text.parse().map_err(|_| no_request(text))?),
            Some(turns) => {
                let plies = text.lines().skip(1).map(str::parse).collect::<Result<Vec<_>, _>>()?;
                let missing = missing_lines(text);
                if missing > 0 {
                    let lines = counted(missing, "more line", "more lines");
                    let history = format!("the history of {}", counted(turns, "turn", "turns"));
                    return Err(InputError(format!("the input ended: expected {lines} of {history}")));
                }
                RequestBody::History(plies)
            }
        };
        Ok(JudgeRequest { form: RequestForm::Text, content, time_limit: None })
    }
}

fn no_request(text: &str) -> InputError {
    let expected = "a JSON object, a number of turns or six integers x0 y0 x1 y1 x2 y2";
    InputError(match text.parse::<i64>() {
        Ok(turns) => format!("a history of {turns} turns: expected 1 to {MAX_TURNS}"),
        Err(_) => format!("'{}' is no request: expected {expected}", messages::excerpt(text, 40)),
    })
}

fn parse_fields<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, InputError> {
    let expected = "expected lists 'requests' and 'responses', or a move x0 to y2";
    let fault = |error: serde_json::Error| messages::excerpt(&error.to_string(), 160);
    serde_json::from_str(text)
        .map_err(|error| InputError(format!("the object cannot be read: {}; {expected}", fault(error))))
}

fn read_object(text: &str) -> Result<JudgeRequest, InputError> {
    #[derive(Deserialize)]
    struct TopLevelFields {
        requests: Option<IgnoredAny>,
        #[serde(default)]
        time_limit: Value,
    }
    #[derive(Deserialize)]
    struct RequestsAndResponses {
        requests: Vec<Coordinates>,
        responses: Vec<Coordinates>,
    }
    let frame: TopLevelFields = parse_fields(text)?;
    let content = if frame.requests.is_some() {
        let RequestsAndResponses { requests, responses } = parse_fields(text)?;
        let (asked, answered) = (requests.len(), responses.len());
        if asked != answered + 1 {
            let expected = "expected one more request than responses";
            return Err(InputError(format!("{asked} requests and {answered} responses: {expected}")));
        }
        let mut responses = responses.into_iter();
        RequestBody::History(
            requests.into_iter().flat_map(|ply| [Some(ply), responses.next()]).flatten().collect(),
        )
    } else {
        RequestBody::Turn(parse_fields(text)?)
    };
    Ok(JudgeRequest { form: RequestForm::Json, content, time_limit: read_time_limit(&frame.time_limit) })
}

/// Returns `None` for an unusable limit, such as 0. The bot then keeps its own limit.
fn read_time_limit(value: &Value) -> Option<TimeLimit> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    let in_seconds = number < LEAST_MILLISECONDS as f64;
    let seconds = if in_seconds { number } else { number / 1000.0 };
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())?;
    Some(TimeLimit { time, in_seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> JudgeRequest {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn recognises_forms_of_requests() {
        let bare = RequestBody::Turn(Coordinates([3, 0, 3, 6, 6, 6]));
        let plies = [Coordinates::NONE, Coordinates([1, 2, 3, 4, 5, 6]), Coordinates([6, 5, 4, 3, 2, 1])];
        let history = RequestBody::History(plies.to_vec());
        for (text, form, content) in [
            ("3 0 3 6 6 6", RequestForm::Text, &bare),
            ("3  0\t3 6 6 6", RequestForm::Text, &bare),
            (r#"{"x0":3,"x1":3,"x2":6,"y0":0,"y1":6,"y2":6}"#, RequestForm::Json, &bare),
            (r#"{"y2":6,"y1":6,"more":[{"x0":1}],"y0":0,"x2":6,"x1":3,"x0":3}"#, RequestForm::Json, &bare),
            ("2\n-1 -1 -1 -1 -1 -1\n1 2 3 4 5 6\n6 5 4 3 2 1", RequestForm::Text, &history),
            (
                r#"{"responses":[{"x0":1,"y0":2,"x1":3,"y1":4,"x2":5,"y2":6}],"data":"{\"x0\":1}","requests":
                [{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1},{"x0":6,"y0":5,"x1":4,"y1":3,"x2":2,"y2":1}]}"#,
                RequestForm::Json,
                &history,
            ),
        ] {
            assert_eq!(
                request(text),
                JudgeRequest { form, content: content.clone(), time_limit: None },
                "{text}"
            );
        }
        let beginnings = ["46", "1", "47", "0", "-1", "1 2", "{", "2\n1 2", "1\n1 2"];
        assert_eq!(beginnings.map(missing_lines), [91, 1, 0, 0, 0, 0, 0, 2, 0]);
    }

    #[test]
    fn reads_time_limits_below_50_as_seconds() {
        let limit = |value: &str| {
            let six = serde_json::to_string(&Coordinates::NONE).unwrap();
            let text =
                format!("{},\"time_limit\":{value},\"memory_limit\":\"256\"}}", six.trim_end_matches('}'));
            request(&text).time_limit
        };
        for (value, milliseconds, in_seconds) in [
            ("1000", 1000, false),
            ("1000.0", 1000, false),
            ("\"1000\"", 1000, false),
            ("\" 1e3 \"", 1000, false),
            ("50", 50, false),
            ("49.9", 49_900, true),
            ("\"1\"", 1000, true),
        ] {
            let expected = TimeLimit { time: Duration::from_millis(milliseconds), in_seconds };
            assert_eq!(limit(value), Some(expected), "{value}");
        }
        for value in ["null", "0", "-5", "\"\"", "\"soon\"", "\"nan\"", "1e300", "[1]", "{}", "true"] {
            assert_eq!(limit(value), None, "{value}");
        }
    }

    #[test]
    fn errors_are_short_lines() {
        let long = "\u{1}x ".repeat(100_000);
        let quoted = "\u{1b}[2J\r\nb'\"\u{2028}".repeat(1000);
        let cases = [
            (&*long, "'\\u{1}x \\u{1}x "),
            (&*format!("2\n{long}"), "six integers"),
            (&*format!("{{\"x0\":{quoted:?}}}"), "invalid"),
            ("", "'' is no request"),
            ("hello", "'hello' is no request: expected a JSON object, a number of turns or six integers"),
            ("1 2 3 4 5", "'1 2 3 4 5' is no request"),
            ("1 2 3 4 5 6 7", "is no request"),
            ("1 2 3 4 5 6.0", "is no request"),
            ("99999999999999999999", "'99999999999999999999' is no request"),
            ("0", "a history of 0 turns: expected 1 to 46"),
            ("47", "a history of 47 turns"),
            ("2\n1 2 3 4 5 6", "the input ended: expected 2 more lines of the history of 2 turns"),
            ("1", "the input ended: expected 1 more line of the history of 1 turn"),
            ("2\n1 2 3 4 5", "'1 2 3 4 5': expected six integers x0 y0 x1 y1 x2 y2"),
            ("{", "the object cannot be read: EOF while parsing an object at line 1 column 1"),
            ("{}{}", "trailing characters at line 1 column 3"),
            (
                "{}",
                "missing field `x0` at line 1 column 2; expected lists 'requests' and 'responses', or a move",
            ),
            (r#"{"requests":3,"responses":[]}"#, "invalid type: integer `3`, expected a sequence"),
            (r#"{"requests":[],"responses":[]}"#, "0 requests and 0 responses: expected one more request"),
            (r#"{"requests":["-1"],"responses":[]}"#, "invalid type: string \"-1\""),
            (r#"{"requests":[{}],"responses":[null]}"#, "missing field `x0`"),
            (r#"{"x0":1,"y0":2.0}"#, "invalid type: floating point `2.0`, expected i64 at line 1 column 16"),
            (r#"{"x0":1,"y0":"2"}"#, "invalid type: string \"2\", expected i64"),
        ];
        for (text, expected) in cases {
            let message = text.parse::<JudgeRequest>().unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
            assert!(message.len() < 500 && !message.contains(char::is_control), "{message}");
        }
    }
}
