//! Reads a line of the analysis engine's input.

use serde_json::Value;

use super::fields::{FieldError, Fields, excerpt};
use super::query::{Defaults, Query, read_turns};

/// A request that was read.
#[derive(Clone, Debug)]
pub enum AnalysisRequest {
    /// Positions to search.
    Query(Box<Query>),
    /// End a query.
    Terminate {
        /// The request's own id.
        id: String,
        /// The id of the query.
        target: String,
        /// The turns to end; all if there are none.
        turns: Vec<usize>,
    },
    /// End every query.
    TerminateAll {
        /// The request's own id.
        id: String,
    },
    /// Say which program this is.
    Version {
        /// The request's own id.
        id: String,
    },
}

/// Why a line is no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct AnalysisRequestError {
    /// Its id, if that much could be read.
    pub id: Option<String>,
    /// The field and what is wrong with it; the field is empty where it is the line.
    pub error: FieldError,
}

impl AnalysisRequest {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            AnalysisRequest::Query(query) => &query.id,
            AnalysisRequest::Terminate { id, .. }
            | AnalysisRequest::TerminateAll { id }
            | AnalysisRequest::Version { id } => id,
        }
    }

    /// Reads a line; also gives a warning for each field that is unknown.
    ///
    /// # Errors
    /// If it is no object, or a field of it is wrong.
    pub fn read(
        line: &[u8],
        defaults: &Defaults,
    ) -> Result<(AnalysisRequest, Vec<FieldError>), AnalysisRequestError> {
        let whole = |message: String| AnalysisRequestError { id: None, error: FieldError::new("", message) };
        let object = match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => object,
            Ok(other) => {
                return Err(whole(format!("got {}: expected an object", excerpt(&other.to_string()))));
            }
            Err(error) => return Err(whole(format!("no JSON: {error}"))),
        };
        let mut fields = Fields::new(object);
        let id = id(&mut fields).map_err(|error| AnalysisRequestError { id: None, error })?;
        let request = request(id.clone(), &mut fields, defaults);
        match request {
            Ok(request) => Ok((request, fields.warnings())),
            Err(error) => Err(AnalysisRequestError { error: fields.named(error), id: Some(id) }),
        }
    }
}

fn id(fields: &mut Fields) -> Result<String, FieldError> {
    let id = fields.text("id")?.ok_or_else(|| FieldError::new("id", "missing: expected a text"))?;
    if id.is_empty() || id.len() > 200 {
        return Err(FieldError::new("id", format!("a text of {} bytes: expected 1 to 200", id.len())));
    }
    Ok(id)
}

