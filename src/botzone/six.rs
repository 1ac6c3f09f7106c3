//! The six numbers of a move as the objects of the judge, of bots and of logs hold them.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::game::Coordinates;

/// The names of the numbers, in order.
const NAMES: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

/// A move as a JSON object.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct SixObject {
    x0: i64,
    y0: i64,
    x1: i64,
    y1: i64,
    x2: i64,
    y2: i64,
}

impl From<Coordinates> for SixObject {
    fn from(Coordinates([x0, y0, x1, y1, x2, y2]): Coordinates) -> SixObject {
        SixObject { x0, y0, x1, y1, x2, y2 }
    }
}

/// A move as a JSON value.
#[cfg(any(feature = "match", feature = "replay"))]
pub(crate) fn value(coordinates: Coordinates) -> Value {
    let numbers = NAMES.iter().zip(coordinates.0);
    Value::Object(numbers.map(|(name, number)| ((*name).to_owned(), number.into())).collect())
}

/// Reads the numbers of an object, each by `number`.
///
/// # Errors
/// The name and the value of the first that is missing or no number.
pub(crate) fn read(
    object: &Map<String, Value>,
    number: impl Fn(&Value) -> Option<i64>,
) -> Result<Coordinates, (&'static str, Option<&Value>)> {
    let mut six = [0; 6];
    for (slot, name) in six.iter_mut().zip(NAMES) {
        let value = object.get(name);
        *slot = value.and_then(&number).ok_or((name, value))?;
    }
    Ok(Coordinates(six))
}
