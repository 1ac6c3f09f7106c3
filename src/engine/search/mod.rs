//! Monte Carlo tree search.
//!
//! A program creates an [`Engine`] from [`EngineOptions`] and a position. The engine searches
//! within [`Limits`] and returns a [`Report`]. A [`Watch`] receives reports while a search runs.
//! Read `worker` first: one playout selects, expands, evaluates and backs up.
//!
//! - `selection`, `expansion`, `policy_priors`, `rave`, `bias`, `mean_table`: steps of a playout;
//! - `arena`, `tree`: the data that workers share;
//! - `engine`, `pool`: the main loop of a search, its threads and its results;
//! - `clock`, `limits`: the conditions that end a search;
//! - `ending`: the use of the endgame solver;
//! - `report`: the types of the results.

mod arena;
mod bias;
mod chooser;
mod clock;
mod ending;
mod engine;
mod expansion;
#[cfg(all(test, loom))]
mod interleavings;
mod limits;
mod mean_table;
mod options;
mod parameter;
mod parameters;
mod policy_priors;
mod pool;
mod rave;
mod report;
mod selection;
mod tree;
mod worker;

pub(crate) use clock::deadline;
pub use engine::{Engine, PolicyExample};
pub use limits::{Limits, StopHandle, Stopwatch, Time};
pub use options::EngineOptions;
pub use parameter::{Parameter, ParameterError, ParameterKind};
pub use parameters::{ParameterSettings, Parameters};
pub use report::{Candidate, Ending, Report, StopReason, Watch};

pub use crate::platform::Cpu;
