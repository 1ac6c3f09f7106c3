//! Tests `quiver bot` as a process that a judge starts, stops and continues.

use std::fs;
use std::io::pipe;
use std::process::{Command, Stdio};
use std::time::Duration;

use quiver::amazons::{Move, Position, Side, Size};
use quiver::{Coordinates, Start};

use crate::common::judge::{Bot, FIRST_TURN, KEEP_RUNNING, RequestForm, history, play, read_move};
use crate::common::program::{self, Run, quiver, run, run_on};
use crate::common::scratch::Scratch;
use crate::common::start;

/// The options of two bots: one keeps nothing between turns, and the other keeps a search tree.
const PLAYERS: [&str; 2] = ["--player random", "--playouts 20"];

fn position(side: usize, start: Start) -> Position {
    start.position(Size::square(side).unwrap()).unwrap()
}

fn bot(line: &str) -> Bot {
    Bot::start(quiver(&line.split(' ').collect::<Vec<_>>()))
}

/// Starts a new bot process, asks it for one turn, and keeps its input open.
fn ask_new_process(line: &str, entries: &[Coordinates], form: RequestForm) -> Run {
    let line = format!("{line} --no-keep-running");
    run_on(quiver(&line.split(' ').collect::<Vec<_>>()), (history(entries, form) + "\n").as_bytes(), true)
}

#[test]
fn plays_whole_matches_despite_restarts() {
    let mut refused = [0, 0];
    for (form, player) in [RequestForm::Json, RequestForm::Text]
        .into_iter()
        .flat_map(|form| PLAYERS.map(|player| (form, player)))
    {
        for (side, choice) in [(8, "formula"), (10, "formula"), (10, "left"), (10, "auto")] {
            for mover in Side::BOTH {
                // The second player needs no `--board`, because its first request shows the board.
                let board =
                    if mover == Side::First { format!("--board {side}") } else { String::from("bot") };
                let line = format!("{board} {player} --start {choice}");
                let start = position(side, if choice == "left" { Start::Left } else { Start::Formula });
                let mut turns = 0;
                let entries = play(&mut bot(&line), start, mover, form, |process| {
                    turns += 1;
                    if turns % 5 == 3 {
                        *process = bot(&line);
                    }
                });
                assert!(entries.len() > 10, "{line}: {entries:?}");
                let last = (entries.len() - 2) | 1;
                for turn in [1, 7, last] {
                    let Run { code, out, err } = ask_new_process(&line, &entries[..turn], form);
                    assert_eq!((code, err.as_str()), (Some(0), ""));
                    assert!(out.ends_with('\n') && !out.contains(KEEP_RUNNING), "{out}");
                    let played = read_move(&out.lines().map(str::to_owned).collect::<Vec<_>>(), form);
                    let known = entries[..turn].iter().filter_map(|ply| ply.full_move());
                    let board = known.fold(start, |board, played| board.play(played).unwrap());
                    assert!(board.play(played).is_ok(), "{line}, turn {turn}: {played}");
                    // In the match, `entries[1]` and `entries[7]` were each the first move of a new
                    // process. So in turns 1 and 7, this new process must choose the same move.
                    assert!(turn == last || entries[turn] == played.into(), "{line}, turn {turn}: {played}");
                }
                if entries.len() % 2 == 1 {
                    let Run { code, err, .. } = ask_new_process(&line, &entries, form);
                    let reasons = [" player has no move left: expected ", " turns: expected 1 to "];
                    assert!(code == Some(2) && reasons.iter().any(|reason| err.contains(reason)), "{err}");
                    refused[form as usize] += 1;
                }
            }
        }
    }
    assert!(!refused.contains(&0), "some bots must lose: {refused:?}");
}

#[test]
fn first_moves_are_legal_from_both_starts() {
    // A 10x10 board has two start positions. With every `--start`, the first ply of a match must be
    // legal from both of them. With `auto`, each of the first ten plies must be legal from both.
    for (choice, plies) in [("left", 1), ("formula", 1), ("auto", 10)] {
        for player in PLAYERS {
            let line = |seed| format!("{player} --board 10 --start {choice} --seed {seed}");
            let mut bots = [0, 1].map(|seed| bot(&line(seed)));
            let mut readings = [Start::Formula, Start::Left].map(|start| position(10, start));
            let mut entries = vec![Coordinates::NONE];
            for ply in 0..plies {
                let played = bots[ply % 2].turn(&entries[ply % 2..], RequestForm::Text);
                readings = readings.map(|reading| reading.play(played).expect(choice));
                entries.push(played.into());
            }
        }
    }
}

