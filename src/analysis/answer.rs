//! Answers: a search's report as a JSON object. `protocol.md` describes the fields.

use serde_json::{Map, Value, json};

use super::fields::FieldError;
use super::query::Listed;
use super::territory::TerritoryMap;
use crate::game::{FullMove, Position, Side};
use crate::normal::QUANTILE;
use crate::search::{Candidate, Report, StopReason};

/// A position as it was understood.
#[derive(Clone, Debug)]
pub struct Analysis<'a> {
    /// The position.
    pub position: &'a Position,
    /// What the search found, or has found so far; `None` where the side to move has no move.
    pub report: Option<&'a Report>,
    /// Whether to say who is nearer to what.
    pub territory: bool,
    /// Which moves to list.
    pub listed: &'a Listed,
}

impl Analysis<'_> {
    /// The object.
    #[must_use]
    pub fn json(&self) -> Value {
        let to_move = self.position.to_move();
        // A side without a move has lost.
        let value = self.report.map_or(0.0, |report| report.value);
        let shown: Vec<&Candidate> = self.report.map_or_else(Vec::new, |report| {
            candidates(report).into_iter().filter(|candidate| self.listed.has(candidate.full)).collect()
        });
        // The chosen move, or the most visited of those that may be named.
        let best = self.report.map(|report| report.best).filter(|&best| self.listed.has(best));
        let best = best.or_else(|| shown.first().map(|candidate| candidate.full));
        let visits = self.report.map_or(0, |report| report.playouts + report.reused);
        let infos = shown.iter().enumerate();
        let infos = infos.map(|(order, shown)| move_info(order, shown, self.listed.line_visits));
        let move_infos: Vec<Value> = infos.collect();
        let searching = self.report.is_some_and(|report| report.stop == StopReason::Searching);
        let mut object = json!({
            "searching": searching,
            "to_move": to_move.to_string(),
            "winner": self.position.winner().map(|side| side.to_string()),
            "value": rounded(value),
            "first": rounded(if to_move == Side::First { value } else { 1.0 - value }),
            "ending": self.report.and_then(|report| report.ending).map(|ending| {
                json!({"winner": ending.winner.to_string(), "margin": ending.margin})
            }),
            "proven": self.report.is_none_or(|report| report.proven),
            "best": best.map(|best| best.to_string()),
            "line": line(self.report.map_or(&[], |report| &report.principal_variation)),
            "moves": shown.iter().map(|shown| candidate(shown)).collect::<Vec<_>>(),
            "isDuringSearch": searching,
            "moveInfos": move_infos,
            "rootInfo": {
                "winrate": rounded(value),
                "rawWinrate": self.report.and_then(|report| report.network_value).map(rounded),
                "visits": visits,
                "currentPlayer": if to_move == Side::First { "B" } else { "W" },
            },
            "playouts": self.report.map_or(0, |report| report.playouts),
            "reused": self.report.map_or(0, |report| report.reused),
            "depth": self.report.map_or(0, |report| report.depth),
            "time": self.report.map_or(0.0, |report| rounded(report.time.as_secs_f64())),
            "memory": self.report.map_or(0, |report| report.memory),
            "stop": self.report.map_or_else(|| "no move".to_owned(), |report| report.stop.to_string()),
        });
        if self.listed.policy {
            let priors = shown.iter().map(|shown| (shown.full.to_string(), json!(rounded(shown.prior))));
            object["policy"] = Value::Object(priors.collect());
        }
        if self.territory {
            object["territory"] = territory(self.position);
        }
        object
    }
}

/// The moves that were looked at, the chosen one first, the others by their visits.
#[must_use]
pub fn candidates(report: &Report) -> Vec<&Candidate> {
    let (chosen, others): (Vec<_>, Vec<_>) =
        report.candidates.iter().partition(|candidate| candidate.full == report.best);
    chosen.into_iter().chain(others).collect()
}

fn candidate(candidate: &Candidate) -> Value {
    json!({
        "move": candidate.full.to_string(),
        "visits": candidate.visits,
        "value": rounded(candidate.value),
        "prior": rounded(candidate.prior),
        "static_value": rounded(candidate.static_value),
        "line": line(&candidate.line),
    })
}

/// A move in KataGo's words.
fn move_info(order: usize, candidate: &Candidate, line_visits: bool) -> Value {
    let (value, visits) = (candidate.value, candidate.visits.max(1) as f64);
    let error = QUANTILE * (value * (1.0 - value) / visits).max(0.0).sqrt();
    let mut info = json!({
        "move": candidate.full.to_string(),
        "order": order,
        "visits": candidate.visits,
        "winrate": rounded(value),
        "lcb": rounded((value - error).max(0.0)),
        "prior": rounded(candidate.prior),
        "pv": line(&candidate.line),
    });
    if line_visits {
        info["pvVisits"] = json!(candidate.line_visits);
    }
    info
}

/// Rounds to the digits that are significant.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn line(moves: &[FullMove]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// The territory map of a position.
#[must_use]
pub fn territory(position: &Position) -> Value {
    let map = TerritoryMap::of(position);
    let sides = |lists: &[Vec<Option<usize>>; 2]| json!({"first": lists[0], "second": lists[1]});
    let freedom = |side: Side| -> Map<String, Value> {
        map.freedom[side.index()].iter().map(|(square, count)| (square.to_string(), json!(count))).collect()
    };
    let regions = map.regions.iter().map(|region| {
        json!({
            "squares": region.squares.iter().map(|square| square.to_string()).collect::<Vec<_>>(),
            "empty": region.empty,
            "amazons": {"first": region.amazons[0], "second": region.amazons[1]},
        })
    });
    let [first, second, even] = map.nearer();
    json!({
        "nearer": {"first": first, "second": second, "even": even},
        "queen": sides(&map.queen),
        "king": sides(&map.king),
        "freedom": {"first": freedom(Side::First), "second": freedom(Side::Second)},
        "regions": regions.collect::<Vec<_>>(),
    })
}

/// The answer to a line that cannot be read.
#[must_use]
pub fn refusal(id: Option<&str>, error: &FieldError) -> Value {
    let field = Some(&error.field).filter(|field| !field.is_empty());
    json!({"id": id, "error": error.message, "field": field})
}
