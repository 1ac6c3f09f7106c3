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
    // A file's name may be no text at all; what is shown of it is as near as text comes.
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let board = std::env::var_os("QUIVER_BOARD").map(|board| board.to_string_lossy().into_owned());
    resumed(words.collect(), board)
}

/// These words and what they need to mean the same tomorrow, in a shell without this environment.
fn resumed(mut words: Vec<String>, board: Option<String>) -> String {
    let says_board = words.iter().any(|word| word == "--board" || word.starts_with("--board="));
    if let Some(board) = board.filter(|_| !says_board) {
        words.extend(["--board".to_owned(), board]);
    }
    if !words.iter().any(|word| word == "--resume") {
        words.push("--resume".to_owned());
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_to_go_on_with_needs_no_environment() {
        let command = |line: &str, board: Option<&str>| {
            resumed(line.split(' ').map(str::to_owned).collect(), board.map(str::to_owned))
        };
        assert_eq!(command("quiver match", None), "quiver match --resume");
        assert_eq!(command("quiver match --resume", Some("8")), "quiver match --resume --board 8");
        for line in ["quiver --board 6", "quiver --board=6"] {
            assert_eq!(command(line, Some("8")), format!("{line} --resume"));
        }
    }
}
