//! Runs the program `quiver` in tests, and checks its output.

use std::borrow::BorrowMut;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn quiver(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quiver"));
    command.args(arguments).env_remove("QUIVER_BOARD").stdin(Stdio::null());
    command
}

/// A command that runs `program` in a sandbox, in which the system call `call` fails.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn without_system_call(call: &str, program: &str) -> Command {
    let number = match call {
        "poll" => "7",
        "clock_gettime" => "228",
        other => panic!("no number of {other}"),
    };
    let mut command = Command::new("python3");
    command.args(["tests/data/deny.py", number, program]);
    command
}

/// The SPEC that starts the bot `tests/data/bots/bot.py` with these options. Its board is 6x6
/// unless `options` says otherwise.
pub(crate) fn bot(protocol: &str, options: &str) -> String {
    let form = if protocol == "cmd" { "json" } else { protocol };
    format!("{protocol}:python3 -S -E tests/data/bots/bot.py --form {form} {options}")
}

pub(crate) fn run(command: impl BorrowMut<Command>, input: &[u8]) -> Run {
    run_on(command, input, false)
}

/// Runs a command with this standard input, which stays open afterwards if `open` is true.
pub(crate) fn run_on(mut command: impl BorrowMut<Command>, input: &[u8], open: bool) -> Run {
    let command = command.borrow_mut().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // This write can fail, because a command that refuses its arguments can end without reading.
    let mut stdin = child.stdin.take();
    let _ = stdin.as_mut().unwrap().write_all(input);
    let _open = stdin.filter(|_| open);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    // On a machine with one core, the program warns before a search with two threads.
    let err = text(stderr).replace(
        "quiver: 2 threads on 1 core: a search can end late, since its threads wait for each other\n",
        "",
    );
    Run { code: status.code(), out: text(stdout), err }
}

/// Checks that a command succeeds. Returns its standard output and its standard error.
pub(crate) fn run_successfully(mut command: impl BorrowMut<Command>) -> (String, String) {
    let command: &mut Command = command.borrow_mut();
    let Run { code, out, err } = run(&mut *command, b"");
    assert_eq!(code, Some(0), "{command:?}: {err}");
    (out, err)
}

/// Checks that a command succeeds without a message. Returns its standard output.
pub(crate) fn printed(mut command: impl BorrowMut<Command>) -> String {
    let command: &mut Command = command.borrow_mut();
    let (out, err) = run_successfully(&mut *command);
    assert_eq!(err, "", "{command:?}");
    out
}

/// Checks that a command succeeds with JSON whose fields are documented. Returns the JSON.
pub(crate) fn printed_json(arguments: &[&str]) -> Value {
    let report = serde_json::from_str(&printed(quiver(arguments).arg("--json"))).unwrap();
    assert_documented(arguments[0], &report);
    report
}

/// Checks that the documentation of a command's JSON names every field of `report`.
#[track_caller]
pub(crate) fn assert_documented(command: &str, report: &Value) {
    /// A command and a field of its JSON. The keys of the field's value are not checked, because
    /// they are data or are described elsewhere.
    const OPAQUE_FIELDS: [(&str, &str); 6] = [
        ("match", "losses"),
        ("analyze", "freedom"),
        ("analyze", "policy"),
        ("bench", "thread_scaling"),
        ("bench", "collisions_per_playout"),
        ("check", "rating"),
    ];
    let page = match command {
        "match" | "elo" => include_str!("../../src/contest/results.md"),
        "analyze" => include_str!("../../src/analysis/protocol.md"),
        "replay" => include_str!("../../src/commands/replay/fields.txt"),
        command => {
            let mut sections = include_str!("../../src/commands/json.md").split("\n## ");
            sections.find(|section| section.starts_with(&format!("`{command}`\n"))).unwrap()
        }
    };
    let mut values = vec![report];
    while let Some(value) = values.pop() {
        values.extend(value.as_array().into_iter().flatten());
        for (name, field) in value.as_object().into_iter().flatten() {
            let is_named = [format!("`{name}`"), format!("\"{name}\"")].iter().any(|it| page.contains(it));
            assert!(is_named, "{command}: the documentation lacks {name}");
            values.extend(Some(field).filter(|_| !OPAQUE_FIELDS.contains(&(command, name.as_str()))));
        }
    }
}

/// Checks that a command fails with status 2 and an error message of one line. Returns the message.
pub(crate) fn refusal(mut command: impl BorrowMut<Command>, input: &[u8]) -> String {
    let command: &mut Command = command.borrow_mut();
    let Run { code, out, err } = run(&mut *command, input);
    assert_eq!((code, out.as_str(), err.trim_end().lines().count()), (Some(2), "", 1), "{command:?}: {err}");
    assert!(err.starts_with("quiver: "), "{command:?}: {err}");
    err
}

/// The inputs in a snapshot. Each paragraph of the snapshot has an input in its first line, and
/// then the program's answer. To add an input, append it to the snapshot as a paragraph of one
/// line, and run the test with `INSTA_UPDATE=always`.
pub(crate) fn inputs(snapshot: &str) -> impl Iterator<Item = &str> {
    let (_, paragraphs) =
        snapshot.trim_start_matches("---\n").split_once("---\n").expect("a snapshot's head");
    paragraphs.split("\n\n").map(|paragraph| paragraph.lines().next().expect("a line of input"))
}

/// Runs `quiver` once for each line of arguments, in which `SCRATCH/` stands for `folder`. Checks
/// that `quiver` fails each time. Returns each line with its error message, for a snapshot.
pub(crate) fn refusals(folder: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let refusal = |line: &str| {
        let words = shell_words::split(&line.replace("SCRATCH/", folder)).unwrap();
        let Run { code, out, err } = run(quiver(&[]).args(words), b"");
        assert_eq!((code, &*out), (Some(2), ""), "{line}: {err}");
        // The usage text, after a blank line, is not part of the message.
        let message = err.split("\n\n").next().unwrap_or_default().trim_end();
        format!("{line}\n{}\n\n", message.replace(folder, "SCRATCH/"))
    };
    lines.into_iter().map(|line| refusal(line.as_ref())).collect()
}

pub(crate) fn refuses(arguments: &[&str], expected: &str) {
    let message = refusal(quiver(arguments), b"");
    assert!(message.contains(expected), "{arguments:?}: {message}");
}

/// Checks that a command fails with this status and an error message that contains `expected`.
pub(crate) fn fails(status: i32, mut command: impl BorrowMut<Command>, expected: &str) {
    let command: &mut Command = command.borrow_mut();
    let Run { code, out, err } = run(&mut *command, b"");
    assert_eq!((code, out.as_str()), (Some(status), ""), "{command:?}: {err}");
    assert!(err.contains(expected), "{command:?}: {err}");
}

pub(crate) fn fails_as_misuse(arguments: &[&str], expected: &str) {
    fails(2, quiver(arguments), expected);
}

#[track_caller]
pub(crate) fn assert_contains(text: &str, parts: &[impl AsRef<str>]) {
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

/// Checks that a JSON object has the fields of `expected`. More fields are allowed at every level.
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
