//! Ctrl-C in long commands: the first Ctrl-C asks the command to end, the second ends the process.

use std::io;
use std::thread;

#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{ctrl_break, ctrl_c};

use super::Failed;
use crate::contest::kill_all;
use crate::messages::warn;
use crate::search::StopHandle;

/// Listens for Ctrl-C and for the signal to terminate. The first of these signals calls `first`.
/// The second signal ends this process and the programs that it has started.
pub(super) fn on_signals(first: impl Fn() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let inside = runtime.enter();
    // `terminated` is the exit status if the second signal is the signal to terminate.
    #[cfg(unix)]
    let (mut interrupt, mut terminate, terminated) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, 143);
    #[cfg(windows)]
    let (mut interrupt, mut terminate, terminated) = (ctrl_c()?, ctrl_break()?, 130);
    drop(inside);
    let mut next_signal = async move || {
        tokio::select! {
            _ = interrupt.recv() => 130,
            _ = terminate.recv() => terminated,
        }
    };
    let listen = move || {
        runtime.block_on(async {
            next_signal().await;
            first();
            let status = next_signal().await;
            kill_all();
            std::process::exit(status);
        })
    };
    thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

/// Returns a stop handle. The first Ctrl-C or signal to terminate stops the handle and prints
/// `notice`. The second signal ends the process, as in [`on_signals`].
pub(super) fn stop_on_interrupt(notice: &'static str) -> io::Result<StopHandle> {
    let interrupt = StopHandle::default();
    let stop = interrupt.clone();
    on_signals(move || {
        stop.stop();
        warn(format_args!("{notice} (interrupt once more to end at once)"));
    })?;
    Ok(interrupt)
}

/// Returns an error if an interrupt ended the work and the work is not complete. The message names
/// `finished_work`, such as "12 games".
pub(super) fn expect_complete(
    interrupt: &StopHandle,
    is_complete: bool,
    finished_work: &str,
) -> Result<(), Failed> {
    if is_complete || !interrupt.is_stopped() {
        return Ok(());
    }
    Err(Failed(format!("interrupted after {finished_work}; the same command resumes the work")))
}
