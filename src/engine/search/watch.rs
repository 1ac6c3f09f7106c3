//! A running search from outside: its progress reports, for a page, a GUI or an analysis engine, and
//! its end by another thread.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::report::Report;

/// Calls a function with the state of a search at regular intervals.
pub struct Watch<'a> {
    next: Option<Instant>,
    every: Duration,
    tell: Option<&'a mut dyn FnMut(&Report)>,
}

impl<'a> Watch<'a> {
    /// A watch that is never called.
    pub fn none() -> Watch<'a> {
        Watch { next: None, every: Duration::ZERO, tell: None }
    }

    /// Calls `tell` after each interval of wall time from now. The search waits for the call.
    pub fn new(every: Duration, tell: &'a mut dyn FnMut(&Report)) -> Watch<'a> {
        Watch { next: Instant::now().checked_add(every), every, tell: Some(tell) }
    }

    /// The longest time that the search may spend without a call.
    pub(super) fn patience(&self) -> Duration {
        if self.tell.is_some() { self.every.saturating_mul(10) } else { Duration::MAX }
    }

    /// Calls the function with a report, if one is due.
    pub(super) fn look(&mut self, report: impl FnOnce() -> Option<Report>) {
        if self.next.is_none_or(|next| Instant::now() < next) {
            return;
        }
        if let (Some(tell), Some(report)) = (&mut self.tell, report()) {
            tell(&report);
        }
        self.next = Instant::now().checked_add(self.every);
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("every", &self.every).field("watched", &self.tell.is_some()).finish()
    }
}

/// Ends the search of the engine that it came from, from any thread.
///
/// A stop counts once: the search that it ends resets it. If no search is running, it ends the next
/// one, unless the caller resets it before.
///
/// All accesses are relaxed: nothing else is published with the flag, it only has to be seen soon.
///
/// ```
/// use quiver_engine::{Engine, EngineOptions, Limits, Position, Size, StopReason};
///
/// let start = Position::start(Size::square(8)?)?;
/// let mut engine = Engine::new(&EngineOptions { memory: 1 << 20, ..EngineOptions::default() }, &start);
/// let handle = engine.stop_handle();
/// std::thread::spawn(move || handle.stop());
/// let report = engine.search(&Limits::playouts(u64::MAX)).expect("the first player has moves");
/// assert_eq!(report.stop, StopReason::Stopped);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Ends the search, or the next one if none is running.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes an earlier [`StopHandle::stop`] back.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// True if a stop is pending.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
