//! Input that is no request ends the bot with one line that says where and why, and with nothing else.

use std::io::{Write as _, pipe};

use crate::common::judge::KEEP_RUNNING;
use crate::common::program::{Run, quiver, run, run_on};

/// Checks the end on bad input, while the input itself goes on (or, with `open` false, has ended).
fn refused(arguments: &[&str], input: &[u8], open: bool, expected: &str) {
    let Run { code, out, err } = run_on(quiver(arguments), input, open);
    assert_eq!((code, out.as_str(), err.lines().count()), (Some(2), "", 1), "{err}");
    assert!(err.starts_with(&format!("quiver: {expected}")), "{err}: not {expected}");
}

#[test]
fn broken_requests() {
    // One of each kind; the tests of requests and histories have the others.
    let cases = [
        ("{\"requests\":[", "turn 1: the object cannot be read"),
        ("{\"x0\":\"0\"}", "turn 1: the object cannot be read: invalid type: string \"0\""),
        ("0 3 1 3 0 10", "ply 1: 0 3 1 3 0 10 are no squares of a board"),
        ("2\n-1 -1 -1 -1 -1 -1\n3 0 3 1 3 0\n3 1 3 2 3 1", "ply 2: illegal move 3 1 3 2 3 1"),
        ("1\n0 3 1 3", "turn 1: '0 3 1 3': expected six integers"),
        ("move please", "turn 1: 'move please' is no request"),
    ];
    for (text, expected) in cases {
        refused(&["bot"], format!("{text}\n").as_bytes(), true, expected);
    }
    // What was answered before stays.
    for (text, expected) in [
        ("hello", "turn 2: 'hello' is no request"),
        ("{\"x0\":1}", "turn 2: the object cannot be read: missing field `y0`"),
        ("9 9 9 8 9 9", "ply 2: illegal move 9 9 9 8 9 9: j10 holds nothing"),
        ("2\n-1 -1 -1 -1 -1 -1", "turn 2: the input ended: expected 2 more lines"),
        ("2", "turn 2: the input ended: expected 3 more lines"),
    ] {
        let bot = quiver(&["--player", "random", "--board", "10"]);
        let Run { code, out, err } = run(bot, format!("-1 -1 -1 -1 -1 -1\n{text}\n").as_bytes());
        assert!(code == Some(2) && out.ends_with(&format!("{KEEP_RUNNING}\n")), "{out}");
        assert!(err.starts_with(&format!("quiver: {expected}")), "{err}");
    }
    for (input, expected) in [
        ("", "turn 1: the input is empty"),
        ("\n\n \n", "turn 1: the input is empty"),
        ("3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n", "turn 1: the input ended"),
        ("{\"requests\":[{\"x0\":-1", "turn 1: the object cannot be read"),
    ] {
        refused(&[], input.as_bytes(), false, expected);
    }
}

#[test]
fn ten_megabytes_of_garbage() {
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
fn a_history_of_another_board_than_asked_for() {
    let history = include_bytes!("../data/botzone/history-8x8.txt");
    let expected = "ply 1: the first move is one of a board of 8x8, expected 10x10";
    refused(&["--board", "10"], history, true, expected);
    refused(&["--board", "7"], b"", true, "--board: no start position for a board of 7x7");
    // What the environment says is a default like any other.
    let mut command = quiver(&["--player", "random", "--no-keep-running"]);
    command.env("QUIVER_BOARD", "10");
    assert_eq!(run(command, history).code, Some(0));
}

#[test]
fn fails_when_its_answer_reaches_no_reader() {
    let (reader, closed) = pipe().unwrap();
    drop(reader);
    let null = |read| std::fs::OpenOptions::new().read(read).write(true).open("/dev/null").unwrap().into();
    for (output, code, expected) in [
        (closed.into(), 1, "quiver: turn 1: the answer cannot be written: "),
        // However it was opened.
        (null(false), 0, ""),
        (null(true), 0, ""),
    ] {
        let mut command = quiver(&["--player", "random", "--board", "10", "--no-keep-running"]);
        let output: std::process::Stdio = output;
        let piped = std::process::Stdio::piped;
        let mut child = command.stdin(piped()).stdout(output).stderr(piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"-1 -1 -1 -1 -1 -1\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), errors.is_empty()), (Some(code), expected.is_empty()), "{errors}");
        assert!(errors.starts_with(expected), "{errors}");
    }
}
