//! Tests how commands read and write devices, links, endless lines, and files whose writes fail.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;

use crate::common::program::{self, Run, run, run_successfully};
use crate::common::scratch::Scratch;
use crate::contest::games;

/// Returns a command that runs the program with at most 1 GiB of memory.
fn quiver(arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 1048576; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_quiver")]);
    command.args(arguments).env_remove("QUIVER_BOARD");
    command
}

fn fails(code: i32, arguments: &[&str], expected: &str) {
    program::fails(code, quiver(arguments), expected);
}

fn selfplay(out: &str) -> [&str; 11] {
    ["selfplay", "--board", "6", "--playouts", "20", "--memory", "4M", "--out", out, "--games", "3"]
}

const MATCH: [&str; 9] = ["match", "--a", "random", "--b", "greedy", "--games", "4", "--board", "6"];

const REPLAY: [&str; 3] = ["replay", "tests/data/judge_logs/random-1.json", "--html"];

const DEVICE: &str = "a device: expected a regular file";

const FOLDER: &str = "a directory: expected a regular file";

#[test]
fn refuses_devices_as_output() {
    let (scratch, [games, device]) = Scratch::with_paths("devices", ["games", "device"]);
    run_successfully(quiver(&selfplay(&games)));
    symlink("/dev/null", &device).unwrap();
    let nowhere = "/no/such/folder/rows";
    for (out, expected) in [("/dev/null", DEVICE), (&device, DEVICE), (nowhere, nowhere)] {
        fails(1, &["features", "--games", &games, "--out", out], expected);
    }
    fails(1, &["convert", REPLAY[1], &scratch.path("no/such.sgf")], "OUT ");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert!(fs::symlink_metadata(&device).unwrap().is_symlink());
    fails(2, &[&REPLAY[..], &["/dev/null"]].concat(), DEVICE);
    fails(2, &[&REPLAY[..], &[&scratch.path("")]].concat(), FOLDER);
    fails(2, &["params", "--params", &scratch.path("")], FOLDER);
    fails(2, &["params", "--params", &scratch.file("latin", b"\xff")], "not UTF-8 text");
    for more in [
        &["--record", "/dev/full", "--resume"][..],
        &["--record", "/dev/zero", "--resume"],
        &["--log", "/dev/full"],
    ] {
        fails(2, &[&MATCH[..], more].concat(), DEVICE);
    }
}

#[test]
fn refuses_endless_files() {
    let scratch = Scratch::new("endless");
    // A sparse file that is larger than the memory of the program.
    let endless = scratch.path("zeros");
    File::create(&endless).unwrap().set_len(3 << 29).unwrap();
    for (path, expected) in [("/dev/zero", DEVICE), (&endless, "more than ")] {
        for line in [
            &["evaluate", "--positions", path][..],
            &["evaluate", "--positions", "x", "--weights", path],
            &["params", "--params", path],
            &["package", "--board", "8", "--program", path],
            &["replay", path],
            &[&MATCH[..], &["--openings", path]].concat(),
            &["match", "--tournament", path, "--games", "2"],
            &[&MATCH[..], &["--record", path, "--resume"]].concat(),
        ] {
            fails(2, line, expected);
        }
    }
    // Only a match record may be longer than 64 MiB.
    let long = scratch.path("long");
    File::create(&long).unwrap().set_len((64 << 20) + 1).unwrap();
    fails(2, &["replay", &long], "more than 67108864 bytes: expected at most 67108864");
    let output = quiver(&["uci"]).stdin(File::open(&endless).unwrap()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("a line of more than"), "{said}");
}

/// Runs a command until no file operation fails: in run N, the Nth operation fails if it exists.
/// Checks that the command then fails and names the file. After run N, calls `after` with N, and
/// with true if an operation failed. Returns the number of failed runs.
fn with_every_fault(scratch: &Scratch, line: &[&str], mut after: impl FnMut(usize, bool)) -> usize {
    let mut fails = |&operation: &usize| {
        let Run { code, err, .. } = run(quiver(line).env("QUIVER_FILE_FAULT", operation.to_string()), b"");
        let failed = err.contains("injected fault");
        assert_eq!(code != Some(0), failed, "{operation}: {err}");
        let named = err.lines().any(|line| line.starts_with("quiver: ") && line.contains(&scratch.path("")));
        assert!(!failed || named, "{operation}: {err}");
        after(operation, failed);
        failed
    };
    (1..).take_while(|operation| fails(operation)).count()
}

