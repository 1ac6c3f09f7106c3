//! Reads a line of the analysis engine's input.

use super::fields::{FieldError, Fields, excerpt};
use super::query::{Defaults, Query, read_turns};

#[derive(Debug)]
pub struct AnalysisRequest {
    /// Its id, if that much could be read.
    pub id: Option<String>,
    /// The action asked for, or the field that is wrong.
    pub action: Result<Action, FieldError>,
    pub warnings: Vec<FieldError>,
}

#[derive(Debug)]
pub enum Action {
    Query(Box<Query>),
    /// End a query, by its id: these turns of it, or all if there are none.
    Terminate {
        target: String,
        turns: Vec<usize>,
    },
    TerminateAll,
    Version,
}

impl AnalysisRequest {
    pub fn read(line: &[u8], defaults: &Defaults) -> AnalysisRequest {
        let begin = Fields::parse(line).and_then(|mut fields| Ok((read_id(&mut fields)?, fields)));
        let (id, mut fields) = match begin {
            Ok(begun) => begun,
            Err(error) => return AnalysisRequest { id: None, action: Err(error), warnings: Vec::new() },
        };
        let action = read_action(id.clone(), &mut fields, defaults);
        let warnings = if action.is_ok() { fields.warnings() } else { Vec::new() };
        AnalysisRequest { id: Some(id), action, warnings }
    }
}

fn read_id(fields: &mut Fields) -> Result<String, FieldError> {
    let id = fields.text("id")?.ok_or_else(|| FieldError::new("id", "missing: expected a text"))?;
    if id.is_empty() || id.len() > 200 {
        return Err(FieldError::new("id", format!("a text of {} bytes: expected 1 to 200", id.len())));
    }
    Ok(id)
}

fn read_action(id: String, fields: &mut Fields, defaults: &Defaults) -> Result<Action, FieldError> {
    match fields.text("action")?.as_deref() {
        None | Some("query") => Ok(Action::Query(Box::new(Query::read(id, fields, defaults)?))),
        Some("terminate") => {
            let turns = read_turns(fields, ["turns", "turnNumbers"], u8::MAX.into())?.unwrap_or_default();
            let target = fields.read(&["terminate", "terminateId"], "a text")?;
            let missing = || FieldError::new("terminate", "missing: expected the id of a query");
            Ok(Action::Terminate { target: target.ok_or_else(missing)?, turns })
        }
        Some("terminate_all") => Ok(Action::TerminateAll),
        Some("version") => Ok(Action::Version),
        Some(other) => {
            let expected = "expected query, terminate, terminate_all or version";
            Err(FieldError::new("action", format!("got '{}': {expected}", excerpt(other))))
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::players::EngineOptions;
    use crate::search::Limits;

    /// Reads a line, where 8x8 and 9 playouts are the defaults.
    pub(in crate::analysis) fn read(text: &str) -> AnalysisRequest {
        let engine = EngineOptions { memory: 16 << 20, seed: 3, ..EngineOptions::default() };
        let limits = Limits::playouts(9);
        AnalysisRequest::read(text.as_bytes(), &Defaults { engine, board: 8, limits })
    }

    pub(in crate::analysis) fn query(text: &str) -> Query {
        match read(text).action.unwrap() {
            Action::Query(query) => *query,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_fault_names_its_field() {
        for (text, field, message) in [
            ("nonsense", "", "no JSON: expected"),
            ("[]", "", "got []: expected an object"),
            ("{}", "id", "missing"),
            (r#"{"id":7}"#, "id", "got 7: expected a text"),
            // These are fields of a query with an id.
            (r#""playouts":0"#, "playouts", "got 0: expected a whole number from 1"),
            (r#""playouts":1.5"#, "playouts", "got 1.5"),
            (r#""time":-1"#, "time", "a number from 0 to 86400"),
            (r#""position":"3/3""#, "position", "a FEN of 1 fields"),
            (r#""position":"Q1q w","start":"left""#, "start", "one of the two"),
            (r#""start":"right""#, "start", "expected formula or left"),
            (r#""position":"Q1q w","board":8"#, "board", "the position is of 3x1"),
            (r#""board":7"#, "board", "no start position for a board of 7x7"),
            (r#""moves":["c1-c3"]"#, "moves", "'c1-c3' is no full move"),
            (r#""moves":["c1-c8/c7"]"#, "moves", "move 1, c1-c8/c7: "),
            (r#""moves":[1]"#, "moves", "got [1]: expected a list of moves"),
            (r#""turns":[1]"#, "turns", "whole numbers from 0 to 0"),
            (r#""turns":[]"#, "turns", "got []"),
            (r#""parameters":{"speed":1}"#, "parameters.speed", "no parameter"),
            (r#""parameters":{"exploration":"x"}"#, "parameters.exploration", "a number"),
            (r#""territory":1"#, "territory", "true or false"),
            (r#""action":"dance""#, "action", "got 'dance'"),
            (r#""action":"terminate""#, "terminate", "missing"),
            (r#""maxVisits":0"#, "maxVisits", "got 0: expected a whole number from 1"),
            (r#""maxVisits":5,"playouts":5"#, "maxVisits", "playouts is there as well"),
            (r#""boardXSize":8,"boardYSize":10"#, "boardYSize", "a square board"),
            (r#""allowMoves":[7]"#, "allowMoves", "a list of moves"),
            (r#""increment":1"#, "increment", "expected remaining as well"),
        ] {
            let with_id = text.starts_with('"').then(|| format!("{{\"id\":\"a\",{text}}}"));
            let AnalysisRequest { id, action, .. } = read(with_id.as_deref().unwrap_or(text));
            let error = action.unwrap_err();
            assert_eq!((id, &*error.field), (with_id.map(|_| "a".to_owned()), field), "{text}: {error}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
        let warning = read(r#"{"id":"a","komi":7}"#).warnings.remove(0).to_string();
        assert!(warning.starts_with("komi: no such field: expected one of id, action"), "{warning}");
    }
}