#[test]
fn answers_sample_requests() {
    let history = ["5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"];
    let samples: [(&str, RequestForm, usize, &[&str]); 5] = [
        ("first-turn.json", RequestForm::Json, 10, &[]),
        ("second-player-10x10.json", RequestForm::Json, 10, &["3 0 3 6 6 6"]),
        ("stored-data.txt", RequestForm::Text, 10, &["0 3 1 3 0 3"]),
        ("history-8x8.json", RequestForm::Json, 8, &history),
        ("history-8x8.txt", RequestForm::Text, 8, &history),
    ];
    for (name, form, side, plies) in samples {
        // The bot answers, asks to be kept running, and ends at the end of its input.
        let said =
            run(quiver(&["--playouts", "20"]), &fs::read(format!("tests/data/botzone/{name}")).unwrap());
        assert!(said.code == Some(0) && (plies.is_empty() || said.err.is_empty()), "{name}: {}", said.err);
        let mut lines: Vec<_> = said.out.lines().map(str::to_owned).collect();
        assert_eq!(lines.pop().as_deref(), Some(KEEP_RUNNING), "{name}");
        let known = plies.iter().map(|ply| ply.parse::<Move>().unwrap());
        let board = known.fold(position(side, Start::Formula), |board, played| board.play(played).unwrap());
        let answer = read_move(&lines, form);
        assert!(board.play(answer).is_ok(), "{name}: {answer}");
    }
}

#[test]
fn ignores_byte_order_mark_and_crlf() {
    for name in ["first-turn.json", "history-8x8.json", "history-8x8.txt", "stored-data.txt"] {
        let plain = fs::read_to_string(format!("tests/data/botzone/{name}")).unwrap();
        let marked = format!("\u{feff}{}", plain.replace('\n', " \r\n"));
        let [plain, marked] = [plain, marked]
            .map(|input| run(quiver(&["--player", "greedy", "--board", "8"]), input.as_bytes()));
        assert_eq!((plain.code, &plain.out, &plain.err), (marked.code, &marked.out, &marked.err), "{name}");
    }
}

#[test]
fn warns_once_about_assumed_board() {
    let turns = b"1\n-1 -1 -1 -1 -1 -1\n-1 -1 -1 -1 -1 -1\n";
    let messages = |arguments: &[&str], board: Option<&str>, input: &[u8]| {
        let mut command = quiver(&[&["--player", "random"], arguments].concat());
        command.envs(board.map(|board| ("QUIVER_BOARD", board)));
        run(command, input).err
    };
    let warned = messages(&[], None, turns);
    let expected = "quiver: this bot moves first and no board is given: it assumes 10x10";
    assert!(warned.starts_with(expected) && warned.matches("--board 8").count() == 1, "{warned}");
    // The bot refuses the second request, which has no move, and does not repeat its warning.
    assert_eq!(warned.matches("assumes").count(), 1, "{warned}");
    let first = &turns[..turns.len() / 2];
    // An environment variable that is set to an empty value counts as unset.
    assert_eq!(messages(&[], Some(""), turns), warned);
    assert_eq!(messages(&["--board", "10"], None, first), "");
    assert_eq!(messages(&[], Some("8"), first), "");
    // The opponent's move shows the size of the board, so the bot does not warn.
    assert_eq!(messages(&[], None, b"5 0 3 2 6 5\n"), "");
}

