//! Somebody who looks on while a search runs: a page, a GUI, an analysis engine.

use std::fmt;
use std::time::{Duration, Instant};

use super::report::Report;

/// Told every so often what a search has found so far; its last word is the search's own result.
pub struct Watch<'a> {
    next: Option<Instant>,
    every: Duration,
    tell: Option<&'a mut dyn FnMut(&Report)>,
}

impl<'a> Watch<'a> {
    /// Nobody looks on, and nothing is spent on it.
    #[must_use]
    pub fn nobody() -> Watch<'a> {
        Watch { next: None, every: Duration::ZERO, tell: None }
    }

    /// Tells `tell` every so often, by the wall, from now. It runs within the search, which waits for it.
    pub fn new(every: Duration, tell: &'a mut dyn FnMut(&Report)) -> Watch<'a> {
        Watch { next: Instant::now().checked_add(every), every, tell: Some(tell) }
    }

    /// Whether it is time to tell.
    pub(super) fn is_due(&self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    /// How long nothing may be told at a stretch.
    pub(super) fn patience(&self) -> Duration {
        if self.tell.is_some() { self.every.saturating_mul(10) } else { Duration::MAX }
    }

    /// Tells, and waits for the next time.
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
