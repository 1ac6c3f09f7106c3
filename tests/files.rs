//! Files that commands read and write: devices, links, endless lines, and every write that can
//! fail.
#![allow(missing_docs)]

mod common;

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use common::program::{self, Run, run};
use common::scratch::Scratch;
use serde_json::Value;

/// A file of this many zero bytes that takes no room.
fn zeros(path: &str, length: u64) {
    let mut file = File::create(path).unwrap();
    file.seek(SeekFrom::Start(length - 1)).unwrap();
    file.write_all(&[0]).unwrap();
}

/// The program with at most 1 GiB of memory, and with a fault in one of its operations on files.
fn quiver(arguments: &[&str], fault: Option<&str>) -> (i32, String, String) {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 1048576; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_quiver")]);
    command.args(arguments).env_remove("QUIVER_BOARD");
    if let Some(fault) = fault {
        command.env("QUIVER_FILE_FAULT", fault);
    }
    let Run { code, out, err } = run(command, b"");
    (code.unwrap_or(-1), out, err)
}

fn refused(arguments: &[&str], expected: &str) {
    let (code, out, err) = quiver(arguments, None);
    assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
    assert!(err.contains(expected), "{arguments:?}: {err}");
}

fn selfplay(out: &str) -> [&str; 11] {
    ["selfplay", "--board", "6", "--playouts", "20", "--memory", "4M", "--out", out, "--games", "3"]
}

const MATCH: [&str; 9] = ["match", "--a", "random", "--b", "greedy", "--games", "4", "--board", "6"];

const DEVICE: &str = "a device: expected a regular file";

#[test]
fn refuses_devices_where_files_are_written() {
    let scratch = Scratch::new("devices");
    let games = scratch.path("games");
    assert_eq!(quiver(&selfplay(&games), None).0, 0);
    let device = scratch.path("device");
    symlink("/dev/null", &device).unwrap();
    for out in ["/dev/null", &device] {
        let (code, _, err) = quiver(&["features", "--games", &games, "--out", out], None);
        assert!(code == 1 && err.contains(DEVICE), "{code}: {err}");
    }
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert!(fs::symlink_metadata(&device).unwrap().is_symlink());
    let log = "tests/data/judge_logs/random-1.json";
    refused(&["replay", log, "--html", "/dev/null"], DEVICE);
    for record in ["/dev/full", "/dev/zero"] {
        refused(&[&MATCH[..], &["--record", record, "--resume"]].concat(), DEVICE);
    }
    refused(&[&MATCH[..], &["--log", "/dev/full"]].concat(), DEVICE);
}

#[test]
fn writes_through_a_link_to_a_file() {
    let scratch = Scratch::new("links");
    let [file, link] = ["page", "link"].map(|name| scratch.path(name));
    fs::write(&file, "old").unwrap();
    symlink(&file, &link).unwrap();
    let log = "tests/data/judge_logs/random-1.json";
    assert_eq!(quiver(&["replay", log, "--html", &link], None).0, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().contains("<html"));
}

#[test]
fn refuses_what_has_no_end() {
    let scratch = Scratch::new("endless");
    // More than the memory that the program may take.
    let endless = scratch.path("zeros");
    zeros(&endless, 3 << 29);
    let long = "more than ";
    for path in ["/dev/zero", &endless] {
        let expected = if path == "/dev/zero" { DEVICE } else { long };
        refused(&["evaluate", "--positions", path], expected);
        refused(&["evaluate", "--positions", "x", "--weights", path], expected);
        refused(&["params", "--params", path], expected);
        refused(&["package", "--board", "8", "--program", path], expected);
        refused(&["replay", path], expected);
        refused(&[&MATCH[..], &["--openings", path]].concat(), expected);
        refused(&["match", "--tournament", path, "--games", "2"], expected);
        refused(&[&MATCH[..], &["--record", path, "--resume"]].concat(), expected);
    }
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 1048576; exec \"$0\" uci", env!("CARGO_BIN_EXE_quiver")]);
    let output = command.stdin(File::open(&endless).unwrap()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("a line of more than"), "{said}");
}

/// Fails each operation on files of a command in turn, in each way; `run` says whether it met the
/// fault.
fn with_every_fault(mut run: impl FnMut(&str) -> bool) -> usize {
    let each = |kind: &str| (1..).take_while(|number| run(&format!("{number}{kind}"))).count();
    ["", ":short"].map(each).iter().sum()
}

