//! Answers to queries. `protocol.md` describes an answer's fields, which are named as in KataGo.

use std::collections::BTreeMap;

use amazons::{Move, Position, Side};
use quiver_engine::search::{Candidate, Report};
use serde::{Deserialize, Serialize};

use super::fields::FieldError;
use super::query::AnswerOptions;
use super::territory::TerritoryMap;

/// Half the width of a 95 % confidence interval of a normal distribution, in standard errors.
const NORMAL_QUANTILE_97_5: f64 = 1.959_963_985;

/// The engine's answer for one position of a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The id of the query.
    pub id: String,
    /// The number of moves of the query's game that lead to the position.
    pub turn_number: usize,
    /// True if the search still runs; false in the last answer for the position.
    pub is_during_search: bool,
    /// The result of the search, or `noResults` if there is no result.
    #[serde(flatten)]
    pub content: Content,
}

/// The result of the search of one position, or `noResults` if there is no result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// The result of the search so far, or its final result.
    Analysis(Box<PositionAnswer>),
    /// No result: the query was terminated before this search began, or the search panicked.
    #[serde(rename_all = "camelCase")]
    Nothing {
        /// Always true: KataGo marks an answer without a result by `"noResults":true`.
        no_results: bool,
    },
}

/// The result of the search of one position, at its end or while it runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PositionAnswer {
    /// The side to move and the value of the position.
    pub root_info: RootInfo,
    /// The chosen move, then the most visited moves. The query's `allowMoves` and `avoidMoves`
    /// select which moves are listed.
    pub move_infos: Vec<MoveInfo>,
    /// The winner; `None` while the side to move has a legal move.
    pub winner: Option<Side>,
    /// True if the winner of the position is proven.
    pub proven: bool,
    /// The number of playouts of this search.
    pub playouts: u64,
    /// The number of visits that the root already had before this search.
    pub reused: u64,
    /// The number of plies from the root to the deepest leaf.
    pub depth: u32,
    /// The time of the search in seconds.
    pub time: f64,
    /// The size of the tree in bytes.
    pub memory: usize,
    /// The condition that ended the search. `protocol.md` lists the possible words.
    pub stop: String,
    /// The prior probability of each listed move, if the query asks for `policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<BTreeMap<String, f64>>,
    /// The territory map of the position, if the query asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub territory: Option<TerritoryMap>,
}

/// The side to move and the value of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RootInfo {
    /// The side to move, which JSON names `B` or `W`.
    #[serde(with = "Colour")]
    pub current_player: Side,
    /// The visits of the root, including those of earlier searches.
    pub visits: u64,
    /// The side to move's chance of winning, from 0 to 1.
    pub winrate: f64,
    /// `winrate` by the neural network alone, without search; `None` if the network did not run.
    pub raw_winrate: Option<f64>,
    /// The number of moves by which the side to move will be ahead when each side can only fill its
    /// own squares; 0 or negative if this side loses. `None` unless the solver proved this number.
    pub score_lead: Option<i64>,
}

/// A move of the searched position with its statistics.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveInfo {
    /// The listed move.
    pub r#move: Move,
    /// The index of the move in [`PositionAnswer::move_infos`], from 0.
    pub order: usize,
    /// The number of playouts through the move, including playouts of earlier searches.
    pub visits: u64,
    /// The mover's chance of winning after the move, from 0 to 1.
    pub winrate: f64,
    /// The lower bound of the 95 % confidence interval of `winrate`.
    pub lcb: f64,
    /// The move's prior probability, from 0 to 1; `None` if `Report::candidates` lacks the move.
    pub prior: Option<f64>,
    /// The evaluator's estimate of `winrate`, without search; `None` if `prior` is `None`.
    pub static_value: Option<f64>,
    /// The principal variation that begins with this move.
    pub pv: Vec<Move>,
    /// The visits of each move of `pv`, if the query asks for `pvVisits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pv_visits: Option<Vec<u64>>,
}

/// The serde form of a player in KataGo's protocol: `B` is the first player, `W` the second.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Side")]
pub(super) enum Colour {
    #[serde(rename = "B")]
    First,
    #[serde(rename = "W")]
    Second,
}

