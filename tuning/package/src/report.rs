//! `Report` and `Candidate`: what a search found.

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
    /// The chance that the side to move wins after it, from 0 to 1; exactly 0 or 1 if proven.
    value: f64,
    /// The network's value of the position for the side to move, from 0 to 1, without search; None
    /// where the search did not ask the network.
    network_value: Option<f64>,
    /// Whether the value is proven.
    proven: bool,
    /// The winner and its margin in moves (None if only the winner is known), where the endgame
    /// solver proved the position that was searched; else None.
    ending: Option<(u8, Option<u32>)>,
    /// The line that the search expects, the best move first.
    line: Vec<Move>,
    /// The most visited moves, most visited first.
    candidates: Vec<Candidate>,
    /// Playouts of this search.
    playouts: u64,
    /// Visits that the tree held when the search began.
    reused: u64,
    /// Plies from the position to the deepest leaf.
    depth: u32,
    /// Seconds of the search.
    time: f64,
    /// Bytes of the tree in use at the end.
    memory: usize,
    /// The end of the search: "playouts", "time", "proven", "only move", "decided", "stopped" or
    /// "counters".
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
    /// The candidates as an array of type `quiver.CANDIDATE`.
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

/// A move that a search looked at.
#[pyclass(frozen, get_all, module = "quiver")]
#[derive(Clone)]
pub(crate) struct Candidate {
    /// The move.
    r#move: Move,
    /// Playouts through it.
    visits: u64,
    /// The chance that the side to move wins after it, from 0 to 1.
    value: f64,
    /// Its prior; over all legal moves priors sum to 1.
    prior: f64,
    /// Its value by the static evaluator.
    static_value: f64,
    /// The line that the search expects if it is played, the move itself first.
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
