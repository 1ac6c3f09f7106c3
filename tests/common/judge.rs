//! Plays the role of Botzone's judge in tests: keeps a bot's process running, pauses it between
//! turns, and refuses illegal moves. The bot's opponent moves at random.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use quiver::Coordinates;
use quiver::amazons::{Move, Position, Side};
use quiver::games::Game;
pub(crate) use quiver_bot::request::RequestForm;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

pub(crate) const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// The first request to a bot that moves first.
pub(crate) const FIRST_TURN: &str = "1\n-1 -1 -1 -1 -1 -1\n";

/// A bot process that is kept running, in its own process group.
pub(crate) struct Bot {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// True if the bot's process knows all earlier plies, so a request needs only the last ply.
    knows_match: bool,
}

impl Bot {
    pub(crate) fn start(mut command: Command) -> Bot {
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Bot { child, input, output, knows_match: false }
    }

    pub(crate) fn send(&mut self, request: &str) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(request.as_bytes()).and_then(|()| input.flush()).expect("a bot that reads");
    }

    /// Sends a request and returns the lines of the answer that come before [`KEEP_RUNNING`].
    pub(crate) fn ask(&mut self, request: &str) -> Vec<String> {
        self.send(request);
        self.answer()
    }

    pub(crate) fn answer(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("an answer that is text");
            assert!(line.ends_with('\n'), "the bot ended its answer with {line:?} after {lines:?}");
            match line.trim_end_matches('\n') {
                KEEP_RUNNING => return lines,
                other => lines.push(other.to_owned()),
            }
        }
    }

    /// Asks the bot for a move after the plies in `entries`. The first request to a process has all
    /// plies, and later requests have only the last ply. Pauses the process after its answer.
    pub(crate) fn turn(&mut self, entries: &[Coordinates], form: RequestForm) -> Move {
        let last = *entries.last().expect("a request");
        let known = std::mem::replace(&mut self.knows_match, true);
        let request = if known { next_request(last, form) } else { history(entries, form) };
        // The judge may send a blank line before a request.
        self.send(&format!("\n{request}\n"));
        self.signal(Signal::CONT);
        let answer = self.answer();
        self.signal(Signal::STOP);
        read_move(&answer, form)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process_group(Pid::from_child(&self.child), signal).expect("a process group");
    }

    pub(crate) fn program_path(&self) -> String {
        let link = fs::read_link(format!("/proc/{}/exe", self.child.id())).expect("a process");
        link.to_string_lossy().into_owned()
    }

    /// The CPU time that the bot's process has used. Fails if the process has several threads.
    pub(crate) fn cpu(&self) -> Duration {
        let [status, statistics] = ["status", "schedstat"]
            .map(|name| fs::read_to_string(format!("/proc/{}/{name}", self.child.id())).expect("a process"));
        assert!(status.contains("\nThreads:\t1\n"), "{status}");
        let nanoseconds = statistics.split(' ').next().and_then(|number| number.parse().ok());
        Duration::from_nanos(nanoseconds.expect("a number"))
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("a child")
    }

    pub(crate) fn end(mut self) -> ExitStatus {
        self.input = None;
        self.signal(Signal::CONT);
        self.wait()
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Plays a match to its end and returns its plies. The bot plays `side`. `between` is called after
/// each turn of the bot, and may replace the bot's process.
pub(crate) fn play(
    bot: &mut Bot,
    start: Position,
    side: Side,
    form: RequestForm,
    mut between: impl FnMut(&mut Bot),
) -> Vec<Coordinates> {
    let mut game = Game::new(start);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut entries = if side == Side::First { vec![Coordinates::NONE] } else { Vec::new() };
    while game.position().winner().is_none() {
        let played = if game.position().to_move() == side {
            let played = bot.turn(&entries, form);
            between(bot);
            played
        } else {
            game.position().random_move(&mut rng).expect("a move")
        };
        game.play(played).unwrap_or_else(|error| panic!("{played}: {error}"));
        entries.push(played.into());
    }
    entries
}

/// The first request that a process gets: all plies of the match, with empty `data`.
pub(crate) fn history(entries: &[Coordinates], form: RequestForm) -> String {
    if form == RequestForm::Text {
        let plies: String = entries.iter().map(|ply| format!("{ply}\n")).collect();
        return format!("{}\n{plies}\n", entries.len().div_ceil(2));
    }
    let [requests, responses] = [0, 1].map(|first| entries.iter().skip(first).step_by(2).collect::<Vec<_>>());
    json!({"data": "", "time_limit": "1000", "requests": requests, "responses": responses}).to_string()
}

/// The request for a process that keeps running: a single ply. As on Botzone, JSON keys are sorted.
pub(crate) fn next_request(ply: Coordinates, form: RequestForm) -> String {
    match form {
        RequestForm::Json => json!(ply).to_string(),
        RequestForm::Text => ply.to_string(),
    }
}

/// Parses the move in a bot's answer. Fails if `debug` is missing or has 1,000 bytes or more.
pub(crate) fn read_move(answer: &[String], form: RequestForm) -> Move {
    let (coordinates, debug) = match (form, answer) {
        (RequestForm::Json, [line]) => {
            let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let number = |name| object["response"][name].as_i64().unwrap_or_else(|| panic!("{answer:?}"));
            let debug = object["debug"].as_str().unwrap_or_else(|| panic!("{answer:?}"));
            (Coordinates(["x0", "y0", "x1", "y1", "x2", "y2"].map(number)), debug.len())
        }
        (RequestForm::Text, [line, debug]) => {
            let coordinates: Coordinates = line.parse().unwrap_or_else(|error| panic!("{answer:?}: {error}"));
            assert_eq!(coordinates.to_string(), *line);
            (coordinates, debug.len())
        }
        _ => panic!("{form:?}: {answer:?}"),
    };
    assert!(debug < 1000, "{answer:?}");
    coordinates.full_move().unwrap_or_else(|| panic!("{answer:?}"))
}
