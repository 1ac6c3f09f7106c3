//! Uses quiver-engine as a small graphical interface does, but with lines of text in place of a
//! window. Each line of the input is a command: see [`Session::obey`].

use std::io::{self, BufRead};
use std::thread::{self, JoinHandle};

use quiver_engine::{Engine, EngineOptions, Limits, Move, PlayError, Position, Report, Size, StopHandle};

/// The stack of the thread that calls the search, in bytes: half of what Rust gives by default.
const STACK: usize = 1 << 20;

/// A game in progress, and the search that analyses it, if any.
struct Session {
    position: Position,
    threads: usize,
    /// The search, and the signal that stops it.
    analysis: Option<(JoinHandle<Option<Report>>, StopHandle)>,
}

impl Session {
    fn new(side: usize, threads: usize) -> Result<Session, String> {
        let start = Size::square(side).and_then(Position::start).map_err(|error| error.to_string())?;
        Ok(Session { position: start, threads, analysis: None })
    }

    fn obey(&mut self, line: &str) -> Result<String, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["play", text] => self.play(text),
            ["analyse", "forever"] => self.analyse(Limits::default()),
            ["analyse", playouts] => {
                let playouts = playouts.parse().map_err(|error| format!("{playouts}: {error}"))?;
                self.analyse(Limits::playouts(playouts))
            }
            ["stop"] => {
                if let Some((_, stop)) = &self.analysis {
                    stop.stop();
                }
                self.result()
            }
            ["result"] => self.result(),
            _ => Err(format!("no command '{line}'")),
        }
    }

    fn play(&mut self, text: &str) -> Result<String, String> {
        let chosen: Move = text.parse().map_err(|error| format!("not a move: {error}"))?;
        self.position = self.position.play(chosen).map_err(in_a_status_line)?;
        Ok(match self.position.winner() {
            Some(winner) => format!("{winner} wins"),
            None => format!("{} to move", self.position.to_move()),
        })
    }

    fn analyse(&mut self, limits: Limits) -> Result<String, String> {
        let options =
            EngineOptions { threads: self.threads, memory: 16 << 20, seed: 5, ..EngineOptions::default() };
        let (position, stop) = (self.position, limits.stop.clone());
        let search = move || Engine::new(&options, &position).search(&limits);
        let thread = thread::Builder::new().stack_size(STACK).spawn(search);
        self.analysis = Some((thread.map_err(|error| error.to_string())?, stop));
        Ok("searching".to_owned())
    }

    fn result(&mut self) -> Result<String, String> {
        let (thread, _) = self.analysis.take().ok_or("no search was started")?;
        let report = thread.join().map_err(|_| "the search has panicked")?;
        let report = report.ok_or("the game is over")?;
        Ok(format!(
            "{} {:.6} after {} playouts: {}",
            report.best,
            report.value,
            report.playouts,
            report.status()
        ))
    }
}

/// A message for a status line about an illegal move. The square at fault is in square brackets.
fn in_a_status_line(error: PlayError) -> String {
    match error {
        PlayError::OffBoard { square, .. } => format!("no square [{square}]"),
        PlayError::NotOwn { square, mover, .. } => format!("no amazon of the {mover} player on [{square}]"),
        PlayError::Blocked { obstacle: Some((square, content)), .. } => {
            format!("the way is closed by {content} on [{square}]")
        }
        PlayError::Blocked { half_move, .. } => format!("no line leads to [{}]", half_move.target()),
    }
}

fn main() -> Result<(), String> {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let (Some(Ok(side)), Some(Ok(threads))) = (numbers.next(), numbers.next()) else {
        return Err("expected the side of the board and the number of threads".to_owned());
    };
    let mut session = Session::new(side, threads)?;
    for line in io::stdin().lock().lines() {
        match session.obey(&line.map_err(|error| error.to_string())?) {
            Ok(answer) => println!("{answer}"),
            Err(error) => println!("error: {error}"),
        }
    }
    Ok(())
}
