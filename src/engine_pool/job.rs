//! The traits of a pool's engines and jobs.

use super::JobControl;
use crate::search::StopHandle;

/// Names the jobs of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(pub(super) u64);

/// An engine that a pool keeps between two jobs, with what it knows.
pub(crate) trait PooledEngine: Send + 'static {
    /// The handle that ends its search; `None` if it does not search, and never ponders.
    fn stop_handle(&self) -> Option<StopHandle>;

    /// True if pondering may serve a later job.
    fn may_ponder(&self) -> bool;

    /// Searches on for a short while. Returns the playouts made; `None` if no more is to be found.
    fn ponder(&mut self) -> Option<u64>;
}

/// One search, and the listener for its result.
pub(crate) trait SearchJob: Send + 'static {
    type Engine: PooledEngine;
    type Outcome;

    /// The part of this job's tree that the engine already has; `None` if the job must not use it.
    fn fit(&self, engine: &Self::Engine) -> Option<usize>;

    /// Searches, with the engine that fits best or a new one. Returns the engine to keep.
    ///
    /// The job calls [`JobControl::begin`] before its search.
    fn run(
        &self,
        engine: Option<Self::Engine>,
        control: &JobControl<'_, Self>,
    ) -> (Option<Self::Engine>, Self::Outcome)
    where
        Self: Sized;

    /// Gives the result to the job's listener, after the engine is back in the pool. Returns
    /// whether the listener still exists; if not, the other jobs of the ticket end too. A panic
    /// counts as false.
    fn finish(self, ended: Ended<Self::Outcome>) -> bool;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended<T> {
    /// It ran; a stopped search has a result too.
    Done(T),
    /// It was terminated before a thread took it.
    Terminated,
    /// It panicked, with this message. Its engine is lost.
    Panicked(String),
}

/// Which idle engines ponder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pondering {
    Off,
    /// The engine that was used last.
    LastUsed,
    /// All in turn, on all threads, each for at most this many slices after a job.
    InTurn(u32),
}
