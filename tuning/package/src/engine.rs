//! `Engine`, the Python class that searches positions.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quiver::policy::Networks;
use quiver::search::Parameters;
use quiver::{EngineOptions, Evaluator, Limits, StopHandle, Time, Weights, files};

use crate::arguments::{self, duration, invalid};
use crate::evaluation::network;
use crate::interrupts::interruptible;
use crate::moves::MoveArgument;
use crate::position::Position;
use crate::report::Report;

const MAX_THREADS: usize = 1024;

/// A search engine that keeps its tree from move to move.
///
/// `memory` is the largest size of the tree in bytes. These bytes are reserved at once, but used
/// only as the tree grows. `net` is the file of a policy network, and `weights` is a file of
/// evaluator weights. Each file replaces the shipped file for its board size. `parameters` maps the
/// name of a search parameter or switch to its value; `quiver params` lists the names.
///
/// With the same seed, one thread and a limit of playouts, a sequence of searches gives the same
/// results on every machine. Several threads may call methods: a search waits until the search of
/// another thread has ended.
#[pyclass(frozen, module = "quiver")]
pub(crate) struct Engine {
    engine: Mutex<quiver::Engine>,
    stop: StopHandle,
}

#[derive(FromPyObject)]
enum Setting {
    Switch(bool),
    Number(f64),
}

impl Engine {
    fn lock(&self) -> MutexGuard<'_, quiver::Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (position, *, threads = 1, memory = 209_715_200, seed = 1, net = None, weights = None, parameters = None))]
    fn new(
        position: &Position,
        threads: usize,
        memory: u64,
        seed: u64,
        net: Option<PathBuf>,
        weights: Option<PathBuf>,
        parameters: Option<BTreeMap<String, Setting>>,
    ) -> PyResult<Engine> {
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(invalid(format_args!("threads = {threads}: expected 1 to {MAX_THREADS}")));
        }
        let memory = arguments::memory(memory)?;
        let mut options = EngineOptions { threads, memory, seed, ..EngineOptions::default() };
        if let Some(path) = net {
            options.networks = Networks::default().with(network(&path)?);
        }
        if let Some(path) = weights {
            let refused = |error: &dyn Display| invalid(format_args!("{}: {error}", path.display()));
            let text = files::read_text(&path).map_err(|error| refused(&error))?;
            let weights: Weights = text.parse().map_err(|error| refused(&error))?;
            options.evaluator = Evaluator::default().with_weights(weights.into());
        }
        for (name, setting) in parameters.into_iter().flatten() {
            let text = match setting {
                Setting::Switch(switch) => u8::from(switch).to_string(),
                Setting::Number(number) => number.to_string(),
            };
            options.parameters.set(&name, &text).map_err(invalid)?;
        }
        let engine = Mutex::new(quiver::Engine::new(&options, &position.0));
        Ok(Engine { stop: StopHandle::default(), engine })
    }

    /// The position from which the next search starts.
    #[getter]
    fn position(&self, py: Python<'_>) -> Position {
        py.detach(|| Position(*self.lock().position()))
    }

    /// Sets the position. The tree is kept only if the engine already has this position.
    fn set_position(&self, py: Python<'_>, position: &Position) {
        py.detach(|| self.lock().set_position(&position.0));
    }

    /// Plays a `Move` or the text of a move, and keeps the part of the tree after this move. Raises
    /// ValueError if the move is illegal.
    fn advance(&self, py: Python<'_>, r#move: MoveArgument) -> PyResult<()> {
        let MoveArgument(played) = r#move;
        py.detach(|| self.lock().advance(played)).map_err(invalid)
    }

    /// Searches the position until `playouts` playouts are made, `time` seconds of wall time
    /// minus a reserve have passed, or the winner is proven. The search parameter `margin_ms` is
    /// the reserve in milliseconds. Other Python threads run during the search. Ctrl-C ends the
    /// search and raises KeyboardInterrupt. Raises ValueError if the game is over.
    #[pyo3(signature = (*, playouts = None, time = None))]
    fn search(&self, py: Python<'_>, playouts: Option<u64>, time: Option<f64>) -> PyResult<Report> {
        if playouts.is_none() && time.is_none() {
            return Err(invalid("a search without a limit: expected playouts, time or both"));
        }
        if playouts == Some(0) {
            return Err(invalid("playouts = 0: expected at least 1"));
        }
        let time = time.map(duration).transpose()?.map(Time::PerMove);
        let limits = Limits { time, playouts, stop: self.stop.clone(), ..Limits::default() };
        let search = || {
            let mut engine = self.lock();
            let over = engine.position().winner();
            let report = engine.search(&limits);
            // A call of `stop` during this search must not also end the next search, which may
            // already wait for the lock.
            self.stop.reset();
            report.ok_or(over)
        };
        let result = interruptible(py, || self.stop.stop(), search);
        // A call of `stop` by Ctrl-C after the end of this search must not end the next search.
        let result = result.inspect_err(|_| self.stop.reset())?;
        result.map(Report::from).map_err(|winner| {
            let winner = winner.map_or_else(String::new, |winner| format!(": the {winner} player has won"));
            invalid(format_args!("the game is over{winner}"))
        })
    }

    /// Ends the search that runs in another thread. If no search runs, ends the next search at
    /// once.
    fn stop(&self) {
        self.stop.stop();
    }

    fn __repr__(&self) -> String {
        match self.engine.try_lock() {
            Ok(engine) => format!("<Engine at {}>", engine.position()),
            Err(_) => "<Engine, searching>".to_owned(),
        }
    }
}

/// Returns the search parameters that a tuner may change, as a list of dictionaries with the keys
/// name, default (on boards larger than 8x8), small_default (on boards up to 8x8), min, max, step
/// and about.
#[pyfunction]
pub(crate) fn parameters(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let describe = |row: &quiver::search::Parameter| {
        let dict = PyDict::new(py);
        dict.set_item("name", row.name)?;
        for (name, number) in [
            ("default", row.default),
            ("small_default", row.small_default),
            ("min", row.min),
            ("max", row.max),
            ("step", row.step),
        ] {
            dict.set_item(name, number)?;
        }
        dict.set_item("about", row.about)?;
        Ok(dict)
    };
    Parameters::tuned().map(describe).collect()
}
