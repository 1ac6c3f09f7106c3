//! The tree and its search.

pub mod limits;
pub mod parameters;
pub mod report;
pub mod stopwatch;

pub use limits::{Limits, Time};
pub use parameters::{Parameter, ParameterError, Parameters};
pub use report::{Candidate, Report, StopReason};
pub use stopwatch::{Cpu, Stopwatch};
