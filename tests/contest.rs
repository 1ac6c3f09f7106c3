//! Tests `quiver match`: good and faulty bots, interrupted matches, and invalid input.

mod bad_input;
mod bots;
mod endings;
mod matches;

use std::path::Path;
use std::process::Command;

use crate::common::program::{Run, assert_documented, bot, fails, printed, quiver, run};
use crate::common::scratch::Scratch;
use serde_json::Value;

fn command(line: &str) -> Command {
    let mut command = quiver(&["match"]);
    command.args(line.split_whitespace());
    command
}

/// Runs a match with these arguments. Returns its exit status, standard output and standard error.
fn play(line: &str, more: &[&str]) -> (i32, String, String) {
    let Run { code, out, err } = run(command(line).args(more), b"");
    (code.unwrap_or(-1), out, err)
}

/// Runs a match whose JSON report has only documented fields. Returns its exit status and report.
fn play_json(line: &str, more: &[&str]) -> (i32, Value) {
    let (code, out, err) = play(&format!("--json {line}"), more);
    let report = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
    assert_documented("match", &report);
    (code, report)
}

/// Runs a match and returns its JSON report. Fails if a player commits a fault.
fn report(line: &str, more: &[&str]) -> Value {
    let (code, report) = play_json(line, more);
    assert_eq!(code, 0, "{line} {more:?}: {report}");
    report
}

fn recorded_games(line: &str, more: &[&str]) -> Vec<Value> {
    // The folder's name contains the thread's id, because tests run at the same time.
    let scratch = Scratch::new(&format!("recorded-{:?}", std::thread::current().id()));
    let record = scratch.path("record.jsonl");
    report(line, &[&["--record", &record], more].concat());
    games(&record)
}

fn refuses_match(line: &str, more: &[&str], expected: &str) {
    fails(2, command(line).args(more), expected);
}

fn players(specs: &[&str]) -> String {
    specs.iter().map(|spec| format!("[[player]]\nspec = \"{spec}\"\n")).collect()
}

/// Writes a tournament file with the content `file`. Returns the arguments to play it on 6x6.
fn tournament(scratch: &Scratch, file: &str) -> String {
    format!("--board 6 --tournament {}", scratch.file("tournament.toml", file))
}

/// The games of a record, sorted by number, without times and checksums, which always differ.
pub(crate) fn games(path: impl AsRef<Path>) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a record");
    let mut games: Vec<Value> = text
        .lines()
        .filter(|line| !line.starts_with("{\"contest\":"))
        .map(|line| {
            let mut game: Value = serde_json::from_str(line).expect("a line a game");
            game.as_object_mut().expect("an object").retain(|name, _| name != "times" && name != "crc");
            game
        })
        .collect();
    games.sort_by_key(|game| game["game"].as_u64());
    games
}
