//! Tests `quiver selfplay` and `quiver evaluate`: resumed games, figures and bad input.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::common::program::{
    assert_contains, assert_documented, assert_fields, inputs, printed, printed_json, quiver, refusals,
    refuses, run_successfully,
};
use crate::common::scratch::Scratch;
use crate::convert::moves;
use quiver::contest::is_blunder;
use quiver::files::sealed_line;
use quiver::games::{Game, MatchGame};
use quiver::training::Library;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

fn selfplay<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let usual = ["selfplay", "--board", "6", "--playouts", "20", "--memory", "4M", "--out", out];
    [&usual, more].concat()
}

pub(crate) fn play(out: &str, more: &[&str]) -> String {
    printed(quiver(&selfplay(out, more)))
}

pub(crate) fn header_and_rows(path: &str) -> (Value, Vec<u8>) {
    let mut header = fs::read(path).unwrap();
    let rows = header.split_off(header.iter().position(|&byte| byte == b'\n').unwrap() + 1);
    assert_eq!(header.len() % 64, 0);
    (serde_json::from_slice(&header).unwrap(), rows)
}

fn rows(games: &str, scratch: &Scratch) -> Vec<u8> {
    let path = scratch.path("rows");
    printed(quiver(&["features", "--games", games, "--out", &path]));
    header_and_rows(&path).1
}

