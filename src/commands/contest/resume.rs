//! How an interrupted match goes on.

use crate::contest::quoted;

/// The command line that goes on from the record: this one, with `--resume`.
pub(super) fn command() -> String {
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
