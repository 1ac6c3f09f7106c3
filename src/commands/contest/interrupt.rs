//! Ctrl-C: once to end in good order, twice to leave.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::contest::{kill_all, quoted};

/// Listens for SIGINT and SIGTERM: the first sets the flag returned, the second ends the process and all programs.
pub(super) fn watch() -> std::io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            // Nothing else is published with the flag: it only has to be seen soon.
            if flag.swap(true, Ordering::Relaxed) {
                kill_all();
                std::process::exit(128 + signal);
            }
            eprintln!("quiver: ending; games in progress are given up (once more to leave at once)");
        }
    });
    Ok(interrupted)
}

/// The command line that goes on from the record: this one, with `--resume`.
pub(super) fn resume_command() -> String {
    let mut words: Vec<String> = std::env::args().map(|word| quoted(&word)).collect();
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_owned());
    }
    words.join(" ")
}
