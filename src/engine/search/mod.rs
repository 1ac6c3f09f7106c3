//! The tree and its search.
//!
//! An [`Engine`] is made with [`EngineOptions`], gets a position, searches within [`Limits`] and
//! returns a [`Report`]; a [`Watch`] sees the search on its way. Read `worker` first: one playout
//! selects, expands, evaluates and backs up.
//!
//! - `selection`, `expansion`, `policy_priors`, `rave`, `bias`, `cells`: the steps of a playout;
//! - `arena`, `tree`: the data that workers share;
//! - `engine`, `pool`: the loop of a search and its threads;
//! - `clock`, `limits`, `stop_handle`, `stopwatch`: when to answer;
//! - `ending`: what the endgame solver proves;
//! - `summary`, `report`, `findings`: what a search has found;
//! - `options`, `parameters`: the settings of an engine.

mod arena;
mod bias;
mod cells;
mod chooser;
mod clock;
mod ending;
mod engine;
mod expansion;
mod findings;
#[cfg(all(test, loom))]
mod interleavings;
mod limits;
mod options;
mod parameters;
mod policy_priors;
mod pool;
mod rave;
mod report;
mod selection;
mod stop_handle;
mod stopwatch;
mod summary;
mod tree;
mod worker;

pub use engine::Engine;
pub use findings::Finding;
pub use limits::{Limits, Time};
pub use options::EngineOptions;
pub use parameters::{Parameter, ParameterError, ParameterKind, ParameterSettings, Parameters};
pub use report::{Candidate, Ending, Report, StopReason, Watch};
pub use stop_handle::StopHandle;
pub use stopwatch::Stopwatch;

pub use crate::platform::Cpu;
