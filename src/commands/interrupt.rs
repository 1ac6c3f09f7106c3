//! Ctrl-C for long commands: the first ends the command in order, the second ends the process at
//! once.

use std::io;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Failed;
use crate::contest::kill_all;
use crate::messages::warn;
use crate::search::StopHandle;

/// Listens for SIGINT and SIGTERM: the first calls `first`, the second ends the process and the
/// programs that it has started.
pub(super) fn on_signals(first: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            first();
        }
        if let Some(signal) = signals.next() {
            kill_all();
            std::process::exit(128 + signal);
        }
    })?;
    Ok(())
}

/// Listens as [`on_signals`]: the first signal says `notice` and sets the handle that is returned.
pub(super) fn watch(notice: &'static str) -> io::Result<StopHandle> {
    let interrupt = StopHandle::default();
    let stop = interrupt.clone();
    on_signals(move || {
        stop.stop();
        warn(format_args!("{notice} (once more to leave at once)"));
    })?;
    Ok(interrupt)
}

/// Fails if an interrupt ended the work early, which the same command resumes; `done` says how far
/// the work came.
pub(super) fn expect_whole(interrupt: &StopHandle, whole: bool, done: &str) -> Result<(), Failed> {
    if whole || !interrupt.is_stopped() {
        return Ok(());
    }
    Err(Failed(format!("interrupted after {done}; the same command goes on")))
}
