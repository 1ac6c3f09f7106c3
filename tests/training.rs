//! `quiver selfplay` and `evaluate` as whole programs: games that go on where they were cut, figures
//! that can be read, input that is wrong.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::common::program::{assert_fields, done, misused, printed, printed_json, quiver, refuses};
use crate::common::scratch::Scratch;
use quiver::contest::is_blunder;
use quiver::files::sealed_line;
use quiver::games::{Game, MatchGame};
use quiver::training::Library;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A quick selfplay on 6x6.
fn selfplay<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let usual = ["selfplay", "--board", "6", "--playouts", "20", "--memory", "4M", "--out", out];
    [&usual, more].concat()
}

pub(crate) fn play(out: &str, more: &[&str]) -> String {
    printed(quiver(&selfplay(out, more)))
}

/// The header of a file of rows, and the rows.
pub(crate) fn header_and_rows(path: &str) -> (Value, Vec<u8>) {
    let mut header = fs::read(path).unwrap();
    let rows = header.split_off(header.iter().position(|&byte| byte == b'\n').unwrap() + 1);
    assert_eq!(header.len() % 64, 0);
    (serde_json::from_slice(&header).unwrap(), rows)
}

/// The rows that games make, in the order of the games' numbers.
fn rows(games: &str, scratch: &Scratch) -> Vec<u8> {
    let path = scratch.path("rows");
    printed(quiver(&["features", "--games", games, "--out", &path]));
    header_and_rows(&path).1
}

