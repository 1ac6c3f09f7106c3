//! `Report` and `Candidate`, the Python classes with the results of a search.

use pyo3::prelude::*;
use quiver::{Move as FullMove, search};

use crate::arguments::side_number;
use crate::arrays::{array, square_bytes};
use crate::moves::Move;

fn moves(line: Vec<FullMove>) -> Vec<Move> {
    line.into_iter().map(Move).collect()
}

/// The result of one search.
#[pyclass(frozen, get_all, module = "quiver")]
pub(crate) struct Report {
    /// The move to play.
    best: Move,
    /// The probability that the side to move wins with the best move, from 0 to 1; exactly 0 or 1
    /// if the result is proven.
    value: f64,
    /// The network's probability that the side to move wins, from 0 to 1, without search; None if
    /// the search did not run the network.
    network_value: Option<f64>,
    /// True if the value is proven.
    proven: bool,
    /// The winner and the number of moves by which it is ahead, if the endgame solver proved the
    /// position, else None. The number is None if the solver did not count it.
    ending: Option<(u8, Option<u32>)>,
    /// The principal variation, which begins with the best move.
    line: Vec<Move>,
    /// The most visited moves in descending order of visits.
    candidates: Vec<Candidate>,
    /// The number of playouts of this search.
    playouts: u64,
    /// The number of root visits that earlier searches had made when this search began.
    reused: u64,
    /// The number of plies from the position to the deepest leaf.
    depth: u32,
    /// The duration of the search in seconds.
    time: f64,
    /// The size of the tree in bytes at the end of the search.
    memory: usize,
    /// The reason why the search ended: "playouts" or "time" (a limit), "proven", "only move" (the
    /// only legal one), "decided" (more time would hardly change the move), "stopped", or
    /// "counters" (a visit counter is full).
    stop: String,
}

impl From<search::Report> for Report {
    fn from(report: search::Report) -> Report {
        Report {
            stop: report.status().to_owned(),
            best: Move(report.best),
            value: report.value,
            network_value: report.network_value,
            proven: report.proven,
            ending: report.ending.map(|ending| (side_number(ending.winner), ending.margin)),
            line: moves(report.principal_variation),
            candidates: report.candidates.into_iter().map(Candidate::from).collect(),
            playouts: report.playouts,
            reused: report.reused,
            depth: report.depth,
            time: report.time.as_secs_f64(),
            memory: report.memory,
        }
    }
}

#[pymethods]
impl Report {
    /// Returns the candidates as an array of type `quiver.CANDIDATE`.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::new();
        for candidate in &self.candidates {
            let FullMove { from, to, arrow } = candidate.r#move.0;
            bytes.extend(square_bytes([from, to, arrow]));
            bytes.extend(candidate.visits.to_le_bytes());
            for number in [candidate.value, candidate.prior, candidate.static_value] {
                bytes.extend(number.to_le_bytes());
            }
        }
        let dtype = py.import("quiver.dtypes")?.getattr("CANDIDATE")?;
        array(py, &bytes, dtype, &[self.candidates.len()])
    }

    fn __repr__(&self) -> String {
        format!("<Report: {}, value {:.3}, {} playouts>", self.best.0, self.value, self.playouts)
    }
}

/// A move at the root of a search, with its statistics.
#[pyclass(frozen, get_all, module = "quiver")]
#[derive(Clone)]
pub(crate) struct Candidate {
    /// The move.
    r#move: Move,
    /// The number of playouts that began with this move.
    visits: u64,
    /// The probability that the side to move wins with this move, from 0 to 1.
    value: f64,
    /// The prior of the move; the priors of all legal moves sum to 1.
    prior: f64,
    /// The static evaluator's value of the move, from 0 to 1, without search.
    static_value: f64,
    /// The principal variation that begins with this move.
    line: Vec<Move>,
}

impl From<search::Candidate> for Candidate {
    fn from(candidate: search::Candidate) -> Candidate {
        let search::Candidate { played, visits, value, prior, static_value, line, .. } = candidate;
        Candidate { r#move: Move(played), visits, value, prior, static_value, line: moves(line) }
    }
}

#[pymethods]
impl Candidate {
    fn __repr__(&self) -> String {
        format!("<Candidate: {}, {} visits, value {:.3}>", self.r#move.0, self.visits, self.value)
    }
}
