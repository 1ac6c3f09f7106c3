//! Reads files of weights, which are JSON objects with fixed fields.

use serde_json::{Map, Value};

use super::error::WeightsError;

pub(super) struct File {
    pub(super) format: String,
    pub(super) board: u32,
    pub(super) columns: Vec<String>,
    /// The number of units of a weight that make up 1.0 of log-odds.
    pub(super) scale: u16,
    pub(super) contest_knots: Vec<u16>,
    pub(super) empty_knots: Vec<u16>,
    pub(super) contest: Vec<Vec<i16>>,
    pub(super) empty: Vec<Vec<i16>>,
    pub(super) checksum: u64,
}

/// The names of all fields in a file. The reader ignores the value of `provenance`.
const FIELDS: [&str; 10] = [
    "format",
    "board",
    "columns",
    "scale",
    "contest_knots",
    "empty_knots",
    "contest",
    "empty",
    "provenance",
    "checksum",
];

impl File {
    pub(super) fn parse(text: &str) -> Result<File, WeightsError> {
        let json: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| WeightsError::Json(error.to_string()))?;
        if let Some(name) = json.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(WeightsError::UnknownField(name.clone()));
        }
        let knots = |name| field(&json, name, "a list of whole numbers", |value| list(value, whole));
        let rows = |name| {
            let expected = "lists of whole numbers from -32768 to 32767";
            field(&json, name, expected, |value| list(value, |row| list(row, whole)))
        };
        Ok(File {
            format: field(&json, "format", "a text", text_of)?,
            board: field(&json, "board", "a whole number", whole)?,
            columns: field(&json, "columns", "a list of texts", |value| list(value, text_of))?,
            scale: field(&json, "scale", "a whole number from 0 to 65535", whole)?,
            contest_knots: knots("contest_knots")?,
            empty_knots: knots("empty_knots")?,
            contest: rows("contest")?,
            empty: rows("empty")?,
            checksum: field(&json, "checksum", "a hexadecimal number of up to 16 digits", |value| {
                u64::from_str_radix(value.as_str()?, 16).ok()
            })?,
        })
    }
}

fn field<T>(
    json: &Map<String, Value>,
    name: &'static str,
    expected: &'static str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<T, WeightsError> {
    let value = json.get(name);
    let got = || value.map_or_else(|| "no value".to_owned(), Value::to_string);
    value.and_then(read).ok_or_else(|| WeightsError::Field { name, got: got(), expected })
}

fn whole<T: TryFrom<i64>>(value: &Value) -> Option<T> {
    value.as_i64()?.try_into().ok()
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(item).collect()
}
