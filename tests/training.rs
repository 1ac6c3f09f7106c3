//! `quiver selfplay`, `evaluate` and `features` as whole programs: games that go on where they were
//! cut, figures and rows that can be read, input that is wrong.
#![allow(missing_docs)]

mod common;

use std::fs;
use std::process::{Output, Stdio};
use std::time::Duration;

use common::program::{Run, misused, printed, printed_json, quiver, refusal, refuses, run};
use common::scratch::Scratch;
use serde_json::Value;

/// A quick selfplay on 6x6.
fn selfplay<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let usual = ["selfplay", "--board", "6", "--playouts", "20", "--memory", "4M", "--out", out];
    [&usual, more].concat()
}

/// The rows that a folder of games makes, without the header: game by game, whichever file a game
/// is in.
fn rows(games: &str, scratch: &Scratch) -> Vec<u8> {
    let path = scratch.path("rows");
    printed(quiver(&["features", "--games", games, "--out", &path]));
    let bytes = fs::read(path).unwrap();
    bytes[bytes.iter().position(|&byte| byte == b'\n').unwrap()..].to_vec()
}

#[test]
fn games_are_the_same_however_many_at_a_time_and_however_often_cut() {
    let scratch = Scratch::new("selfplay");
    let [whole, parts] = ["whole", "parts"].map(|name| scratch.path(name));
    let out = printed(quiver(&selfplay(&whole, &["--games", "12", "--seed", "4"])));
    assert!(out.starts_with(&format!("12 games in {whole}, 12 of them new, ")), "{out}");
    let out = printed(quiver(&selfplay(&parts, &["--games", "5", "--seed", "4", "--concurrency", "2"])));
    assert!(out.starts_with(&format!("5 games in {parts}, 5 of them new")), "{out}");
    // The last record of a file that has one, and so a game, is lost.
    let files = ["games-00.bin", "games-01.bin"].map(|name| scratch.join("parts").join(name));
    let torn = files.iter().max_by_key(|file| fs::metadata(file).unwrap().len()).unwrap();
    let bytes = fs::read(torn).unwrap();
    fs::write(torn, &bytes[..bytes.len() - 3]).unwrap();
    let Run { code, out, err } =
        run(quiver(&selfplay(&parts, &["--games", "12", "--seed", "4", "--concurrency", "3"])), b"");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with(&format!("12 games in {parts}, 8 of them new, ")), "{out}");
    assert!(err.contains("1 torn record cut off"), "{err}");
    assert_eq!(rows(&whole, &scratch), rows(&parts, &scratch));
    let out = printed(quiver(&selfplay(&whole, &["--games", "12", "--seed", "4"])));
    assert_eq!(out, format!("12 games in {whole}, 0 of them new\n"));
    // Another seed is another selfplay.
    let other = scratch.path("other");
    printed(quiver(&selfplay(&other, &["--games", "12", "--seed", "5"])));
    assert_ne!(rows(&whole, &scratch), rows(&other, &scratch));
}

