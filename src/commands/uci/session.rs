//! The conversation: who has the player, what is being searched, what is answered.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;

use super::Output;
use super::options::Options;
use super::request::{Go, PlayedLine, shortened};
use crate::commands::Failed;
use crate::contest::statistics::elo_of;
use crate::game::{Side, UciMove};
use crate::messages::printable;
use crate::players::{Choice, EngineOptions, Player, PlayerKind, StopHandle};
use crate::search::{Report, Watch};

/// How often a search says what it has found so far.
const INFO_EVERY: Duration = Duration::from_millis(500);

/// Whether to go on reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Line,
    Quit,
}

/// A UCI session.
pub(super) struct Session {
    options: Options,
    output: Arc<Mutex<Output>>,
    /// Made when it is first needed, and again after an option has changed; away while it searches.
    player: Option<Box<dyn Player>>,
    /// What the player knows of the game.
    known: Option<PlayedLine>,
    line: Option<PlayedLine>,
    search: Option<Search>,
}

/// A search in progress.
struct Search {
    thread: JoinHandle<std::io::Result<Box<dyn Player>>>,
    handle: Option<StopHandle>,
    /// Dropped to let an infinite search that has found its move say so.
    release: Sender<()>,
    infinite: bool,
}

impl Session {
    pub(super) fn new(engine: EngineOptions, output: Output) -> Session {
        let options = Options::new(engine);
        let output = Arc::new(Mutex::new(output));
        Session { options, output, player: None, known: None, line: None, search: None }
    }

    /// Takes a line in.
    pub(super) fn take(&mut self, line: &str) -> anyhow::Result<Next> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match command {
            "" => {}
            "quit" => {
                self.halt()?;
                return Ok(Next::Quit);
            }
            "stop" => self.halt()?,
            // Answered in the middle of a search too.
            "isready" => self.say("readyok")?,
            "uci" => {
                let name = format!("id name Quiver {}", env!("CARGO_PKG_VERSION"));
                let listing = self.options.listing();
                self.say(&format!("{name}\nid author the Quiver project\n{listing}uciok"))?;
            }
            "setoption" => {
                self.halt()?;
                match self.options.set(rest) {
                    Ok(()) => (self.player, self.known) = (None, None),
                    Err(error) => self.complain(&error)?,
                }
            }
            "ucinewgame" => {
                self.halt()?;
                (self.player, self.known, self.line) = (None, None, None);
            }
            "position" => {
                self.halt()?;
                match PlayedLine::read(rest, self.options.start()) {
                    Ok(line) => self.line = Some(line),
                    Err(error) => self.complain(&error)?,
                }
            }
            "go" => {
                self.halt()?;
                self.go(rest)?;
            }
            // Ignored: this engine neither ponders nor logs on request, and needs no registration.
            "ponderhit" | "debug" | "register" => {}
            other => self.complain(&format!("'{}' is no command of UCI", shortened(other)))?,
        }
        Ok(Next::Line)
    }

    /// Lets a search that ends by itself end, and stops any other.
    pub(super) fn end_of_input(&mut self) -> anyhow::Result<()> {
        match self.search.take() {
            Some(search) if !search.infinite => self.join(search),
            search => {
                self.search = search;
                self.halt()
            }
        }
    }

    fn go(&mut self, rest: &str) -> anyhow::Result<()> {
        let Some(line) =
            self.line.clone().or_else(|| PlayedLine::read("startpos", self.options.start()).ok())
        else {
            return self.complain("go: no position");
        };
        let go = match Go::read(rest, line.position.to_move() == Side::First) {
            Ok(go) => go,
            Err(error) => return self.complain(&error),
        };
        if !go.ignored.is_empty() {
            self.complain(&format!("go: {} ignored", go.ignored.join(", ")))?;
        }
        if line.position.winner().is_some() {
            return self.say("info depth 0 score mate 0\nbestmove (none)");
        }
        let limits = go.limits();
        let mut player = self.ready_player(line);
        let handle = player.stop_handle();
        if let Some(handle) = &handle {
            handle.reset();
        }
        let (release, released) = channel();
        let (output, infinite) = (Arc::clone(&self.output), go.infinite);
        let thread = thread::spawn(move || {
            // If the reader is gone, writing the move fails.
            let mut tell = |report: &Report| drop(say(&output, &info(report)));
            let choice = player.choose_watched(&limits, &mut Watch::new(INFO_EVERY, &mut tell));
            let text = answer(choice.as_ref());
            if infinite {
                // Whatever has been found: an infinite search answers when it is told to stop.
                wait_for(&released);
            }
            say(&output, &text).map(|()| player)
        });
        self.search = Some(Search { thread, handle, release, infinite });
        Ok(())
    }

    /// The player, at this position, by way of the moves since the last one where that is possible.
    fn ready_player(&mut self, line: PlayedLine) -> Box<dyn Player> {
        let mut player = self
            .player
            .take()
            .unwrap_or_else(|| PlayerKind::Quiver.build(&self.options.engine, &line.position));
        match &self.known {
            Some(known) if known.start == line.start && line.moves.starts_with(&known.moves) => {
                for &full in &line.moves[known.moves.len()..] {
                    player.advance(full);
                }
            }
            _ => player.set_position(&line.position),
        }
        self.known = Some(line);
        player
    }

    /// Ends a search, if there is one, and waits until it has answered.
    fn halt(&mut self) -> anyhow::Result<()> {
        let Some(search) = self.search.take() else { return Ok(()) };
        if let Some(handle) = &search.handle {
            handle.stop();
        }
        self.join(search)
    }

    fn join(&mut self, search: Search) -> anyhow::Result<()> {
        drop(search.release);
        let player = search.thread.join().map_err(|_| Failed("the search panicked".to_owned()))?;
        self.player = Some(player?);
        Ok(())
    }

    fn say(&self, text: &str) -> anyhow::Result<()> {
        Ok(say(&self.output, text)?)
    }

    pub(super) fn complain(&self, text: &str) -> anyhow::Result<()> {
        self.say(&format!("info string {}", printable(text)))
    }
}

/// Waits until the other end is dropped.
fn wait_for(released: &Receiver<()>) {
    while released.recv().is_ok() {}
}

fn say(output: &Mutex<Output>, text: &str) -> std::io::Result<()> {
    let mut output = output.lock();
    writeln!(output, "{text}")?;
    output.flush()
}

/// What a search says at its end: an info line, where the player searches, and its move.
fn answer(choice: Option<&Choice>) -> String {
    let Some(choice) = choice else {
        return "bestmove (none)".to_owned();
    };
    let best = UciMove(choice.full);
    let Some(report) = &choice.report else {
        return format!("bestmove {best}");
    };
    format!("{}\nbestmove {best}", info(report))
}

/// The info line of what a search has found.
fn info(report: &Report) -> String {
    let milliseconds = report.time.as_millis();
    let speed = (report.playouts as f64 / report.time.as_secs_f64().max(1e-3)) as u64;
    let line: Vec<String> =
        report.principal_variation.iter().map(|&full| UciMove(full).to_string()).collect();
    let nodes = report.playouts;
    format!(
        "info depth {} score cp {} nodes {nodes} nps {speed} time {milliseconds} pv {}",
        report.depth.max(1),
        centipawns(report.value),
        line.join(" ")
    )
}

/// A chance of winning as the score of an engine: the Elo points that make it likely, which a match runner turns
/// back into the chance; certainty is 10,000.
fn centipawns(value: f64) -> i32 {
    elo_of(value).clamp(-10_000.0, 10_000.0).round() as i32
}
