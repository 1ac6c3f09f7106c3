//! Reads a JSON object field by field. Errors name the field that is wrong or unknown.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::messages;

/// A field that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// The field.
    pub field: String,
    /// What was got and what was expected.
    pub message: String,
}

impl FieldError {
    /// An error of this field.
    pub fn new(field: &str, message: impl ToString) -> FieldError {
        FieldError { field: excerpt(field), message: message.to_string() }
    }
}

/// The fields of an object, each read once. `null` counts as a missing field.
#[derive(Clone, Debug)]
pub struct Fields {
    left: Map<String, Value>,
    known: Vec<&'static str>,
    /// Fields that came under another program's name: that name, and ours.
    aliases: Vec<(&'static str, &'static str)>,
}

impl Fields {
    /// The fields of this object.
    #[must_use]
    pub fn new(object: Map<String, Value>) -> Fields {
        Fields { left: object, known: Vec::new(), aliases: Vec::new() }
    }

    /// A field of any type.
    pub fn value(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a field under another program's name for it; errors about it name the one that was
    /// there.
    ///
    /// # Errors
    /// If both names are there.
    pub fn alias(&mut self, theirs: &'static str, ours: &'static str) -> Result<(), FieldError> {
        self.known.push(theirs);
        let Some(value) = self.left.remove(theirs).filter(|value| !value.is_null()) else { return Ok(()) };
        if self.left.get(ours).is_some_and(|value| !value.is_null()) {
            return Err(FieldError::new(theirs, format!("{ours} is there as well: expected one of the two")));
        }
        self.left.insert(ours.to_owned(), value);
        self.aliases.push((theirs, ours));
        Ok(())
    }

    /// An error under the name that its field was given.
    #[must_use]
    pub fn named(&self, mut error: FieldError) -> FieldError {
        if let Some((theirs, _)) = self.aliases.iter().find(|(_, ours)| error.field == *ours) {
            (*theirs).clone_into(&mut error.field);
        }
        error
    }

    /// A warning for each field that was not read.
    #[must_use]
    pub fn warnings(self) -> Vec<FieldError> {
        let known = self.known.join(", ");
        let warning =
            |name: &String| FieldError::new(name, format!("no such field: expected one of {known}"));
        self.left.keys().map(warning).collect()
    }

    /// A field that stays to be asked for.
    #[must_use]
    pub fn peek(&self, name: &str) -> Option<&Value> {
        self.left.get(name)
    }

    /// A text.
    ///
    /// # Errors
    /// If it is something else.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>, FieldError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(unexpected(name, &other, "a text")),
        }
    }

    /// `true` or `false`; absent is `false`.
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, FieldError> {
        match self.value(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(unexpected(name, &other, "true or false")),
        }
    }

    /// A whole number within a range.
    ///
    /// # Errors
    /// If the value is not such a number.
    pub fn whole(
        &mut self,
        name: &'static str,
        range: RangeInclusive<i64>,
    ) -> Result<Option<i64>, FieldError> {
        self.within(name, "whole number", range, Value::as_i64)
    }

    /// A number within a range.
    ///
    /// # Errors
    /// If the value is not such a number.
    pub fn number(
        &mut self,
        name: &'static str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, FieldError> {
        self.within(name, "number", range, Value::as_f64)
    }

    fn within<T: PartialOrd + Display>(
        &mut self,
        name: &'static str,
        kind: &str,
        range: RangeInclusive<T>,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let number = read(&value).filter(|number| range.contains(number));
        let expected = || format!("a {kind} from {} to {}", range.start(), range.end());
        number.map(Some).ok_or_else(|| unexpected(name, &value, &expected()))
    }

    /// Checks that every field has been read.
    ///
    /// # Errors
    /// If a field is left: names the first one and the known fields.
    pub fn finish(self) -> Result<(), FieldError> {
        self.warnings().into_iter().next().map_or(Ok(()), Err)
    }
}

/// A value that is not what a field takes.
pub(crate) fn unexpected(field: &str, got: &Value, expected: &str) -> FieldError {
    FieldError::new(field, format!("got {}: expected {expected}", excerpt(&got.to_string())))
}

/// The beginning of a text in a message.
pub(super) fn excerpt(text: &str) -> String {
    messages::excerpt(text, 60)
}
