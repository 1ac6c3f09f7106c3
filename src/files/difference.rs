//! What two headers say differently.

use serde_json::Value;

/// The most characters of a value that [`difference`] shows.
const SHOWN: usize = 60;

/// The first field in which two JSON values differ, as a path of names joined by dots, and what
/// each value has there.
#[must_use]
pub fn difference(got: &Value, expected: &Value) -> Option<(String, String, String)> {
    below("", got, expected)
}

fn below(field: &str, got: &Value, expected: &Value) -> Option<(String, String, String)> {
    let join = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    match (got, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let names = b.keys().chain(a.keys().filter(|name| !b.contains_key(*name)));
            names.into_iter().find_map(|name| below(&join(name), &got[name], &expected[name]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (a, b))| below(&join(&index.to_string()), a, b))
        }
        _ if got == expected => None,
        _ => {
            let shown = |value: &Value| value.to_string().chars().take(SHOWN).collect();
            Some((field.to_owned(), shown(got), shown(expected)))
        }
    }
}
