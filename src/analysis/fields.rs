//! Reads a JSON object field by field. Errors name the field that is wrong or unknown.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::messages;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// Its name; empty where the whole is at fault.
    pub field: String,
    pub message: String,
}

impl FieldError {
    pub(crate) fn new(field: &str, message: impl ToString) -> FieldError {
        FieldError { field: excerpt(field), message: message.to_string() }
    }

    pub(crate) fn unexpected(field: &str, got: &Value, expected: &str) -> FieldError {
        FieldError::new(field, format!("got {}: expected {expected}", excerpt(&got.to_string())))
    }
}

/// The fields of an object, each read once. `null` counts as a missing field. A field may have two
/// names, its own and another program's; errors name it as the object does.
#[derive(Debug)]
pub(crate) struct Fields {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    pub(crate) fn parse(json: &[u8]) -> Result<Fields, FieldError> {
        match serde_json::from_slice(json) {
            Ok(Value::Object(left)) => Ok(Fields { left, known: Vec::new() }),
            Ok(other) => Err(FieldError::unexpected("", &other, "an object")),
            Err(error) => Err(FieldError::new("", format!("no JSON: {error}"))),
        }
    }

    /// A field of any type, with the name that it came under.
    pub(crate) fn take(
        &mut self,
        names: &[&'static str],
    ) -> Result<Option<(&'static str, Value)>, FieldError> {
        self.known.extend(names);
        let mut found: Option<(&str, Value)> = None;
        for name in names {
            let Some(value) = self.left.remove(*name).filter(|value| !value.is_null()) else { continue };
            if let Some((other, _)) = found {
                let message = format!("{other} is there as well: expected one of the two");
                return Err(FieldError::new(name, message));
            }
            found = Some((name, value));
        }
        Ok(found)
    }

    /// A field of a type; `expected` names it.
    pub(crate) fn read<T: DeserializeOwned>(
        &mut self,
        names: &[&'static str],
        expected: &str,
    ) -> Result<Option<T>, FieldError> {
        let Some((name, value)) = self.take(names)? else { return Ok(None) };
        T::deserialize(&value).map(Some).map_err(|_| FieldError::unexpected(name, &value, expected))
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>, FieldError> {
        self.read(&[name], "a text")
    }

    /// `true` or `false`; absent is `false`.
    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, FieldError> {
        Ok(self.read(&[name], "true or false")?.unwrap_or(false))
    }

    /// A number within a range; `kind` is what messages call it.
    pub(crate) fn number<T: DeserializeOwned + PartialOrd + Display>(
        &mut self,
        kind: &str,
        names: &[&'static str],
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, FieldError> {
        let Some((name, value)) = self.take(names)? else { return Ok(None) };
        let number = T::deserialize(&value).ok().filter(|number| range.contains(number));
        let expected = || format!("a {kind} from {} to {}", range.start(), range.end());
        number.map(Some).ok_or_else(|| FieldError::unexpected(name, &value, &expected()))
    }

    pub(crate) fn whole<T: DeserializeOwned + PartialOrd + Display>(
        &mut self,
        name: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, FieldError> {
        self.number("whole number", &[name], range)
    }

    pub(crate) fn warnings(self) -> Vec<FieldError> {
        let message = format!("no such field: expected one of {}", self.known.join(", "));
        self.left.keys().map(|name| FieldError::new(name, &message)).collect()
    }

    pub(crate) fn finish(self) -> Result<(), FieldError> {
        self.warnings().into_iter().next().map_or(Ok(()), Err)
    }
}

pub(super) fn excerpt(text: &str) -> String {
    messages::excerpt(text, 60)
}
