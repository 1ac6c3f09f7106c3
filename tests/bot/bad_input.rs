//! What is no request ends the bot with one line that says where and why, and with nothing else.

use std::io::Write as _;

use crate::process::run;

/// Checks the end on bad input, while the input itself goes on (or, with `open` false, has ended).
fn refused(arguments: &[&str], input: &[u8], open: bool, expected: &str) {
    let output = run(arguments, input, open);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(output.stdout.is_empty());
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.starts_with(&format!("quiver: {expected}")), "{errors}: not {expected}");
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
}

#[test]
fn input_that_breaks_off() {
    refused(&[], b"", false, "turn 1: the input is empty");
    refused(&[], b"\n\n \n", false, "turn 1: the input is empty");
    refused(&[], b"3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n", false, "turn 1: the input ended");
    refused(&[], b"{\"requests\":[{\"x0\":-1", false, "turn 1: the object cannot be read");
}

#[test]
fn ten_megabytes_of_garbage() {
    let noise: Vec<u8> =
        (0..10_000_000u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    refused(&[], &noise, true, "turn 1: ");
    refused(&[], &vec![b'x'; 10_000_000], true, "turn 1: a line of more than");
    refused(&[], &b"garbage\n".repeat(1_250_000), true, "turn 1: 'garbage' is no request");
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
    let mut command = crate::process::command(&["--player", "random", "--no-keep-running"]);
    let child = command.env("QUIVER_BOARD", "10").spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.as_ref().unwrap(), history).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn fails_when_its_answer_reaches_no_reader() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = crate::process::command(&["--player", "random", "--board", "10"]);
    let mut child = command.stdout(writer).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"-1 -1 -1 -1 -1 -1\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with("quiver: turn 1: the answer cannot be written: "), "{errors}");
}

#[test]
fn plays_into_the_null_device_however_it_was_opened() {
    for read in [false, true] {
        let null = std::fs::OpenOptions::new().read(read).write(true).open("/dev/null").unwrap();
        let arguments = ["--player", "random", "--board", "10", "--no-keep-running"];
        let mut command = crate::process::command(&arguments);
        let mut child = command.stdout(null).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"-1 -1 -1 -1 -1 -1\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "open for reading: {read}");
    }
}
