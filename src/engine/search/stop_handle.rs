use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends the searches whose [`Limits`](super::Limits) contain the handle, from any thread. Both
/// running and later searches end.
///
/// All accesses are relaxed, because no other data is published through the flag.
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
    /// Ends all searches whose limits contain this handle.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Undoes an earlier [`StopHandle::stop`], so that later searches run again.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// True if searches with this handle must end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
