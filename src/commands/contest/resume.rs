//! Resumes an interrupted match.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::ensure;

use super::args::Args;
use crate::contest::{Contest, ContestResults, Fixture, Resumed, quoted};
use crate::game::Fen;

/// The games of a record that are games of this contest, added up; their numbers.
pub(super) fn take_over(
    resumed: &Resumed,
    contest: &Contest,
    results: &mut ContestResults,
) -> anyhow::Result<BTreeSet<usize>> {
    if resumed.torn {
        eprintln!("quiver: the record's last line was torn and has been dropped; its game is played again");
    }
    let fixtures: BTreeMap<usize, &Fixture> =
        contest.fixtures.iter().map(|fixture| (fixture.game, fixture)).collect();
    let mut done = BTreeSet::new();
    let mut beyond = 0;
    for game in &resumed.games {
        let Some(fixture) = fixtures.get(&game.game) else {
            beyond += 1;
            continue;
        };
        let players = [0, 1].map(|seat: usize| game.players[seat].entrant);
        ensure!(
            players == fixture.players && game.pair == fixture.pair,
            "the record's game {} is not a game of this match: pair {}, players {players:?}, expected {}, {:?}",
            game.game,
            game.pair,
            fixture.pair,
            fixture.players
        );
        let opening = contest.openings.get(fixture.opening);
        let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
        ensure!(
            game.start == Fen(opening.start).to_string() && game.opening == moves,
            "the record's game {} begins with {:?} from {}: expected {moves:?} from {}, the opening of this match",
            game.game,
            game.opening,
            game.start,
            Fen(opening.start)
        );
        results.add(game);
        done.insert(game.game);
    }
    if beyond > 0 {
        eprintln!("quiver: {beyond} games of the record are beyond the number asked for and are left out");
    }
    Ok(done)
}

/// Tells the user how to continue a match that was not played to its end.
pub(super) fn go_on(args: &Args) -> String {
    match &args.record {
        Some(_) => format!("go on with:\n{}", command()),
        None => "without --record they cannot be gone on from".to_owned(),
    }
}

/// The command line that goes on from the record: this one, with `--resume`.
fn command() -> String {
    // A file's name may be invalid UTF-8; the message shows the closest text.
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let board = std::env::var_os("QUIVER_BOARD").map(|board| board.to_string_lossy().into_owned());
    resumed(words.collect(), board)
}

/// These arguments with `--resume`, and with the board of the environment variable, so that the
/// command means the same in another shell.
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
