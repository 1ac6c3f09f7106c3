//! The tree and its search.
//!
//! [`Engine`] is all that others see: it is told a position, searches within [`Limits`] by its [`Parameters`], and
//! says what it found in a [`Report`], and what it has found so far to who [watches](Watch). Inside, `worker` reads as the
//! algorithm: one playout in the order in which it happens, with selection, expansion and the light playout each in a file
//! of its own. `tree` is what workers share, `arena` and `edge` are what it is made of, `pool` are the threads, `clock`
//! says when to answer, `ending` asks whether the game is decided, `minimax` carries static values up.

mod arena;
mod atomics;
mod clock;
mod edge;
mod ending;
pub mod engine;
mod expansion;
#[cfg(all(test, loom))]
mod interleavings;
pub mod limits;
mod minimax;
pub mod parameters;
mod playout;
mod pool;
mod rave;
pub mod report;
mod selection;
pub mod stop;
pub mod stopwatch;
mod summary;
mod tree;
pub mod watch;
mod worker;

pub use engine::{Engine, EngineOptions};
pub use limits::{Limits, Time};
pub use parameters::{Parameter, ParameterError, Parameters};
pub use report::{Candidate, Ending, Report, StopReason};
pub use stop::StopHandle;
pub use stopwatch::{Cpu, Stopwatch};
pub use summary::VisitCounts;
pub use watch::Watch;
