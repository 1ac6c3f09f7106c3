//! `quiver match` as a whole program: bots that behave and bots that do not, ends that come at the wrong moment,
//! input that is wrong.
#![allow(missing_docs)]

#[path = "contest/bad_input.rs"]
mod bad_input;
#[path = "contest/bots.rs"]
mod bots;
#[path = "contest/endings.rs"]
mod endings;
#[path = "contest/matches.rs"]
mod matches;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The program under test, in the repository's root.
fn quiver(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quiver"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("QUIVER_BOARD").args(arguments);
    command
}

/// Runs a match: (exit status, standard output, standard error).
fn play(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        quiver(&[&["match"], arguments].concat()).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// Runs a match that prints its one JSON object.
fn play_json(arguments: &[&str]) -> (i32, Value) {
    let (code, out, err) = play(&[arguments, &["--json"]].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}")))
}

/// A directory for one test, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("quiver-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Scratch(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The games of a record, in the order of their numbers, without what differs from run to run.
fn games(path: impl AsRef<Path>) -> Vec<Value> {
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