impl PositionAnswer {
    /// Builds an answer from the search's report, which is `None` if the side to move has no move.
    pub fn new(position: &Position, report: Option<&Report>, options: &AnswerOptions) -> PositionAnswer {
        let to_move = position.to_move();
        let mut move_infos = report.map_or_else(Vec::new, |report| move_infos(report, options.pv_visits));
        move_infos.retain(|info| options.lists(info.r#move));
        (0..).zip(&mut move_infos).for_each(|(order, info)| info.order = order);
        let prior = |info: &MoveInfo| Some((info.r#move.to_string(), info.prior?));
        let lead = |margin: u32, winner| if winner == to_move { margin.into() } else { -i64::from(margin) };
        let ending = report.and_then(|report| report.ending);
        PositionAnswer {
            root_info: RootInfo {
                current_player: to_move,
                visits: report.map_or(0, |report| report.playouts + report.reused),
                winrate: report.map_or(0.0, |report| rounded(report.value)),
                raw_winrate: report.and_then(|report| report.network_value).map(rounded),
                score_lead: ending.and_then(|ending| Some(lead(ending.margin?, ending.winner))),
            },
            winner: position.winner(),
            proven: report.is_none_or(|report| report.proven),
            playouts: report.map_or(0, |report| report.playouts),
            reused: report.map_or(0, |report| report.reused),
            depth: report.map_or(0, |report| report.depth),
            time: report.map_or(0.0, |report| rounded(report.time.as_secs_f64())),
            memory: report.map_or(0, |report| report.memory),
            stop: report.map_or("no move", Report::status).to_owned(),
            policy: options.policy.then(|| move_infos.iter().filter_map(prior).collect()),
            territory: options.territory.then(|| TerritoryMap::of(position)),
            move_infos,
        }
    }
}

/// The most visited moves of a search: the chosen move first, the others by descending visits.
pub fn ordered_candidates(report: &Report) -> Vec<&Candidate> {
    let mut candidates: Vec<&Candidate> = report.candidates.iter().collect();
    candidates.sort_by_key(|candidate| candidate.played != report.best);
    candidates
}

fn move_infos(report: &Report, pv_visits: bool) -> Vec<MoveInfo> {
    let info = |candidate: &Candidate| {
        let (value, visits) = (candidate.value, candidate.visits.max(1) as f64);
        let error = NORMAL_QUANTILE_97_5 * (value * (1.0 - value) / visits).max(0.0).sqrt();
        MoveInfo {
            r#move: candidate.played,
            order: 0,
            visits: candidate.visits,
            winrate: rounded(value),
            lcb: rounded((value - error).max(0.0)),
            prior: Some(rounded(candidate.prior)),
            static_value: Some(rounded(candidate.static_value)),
            pv: candidate.line.clone(),
            pv_visits: pv_visits.then(|| candidate.line_visits.clone()),
        }
    };
    let mut infos: Vec<MoveInfo> = ordered_candidates(report).into_iter().map(info).collect();
    if infos.first().is_none_or(|first| first.r#move != report.best) {
        // The chosen move is not a candidate if no playout visited it or if 20 moves rank above it.
        let value = rounded(report.value);
        let unvisited = MoveInfo {
            r#move: report.best,
            order: 0,
            visits: 0,
            winrate: value,
            lcb: if report.proven { value } else { 0.0 },
            prior: None,
            static_value: None,
            pv: report.principal_variation.clone(),
            pv_visits: pv_visits.then(|| vec![0; report.principal_variation.len()]),
        };
        infos.insert(0, unvisited);
    }
    infos
}

fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// An answer that reports an error in a question.
#[derive(Debug, Serialize)]
pub struct Refusal<'a> {
    id: Option<&'a str>,
    error: &'a str,
    /// The name of the wrong field; `None` if the error does not concern a single field.
    field: Option<&'a str>,
}

impl<'a> Refusal<'a> {
    /// Builds the answer that reports `error`. `id` is `None` if the id could not be read.
    pub fn new(id: Option<&'a str>, error: &'a FieldError) -> Refusal<'a> {
        let field = Some(error.field.as_str()).filter(|field| !field.is_empty());
        Refusal { id, error: &error.message, field }
    }
}