#[test]
fn logs_input_and_output() {
    let (scratch, [path]) = Scratch::with_paths("bot-log", ["log"]);
    let logged = |path: &str| {
        let log = ["--player", "random", "--board", "10", "--log", path];
        run(quiver(&log), FIRST_TURN.as_bytes())
    };
    for _ in 0..2 {
        let said = logged(&path);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    }
    let log = fs::read_to_string(&path).unwrap();
    for part in [" < 1\n", " < -1 -1 -1 -1 -1 -1\n", " > no search\n", " # the bot ended\n"] {
        assert_eq!(log.matches(part).count(), 2, "{part}: {log}");
    }
    let time = |line: &str| line.split_once(' ').unwrap().0.parse::<f64>().unwrap();
    assert!(log.lines().all(|line| time(line) > 1.6e9), "{log}");
    for (limit, noted) in [("\"1\"", true), ("1000", false)] {
        let path = scratch.path(limit);
        let turn = format!(r#"{{"x0":3,"y0":0,"x1":3,"y1":6,"x2":6,"y2":6,"time_limit":{limit}}}"#);
        assert_eq!(run(quiver(&["--player", "random", "--log", &path]), turn.as_bytes()).code, Some(0));
        let log = fs::read_to_string(&path).unwrap();
        assert_eq!(log.contains("# time_limit 1 s: the number was read as seconds"), noted, "{log}");
    }
    let said = logged("/nonexistent/log");
    assert!(said.code == Some(0) && said.out.starts_with("3 0 "), "{}", said.out);
    assert_eq!(said.err.lines().count(), 1);
}

fn refused(arguments: &[&str], input: &[u8], open: bool, expected: &str) {
    let Run { code, out, err } = run_on(quiver(arguments), input, open);
    assert_eq!((code, out.as_str(), err.lines().count()), (Some(2), "", 1), "{err}");
    assert!(err.starts_with(&format!("quiver: {expected}")), "{err}: not {expected}");
}

#[test]
fn bad_request_ends_match() {
    const FIRST: &str = "-1 -1 -1 -1 -1 -1\n";
    for (before, text, expected) in [
        ("", "", "turn 1: the input is empty"),
        ("", "{\"requests\":[", "turn 1: the object cannot be read"),
        ("", "0 3 1 3 0 10", "ply 1: 0 3 1 3 0 10 are no squares of a board"),
        ("", "2\n-1 -1 -1 -1 -1 -1\n3 0 3 1 3 0\n3 1 3 2 3 1", "ply 2: illegal move 3 1 3 2 3 1"),
        ("", "1\n0 3 1 3", "turn 1: '0 3 1 3': expected six integers"),
        ("", "3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5", "turn 1: the input ended: expected 3 more lines"),
        (FIRST, "hello", "turn 2: 'hello' is no request"),
        (FIRST, "9 9 9 8 9 9", "ply 2: illegal move 9 9 9 8 9 9: j10 holds nothing"),
        (FIRST, "2", "turn 2: the input ended: expected 3 more lines"),
    ] {
        let (input, open) = (format!("{before}{text}\n"), !expected.contains("the input"));
        let bot = quiver(&["--player", "random", "--board", "10"]);
        let Run { code, out, err } = run_on(bot, input.as_bytes(), open);
        assert_eq!((code, err.lines().count()), (Some(2), 1), "{text}: {err}");
        assert!(err.starts_with(&format!("quiver: {expected}")), "{err}");
        let answered = if before.is_empty() { (0, None) } else { (3, Some(KEEP_RUNNING)) };
        assert_eq!((out.lines().count(), out.lines().last()), answered, "{text}: {out}");
    }
}

#[test]
fn rejects_megabytes_of_garbage() {
    let noise: Vec<u8> =
        (0..10_000_000u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    refused(&[], &noise, true, "turn 1: ");
    refused(&[], &vec![b'x'; 10_000_000], true, "turn 1: a line of more than");
    refused(&[], &b"garbage\n".repeat(1_250_000), true, "turn 1: 'garbage' is no request");
    refused(&[], b"\xff\n", true, "turn 1: a line that is not UTF-8");
    refused(&[], &vec![b'\n'; 10_000_000], false, "turn 1: the input is empty");
    refused(&[], &b"{\"requests\":".repeat(800_000), true, "turn 1: a line of more than");
    let mut deep = vec![b'['; 4_000_000];
    deep.splice(0..0, *b"{\"requests\":");
    deep.push(b'\n');
    refused(&[], &deep, true, "turn 1: the object cannot be read");
}

#[test]
fn rejects_history_of_another_board() {
    let history = include_bytes!("data/botzone/history-8x8.txt");
    let expected = "ply 1: the first move is from a board of 8x8: expected 10x10";
    refused(&["--board", "10"], history, true, expected);
    refused(&["--board", "7"], b"", true, "--board: no start position for a board of 7x7");
    // QUIVER_BOARD is only a default, so the bot accepts a match on a board of another size.
    let mut command = quiver(&["--player", "random", "--no-keep-running"]);
    command.env("QUIVER_BOARD", "10");
    assert_eq!(run(command, history).code, Some(0));
}

#[test]
fn leaves_out_threads_without_memory() {
    // Botzone gives a bot this much address space, which is too little for 64 threads.
    let limited =
        "ulimit -v 262144; exec \"$0\" bot --board 8 --threads 64 --playouts 500 --no-book --no-keep-running";
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_quiver")]).env_remove("QUIVER_BOARD");
    let run = run(&mut command, FIRST_TURN.as_bytes());
    assert!(run.code == Some(0) && run.out.contains(" playouts, value "), "{}{}", run.out, run.err);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn calls_that_a_sandbox_refuses_are_named() {
    for (call, code, expected) in [
        ("poll", 1, "this system refuses poll or clock_gettime, which quiver needs: Operation not permitted"),
        (
            "clock_gettime",
            0,
            "this system refuses the clock of CPU time: turns are limited by wall time alone",
        ),
    ] {
        let mut command = program::without_system_call(call, env!("CARGO_BIN_EXE_quiver"));
        command.args(["bot", "--board", "8", "--time", "0.05", "--no-book", "--no-keep-running"]);
        let Run { code: got, out, err } = run(command, FIRST_TURN.as_bytes());
        assert_eq!((got, out.contains(" playouts, value ")), (Some(code), code == 0), "{out} {err}");
        assert!(err.starts_with("quiver: ") && err.contains(expected) && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn logs_why_stream_failed() {
    let (reader, closed) = pipe().unwrap();
    drop(reader);
    let null = |read| fs::OpenOptions::new().read(read).write(true).open("/dev/null").unwrap().into();
    let (_scratch, [request, log]) = Scratch::with_paths("bot-streams", ["request", "log"]);
    fs::write(&request, "-1 -1 -1 -1 -1 -1\n").unwrap();
    let cases: [(_, Stdio, _, _); 4] = [
        (&*request, closed.into(), 1, "turn 1: the answer cannot be written: Broken pipe"),
        (".", null(false), 1, "turn 1: the request cannot be read: Is a directory"),
        (&request, null(false), 0, ""),
        (&request, null(true), 0, ""),
    ];
    for (input, output, code, expected) in cases {
        let mut command = quiver(&["--player=random", "--board=10", "--no-keep-running", "--log", &log]);
        let output = command.stdin(fs::File::open(input).unwrap()).stdout(output).output().unwrap();
        let (errors, logged) = (String::from_utf8(output.stderr).unwrap(), fs::read_to_string(&log).unwrap());
        let error = errors.trim_start_matches("quiver: ");
        assert_eq!((output.status.code(), error.is_empty()), (Some(code), expected.is_empty()), "{errors}");
        assert!(error.starts_with(expected) && logged.ends_with(error), "{errors}");
    }
}

/// The judge measures the CPU time of the process. On a busy machine the bot uses less CPU time
/// than the limit, because it also ends a turn when the wall time reaches the limit.
#[test]
fn turns_use_less_cpu_time_than_limit() {
    const TIME: Duration = Duration::from_millis(120);
    const FIRST: Duration = Duration::from_millis(200);
    let mut bot = bot("bot --board 8 --time 0.12 --first-time 0.2");
    let mut used = Duration::ZERO;
    let mut longest = Duration::ZERO;
    let plies = play(&mut bot, start(8), Side::First, RequestForm::Json, |bot| {
        let (before, now) = (used, bot.cpu());
        used = now;
        let limit = if before.is_zero() { FIRST } else { TIME };
        assert!(now - before <= limit, "{:?} of {limit:?}", now - before);
        longest = longest.max(now - before);
    });
    // The longest turn used more than a twentieth of the limit, so the bot has searched.
    assert!(plies.len() > 9 && longest > TIME / 20, "{plies:?}, at most {longest:?}");
    assert_eq!(bot.end().code(), Some(0));
}