/// A command that was stopped by a fault says which file it was, and fails.
fn stopped_by(fault: &str, scratch: &Scratch, (code, _, err): &(i32, String, String)) -> bool {
    let met = err.contains("injected fault");
    assert_eq!(*code != 0, met, "{fault}: {err}");
    let told = err.lines().any(|line| line.starts_with("quiver: ") && line.contains(&scratch.path("")));
    assert!(!met || told, "{fault}: {err}");
    met
}

#[test]
fn a_match_goes_on_after_any_write_that_failed() {
    let scratch = Scratch::new("match-faults");
    let [record, logs] = ["record.jsonl", "logs"].map(|name| scratch.path(name));
    let line = [&MATCH[..], &["--record", &record, "--botzone-log", &logs]].concat();
    // All that was written, without what differs from run to run.
    let written = || {
        let mut names: Vec<PathBuf> =
            fs::read_dir(&logs).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names.push(PathBuf::from(&record));
        let without_times = |path: &PathBuf| -> Vec<String> {
            let text = fs::read_to_string(path).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            lines.map(|line| timeless(line).to_string()).collect()
        };
        names.iter().map(|path| (path.clone(), without_times(path))).collect::<Vec<_>>()
    };
    assert_eq!(quiver(&line, None).0, 0);
    let whole = written();
    let met = with_every_fault(|fault| {
        let _ = fs::remove_dir_all(&logs);
        let _ = fs::remove_file(&record);
        let first = quiver(&line, Some(fault));
        if stopped_by(fault, &scratch, &first) {
            let (code, _, err) = quiver(&[&line[..], &["--resume"]].concat(), None);
            assert_eq!(code, 0, "{fault}: {err}");
        }
        assert_eq!(written(), whole, "{fault}");
        first.0 != 0
    });
    // Five operations begin the record; each game is a record line and five operations on a log.
    assert_eq!(met, 2 * (5 + 4 * 6));
}

#[test]
fn two_matches_that_start_at_once_lose_no_game() {
    let scratch = Scratch::new("match-twice");
    let tournament = |name: &str, players: &[&str]| {
        let path = scratch.path(name);
        let players = players.iter().map(|player| format!("[[player]]\nspec = \"{player}\"\n"));
        fs::write(&path, players.collect::<String>()).unwrap();
        path
    };
    let two = tournament("two.toml", &["random", "greedy"]);
    let three = tournament("three.toml", &["random", "greedy", "random"]);
    let record = scratch.path("record.jsonl");
    let [two, three] = [&two, &three].map(|file| {
        ["match", "--tournament", file, "--games", "2", "--board", "6", "--record", &record, "--resume"]
    });
    // The first process waits at each of its operations in turn, while the second one runs.
    for point in 1..=10 {
        let _ = fs::remove_file(&record);
        let (code, _, err) = quiver(&two, None);
        assert_eq!(code, 0, "{err}");
        let fault = format!("{point}:wait");
        let (first, second) = std::thread::scope(|scope| {
            let first = scope.spawn(|| quiver(&three, Some(&fault)));
            std::thread::sleep(std::time::Duration::from_millis(60));
            let second = quiver(&three, None);
            (first.join().unwrap(), second)
        });
        for (code, _, err) in [&first, &second] {
            assert!(*code == 0 || err.contains("is in use by another process"), "point {point}: {err}");
        }
        assert!(first.0 == 0 || second.0 == 0, "point {point}: neither played");
        let text = fs::read_to_string(&record).unwrap();
        let games = text.lines().filter(|line| line.starts_with("{\"game\":"));
        let mut numbers: Vec<u64> = games
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["game"].as_u64().unwrap())
            .collect();
        numbers.sort_unstable();
        assert!(numbers.is_sorted_by(|a, b| a < b), "point {point}: {numbers:?}");
        assert_eq!(numbers.len(), 6, "point {point}: three pairings of two games");
    }
}

fn timeless(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept =
                object.into_iter().filter(|(name, _)| !["time", "times", "crc"].contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name, timeless(value))).collect())
        }
        Value::Array(values) => values.into_iter().map(timeless).collect(),
        other => other,
    }
}

