//! Reads JSON objects with serde. Errors name the field that is wrong or unknown, and say what was
//! received and what was expected.

use std::fmt::Display;
use std::time::Duration;

use quiver_bot::messages;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

pub(crate) type Object = Map<String, Value>;

/// Field names of earlier versions, each with the name that replaced it.
const RENAMED_FIELDS: [(&str, &str); 7] = [
    ("board", "boardXSize"),
    ("playouts", "maxVisits"),
    ("time", "overrideSettings.maxTime"),
    ("turns", "analyzeTurns or turnNumbers"),
    ("parameters", "overrideSettings"),
    ("report_every", "reportDuringSearchEvery"),
    ("terminate", "terminateId"),
];

/// An error about a wrong field of a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// The path of the field, such as `game.moves`; empty if no single field is wrong.
    pub field: String,
    /// A text that says what was received and what was expected.
    pub message: String,
}

impl FieldError {
    /// Builds an error about `field`.
    pub fn new(field: &str, message: impl Display) -> FieldError {
        FieldError { field: excerpt(field), message: message.to_string() }
    }

    /// Puts `outer`, the field that contains the wrong field, at the beginning of the path.
    pub(crate) fn within(self, outer: &str) -> FieldError {
        let parts = [outer, &self.field].map(str::to_owned);
        FieldError { field: parts.join(".").trim_end_matches('.').to_owned(), ..self }
    }

    fn of(error: &serde_path_to_error::Error<serde_json::Error>, object: &Value) -> FieldError {
        let (path, text) = (error.path(), error.inner().to_string());
        let value = path.iter().try_fold(object, |value, segment| match segment {
            Segment::Seq { index } => value.get(index),
            Segment::Map { key } => value.get(key),
            Segment::Enum { .. } | Segment::Unknown => None,
        });
        let got = excerpt(&value.unwrap_or(object).to_string());
        let mut field = path.to_string();
        // serde's message has only the type of the received value. `got` quotes the value itself.
        let mismatch = ["invalid ", "unknown variant "].iter().any(|begin| text.starts_with(begin));
        let message = match text.split_once(", expected ") {
            _ if text.starts_with("expected ") => format!("got {got}: {text}"),
            Some((_, expected)) if mismatch => format!("got {got}: expected {expected}"),
            Some((_, expected)) if text.starts_with(UNKNOWN_FIELD) => {
                format!("no such field: expected {expected}")
            }
            _ => match text.strip_prefix("missing field `") {
                Some(name) => {
                    field = format!("{field}.{}", name.trim_end_matches('`'));
                    "missing: expected a value".to_owned()
                }
                None => text,
            },
        };
        FieldError::new(field.trim_matches('.'), message)
    }
}

/// The beginning of serde's message about an unknown field.
const UNKNOWN_FIELD: &str = "unknown field ";

/// Parses a JSON object, in which a field that is `null` counts as absent.
pub(crate) fn parse(json: &[u8]) -> Result<Object, FieldError> {
    match serde_json::from_slice(json) {
        Ok(Value::Object(mut object)) => {
            object.retain(|_, value| !value.is_null());
            Ok(object)
        }
        Ok(other) => {
            let got = excerpt(&other.to_string());
            Err(FieldError::new("", format!("got {got}: expected an object")))
        }
        Err(error) => Err(FieldError::new("", format!("no JSON: {error}"))),
    }
}

/// Parses the fields of a question. Returns the question, and an error for each unknown field.
///
/// # Errors
/// If a field has a wrong value, is missing, or has the name of an earlier version.
pub(crate) fn read<T: DeserializeOwned>(object: &Object) -> Result<(T, Vec<FieldError>), FieldError> {
    if let Some((name, now)) = RENAMED_FIELDS.iter().find(|(name, _)| object.contains_key(*name)) {
        return Err(FieldError::new(name, format!("this field has a new name: expected {now}")));
    }
    let (mut left, mut unknown) = (Value::Object(object.clone()), Vec::new());
    loop {
        let error = match serde_path_to_error::deserialize(&left) {
            Ok(read) => return Ok((read, unknown)),
            Err(error) => error,
        };
        let fault = FieldError::of(&error, &left);
        let name = error.path().to_string();
        let is_unknown = error.inner().to_string().starts_with(UNKNOWN_FIELD);
        if !is_unknown || left.as_object_mut().and_then(|object| object.remove(&name)).is_none() {
            return Err(fault);
        }
        unknown.push(fault);
    }
}

pub(crate) fn read_strictly<T: DeserializeOwned>(json: &[u8]) -> Result<T, FieldError> {
    let (read, unknown) = read(&parse(json)?)?;
    unknown.into_iter().next().map_or(Ok(read), Err)
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct Whole<const MIN: i64, const MAX: i64>(pub(crate) i64);

impl<const MIN: i64, const MAX: i64> TryFrom<Value> for Whole<MIN, MAX> {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let number = value.as_i64().filter(|number| (MIN..=MAX).contains(number));
        number.map(Whole).ok_or_else(|| format!("expected a whole number from {MIN} to {MAX}"))
    }
}

impl<const MIN: i64, const MAX: i64> Whole<MIN, MAX> {
    /// Returns the number as `usize`, for types whose `MIN` is not negative.
    pub(crate) fn to_usize(self) -> usize {
        self.0 as usize
    }
}

/// A duration that JSON gives in seconds. It is at least `LEAST` milliseconds and at most one day.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct Seconds<const LEAST: u64>(pub(crate) Duration);

impl<const LEAST: u64> TryFrom<Value> for Seconds<LEAST> {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let least = Duration::from_millis(LEAST).as_secs_f64();
        let seconds = value.as_f64().filter(|seconds| (least..=MAX_SECONDS).contains(seconds));
        let seconds = seconds.map(|seconds| Seconds(Duration::from_secs_f64(seconds)));
        seconds.ok_or_else(|| format!("expected a number from {least} to {MAX_SECONDS}"))
    }
}

const MAX_SECONDS: f64 = 86_400.0;

pub(super) fn excerpt(text: &str) -> String {
    messages::excerpt(text, 60)
}
