//! Ctrl-C: once to end in good order, twice to leave. For commands that take long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Listens for SIGINT and SIGTERM: the first says `notice` and sets the flag returned, the second does `last` and ends
/// the process.
pub(super) fn watch(
    notice: &'static str,
    last: impl Fn() + Send + 'static,
) -> std::io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            // Nothing else is published with the flag: it only has to be seen soon.
            if flag.swap(true, Ordering::Relaxed) {
                last();
                std::process::exit(128 + signal);
            }
            eprintln!("quiver: {notice} (once more to leave at once)");
        }
    });
    Ok(interrupted)
}
