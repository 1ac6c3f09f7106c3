//! `Report` and `Candidate`: what a search found.

use pyo3::prelude::*;
use quiver::FullMove;

use crate::arguments::side_number;
use crate::arrays::{array, square_bytes};
use crate::moves::Move;

fn moves(line: &[FullMove]) -> Vec<Move> {
    line.iter().copied().map(Move).collect()
}

/// The result of one search.
#[pyclass(frozen, module = "quiver")]
pub(crate) struct Report(pub(crate) quiver::Report);

#[pymethods]
impl Report {
    /// The move to play.
    #[getter]
    fn best(&self) -> Move {
        Move(self.0.best)
    }

    /// The chance that the side to move wins after it, from 0 to 1; exactly 0 or 1 if proven.
    #[getter]
    fn value(&self) -> f64 {
        self.0.value
    }

    /// The network's value of the position for the side to move, from 0 to 1, without search; None
    /// where the search did not ask the network.
    #[getter]
    fn network_value(&self) -> Option<f64> {
        self.0.network_value
    }

    /// Whether the value is proven.
    #[getter]
    fn proven(&self) -> bool {
        self.0.proven
    }

    /// The winner and its margin in moves (None if only the winner is known), where the endgame
    /// solver proved the position that was searched; else None.
    #[getter]
    fn ending(&self) -> Option<(u8, Option<u32>)> {
        self.0.ending.map(|ending| (side_number(ending.winner), ending.margin))
    }

    /// The line that the search expects, the best move first.
    #[getter]
    fn line(&self) -> Vec<Move> {
        moves(&self.0.principal_variation)
    }

    /// The most visited moves, most visited first.
    #[getter]
    fn candidates(&self) -> Vec<Candidate> {
        self.0.candidates.iter().cloned().map(Candidate).collect()
    }

    /// The candidates as an array of type `quiver.CANDIDATE`.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::new();
        for candidate in &self.0.candidates {
            let FullMove { from, to, arrow } = candidate.full;
            bytes.extend(square_bytes([from, to, arrow]));
            bytes.extend(candidate.visits.to_le_bytes());
            for number in [candidate.value, candidate.prior, candidate.static_value] {
                bytes.extend(number.to_le_bytes());
            }
        }
        let dtype = py.import("quiver.dtypes")?.getattr("CANDIDATE")?;
        array(py, &bytes, dtype, &[self.0.candidates.len()])
    }

    /// Playouts of this search.
    #[getter]
    fn playouts(&self) -> u64 {
        self.0.playouts
    }

    /// Visits that the tree held when the search began.
    #[getter]
    fn reused(&self) -> u64 {
        self.0.reused
    }

    /// Plies from the position to the deepest leaf.
    #[getter]
    fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Seconds of the search.
    #[getter]
    fn time(&self) -> f64 {
        self.0.time.as_secs_f64()
    }

    /// Bytes of the tree in use at the end.
    #[getter]
    fn memory(&self) -> usize {
        self.0.memory
    }

    /// What ended the search: "playouts", "time", "proven", "only move", "decided", "stopped" or
    /// "counters".
    #[getter]
    fn stop(&self) -> String {
        self.0.stop.to_string()
    }

    fn __repr__(&self) -> String {
        let quiver::Report { best, value, playouts, .. } = &self.0;
        format!("<Report: {best}, value {value:.3}, {playouts} playouts>")
    }
}

/// A move that a search looked at.
#[pyclass(frozen, module = "quiver")]
pub(crate) struct Candidate(quiver::search::Candidate);

#[pymethods]
impl Candidate {
    /// The move.
    #[getter]
    fn r#move(&self) -> Move {
        Move(self.0.full)
    }

    /// Playouts through it.
    #[getter]
    fn visits(&self) -> u64 {
        self.0.visits
    }

    /// The chance that the side to move wins after it, from 0 to 1.
    #[getter]
    fn value(&self) -> f64 {
        self.0.value
    }

    /// Its prior; over all legal moves priors sum to 1.
    #[getter]
    fn prior(&self) -> f64 {
        self.0.prior
    }

    /// Its value by the static evaluator.
    #[getter]
    fn static_value(&self) -> f64 {
        self.0.static_value
    }

    /// The line that the search expects if it is played, the move itself first.
    #[getter]
    fn line(&self) -> Vec<Move> {
        moves(&self.0.line)
    }

    fn __repr__(&self) -> String {
        let quiver::search::Candidate { full, visits, value, .. } = &self.0;
        format!("<Candidate: {full}, {visits} visits, value {value:.3}>")
    }
}