#[test]
fn folders_of_other_games_are_refused() {
    let scratch = Scratch::new("selfplay-refused");
    let games = scratch.path("games");
    printed(quiver(&selfplay(&games, &["--games", "1"])));
    for (more, expected) in [
        (&["--seed", "2"][..], "selfplay.seed is 1 there and 2 here"),
        (&["--set", "exploration=0.9"], "selfplay.parameters.exploration is "),
        (&["--random-plies", "3"], "selfplay.random_plies is null there and 3 here"),
        (&["--blunders", "0"], "selfplay.blunders is 0.01 there and 0.0 here"),
    ] {
        let message = refusal(quiver(&selfplay(&games, &[&["--games", "1"], more].concat())));
        assert!(message.contains("games of another selfplay") && message.contains(expected), "{message}");
    }
    let usual = ["selfplay", "--games", "1", "--playouts", "20", "--out", &games];
    let eight = [&usual[..], &["--board", "8"]].concat();
    refuses(&eight, "games-00.bin holds games of another selfplay");
    for (line, expected) in [
        (&["--board", "7"][..], "no start position for a board of 7x7"),
        (&["--board", "6", "--random-plies", "28"], "--random-plies: 28 random plies from here end the game"),
        (&["--set", "speed=1"], "no parameter is called 'speed'"),
    ] {
        refuses(&[&usual[..], line].concat(), expected);
    }
    for line in [&["--blunders", "2"][..], &["--concurrency", "0"], &["--playouts", "0"], &["--games", "0"]] {
        let Run { code, .. } = run(quiver(&[&usual[..], line].concat()), b"");
        assert_eq!(code, Some(2), "{line:?}");
    }
    let file = scratch.path("file");
    fs::write(&file, "").unwrap();
    refuses(&selfplay(&file, &["--games", "1"]), &file);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_played_and_the_same_command_goes_on() {
    use rustix::process::{Pid, Signal, kill_process};
    let scratch = Scratch::new("selfplay-interrupt");
    let games = scratch.path("games");
    let line = selfplay(&games, &["--games", "100000", "--concurrency", "2"]);
    let child = quiver(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let file = scratch.join("games/games-01.bin");
    let begun = || fs::metadata(&file).is_ok_and(|file| file.len() > 2_000);
    while !begun() {
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    let message = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{message}");
    let (_, rest) = message.split_once("interrupted after ").expect(&message);
    let (count, rest) = rest.split_once(' ').unwrap();
    assert_eq!(rest, "games; the same command goes on\n");
    let again = selfplay(&games, &["--games", count, "--concurrency", "2"]);
    assert_eq!(printed(quiver(&again)), format!("{count} games in {games}, 0 of them new\n"));
}

#[test]
fn evaluate_measures_labelled_positions() {
    for (board, file, least) in
        [("8x8", "tests/data/positions/8.jsonl", 3), ("10x10", "tests/data/positions/10.jsonl", 5)]
    {
        let report = printed_json(&["evaluate", "--positions", file]);
        let number =
            |value: &Value, name: &str| value[name].as_f64().unwrap_or_else(|| panic!("{name}: {value}"));
        assert_eq!(report["positions"], 200, "{board}");
        // Better than saying one half of everything, by far.
        assert!((0.05..0.6).contains(&number(&report, "log_loss")), "{report}");
        assert!((0.01..0.2).contains(&number(&report, "brier")), "{report}");
        assert!((0.75..1.0).contains(&number(&report, "accuracy")), "{report}");
        let bins = report["by_empty"].as_array().unwrap();
        assert!(bins.len() >= least, "{report}");
        let mut sums = [0.0; 2];
        for (index, bin) in bins.iter().enumerate() {
            let (from, to) = (number(bin, "from"), number(bin, "to"));
            assert!(from == if index == 0 { 0.0 } else { number(&bins[index - 1], "to") }, "{report}");
            assert_eq!(to - from, if index == 0 { 20.0 } else { 15.0 });
            sums[0] += number(bin, "positions");
            sums[1] += number(bin, "positions") * number(bin, "log_loss");
        }
        assert_eq!(sums[0], 200.0);
        assert!((sums[1] / 200.0 - number(&report, "log_loss")).abs() < 1e-9);
        let table = printed(quiver(&["evaluate", "--positions", file]));
        assert_eq!(table.lines().count(), bins.len() + 2, "{table}");
    }
}

#[test]
fn evaluate_counts_what_the_solver_proves() {
    let scratch = Scratch::new("evaluate-solved");
    let file = scratch.path("positions.jsonl");
    // Five squares against three: the second line says otherwise.
    let rooms = |result| format!("{{\"position\": \"Q2*1q/3*2 w\", \"result\": {result}}}\n");
    let start = r#"{"position": "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w", "result": 1}"#;
    fs::write(&file, format!("{}{}{start}\n", rooms(1), rooms(0))).unwrap();
    let command = ["evaluate", "--positions", &file, "--solve", "5", "--bins", "8,9,93"];
    let Run { code, out: text, err: talk } = run(quiver(&[&command[..], &["--json"]].concat()), b"");
    assert_eq!(code, Some(0), "{talk}");
    let report: Value = serde_json::from_str(&text).unwrap();
    let counts = |object: &Value| ["positions", "proven", "contradicted"].map(|name| object[name].as_u64());
    assert_eq!(counts(&report), [Some(3), Some(2), Some(1)], "{report}");
    assert_eq!(counts(&report["by_empty"][0]), [Some(2), Some(2), Some(1)], "{report}");
    assert_eq!(counts(&report["by_empty"][1]), [Some(1), Some(0), Some(0)], "{report}");
    assert_eq!((&report["by_empty"][0]["from"], &report["by_empty"][0]["to"]), (&8.into(), &9.into()));
    assert!(talk.contains("line 2: proven against its label: Q2*1q/3*2 w"), "{talk}");
    let table = run(quiver(&command), b"").out;
    assert!(table.contains("66.7 %"), "{table}");
    // Without time for it nothing is said of proofs.
    assert!(!printed(quiver(&["evaluate", "--positions", &file, "--json"])).contains("proven"));
    for (option, value) in
        [("--solve", "0"), ("--solve", "x"), ("--bins", "20,20"), ("--bins", "0"), ("--bins", "")]
    {
        misused(&["evaluate", "--positions", &file, option, value], "expected");
    }
    misused(&["evaluate", "--games", "x", "--solve", "1"], "");
}

#[test]
fn lines_that_are_no_positions_are_refused_with_their_number() {
    let scratch = Scratch::new("evaluate-refused");
    let file = scratch.path("positions.jsonl");
    let good = r#"{"position": "q2/3/2Q w - - 0 1", "result": 1}"#;
    fs::write(&file, format!("{good}\n\n{{\n{good}\n")).unwrap();
    let expected =
        format!("{file}, line 3: EOF while parsing an object at line 1 column 1; expected {{\"position\"");
    refuses(&["evaluate", "--positions", &file], &expected);
    fs::write(&file, "\n").unwrap();
    refuses(&["evaluate", "--positions", &file], "no positions, expected a line each");
    fs::write(&file, b"\xff\xfe\n").unwrap();
    refuses(&["evaluate", "--positions", &file], "line 1");
    refuses(&["evaluate", "--positions", "/no/such/file"], "/no/such/file");
    refuses(&["evaluate", "--games", &scratch.path("")], "holds no games");
    misused(&["evaluate"], "");
}

#[test]
fn games_are_measured_and_written_as_rows() {
    let scratch = Scratch::new("features");
    let [one, two] = ["one", "two"].map(|name| scratch.path(name));
    printed(quiver(&selfplay(&one, &["--games", "6", "--blunders", "0"])));
    printed(quiver(&selfplay(&two, &["--games", "6", "--seed", "2", "--blunders", "0.1"])));
    let report = printed_json(&["evaluate", "--games", &one, &two]);
    let positions = report["positions"].as_u64().unwrap();
    // Every ply has a half ply, where no player blunders.
    assert_eq!(report["half_plies"]["positions"].as_u64(), Some(positions), "{report}");
    assert!(report["half_plies"]["log_loss"].as_f64().unwrap() < 0.65, "{report}");
    assert!(printed(quiver(&["evaluate", "--games", &one])).contains("half plies"));

    let out = scratch.path("rows");
    let text = printed(quiver(&["features", "--games", &one, &two, "--out", &out]));
    let bytes = fs::read(&out).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let header: Value = serde_json::from_slice(&bytes[..end]).unwrap();
    let about = &header["features"];
    let number = |name: &str| about[name].as_u64().unwrap() as usize;
    assert_eq!(bytes.len() - end, number("rows") * number("row_bytes"));
    assert!(text.starts_with(&format!("{} rows of ", number("rows"))), "{text}");
    assert_eq!(about["board"], serde_json::json!([6, 6]));
    assert_eq!(about["games"][1]["seed"], 2);
    let width = |field: &Value| field[1].as_str().unwrap()[2..].parse::<usize>().unwrap();
    let fields = about["fields"].as_array().unwrap();
    assert_eq!(fields.iter().map(width).sum::<usize>(), number("row_bytes"));
    // Rows whose result does not count are there all the same.
    let usable = bytes[end..].chunks_exact(number("row_bytes")).filter(|row| row[6] & 2 != 0).count();
    assert!(usable < number("rows") && usable as u64 == 2 * positions, "{usable} of {}", number("rows"));
    printed(quiver(&["features", "--games", &one, &two, "--out", &out, "--every", "4"]));
    assert!((fs::read(&out).unwrap().len() - end) * 3 < bytes.len() - end);

    refuses(&["features", "--games", &one, &one, "--out", &out], "those of a folder before");
    let Run { code, err: message, .. } =
        run(quiver(&["features", "--games", &one, "--out", "/no/such/folder/rows"]), b"");
    assert!(code == Some(1) && message.contains("/no/such/folder/rows"), "{message}");
}
