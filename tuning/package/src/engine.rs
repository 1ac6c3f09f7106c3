//! `Engine`: the search.

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

/// The most threads of an engine.
const MOST_THREADS: usize = 1024;

/// A search that keeps its tree from move to move.
///
/// `memory` is the size of the tree in bytes, reserved at once and used as the tree grows. `net` and
/// `weights` are files of a policy network and of the evaluator's weights; each replaces the shipped
/// one for its kind of board. `parameters` sets search parameters and switches by name, as
/// `quiver params` lists them.
///
/// With one seed, one thread and a limit of playouts, the same searches give the same results on
/// every machine. Methods may be called from several threads: a search waits for the one that runs.
#[pyclass(frozen, module = "quiver")]
pub(crate) struct Engine {
    engine: Mutex<quiver::Engine>,
    stop: StopHandle,
}

/// The value of a parameter or a switch.
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
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(invalid(format_args!("threads = {threads}: expected 1 to {MOST_THREADS}")));
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
            options.set(&name, &text).map_err(invalid)?;
        }
        let engine = Mutex::new(quiver::Engine::new(&options, &position.0));
        Ok(Engine { stop: StopHandle::default(), engine })
    }

    /// The position that the next search begins from.
    #[getter]
    fn position(&self, py: Python<'_>) -> Position {
        py.detach(|| Position(*self.lock().position()))
    }

    /// Starts from another position. The tree is kept only if it is the current one.
    fn set_position(&self, py: Python<'_>, position: &Position) {
        py.detach(|| self.lock().set_position(&position.0));
    }

    /// Plays a move, or its text, and keeps what the tree knows of the position after it. Raises
    /// ValueError if the move is illegal.
    fn advance(&self, py: Python<'_>, r#move: MoveArgument) -> PyResult<()> {
        let MoveArgument(played) = r#move;
        py.detach(|| self.lock().advance(played)).map_err(invalid)
    }

    /// Searches until `playouts` are made, `time` in seconds of the wall clock is used up, or the
    /// winner is proven, whichever comes first. The parameter `margin_ms` says how much of `time` is
    /// kept back. Other threads of Python run meanwhile; Ctrl-C ends the search and raises
    /// KeyboardInterrupt. Raises ValueError if the game is over.
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
            // A stop counts once: for this search, not for one that waits for the lock.
            self.stop.reset();
            report.ok_or(over)
        };
        let found = interruptible(py, || self.stop.stop(), search);
        // A stop that came too late for this search must not end the next one.
        let found = found.inspect_err(|_| self.stop.reset())?;
        found.map(Report::from).map_err(|winner| {
            let winner = winner.map_or_else(String::new, |winner| format!(": the {winner} player has won"));
            invalid(format_args!("the game is over{winner}"))
        })
    }

    /// Ends the search that runs in another thread, or the next one if none does.
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

/// The search parameters as a list of dictionaries: name, default (on boards larger than 8x8),
/// small_default (on boards up to 8x8), min, max, step, about.
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