#[test]
fn match_resumes_after_failed_write() {
    let (scratch, [record]) = Scratch::with_paths("match-faults", ["record.jsonl"]);
    let line = [&MATCH[..], &["--record", &record]].concat();
    let written = || {
        let text = fs::read_to_string(&record).unwrap();
        (text.lines().next().map(str::to_owned), text.lines().count(), games(&record))
    };
    let begin_anew = || fs::remove_file(&record).unwrap();
    run_successfully(quiver(&line));
    let whole = written();
    begin_anew();
    let faults = with_every_fault(&scratch, &line, |operation, failed| {
        if failed {
            run_successfully(quiver(&line).arg("--resume"));
        }
        assert_eq!(written(), whole, "{operation}");
        begin_anew();
    });
    // Creating the record takes five file operations, and each of the four games takes one write.
    assert_eq!(faults, 5 + 4);
}

#[test]
fn selfplay_resumes_after_failed_write() {
    let (scratch, [whole, parts]) = Scratch::with_paths("selfplay-faults", ["whole", "parts"]);
    run_successfully(quiver(&selfplay(&whole)));
    let faults = with_every_fault(&scratch, &selfplay(&parts), |operation, failed| {
        if failed {
            run_successfully(quiver(&selfplay(&parts)));
        }
        assert_eq!(fs::read(&parts).unwrap(), fs::read(&whole).unwrap(), "{operation}");
        fs::remove_file(&parts).unwrap();
    });
    assert!(faults >= 5, "{faults} faults");
}

#[test]
fn failed_write_leaves_old_file() {
    let (scratch, [games, rows, page, link]) =
        Scratch::with_paths("replace-faults", ["games", "rows", "page", "link"]);
    run_successfully(quiver(&selfplay(&games)));
    // A command replaces the file to which a symbolic link points, not the link itself.
    symlink(&page, &link).unwrap();
    let features = ["features", "--games", &games, "--out", &rows];
    let to_link = [&REPLAY[..], &[&link]].concat();
    fails(2, &to_link, "No such file or directory");
    fs::write(&page, "").unwrap();
    // The nonce of a page differs between processes.
    let content = |path: &str| {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let nonce = text.split_once("'nonce-").map(|(_, rest)| rest[..32].to_owned());
        nonce.map_or(text.clone(), |nonce| text.replace(&nonce, ""))
    };
    for (line, path, files) in [(&features[..], &rows, 4), (&to_link, &page, 4)] {
        run_successfully(quiver(line));
        let before = content(path);
        let faults = with_every_fault(&scratch, line, |operation, _| {
            assert_eq!(content(path), before, "{operation}");
            assert_eq!(fs::read_dir(&*scratch).unwrap().count(), files, "{operation}");
        });
        assert!(faults >= 4, "{faults} faults");
    }
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && fs::metadata(&page).unwrap().len() > 0);
}

#[test]
fn messages_have_no_control_characters() {
    let scratch = Scratch::new("escapes");
    const EVIL: &str = "\u{1b}]0;evil\u{7}\u{9b}31m\r";
    let is_forbidden = |shown: char| shown.is_control() && shown != '\n';
    let file = |name: &str, text: &str| scratch.file(name, text);
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
        &[EVIL],
        &["--set", EVIL],
    ] {
        let Run { code, out, err } = run(quiver(line), b"");
        assert!(code != Some(0) && !err.is_empty(), "{line:?}");
        assert!(!(out + &err).contains(is_forbidden), "{line:?}: {err:?}");
    }
    let lines = [EVIL, "position fen ", "position startpos moves ", "setoption name ", "go "];
    let text = lines.map(|line| format!("{line}{EVIL}\n")).concat();
    let said = run(quiver(&["uci"]), text.as_bytes()).out;
    assert!(said.lines().count() >= 4 && !said.contains(is_forbidden), "{said:?}");
}
