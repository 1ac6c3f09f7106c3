//! The way to end a search from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the searches whose [`Limits`](super::Limits) have it, from any thread: those under way, and those that begin
/// later.
///
/// All accesses are relaxed: nothing else is published with the flag, it only has to be seen soon.
///
/// ```
/// use quiver_engine::{Engine, EngineOptions, Limits, Position, Size, StopHandle, StopReason};
///
/// let start = Position::start(Size::square(8)?)?;
/// let mut engine = Engine::new(&EngineOptions { memory: 1 << 20, ..EngineOptions::default() }, &start);
/// let stop = StopHandle::default();
/// let limits = Limits { stop: stop.clone(), ..Limits::default() };
/// std::thread::spawn(move || stop.stop());
/// let report = engine.search(&limits).expect("the first player has moves");
/// assert_eq!(report.stop, Some(StopReason::Stopped));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Ends the searches.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes an earlier [`StopHandle::stop`] back.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// True if the searches are to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
