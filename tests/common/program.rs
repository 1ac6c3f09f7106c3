//! Runs the program `quiver` in tests.

use std::borrow::BorrowMut;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The program with these arguments, without input and without the variable `QUIVER_BOARD`.
pub(crate) fn quiver(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quiver"));
    command.args(arguments).env_remove("QUIVER_BOARD").stdin(Stdio::null());
    command
}

/// A program in a sandbox that refuses it this system call.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn without(call: &str, program: &str) -> Command {
    let number = match call {
        "poll" => "7",
        "clock_gettime" => "228",
        other => panic!("no number of {other}"),
    };
    let mut command = Command::new("python3");
    command.args(["tests/data/deny.py", number, program]);
    command
}

/// The SPEC of the scripted bot `tests/data/bots/bot.py`, which plays on 6x6 by default.
pub(crate) fn bot(protocol: &str, options: &str) -> String {
    let form = if protocol == "cmd" { "json" } else { protocol };
    format!("{protocol}:python3 -S -E tests/data/bots/bot.py --form {form} {options}")
}

pub(crate) fn run(command: impl BorrowMut<Command>, input: &[u8]) -> Run {
    run_on(command, input, false)
}

/// Runs a command with this input. If `open` is true, the input stays open after it.
pub(crate) fn run_on(mut command: impl BorrowMut<Command>, input: &[u8], open: bool) -> Run {
    let command = command.borrow_mut().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that refuses its arguments may end before it has read its input.
    let mut stdin = child.stdin.take();
    let _ = stdin.as_mut().unwrap().write_all(input);
    let _open = stdin.filter(|_| open);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// Checks that a command succeeds. Returns its standard output and its standard error.
pub(crate) fn done(mut command: impl BorrowMut<Command>) -> (String, String) {
    let command: &mut Command = command.borrow_mut();
    let Run { code, out, err } = run(&mut *command, b"");
    assert_eq!(code, Some(0), "{command:?}: {err}");
    (out, err)
}

/// Checks that a command succeeds without a message. Returns its standard output.
pub(crate) fn printed(mut command: impl BorrowMut<Command>) -> String {
    let command: &mut Command = command.borrow_mut();
    let (out, err) = done(&mut *command);
    assert_eq!(err, "", "{command:?}");
    out
}

pub(crate) fn printed_json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(quiver(arguments).arg("--json"))).unwrap()
}

/// Checks that a command refuses its arguments or its input with one line. Returns that line.
pub(crate) fn refusal(mut command: impl BorrowMut<Command>, input: &[u8]) -> String {
    let command: &mut Command = command.borrow_mut();
    let Run { code, out, err } = run(&mut *command, input);
    assert_eq!((code, out.as_str(), err.trim_end().lines().count()), (Some(2), "", 1), "{command:?}: {err}");
    assert!(err.starts_with("quiver: "), "{command:?}: {err}");
    err
}

/// Runs the program with the arguments of each line, in which `SCRATCH/` stands for `folder`.
/// Checks that it refuses them. Returns the lines with their messages for a snapshot.
pub(crate) fn refusals(folder: &str, lines: &str) -> String {
    let refusal = |line: &str| {
        let words = shell_words::split(&line.replace("SCRATCH/", folder)).unwrap();
        let Run { code, out, err } = run(quiver(&words.iter().map(String::as_str).collect::<Vec<_>>()), b"");
        assert_eq!((code, &*out), (Some(2), ""), "{line}: {err}");
        // The usage follows a blank line.
        let message = err.split("\n\n").next().unwrap_or_default().trim_end();
        format!("{line}\n{}\n\n", message.replace(folder, "SCRATCH/"))
    };
    lines.trim().lines().map(refusal).collect()
}

/// Checks that the program refuses bad input with one line that contains `expected`.
pub(crate) fn refuses(arguments: &[&str], expected: &str) {
    let message = refusal(quiver(arguments), b"");
    assert!(message.contains(expected), "{arguments:?}: {message}");
}

/// Checks that the program refuses a command line with a message that contains `expected`.
pub(crate) fn misused(arguments: &[&str], expected: &str) {
    let Run { code, out, err } = run(quiver(arguments), b"");
    assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
    assert!(err.contains(expected), "{arguments:?}: {err}");
}

/// Checks that an object has these fields. It may have more fields, at every level.
#[track_caller]
pub(crate) fn assert_fields(object: &Value, expected: Value) {
    fn has(got: &Value, expected: &Value) -> bool {
        match expected {
            Value::Object(fields) => fields.iter().all(|(name, value)| has(&got[name], value)),
            value => got == value,
        }
    }
    assert!(has(object, &expected), "{expected} in {object}");
}