/// Starts a command, and returns once this file has a header and some records.
pub(crate) fn begun(command: &mut Command, file: &str) -> Child {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !fs::metadata(file).is_ok_and(|file| file.len() > 2_000) {
        assert_eq!(child.try_wait().unwrap(), None, "ended before {file} had some records");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Interrupts a command. Returns how much it says that it has done.
pub(crate) fn interrupted(child: Child) -> String {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    let message = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{message}");
    let (_, rest) = message.split_once("interrupted after ").expect(&message);
    rest.strip_suffix("; the same command goes on\n").expect(&message).to_owned()
}

#[test]
fn games_are_the_same_however_many_at_a_time_and_however_often_cut() {
    let scratch = Scratch::new("selfplay");
    let [whole, parts, other] = ["whole", "parts", "other"].map(|name| scratch.path(name));
    let twelve = ["--games", "12", "--seed", "4", "--concurrency", "3"];
    let out = play(&whole, &twelve[..4]);
    assert!(out.starts_with(&format!("12 games in {whole}, 12 of them new, ")), "{out}");
    let out = play(&parts, &["--games", "5", "--seed", "4", "--concurrency", "2"]);
    assert!(out.starts_with(&format!("5 games in {parts}, 5 of them new")), "{out}");
    // The last line, and so a game, is lost.
    let bytes = fs::read(&parts).unwrap();
    fs::write(&parts, &bytes[..bytes.len() - 3]).unwrap();
    let (out, err) = done(quiver(&selfplay(&parts, &twelve)));
    assert!(out.starts_with(&format!("12 games in {parts}, 8 of them new, ")), "{out}");
    assert!(err.contains("last line was torn"), "{err}");
    assert_eq!(rows(&whole, &scratch), rows(&parts, &scratch));
    assert_eq!(play(&whole, &twelve), format!("12 games in {whole}, 0 of them new\n"));
    // Another seed is another selfplay.
    play(&other, &["--games", "12", "--seed", "5"]);
    assert_ne!(rows(&whole, &scratch), rows(&other, &scratch));
}

#[test]
fn selfplay_games_record_their_searches() {
    let scratch = Scratch::new("selfplay-games");
    let games = scratch.path("games");
    // Enough playouts that the queen move of every choice has had one of its arrows visited.
    let line = "selfplay --board 6 --playouts 100 --memory 4M --blunders 0.1 --games 12 --out";
    printed(quiver(&line.split(' ').collect::<Vec<_>>()).arg(&games));
    let (mut openings, mut blunders) = (BTreeSet::new(), 0);
    for (number, game) in Library::open(&[games.into()]).unwrap().games() {
        let plies = game.plies();
        let opening = plies.iter().take_while(|ply| ply.facts.value.is_none()).count();
        assert!((2..=8).contains(&opening), "{opening}");
        openings.insert(game.moves()[..opening].to_vec());
        blunders += plies.iter().filter(|ply| is_blunder(ply)).count();
        let last = plies.iter().rposition(is_blunder).map_or(0, |ply| ply + 1);
        for (index, (ply, position)) in plies.iter().zip(game.positions()).enumerate().skip(opening) {
            let (facts, place) = (&ply.facts, format!("game {number}, ply {index}"));
            // The proven winner wins, unless a player blunders on purpose after the proof.
            let value = if game.winner() == Some(position.to_move()) { 1.0 } else { 0.0 };
            let may_differ = !facts.proven || index < last;
            assert!(facts.value.is_some_and(|found| may_differ || found == value), "{place}");
            let sum: u32 = facts.queen_shares.iter().map(|&(_, share)| u32::from(share)).sum();
            assert!(facts.proven || (60_000..=65_540).contains(&sum), "{place}: {sum}");
            assert!(facts.queen_shares.is_sorted_by(|(_, a), (_, b)| a >= b));
            if is_blunder(ply) {
                assert_eq!(facts.arrow_shares, []);
            } else if !facts.proven {
                let (queen, arrow) = (ply.played.queen(), ply.played.arrow);
                assert!(facts.queen_shares.iter().any(|&(visited, _)| visited == queen), "{place}");
                assert!(facts.arrow_shares.iter().any(|&(visited, _)| visited == arrow), "{place}");
            }
        }
    }
    assert_eq!(openings.len(), 12);
    assert!((5..60).contains(&blunders), "{blunders}");
}

#[test]
fn other_games_are_refused() {
    let scratch = Scratch::new("selfplay-refused");
    let games = scratch.path("games");
    play(&games, &["--games", "1"]);
    for (more, expected) in [
        (&["--seed", "2"][..], "holds games of another selfplay: contest.seed is 1 there and 2 here"),
        (&["--set", "exploration=0.9"], "contest.parameters.exploration is "),
        (&["--random-plies", "3"], "contest.random_plies is null there and 3 here"),
        (&["--blunders", "0"], "contest.blunders is 0.01 there and 0.0 here"),
        (&["--random-plies", "28"], "--random-plies: 28 random plies from here end the game"),
    ] {
        refuses(&selfplay(&games, &[&["--games", "1"], more].concat()), expected);
    }
    let usual = ["selfplay", "--games", "1", "--playouts", "20", "--out", &games];
    for (board, expected) in
        [("8", "games holds games of another selfplay"), ("7", "no start position for a board of 7x7")]
    {
        refuses(&[&usual[..], &["--board", board]].concat(), expected);
    }
    for option in [["--blunders", "2"], ["--concurrency", "0"], ["--playouts", "0"], ["--games", "0"]] {
        misused(&[&usual[..], &option].concat(), option[0]);
    }
    // A record of a match, a strange file, and a folder.
    let strange = scratch.file("strange", "{\"selfplay\":{}}\n");
    let folder = scratch.path("");
    for (file, expected) in [
        ("tests/data/journals/record-1.jsonl", "holds games of another selfplay: contest."),
        (&strange, "the file begins with {\"selfplay\":{}}, not with {\"contest\":"),
        (&folder, "a directory: expected a regular file"),
    ] {
        refuses(&selfplay(file, &["--games", "1"]), expected);
    }
    assert_eq!(scratch.read("strange"), "{\"selfplay\":{}}\n");
}

#[test]
fn games_that_do_not_go_together_are_refused() {
    let scratch = Scratch::new("mixed");
    let [six, eight, nowhere] = ["six", "eight", "nowhere"].map(|name| scratch.path(name));
    play(&six, &["--games", "1"]);
    printed(quiver(&["selfplay", "--board", "8", "--games", "1", "--playouts", "1", "--out", &eight]));
    let none = scratch.file("none", "{\"contes");
    let game = scratch.read("six").lines().nth(1).unwrap().to_owned();
    let number = scratch.file("number", sealed_line("{\"contest\":5}") + &game + "\n");
    for (files, expected) in [
        (&[&*none][..], "none: no games: expected at least one"),
        (&[&nowhere], "nowhere: "),
        (&[&six, &six], "games are those of a file before it"),
        (&[&six, &eight], "a board of 8x8, after one of 6x6"),
        (&[&scratch.path("")], "a directory: expected a regular file"),
        (&[&number], "number: a first line of 5: expected an object about the games"),
    ] {
        refuses(&[&["evaluate", "--games"], files].concat(), expected);
    }
}

#[test]
fn an_interrupt_keeps_what_was_played_and_the_same_command_goes_on() {
    let scratch = Scratch::new("selfplay-interrupt");
    let games = scratch.path("games");
    let line = selfplay(&games, &["--games", "100000", "--concurrency", "2"]);
    let child = begun(&mut quiver(&line), &games);
    refuses(&line, "is in use by another process: expected it to end first, or another file");
    let done = interrupted(child);
    let count = done.strip_suffix(" games").expect(&done);
    let again = play(&games, &["--games", count, "--concurrency", "2"]);
    assert_eq!(again, format!("{count} games in {games}, 0 of them new\n"));
}

#[test]
fn evaluate_measures_labelled_positions() {
    for (file, least) in [("tests/data/positions/8.jsonl", 3), ("tests/data/positions/10.jsonl", 5)] {
        let report = printed_json(&["evaluate", "--positions", file]);
        let number =
            |value: &Value, name: &str| value[name].as_f64().unwrap_or_else(|| panic!("{name}: {value}"));
        assert_eq!(report["positions"], 200, "{file}");
        // Better than saying one half of everything, by far.
        for (name, range) in [("log_loss", 0.05..0.6), ("brier", 0.01..0.2), ("accuracy", 0.75..1.0)] {
            assert!(range.contains(&number(&report, name)), "{name}: {report}");
        }
        let bins = report["by_empty"].as_array().unwrap();
        assert!(bins.len() >= least, "{report}");
        // The first bin ends at 20; each other one is 15 wide.
        assert!(
            bins.iter().all(|bin| (number(bin, "to") - 20.0) % 15.0 == 0.0 || bin["to"] == 101),
            "{report}"
        );
        assert_eq!(bins.iter().map(|bin| number(bin, "positions")).sum::<f64>(), 200.0);
        let loss: f64 = bins.iter().map(|bin| number(bin, "positions") * number(bin, "log_loss")).sum();
        assert!((loss / 200.0 - number(&report, "log_loss")).abs() < 1e-9);
        let table = printed(quiver(&["evaluate", "--positions", file]));
        assert_eq!(table.lines().count(), bins.len() + 2, "{table}");
    }
}

#[test]
fn evaluate_counts_what_the_solver_proves() {
    let scratch = Scratch::new("evaluate-solved");
    // Five squares against three: the second line says otherwise.
    let rooms = |result| format!("{{\"result\": {result}, \"position\": \"Q2*1q/3*2 w\", \"ply\": 4}}\n");
    let start = r#"{"position": "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w", "result": 1}"#;
    let file = scratch.file("positions.jsonl", format!("{}{}{start}\n", rooms("1"), rooms("0.0")));
    let command = ["evaluate", "--positions", &file, "--solve", "5", "--bins", "8,9,93"];
    let (text, talk) = done(quiver(&command).arg("--json"));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_fields(&report, json!({"positions": 3, "proven": 2, "contradicted": 1}));
    let small = json!({"from": 8, "to": 9, "positions": 2, "proven": 2, "contradicted": 1});
    assert_fields(&report["by_empty"][0], small);
    assert_fields(&report["by_empty"][1], json!({"positions": 1, "proven": 0, "contradicted": 0}));
    assert!(talk.contains("line 2: proven against its label: Q2*1q/3*2 w"), "{talk}");
    let (table, _) = done(quiver(&command));
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
    let torn = format!("{good}\n\n{{\n{good}\n");
    let expected =
        format!("{file}, line 3: EOF while parsing an object at line 1 column 1; expected {{\"position\"");
    for (content, expected) in [
        (torn.as_bytes(), &*expected),
        (b"\n", "no positions, expected a line each"),
        (b"\xff\xfe\n", "line 1"),
        (b"[]", "expected {\"position\": FEN, \"result\": 0 or 1}"),
        (br#"{"position": "q2/3/2Q w"}"#, "missing field `result`"),
        (br#"{"position": 3, "result": 1}"#, "expected a string"),
        (br#"{"position": "q2/3/2Q x", "result": 1}"#, "'x' as the side to move"),
        (br#"{"position": "q2/3/2Q w", "result": 0.5}"#, "result 0.5: expected 1 if the side to move won"),
        (br#"{"position": "q2/3/2Q w", "result": -1}"#, "result -1"),
    ] {
        fs::write(&file, content).unwrap();
        refuses(&["evaluate", "--positions", &file], expected);
    }
    refuses(&["evaluate", "--positions", "/no/such/file"], "/no/such/file");
    misused(&["evaluate"], "");
}

#[test]
fn games_of_several_files_have_numbers_of_their_own() {
    let scratch = Scratch::new("library");
    let [one, two] = ["one", "two"].map(|name| scratch.path(name));
    play(&one, &["--games", "3"]);
    let texts = |games: &str| printed(quiver(&["convert", games, "-", "--to", "txt", "--board", "6"]));
    let first = texts(&one);
    // A tuned parameter that an imprecise reader of floats rounds to the neighbouring float.
    let tuned = ["--games", "2", "--seed", "9", "--set", "exploration=0.36995516654807925"];
    play(&two, &tuned);
    assert_eq!(play(&two, &tuned), format!("2 games in {two}, 0 of them new\n"));
    // One game is lost, and the others are written in another order.
    let text = scratch.read("one");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    scratch.file("one", [lines[0], lines[3], lines[1]].concat());
    let texts = first + &texts(&two);
    let texts: Vec<&str> = texts.lines().collect();
    let library = Library::open(&[one.into(), two.into()]).unwrap();
    let text = |game: &Game| game.moves().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let found = library.games().map(|(number, game)| (number, text(game)));
    let expected = [0, 2, 3, 4].map(|number| (number as u32, texts[number].to_owned()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
