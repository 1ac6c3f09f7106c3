//! A way to end a search from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the search of the engine that it came from, from any thread.
///
/// A stop counts once: the search that it ends takes it back. If none is running, that is the next one; whoever
/// begins a turn and does not want an earlier stop to end it calls [`StopHandle::reset`] first.
///
/// All accesses are relaxed: nothing else is published with the flag, it only has to be seen soon.
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Asks the search to end, now or as soon as it begins.
    pub fn stop(&self) {
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
