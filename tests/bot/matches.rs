//! Whole matches between two bot processes.

use std::fs;

use quiver::game::{Coordinates, FullMove, Size, Start};

use crate::common::judge::{Form, KEEP_RUNNING, read_move};
use crate::common::plain::Plain;
use crate::common::program::{quiver, run};
use crate::common::scratch::Scratch;
use crate::process::{Bot, FORMS};

fn board(side: usize, start: Start) -> Plain {
    Plain::of(&start.position(Size::square(side).unwrap()).unwrap())
}

/// Plays to the end; gives the number of plies. `before` sees the bots before each ply.
fn play(mut board: Plain, bots: &mut [Bot; 2], mut before: impl FnMut(usize, &mut [Bot; 2])) -> usize {
    let mut last = Coordinates::NONE;
    for ply in 0.. {
        if board.winner().is_some() {
            bots[ply % 2].loses(last);
            return ply;
        }
        before(ply, bots);
        let full = bots[ply % 2].turn(last);
        assert!(board.is_legal(full), "ply {ply}: {full}");
        board = board.play(full);
        last = full.into();
    }
    unreachable!("a game without end")
}

fn pair(form: Form, keeps: bool, board: usize, more: &str) -> [Bot; 2] {
    // The second player is not told the board: the history says it.
    [format!("bot --board {board} {more}"), format!("bot {more}")].map(|line| Bot::new(form, keeps, &line))
}

#[test]
fn whole_matches_with_a_process_a_turn_and_with_one_that_is_kept() {
    for (form, keeps) in FORMS.into_iter().flat_map(|form| [(form, false), (form, true)]) {
        for (side, least) in [(8, 20), (10, 40)] {
            let mut bots = pair(form, keeps, side, "--playouts 20");
            let plies = play(board(side, Start::Formula), &mut bots, |_, _| {});
            assert!(plies >= least, "{side}: {plies} plies");
        }
    }
}

/// The player without a memory, and the one whose tree must not outlive what it was built for.
const PLAYERS: [&str; 2] = ["--player random", "--playouts 20"];

#[test]
fn bots_restarted_mid_match_go_on_from_every_start() {
    for (form, player) in FORMS.into_iter().flat_map(|form| PLAYERS.map(|player| (form, player))) {
        for choice in ["formula", "left", "auto"] {
            let mut bots = pair(form, true, 10, &format!("{player} --start {choice}"));
            // Under auto both are careful at first, so that either start would do for as long as
            // that lasts.
            let start = if choice == "left" { Start::Left } else { Start::Formula };
            play(board(10, start), &mut bots, |ply, bots| {
                if ply % 7 == 3 {
                    bots[ply % 2].restart();
                }
            });
        }
    }
}

#[test]
fn no_bot_gives_the_start_away_at_first_and_a_careful_one_never() {
    // As long as the careful amazons can move, and these matches are far from closing them in here.
    for (choice, plies) in [("left", 1), ("formula", 1), ("auto", 10)] {
        for player in PLAYERS {
            let line = |seed| format!("{player} --board 10 --start {choice} --seed {seed}");
            let mut bots = [0, 1].map(|seed| Bot::new(Form::Text, true, &line(seed)));
            let mut readings = [Start::Formula, Start::Left].map(|start| board(10, start));
            let mut request = Coordinates::NONE;
            for ply in 0..plies {
                let full = bots[ply % 2].turn(request);
                for reading in &mut readings {
                    assert!(reading.is_legal(full), "{choice}, ply {ply}: {full}");
                    *reading = reading.play(full);
                }
                request = full.into();
            }
        }
    }
}

