//! A way to end a search from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the search of the player that it came from, from any thread.
///
/// A player only reads it: whoever begins a search resets it first, so that no stop is lost between the beginning
/// of a turn and that of the search.
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Asks the search to end, now or as soon as it begins.
    pub fn stop(&self) {
        // Nothing else is published with the flag: it only has to be seen soon.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes an earlier [`StopHandle::stop`] back.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the search is asked to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
