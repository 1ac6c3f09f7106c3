//! Ending a search from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
