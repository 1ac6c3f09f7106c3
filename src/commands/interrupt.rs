//! Ctrl-C in long commands: the first lets the command end in order, the second ends it at once.

use std::io;
use std::thread;

use super::Failed;
use crate::contest::kill_all;
use crate::messages::warn;
use crate::search::StopHandle;

/// Listens for Ctrl-C and for the signal to terminate. The first of these signals calls `first`.
/// The second signal ends this process and the programs that it has started.
pub(super) fn on_signals(first: impl Fn() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    let listen = move || {
        runtime.block_on(async {
            signals.next().await;
            first();
            let status = signals.next().await;
            kill_all();
            std::process::exit(status);
        })
    };
    thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 2]);

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]))
    }

    /// Waits for the next signal. Returns the exit status of a process that this signal ends.
    async fn next(&mut self) -> i32 {
        let [interrupt, terminate] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => 130,
            _ = terminate.recv() => 143,
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC, tokio::signal::windows::CtrlBreak);

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Signals> {
        use tokio::signal::windows::{ctrl_break, ctrl_c};
        Ok(Signals(ctrl_c()?, ctrl_break()?))
    }

    /// Waits for the next event. Returns the exit status of a process that this event ends.
    async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.0.recv() => 130,
            _ = self.1.recv() => 130,
        }
    }
}

/// Returns a stop handle. The first Ctrl-C or signal to terminate stops the handle and prints
/// `notice`. The second ends the process, as in [`on_signals`].
pub(super) fn watch(notice: &'static str) -> io::Result<StopHandle> {
    let interrupt = StopHandle::default();
    let stop = interrupt.clone();
    on_signals(move || {
        stop.stop();
        warn(format_args!("{notice} (interrupt once more to end at once)"));
    })?;
    Ok(interrupt)
}

/// Returns an error if an interrupt ended the work before all of it was done.
pub(super) fn expect_whole(interrupt: &StopHandle, whole: bool, done: &str) -> Result<(), Failed> {
    if whole || !interrupt.is_stopped() {
        return Ok(());
    }
    Err(Failed(format!("interrupted after {done}; the same command resumes the work")))
}