#[test]
fn the_samples_are_answered() {
    let history = ["5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"];
    let samples: [(&str, Form, usize, &[&str]); 5] = [
        ("first-turn.json", Form::Json, 10, &[]),
        ("second-player-10x10.json", Form::Json, 10, &["3 0 3 6 6 6"]),
        ("stored-data.txt", Form::Text, 10, &["0 3 1 3 0 3"]),
        ("history-8x8.json", Form::Json, 8, &history),
        ("history-8x8.txt", Form::Text, 8, &history),
    ];
    for (name, form, side, plies) in samples {
        // Ended by the end of the input: an answer, the marker, and a quiet end.
        let said =
            run(quiver(&["--playouts", "20"]), &fs::read(format!("tests/data/botzone/{name}")).unwrap());
        assert!(said.code == Some(0) && (plies.is_empty() || said.err.is_empty()), "{name}: {}", said.err);
        let mut lines: Vec<_> = said.out.lines().map(str::to_owned).collect();
        assert_eq!(lines.pop().as_deref(), Some(KEEP_RUNNING), "{name}");
        let mut board = board(side, Start::Formula);
        for ply in plies {
            board = board.play(ply.parse::<Coordinates>().unwrap().full_move().unwrap());
        }
        let answer: FullMove = read_move(&lines, form);
        assert!(board.is_legal(answer), "{name}: {answer}");
    }
}

#[test]
fn warns_once_when_it_assumes_the_board() {
    let turns = b"1\n-1 -1 -1 -1 -1 -1\n-1 -1 -1 -1 -1 -1\n";
    let talk = |arguments: &[&str], board: Option<&str>, input: &[u8]| {
        let mut command = quiver(&[&["--player", "random"], arguments].concat());
        command.envs(board.map(|board| ("QUIVER_BOARD", board)));
        run(command, input).err
    };
    let warned = talk(&[], None, turns);
    let expected = "quiver: this bot moves first and no board is given: it assumes 10x10";
    assert!(warned.starts_with(expected) && warned.matches("--board 8").count() == 1, "{warned}");
    // The first answer was one of 10x10; the second request, without a move, is refused.
    assert_eq!(warned.matches("assumes").count(), 1, "{warned}");
    let first = &turns[..turns.len() / 2];
    assert_eq!(talk(&["--board", "10"], None, first), "");
    assert_eq!(talk(&[], Some("8"), first), "");
    // The opponent's move tells the board.
    assert_eq!(talk(&[], None, b"5 0 3 2 6 5\n"), "");
}

#[test]
fn the_log_has_what_went_over_the_wire_and_no_log_is_no_harm() {
    let scratch = Scratch::new("log");
    let path = scratch.path("log");
    let logged = |path: &str| {
        let log = ["--player", "random", "--board", "10", "--log", path];
        run(quiver(&log), b"1\n-1 -1 -1 -1 -1 -1\n")
    };
    for _ in 0..2 {
        let said = logged(&path);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    }
    let log = fs::read_to_string(&path).unwrap();
    for part in [" < 1\n", " < -1 -1 -1 -1 -1 -1\n", " > no search\n", " # the input ended\n"] {
        assert_eq!(log.matches(part).count(), 2, "{part}: {log}");
    }
    let time = |line: &str| line.split_once(' ').unwrap().0.parse::<f64>().unwrap();
    assert!(log.lines().all(|line| time(line) > 1.6e9), "{log}");
    for (limit, noted) in [("\"1\"", true), ("1000", false)] {
        let path = scratch.path("limit");
        let turn = format!(r#"{{"x0":3,"y0":0,"x1":3,"y1":6,"x2":6,"y2":6,"time_limit":{limit}}}"#);
        assert_eq!(run(quiver(&["--player", "random", "--log", &path]), turn.as_bytes()).code, Some(0));
        let log = fs::read_to_string(&path).unwrap();
        assert_eq!(log.contains("# time_limit 1 s: the number was read as seconds"), noted, "{log}");
        fs::remove_file(path).unwrap();
    }
    let said = logged("/nonexistent/log");
    assert!(said.code == Some(0) && said.out.starts_with("3 0 "), "{}", said.out);
    assert_eq!(said.err.lines().count(), 1);
}