fn request(id: String, fields: &mut Fields, defaults: &Defaults) -> Result<AnalysisRequest, FieldError> {
    match fields.text("action")?.as_deref() {
        None | Some("query") => Ok(AnalysisRequest::Query(Box::new(Query::read(id, fields, defaults)?))),
        Some("terminate") => {
            fields.alias("terminateId", "terminate")?;
            fields.alias("turnNumbers", "turns")?;
            let turns = match fields.value("turns") {
                None => Vec::new(),
                some => read_turns(some, usize::from(u8::MAX))?,
            };
            let target = fields.text("terminate")?;
            let target =
                target.ok_or_else(|| FieldError::new("terminate", "missing: expected the id of a query"))?;
            Ok(AnalysisRequest::Terminate { id, target, turns })
        }
        Some("terminate_all") => Ok(AnalysisRequest::TerminateAll { id }),
        Some("version") => Ok(AnalysisRequest::Version { id }),
        Some(other) => Err(FieldError::new(
            "action",
            format!("got '{}': expected query, terminate, terminate_all or version", excerpt(other)),
        )),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::analysis::QueryLimits;
    use crate::players::EngineOptions;

    /// Reads a line, where 8x8 and 9 playouts are the defaults.
    pub(in crate::analysis) fn read(
        text: &str,
    ) -> Result<(AnalysisRequest, Vec<FieldError>), AnalysisRequestError> {
        let engine = EngineOptions { memory: 1 << 20, seed: 3, ..EngineOptions::default() };
        let limits = QueryLimits { playouts: Some(9), ..QueryLimits::default() };
        AnalysisRequest::read(text.as_bytes(), &Defaults { engine, board: 8, limits })
    }

    #[test]
    fn an_unknown_field_is_a_warning() {
        let (_, warnings) = read(r#"{"id":"a","playout":5,"komi":7}"#).unwrap();
        let fields: Vec<&str> = warnings.iter().map(|warning| warning.field.as_str()).collect();
        assert_eq!(fields, ["komi", "playout"]);
        assert!(warnings[0].message.starts_with("no such field: expected one of id, action"));
    }

    #[test]
    fn every_fault_names_its_field() {
        let cases = [
            ("nonsense", None, "", "no JSON: expected"),
            ("[]", None, "", "got []: expected an object"),
            ("{}", None, "id", "missing"),
            (r#"{"id":7}"#, None, "id", "got 7: expected a text"),
            (r#"{"id":"a","playouts":0}"#, Some("a"), "playouts", "got 0: expected a whole number from 1"),
            (r#"{"id":"a","playouts":1.5}"#, Some("a"), "playouts", "got 1.5"),
            (r#"{"id":"a","time":-1}"#, Some("a"), "time", "a number from 0 to 86400"),
            (r#"{"id":"a","position":"3/3"}"#, Some("a"), "position", "a FEN of 1 fields"),
            (r#"{"id":"a","position":"Q1q w","start":"left"}"#, Some("a"), "start", "one of the two"),
            (r#"{"id":"a","position":"Q1q w","board":8}"#, Some("a"), "board", "the position is of 3x1"),
            (r#"{"id":"a","board":7}"#, Some("a"), "board", "no start position for a board of 7x7"),
            (r#"{"id":"a","moves":["c1-c3"]}"#, Some("a"), "moves", "'c1-c3' is no full move"),
            (r#"{"id":"a","moves":["c1-c8/c7"]}"#, Some("a"), "moves", "move 1, c1-c8/c7: "),
            (r#"{"id":"a","moves":[1]}"#, Some("a"), "moves", "got 1: expected a move"),
            (r#"{"id":"a","turns":[1]}"#, Some("a"), "turns", "whole numbers from 0 to 0"),
            (r#"{"id":"a","turns":[]}"#, Some("a"), "turns", "got []"),
            (r#"{"id":"a","parameters":{"speed":1}}"#, Some("a"), "parameters.speed", "no parameter"),
            (
                r#"{"id":"a","parameters":{"exploration":"x"}}"#,
                Some("a"),
                "parameters.exploration",
                "a number",
            ),
            (r#"{"id":"a","territory":1}"#, Some("a"), "territory", "true or false"),
            (r#"{"id":"a","action":"dance"}"#, Some("a"), "action", "got 'dance'"),
            (r#"{"id":"a","action":"terminate"}"#, Some("a"), "terminate", "missing"),
            (r#"{"id":"a","maxVisits":0}"#, Some("a"), "maxVisits", "got 0: expected a whole number from 1"),
            (r#"{"id":"a","maxVisits":5,"playouts":5}"#, Some("a"), "maxVisits", "playouts is there as well"),
            (r#"{"id":"a","boardXSize":8,"boardYSize":10}"#, Some("a"), "boardYSize", "a square board"),
            (r#"{"id":"a","allowMoves":[7]}"#, Some("a"), "allowMoves", "a list of moves"),
        ];
        for (text, id, field, message) in cases {
            let error = read(text).unwrap_err();
            assert_eq!((error.id.as_deref(), error.error.field.as_str()), (id, field), "{text}: {error}");
            assert!(error.error.message.contains(message), "{text}: {error}");
        }
    }
}
