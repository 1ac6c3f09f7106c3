//! Runs long computations without the interpreter's lock, so that Ctrl-C can end them.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Runs `work` in a new thread and returns its result. If a signal raises an exception such as
/// `KeyboardInterrupt`, calls `stop` repeatedly until `work` has ended, and returns the exception.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: impl Fn() + Sync,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (running, ended) = sync_channel::<()>(0);
            let worker = scope.spawn(move || {
                let result = work();
                drop(running);
                result
            });
            let mut interrupt = None;
            while ended.recv_timeout(SIGNAL_CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                interrupt = interrupt.or_else(|| Python::attach(|py| py.check_signals()).err());
                if interrupt.is_some() {
                    stop();
                }
            }
            let failed = |_| PyRuntimeError::new_err("the engine failed: see standard error");
            let result = worker.join().map_err(failed);
            interrupt.map_or(result, Err)
        })
    })
}
