//! Recorded games, replayed: random games of an independent implementation, and matches run by
//! Botzone's judge.

mod common;

use std::fs;
use std::path::PathBuf;

use common::plain::Plain;
use quiver::game::{FullMove, Position, Side, Size, Square, Start};
use serde_json::Value;

fn data(folder: &str) -> Vec<(String, String)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
    };
    files.into_iter().map(read).collect()
}

fn start(side: usize) -> Position {
    Start::Formula.position(Size::square(side).unwrap()).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

fn full_move(numbers: [&Value; 6]) -> FullMove {
    let [x0, y0, x1, y1, x2, y2] = numbers.map(|value| u8::try_from(number(value)).unwrap());
    let square = |x, y| Square::new(x, y).unwrap();
    FullMove { from: square(x0, y0), to: square(x1, y1), arrow: square(x2, y2) }
}

#[test]
fn random_games_have_their_counts_and_winners() {
    let mut games = 0;
    for (name, text) in data("games") {
        for (line, game) in text.lines().enumerate() {
            let game: Value = serde_json::from_str(game).unwrap();
            let place = format!("{name}, game {}", line + 1);
            let mut position = start(number(&game["size"]) as usize);
            let mut plain = Plain::of(&position);
            let (moves, legal) = (game["moves"].as_array().unwrap(), game["legal"].as_array().unwrap());
            assert_eq!(moves.len(), legal.len(), "{place}");
            for (ply, (six, legal)) in moves.iter().zip(legal).enumerate() {
                assert_eq!(position.winner(), None, "{place}, ply {ply}");
                assert_eq!(
                    position.count_full_moves(position.to_move()),
                    number(legal),
                    "{place}, ply {ply}"
                );
                let full = full_move(std::array::from_fn(|index| &six[index]));
                position = position.play(full).unwrap_or_else(|error| panic!("{place}, ply {ply}: {error}"));
                plain = plain.play(full);
                assert_eq!(Plain::of(&position), plain, "{place}, ply {ply}");
            }
            assert_eq!(
                position.winner().map(|side| side.to_string()).as_deref(),
                game["winner"].as_str(),
                "{place}"
            );
            games += 1;
        }
    }
    assert_eq!(games, 72);
}

/// How a log of the judge ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The log stops before the game does.
    Open,
    /// The loser had no move left.
    Played { winner: Side },
    /// The loser named a move that the rules do not allow.
    Illegal { winner: Side },
    /// The loser gave no answer in time.
    Timeout { winner: Side },
}

/// Replays a match as the judge saw it, comparing its counts of both sides' moves at every ply;
/// says how many plies were played, and how it ended.
fn replay(name: &str, log: &[Value]) -> (usize, End) {
    let mut position = start(8);
    let mut plies = 0;
    // Why the last answer could not be played, if it could not.
    let mut refused = None;
    for pair in log.chunks(2) {
        let (output, place) = (&pair[0]["output"], format!("{name}, ply {plies}"));
        let display = &output["display"];
        if refused.is_none() {
            // After an illegal move they may stem from half of it.
            for (side, key) in [(Side::First, "blackCount"), (Side::Second, "whiteCount")] {
                assert_eq!(position.count_full_moves(side), number(&display[key]), "{place}, {side}");
            }
        }
        if output["command"] == "finish" {
            assert_eq!(pair.len(), 1, "{place}: nothing follows the end");
            let winner = Side::BOTH[number(&display["winner"]) as usize];
            assert_eq!(output["content"][winner.index().to_string()], 2, "{place}");
            assert_eq!(
                winner,
                position.to_move().other(),
                "{place}: a side that cannot or does not move loses"
            );
            let end = match display["err"].as_str() {
                None => End::Played { winner },
                Some("INVALIDMOVE") => End::Illegal { winner },
                Some("INVALID_INPUT_VERDICT_TLE") => End::Timeout { winner },
                Some(other) => panic!("{place}: {other}"),
            };
            assert_eq!(position.winner().is_some(), matches!(end, End::Played { .. }), "{place}");
            assert_eq!(refused.is_some(), matches!(end, End::Illegal { .. }), "{place}: {refused:?}");
            return (plies, end);
        }
        assert_eq!((position.winner(), refused), (None, None), "{place}: the judge asks on");
        let Some(answer) = pair.get(1) else { return (plies, End::Open) };
        let answer = &answer[position.to_move().index().to_string()];
        if answer["verdict"] != "OK" {
            continue;
        }
        let full = full_move(["x0", "y0", "x1", "y1", "x2", "y2"].map(|key| &answer["response"][key]));
        assert_eq!(position.play(full).is_ok(), Plain::of(&position).is_legal(full), "{place}: {full}");
        match position.play(full) {
            Ok(after) => (position, plies) = (after, plies + 1),
            Err(error) => refused = Some(error),
        }
    }
    panic!("{name}: the log ends with an answer")
}

#[test]
fn matches_run_by_the_judge_have_its_counts_and_its_verdict() {
    let replayed = data("judge_logs").into_iter().map(|(name, text)| {
        let file: Value = serde_json::from_str(&text).unwrap();
        let (plies, end) = replay(&name, file["log"].as_array().unwrap());
        (name, plies, end)
    });
    let expected = [
        ("illegal-move.json", 4, End::Illegal { winner: Side::Second }),
        ("random-1.json", 48, End::Played { winner: Side::Second }),
        ("random-2.json", 49, End::Played { winner: Side::First }),
        ("random-3.json", 45, End::Played { winner: Side::First }),
        ("real-opening-5bd137c30681335cc1f4d093.json", 4, End::Open),
        ("timeout.json", 4, End::Timeout { winner: Side::Second }),
    ];
    assert!(replayed.eq(expected.map(|(name, plies, end)| (name.to_owned(), plies, end))));
}