/// Starts a command, and waits until its file has a header and some records.
pub(crate) fn begun(command: &mut Command, file: &str) -> Child {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !fs::metadata(file).is_ok_and(|file| file.len() > 2_000) {
        assert_eq!(child.try_wait().unwrap(), None, "ended before {file} had some records");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Interrupts a command. Returns the part of its message that counts the finished work.
pub(crate) fn interrupted(child: Child) -> String {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    let message = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{message}");
    let (_, rest) = message.split_once("interrupted after ").expect(&message);
    rest.strip_suffix("; the same command resumes the work\n").expect(&message).to_owned()
}

#[test]
fn concurrency_and_cuts_change_no_game() {
    let (scratch, [whole, parts, other]) = Scratch::with_paths("selfplay", ["whole", "parts", "other"]);
    let twelve = ["--games", "12", "--seed", "4", "--concurrency", "3"];
    let out = play(&whole, &twelve[..4]);
    assert!(out.starts_with(&format!("12 games in {whole}, 12 of them new, ")), "{out}");
    let out = play(&parts, &["--games", "5", "--seed", "4", "--concurrency", "2"]);
    assert!(out.starts_with(&format!("5 games in {parts}, 5 of them new")), "{out}");
    // After the cut the last line is incomplete, so the game in it must be played again.
    let bytes = fs::read(&parts).unwrap();
    fs::write(&parts, &bytes[..bytes.len() - 3]).unwrap();
    let (out, err) = run_successfully(quiver(&selfplay(&parts, &twelve)));
    assert!(out.starts_with(&format!("12 games in {parts}, 8 of them new, ")), "{out}");
    assert!(err.contains("last line is incomplete"), "{err}");
    assert_eq!(rows(&whole, &scratch), rows(&parts, &scratch));
    assert_eq!(play(&whole, &twelve), format!("12 games in {whole}, 0 of them new\n"));
    play(&other, &["--games", "12", "--seed", "5"]);
    assert_ne!(rows(&whole, &scratch), rows(&other, &scratch));
}

#[test]
fn selfplay_games_record_their_searches() {
    let (_scratch, [games]) = Scratch::with_paths("selfplay-games", ["games"]);
    // With 200 playouts, each search visits at least one arrow after its best queen move.
    let line = "selfplay --board 6 --playouts 200 --memory 4M --blunders 0.1 --games 12 --out";
    printed(quiver(&[]).args(line.split(' ')).arg(&games));
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
            // A proven value agrees with the result, unless a player blunders on purpose later.
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

/// The program must not write into a record of a match, a file of another program or a folder.
const SELFPLAY_REFUSED: &str = include_str!("snapshots/quiver__training__selfplay.snap");

#[test]
fn selfplay_rejects_record_of_other_games() {
    let (scratch, [games]) = Scratch::with_paths("selfplay-refused", ["games"]);
    play(&games, &["--games", "1"]);
    scratch.file("strange", "{\"selfplay\":{}}\n");
    insta::assert_snapshot!("selfplay", refusals(&scratch.path(""), inputs(SELFPLAY_REFUSED)));
    assert_eq!(scratch.read("strange"), "{\"selfplay\":{}}\n");
}

#[test]
fn interrupted_selfplay_resumes() {
    let (_scratch, [games]) = Scratch::with_paths("selfplay-interrupt", ["games"]);
    let line = selfplay(&games, &["--games", "100000", "--concurrency", "2"]);
    let child = begun(&mut quiver(&line), &games);
    refuses(&line, "is in use by another process: expected that process to end first, or another file");
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
        // The scores are much better than those of a constant prediction of one half.
        for (name, range) in [("log_loss", 0.05..0.6), ("brier", 0.01..0.2), ("accuracy", 0.75..1.0)] {
            assert!(range.contains(&number(&report, name)), "{name}: {report}");
        }
        let bins = report["by_empty"].as_array().unwrap();
        assert!(bins.len() >= least, "{report}");
        // The first bin ends at 20 empty squares; the other bins are 15 wide.
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
fn evaluate_counts_proofs() {
    let scratch = Scratch::new("evaluate-solved");
    // The first player wins this position, but the label in line 2 of the file says that it loses.
    let labelled = |result| format!("{{\"result\": {result}, \"position\": \"Q2*1q/3*2 w\", \"ply\": 4}}\n");
    let start = r#"{"position": "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w", "result": 1}"#;
    let file = scratch.file("positions.jsonl", format!("{}{}{start}\n", labelled("1"), labelled("0.0")));
    let command = ["evaluate", "--positions", &file, "--solve", "5", "--bins", "8,9,93"];
    let (text, messages) = run_successfully(quiver(&command).arg("--json"));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_documented("evaluate", &report);
    assert_fields(&report, json!({"positions": 3, "proven": 2, "contradicted": 1}));
    let small = json!({"from": 8, "to": 9, "positions": 2, "proven": 2, "contradicted": 1});
    assert_fields(&report["by_empty"][0], small);
    assert_fields(&report["by_empty"][1], json!({"positions": 1, "proven": 0, "contradicted": 0}));
    assert_contains(&messages, &["line 2: the solver proves the opposite of the label: Q2*1q/3*2 w"]);
    let (table, _) = run_successfully(quiver(&command));
    assert!(table.contains("66.7 %"), "{table}");
    assert!(!printed(quiver(&["evaluate", "--positions", &file, "--json"])).contains("proven"));
}

const EVALUATE_REFUSED: &str = include_str!("snapshots/quiver__training__evaluate.snap");

#[test]
fn evaluate_rejects_bad_input() {
    let scratch = Scratch::new("evaluate-refused");
    play(&scratch.path("six"), &["--games", "1"]);
    let eight = ["selfplay", "--board", "8", "--games", "1", "--playouts", "1", "--out"];
    printed(quiver(&eight).arg(scratch.path("eight")));
    fs::create_dir(scratch.join("folder")).unwrap();
    let game = scratch.read("six").lines().nth(1).unwrap().to_owned();
    let good = r#"{"position": "q2/3/2Q w - - 0 1", "result": 1}"#;
    for (name, content) in [
        ("none", "{\"contes"),
        ("number", &(sealed_line("{\"contest\":5}") + &game + "\n")),
        ("torn", &format!("{good}\n\n{{\n{good}\n")),
        ("blank", "\n"),
        ("list", "[]"),
        ("unlabelled", r#"{"position": "q2/3/2Q w"}"#),
        ("integer", r#"{"position": 3, "result": 1}"#),
        ("mover", r#"{"position": "q2/3/2Q x", "result": 1}"#),
        ("half", r#"{"position": "q2/3/2Q w", "result": 0.5}"#),
        ("negative", r#"{"position": "q2/3/2Q w", "result": -1}"#),
        ("one", good),
    ] {
        scratch.file(name, content);
    }
    scratch.file("latin", b"\xff\xfe\n");
    insta::assert_snapshot!("evaluate", refusals(&scratch.path(""), inputs(EVALUATE_REFUSED)));
}

#[test]
fn library_numbers_games_across_files() {
    let (scratch, [one, two]) = Scratch::with_paths("library", ["one", "two"]);
    play(&one, &["--games", "3"]);
    let first = moves(&one);
    // An imprecise parser would round this parameter to the neighbouring float.
    let tuned = ["--games", "2", "--seed", "9", "--set", "exploration=0.36995516654807925"];
    play(&two, &tuned);
    assert_eq!(play(&two, &tuned), format!("2 games in {two}, 0 of them new\n"));
    // One game is deleted from the file, and the other games get another order.
    let text = scratch.read("one");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    scratch.file("one", [lines[0], lines[3], lines[1]].concat());
    let texts = first + &moves(&two);
    let texts: Vec<&str> = texts.lines().collect();
    let library = Library::open(&[one.into(), two.into()]).unwrap();
    let text = |game: &Game| game.moves().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let found = library.games().map(|(number, game)| (number, text(game)));
    let expected = [0, 2, 3, 4].map(|number| (number as u32, texts[number].to_owned()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
