//! Progress reports of a running search, for a page, a GUI or an analysis engine.

use std::fmt;
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

    pub(super) fn is_due(&self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    /// The longest time that the search may spend without a call.
    pub(super) fn patience(&self) -> Duration {
        if self.tell.is_some() { self.every.saturating_mul(10) } else { Duration::MAX }
    }

    pub(super) fn tell(&mut self, report: &Report) {
        if let Some(tell) = &mut self.tell {
            tell(report);
        }
        self.next = Instant::now().checked_add(self.every);
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("every", &self.every).field("watched", &self.tell.is_some()).finish()
    }
}
