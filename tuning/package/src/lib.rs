//! The extension module `quiver._native`, which makes the engine available in Python.
//!
//! `quiver/__init__.py` exports the module's classes and functions, and `quiver/_native.pyi` has
//! their types. Errors of the engine become `ValueError`s with the same messages.

mod arguments;
mod arrays;
mod engine;
mod evaluation;
mod games;
mod interrupts;
mod moves;
mod position;
mod proof;
mod report;

use pyo3::pymodule;

/// The compiled part of the package `quiver`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::engine::{Engine, parameters};
    #[pymodule_export]
    use super::evaluation::{evaluate, features, log_odds, priors};
    #[pymodule_export]
    use super::games::{read_games, selfplay};
    #[pymodule_export]
    use super::moves::Move;
    #[pymodule_export]
    use super::position::{Position, perft};
    #[pymodule_export]
    use super::proof::{Solution, solve};
    #[pymodule_export]
    use super::report::{Candidate, Report};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
