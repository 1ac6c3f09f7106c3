//! `solve`, which proves the winner of a position.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use quiver::{Effort, Solver};

use crate::arguments::{self, duration, side_number};
use crate::interrupts::interruptible;
use crate::moves::Move;
use crate::position::Position;

/// The result of `solve`.
#[pyclass(frozen, get_all, module = "quiver")]
pub(crate) struct Solution {
    /// The winner: 0 first, 1 second; None if the limits were too small for a proof.
    winner: Option<u8>,
    /// The number of moves by which the winner is ahead; None if the solver did not count it. 0
    /// means that both sides have equally many moves, so that the side to move loses.
    margin: Option<u32>,
    /// A lower and an upper bound of the number of moves by which the first player is ahead.
    bounds: (i32, i32),
    /// If the side to move wins, a move that keeps the win; if it loses, the move after which its
    /// number of moves minus the opponent's has the largest lower bound. None if the solver found
    /// no such move.
    best: Option<Move>,
    /// The number of nodes that the proof search visited.
    nodes: u64,
}

#[pymethods]
impl Solution {
    /// True if the winner is proven.
    #[getter]
    fn proven(&self) -> bool {
        self.winner.is_some()
    }

    fn __repr__(&self) -> String {
        let winner = self.winner.map_or_else(|| "None".to_owned(), |winner| winner.to_string());
        let margin = self.margin.map_or_else(|| "None".to_owned(), |margin| margin.to_string());
        format!("<Solution: winner {winner}, margin {margin}, {} nodes>", self.nodes)
    }
}

/// Proves the winner of a position, within `time` seconds and `nodes` nodes of the solver. Without
/// these limits the solver searches until the proof is complete. A proof takes milliseconds for
/// late positions and small boards, but is not feasible for the start position of a large board.
/// `memory` is the size of the solver's tables in bytes. Ctrl-C ends the proof search.
#[pyfunction]
#[pyo3(signature = (position, *, time = None, nodes = None, memory = 209_715_200))]
pub(crate) fn solve(
    py: Python<'_>,
    position: &Position,
    time: Option<f64>,
    nodes: Option<u64>,
    memory: u64,
) -> PyResult<Solution> {
    let position = position.0;
    let memory = arguments::memory(memory)?;
    let time = time.map(duration).transpose()?;
    // Tests that the memory can be reserved. A failed allocation in the solver aborts the process.
    let reserved = Vec::<u8>::new().try_reserve_exact(memory);
    reserved.map_err(|_| {
        PyMemoryError::new_err(format!("memory = {memory} bytes: expected at most what the system has free"))
    })?;
    let begun = Instant::now();
    let stopped = AtomicBool::new(false);
    let work = || {
        let late = || stopped.load(Ordering::Relaxed) || time.is_some_and(|time| begun.elapsed() >= time);
        let effort = Effort { nodes: nodes.unwrap_or(u64::MAX), stop: &late };
        let mut solver = Solver::new(memory);
        let solution = solver.prove(&position, &effort);
        let best = solution.winner.and_then(|winner| solver.best_move(&position, winner, &effort).ok());
        Solution {
            winner: solution.winner.map(side_number),
            margin: solution.margin(),
            bounds: solution.bounds,
            best: best.map(Move),
            nodes: solution.nodes,
        }
    };
    interruptible(py, || stopped.store(true, Ordering::Relaxed), work)
}
