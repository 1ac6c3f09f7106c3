//! A line of the analysis engine's input: a query or another action. `protocol.md` describes both.

use std::time::Duration;

use quiver_engine::search::Time;
use serde::Deserialize;

use super::fields::{self, FieldError, Object, Whole, excerpt};
use super::query::{Defaults, Query, QueryFields};

/// A line of the analysis engine's input.
#[derive(Debug)]
pub struct AnalysisRequest {
    /// The id, if it could be read.
    pub id: Option<String>,
    /// The requested action, or an error about a wrong field.
    pub action: Result<Action, FieldError>,
    /// An error for each unknown field. The requested action ignores unknown fields.
    pub warnings: Vec<FieldError>,
    /// The request as received. The answer to an action other than a query repeats it.
    pub(crate) object: Object,
}

/// The action that a line requests.
#[derive(Debug)]
pub enum Action {
    /// Searches positions.
    Query(Box<Query>),
    /// Ends a query.
    Terminate {
        /// The id of the query.
        target: String,
        /// The turns whose searches end; all turns of the query if the list is empty.
        turns: Vec<usize>,
    },
    /// Ends all queries, or the listed turns of all queries.
    TerminateAll {
        /// The turns whose searches end; all turns if the list is empty.
        turns: Vec<usize>,
    },
    /// Drops the trees that the pool keeps for queries with `reuse`.
    ClearCache,
    /// Reports the version of the program.
    QueryVersion,
    /// Lists the neural networks of the engine.
    QueryModels,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ActionFields {
    terminate_id: Option<String>,
    #[serde(default)]
    turn_numbers: Vec<Whole<0, 255>>,
}

impl AnalysisRequest {
    /// Parses a line of input. `defaults` supplies missing limits, board and options.
    pub fn read(line: &[u8], defaults: &Defaults) -> AnalysisRequest {
        let parsed = fields::parse(line);
        let id = parsed.as_ref().map_err(FieldError::clone).and_then(read_id);
        let object = parsed.unwrap_or_default();
        let action = id.clone().and_then(|id| read_action(id, &object, defaults));
        let (action, warnings) = match action {
            Ok((action, warnings)) => (Ok(action), warnings),
            Err(error) => (Err(error), Vec::new()),
        };
        AnalysisRequest { id: id.ok(), action, warnings, object }
    }
}

fn read_id(object: &Object) -> Result<String, FieldError> {
    let expected = "expected a text of 1 to 200 bytes";
    let Some(value) = object.get("id") else {
        return Err(FieldError::new("id", format!("missing: {expected}")));
    };
    let id = value.as_str().filter(|id| (1..=200).contains(&id.len()));
    let wrong = || FieldError::new("id", format!("got {}: {expected}", excerpt(&value.to_string())));
    id.map(str::to_owned).ok_or_else(wrong)
}

fn read_action(
    id: String,
    object: &Object,
    defaults: &Defaults,
) -> Result<(Action, Vec<FieldError>), FieldError> {
    let mut rest = object.clone();
    rest.remove("id");
    let Some(name) = rest.remove("action") else {
        let (fields, warnings) = fields::read::<QueryFields>(&rest)?;
        return Ok((Action::Query(Box::new(fields.query(id, defaults)?)), warnings));
    };
    let (ActionFields { terminate_id, turn_numbers }, warnings) = fields::read(&rest)?;
    let turns = turn_numbers.into_iter().map(Whole::to_usize).collect();
    let action = match name.as_str().unwrap_or_default() {
        "terminate" => {
            let missing = || FieldError::new("terminateId", "missing: expected the id of a query");
            Action::Terminate { target: terminate_id.ok_or_else(missing)?, turns }
        }
        "terminate_all" => Action::TerminateAll { turns },
        "clear_cache" => Action::ClearCache,
        "query_version" => Action::QueryVersion,
        "query_models" => Action::QueryModels,
        _ => {
            let expected = "query_version, query_models, clear_cache, terminate or terminate_all";
            let message = format!("got {}: expected {expected}", excerpt(&name.to_string()));
            return Err(FieldError::new("action", message));
        }
    };
    Ok((action, warnings))
}

const MIN_REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// Parses the text of one query, and rejects unknown fields. Limits the search of each position to
/// `longest`, and the interval between answers during a search to at least 50 ms.
///
/// # Errors
/// If a field is wrong or unknown, or if the text asks for another action.
pub fn read_query(text: &[u8], defaults: &Defaults, longest: Duration) -> Result<Query, FieldError> {
    let AnalysisRequest { action, warnings, .. } = AnalysisRequest::read(text, defaults);
    let action = action?;
    if let Some(unknown) = warnings.into_iter().next() {
        return Err(unknown);
    }
    let Action::Query(query) = action else {
        return Err(FieldError::new("action", "expected a query, which does not have this field"));
    };
    let mut query = *query;
    query.limits.time = Some(match query.limits.time.unwrap_or(Time::PerMove(longest)) {
        Time::PerMove(time) => Time::PerMove(time.min(longest)),
        Time::Game { remaining, increment } => {
            Time::Game { remaining: remaining.min(longest), increment: increment.min(longest) }
        }
    });
    query.report_every = query.report_every.map(|every| every.max(MIN_REPORT_INTERVAL));
    Ok(query)
}

#[cfg(test)]
pub(super) mod tests {
    use quiver_engine::search::{EngineOptions, Limits};

    use super::*;

    pub(crate) fn query(text: &str, memory: usize) -> Query {
        let engine = EngineOptions { memory, ..EngineOptions::default() };
        let defaults = Defaults { engine, board: 6, limits: Limits::playouts(50) };
        let Action::Query(query) = AnalysisRequest::read(text.as_bytes(), &defaults).action.unwrap() else {
            panic!("{text}")
        };
        *query
    }

    #[test]
    fn given_limits_replace_default_limits() {
        let query = |text| query(text, 1 << 20);
        let limits = query(r#"{"id":"a","remaining":60,"increment":1.5}"#).limits;
        let [remaining, increment] = [60_000, 1_500].map(Duration::from_millis);
        assert_eq!(limits.time, Some(Time::Game { remaining, increment }));
        let timed =
            query(r#"{"id":"a","overrideSettings":{"maxTime":0.5,"exploration":1,"playout_plies":3}}"#);
        let time = Some(Time::PerMove(Duration::from_millis(500)));
        assert_eq!((timed.limits.time, timed.limits.playouts), (time, None));
        assert!(timed.engine.parameters.overrides().eq([("exploration", 1.0), ("playout_plies", 3.0)]));
    }

    #[test]
    fn reads_queries_of_katago() {
        let query = query(
            r#"{"id":"a","boardXSize":8,"boardYSize":8,"moves":[["B","c1-c3/c5"]],"maxVisits":7,"analyzeTurns":[1,0,1],
                "overrideSettings":{"exploration":1},"reportDuringSearchEvery":0.5,"includePolicy":true,
                "avoidMoves":[{"player":"B","moves":["c1-c3/c5"],"untilDepth":1}]}"#,
            1 << 20,
        );
        assert_eq!((query.game.plies().len(), query.turns.as_slice()), (1, &[0, 1][..]));
        assert_eq!((query.limits.playouts, query.engine.parameters.overrides().count()), (Some(7), 1));
        assert!(query.report_every.is_some() && query.answer.policy);
        assert_eq!(
            ["c1-c3/c5", "c1-c3/c4"].map(|played| query.answer.lists(played.parse().unwrap())),
            [false, true]
        );
    }
}