#[test]
fn selfplay_goes_on_after_any_write_that_failed() {
    let scratch = Scratch::new("selfplay-faults");
    let [whole, parts] = ["whole", "parts"].map(|name| scratch.path(name));
    let games = |folder: &str| fs::read(format!("{folder}/games-00.bin")).unwrap();
    assert_eq!(quiver(&selfplay(&whole), None).0, 0);
    let met = with_every_fault(|fault| {
        let _ = fs::remove_dir_all(&parts);
        let first = quiver(&selfplay(&parts), Some(fault));
        if stopped_by(fault, &scratch, &first) {
            let (code, _, err) = quiver(&selfplay(&parts), None);
            assert_eq!(code, 0, "{fault}: {err}");
        }
        assert_eq!(games(&parts), games(&whole), "{fault}");
        first.0 != 0
    });
    assert!(met >= 2 * 5, "{met} faults");
}

#[test]
fn rows_and_pages_stay_as_they_were_after_any_write_that_failed() {
    let scratch = Scratch::new("replace-faults");
    let [games, rows, page] = ["games", "rows", "page"].map(|name| scratch.path(name));
    assert_eq!(quiver(&selfplay(&games), None).0, 0);
    let lines: [&[&str]; 2] = [
        &["features", "--games", &games, "--out", &rows],
        &["replay", "tests/data/judge_logs/random-1.json", "--html", &page],
    ];
    for (line, path) in lines.into_iter().zip([&rows, &page]) {
        assert_eq!(quiver(line, None).0, 0);
        let before = fs::read(path).unwrap();
        let met = with_every_fault(|fault| {
            let met = stopped_by(fault, &scratch, &quiver(line, Some(fault)));
            assert_eq!(fs::read(path).unwrap(), before, "{fault}");
            assert_eq!(
                fs::read_dir(scratch.path("")).unwrap().count(),
                2 + usize::from(path == &page),
                "{fault}"
            );
            met
        });
        assert!(met >= 2 * 4, "{met} faults");
    }
}

#[test]
fn control_characters_of_input_never_reach_the_terminal() {
    let scratch = Scratch::new("escapes");
    const EVIL: &str = "\u{1b}]0;evil\u{7}\u{9b}31m\r";
    let file = |name: &str, text: &str| {
        let path = scratch.path(name);
        fs::write(&path, text).unwrap();
        path
    };
    let missing = scratch.path(EVIL);
    let params = file("params", &format!("\"{EVIL}\" = 1"));
    let broken = file("broken", &format!("exploration = {EVIL}"));
    let openings = file("openings", &format!("d1-d7/g7 {EVIL}"));
    let tournament = file("tournament", &format!("[[player]]\nspec = \"{}\"\n", EVIL.escape_default()));
    let positions = file("positions", &format!("{{\"position\": \"{EVIL}\", \"result\": 1}}\n"));
    let log = file(EVIL, "[1]");
    let named = "[[player]]\nspec = \"random\"\nname = \"\\u001b[31m\"\n[[player]]\nspec = \"text:true\"\n";
    let named = file("named", named);
    for line in [
        &["params", "--params", &params][..],
        &["params", "--params", &broken],
        &["params", "--params", &missing],
        &["params", "--set", &format!("{EVIL}=1")],
        &["evaluate", "--positions", &positions],
        &["evaluate", "--positions", &missing],
        &["replay", &log],
        &["replay", &log, &missing],
        &["replay", "--html", &missing, &log],
        &["perft", "--depth", "1", "--position", EVIL],
        &["analyze", "--moves", EVIL],
        &["features", "--games", &missing, "--out", "x"],
        &["match", "--a", EVIL, "--b", "random", "--games", "2"],
        &["match", "--tournament", &tournament, "--games", "2"],
        &["match", "--tournament", &named, "--games", "2"],
        &[&MATCH[..], &["--openings", &openings]].concat(),
        &[&MATCH[..], &["--record", &missing.replace('e', "/")]].concat(),
        &["local-ai", "--board", "8", "--credentials", &missing],
        &[EVIL],
        &["--set", EVIL],
    ] {
        let (code, out, err) = quiver(line, None);
        assert!(code != 0 && !err.is_empty(), "{line:?}");
        for text in [out, err] {
            assert!(!text.contains(|shown: char| shown.is_control() && shown != '\n'), "{line:?}: {text:?}");
        }
    }
    let lines = [EVIL, "position fen ", "position startpos moves ", "setoption name ", "go "];
    let text = lines.map(|line| format!("{line}{EVIL}\n")).concat();
    let said = run(program::quiver(&["uci"]), text.as_bytes()).out;
    assert!(said.lines().count() >= 4, "{said}");
    assert!(!said.contains(|shown: char| shown.is_control() && shown != '\n'), "{said:?}");
}
