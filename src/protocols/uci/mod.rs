//! `quiver uci`: this engine as a UCI engine with the variant `amazons`, in Fairy-Stockfish's
//! notation.
//!
//! The start position is that of the 10x10 board, or of `amazons8` and `amazons6`; any other board
//! comes as a FEN.
//!
//! A session reads commands, runs one search at a time on a thread, and writes the answers: an `info`
//! line twice a second, and one at the end of a search, with its `bestmove`.

mod request;

use std::io::{self, BufRead, Write};
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use amazons::{Move, Position, UciMove};
use parking_lot::Mutex;

use super::search_thread::SearchThread;
use super::{Output, SHOWN, Session, say};
use crate::contest::statistics::elo_of;
use crate::games::Game;
use crate::messages::{excerpt, printable};
use crate::search::{Candidate, EngineOptions, Report, Watch};
use crate::territory::View;
use request::{Go, UciOptions, read_position};

/// Time between two reports of a search.
const INFO_EVERY: Duration = Duration::from_millis(500);

/// The answer where there is no move to play.
const NO_MOVE: &str = "bestmove (none)";

/// Answers line by line until `quit` or the end of the input.
pub fn converse(
    input: impl BufRead,
    engine: EngineOptions,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    super::converse(input, &mut UciSession::new(engine, Arc::new(Mutex::new(output))))
}

struct UciSession {
    options: UciOptions,
    output: Output,
    given: Given,
    /// The search, which returns its answer if that may only come after `stop`.
    search: SearchThread<io::Result<Option<String>>>,
    /// True if only `stop` or `ponderhit` ends the search.
    infinite: bool,
    /// The search that the opponent's expected move puts on the clock: the rest of `go ponder`.
    pondered: Option<String>,
    /// The answer to a `go` without a position, which may only come after `stop`.
    pending: Option<&'static str>,
}

/// What the last `position` gave.
enum Given {
    /// None came yet: the start position of the variant counts.
    Start,
    Game(Box<Game>),
    /// The last one was refused. No move is played for another position in its place.
    Refused,
}

impl UciSession {
    fn new(engine: EngineOptions, output: Output) -> UciSession {
        UciSession {
            search: SearchThread::new(engine.clone()),
            options: UciOptions::new(engine),
            output,
            given: Given::Start,
            infinite: false,
            pondered: None,
            pending: None,
        }
    }
}

impl Session for UciSession {
    fn take(&mut self, line: &[u8]) -> io::Result<bool> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // These end a search; the others are answered in the middle of it.
        if let "go" | "position" | "quit" | "setoption" | "stop" | "ucinewgame" = command {
            self.halt()?;
        }
        match command {
            "quit" => return Ok(false),
            "isready" => {
                let position = match &self.given {
                    Given::Game(game) => game.position(),
                    Given::Start | Given::Refused => &self.options.start,
                };
                self.search.warm_up(position);
                self.say("readyok")?;
            }
            "uci" => {
                let name = format!("id name Quiver {}", env!("CARGO_PKG_VERSION"));
                let listing = self.options.listing();
                self.say(&format!("{name}\nid author the Quiver project\n{listing}uciok"))?;
            }
            "setoption" => match self.options.set(rest) {
                Ok(warning) => {
                    self.search.reset(&self.options.engine);
                    warning.map_or(Ok(()), |warning| self.complain(&warning))?;
                }
                Err(error) => self.complain(&error)?,
            },
            "ucinewgame" => {
                self.search.reset(&self.options.engine);
                self.given = Given::Start;
            }
            "position" => match read_position(rest, self.options.start) {
                Ok(game) => self.given = Given::Game(Box::new(game)),
                Err(error) => {
                    self.given = Given::Refused;
                    self.complain(&error)?;
                }
            },
            "go" => self.go(rest)?,
            "ponderhit" => self.ponder_hit()?,
            // This engine does not log on request, and needs no registration.
            "" | "stop" | "debug" | "register" => {}
            other => self.complain(&format!("'{}' is no command of UCI", excerpt(other, SHOWN)))?,
        }
        Ok(true)
    }

    fn refuse(&mut self, why: String) -> io::Result<()> {
        self.complain(&why)
    }

    /// Waits for a search that ends by itself; stops any other.
    fn end_of_input(&mut self) -> io::Result<()> {
        if self.infinite {
            return self.halt();
        }
        self.search.wait().unwrap_or(Ok(None)).map(drop)
    }
}

impl UciSession {
    /// The expected move was played: searches on, now on the clock, in the same tree.
    fn ponder_hit(&mut self) -> io::Result<()> {
        let Some(rest) = self.pondered.take() else { return Ok(()) };
        self.stop()?;
        self.go(&rest)
    }

    fn go(&mut self, rest: &str) -> io::Result<()> {
        let game = match &self.given {
            Given::Game(game) => Some(Game::clone(game)),
            Given::Start => Some(Game::new(self.options.start)),
            Given::Refused => None,
        };
        let position = *game.as_ref().map_or(&self.options.start, Game::position);
        let go = Go::read(rest, &position);
        for note in &go.notes {
            self.complain(note)?;
        }
        self.infinite = go.is_infinite();
        let rest_of_ponder =
            || rest.split_ascii_whitespace().filter(|word| *word != "ponder").collect::<Vec<_>>().join(" ");
        self.pondered = go.ponder.then(rest_of_ponder);
        let Some(game) = game else {
            self.complain("go: the last position was refused: expected a position first")?;
            self.pending = self.infinite.then_some(NO_MOVE);
            return if self.infinite { Ok(()) } else { self.say(NO_MOVE) };
        };
        let (output, infinite) = (Arc::clone(&self.output), self.infinite);
        let reporter = UciReporter { options: self.options.clone(), among: go.among, position };
        self.search.start(&game, go.limits.stop.clone(), move |engine| {
            // A search whose reader is gone ends, even one without a limit.
            let mut told = Ok(());
            let mut tell = |report: &Report| {
                told = say(&output, &reporter.info(report)).inspect_err(|_| go.limits.stop.stop());
            };
            let report = engine.search_watched(&go.limits, &mut Watch::new(INFO_EVERY, &mut tell));
            told?;
            let answer = match &report {
                Some(report) => reporter.answer(report),
                None => format!("info depth 0 score mate 0\n{NO_MOVE}"),
            };
            if infinite {
                return Ok(Some(answer));
            }
            say(&output, &answer)?;
            Ok(None)
        });
        Ok(())
    }

    /// Ends a search, if there is one, and writes its answer.
    fn halt(&mut self) -> io::Result<()> {
        self.pondered = None;
        self.stop()?.map_or(Ok(()), |answer| self.say(&answer))
    }

    /// Ends a search, if there is one. Returns its answer, if that is not yet written.
    fn stop(&mut self) -> io::Result<Option<String>> {
        if let Some(answer) = self.pending.take() {
            return Ok(Some(answer.to_owned()));
        }
        self.search.stop().unwrap_or(Ok(None))
    }

    fn say(&self, text: &str) -> io::Result<()> {
        say(&self.output, text)
    }

    fn complain(&self, text: &str) -> io::Result<()> {
        self.say(&format!("info string {}", printable(text)))
    }
}

/// The texts of a search for the GUI.
struct UciReporter {
    options: UciOptions,
    /// The moves to choose from; empty for all. The whole tree is searched: the most visited one of
    /// them is answered, or the one of the best static value where the search lists none of them.
    among: Vec<Move>,
    position: Position,
}

/// A move, its value, true if that is proven, and the line that begins with it.
type UciLine<'a> = (Move, f64, bool, &'a [Move]);

impl UciReporter {
    /// The text of a search's end: info lines, and its move.
    fn answer(&self, report: &Report) -> String {
        let (best, .., moves) = self.best_lines(report)[0];
        // There is nothing to ponder on after a move that ends the game.
        let goes_on = |reply: &&Move| {
            let after = self.position.play_unchecked(best).play_unchecked(**reply);
            after.winner().is_none()
        };
        let reply = moves.get(1).filter(|_| self.options.ponder).filter(goes_on);
        let reply = reply.map_or_else(String::new, |&chosen| format!(" ponder {}", UciMove(chosen)));
        format!("{}\nbestmove {}{reply}", self.info(report), UciMove(best))
    }

    /// The moves that count, one at least: the one to be played, then the others by their visits.
    fn best_lines<'a>(&self, report: &'a Report) -> Vec<UciLine<'a>> {
        let best = (report.best, report.value, report.proven, &report.principal_variation[..]);
        // A value of exactly 0 or 1 is proven; that of the best move says so itself.
        let line =
            |it: &'a Candidate| (it.played, it.value, it.value <= 0.0 || it.value >= 1.0, &it.line[..]);
        let others = report.candidates.iter().filter(|it| it.played != report.best).map(line);
        let counts = |(chosen, ..): &UciLine<'_>| self.among.is_empty() || self.among.contains(chosen);
        let mut lines: Vec<UciLine<'_>> = iter::once(best).chain(others).filter(counts).collect();
        if lines.is_empty() {
            let evaluator = &self.options.engine.evaluator;
            let odds =
                |chosen: &Move| evaluator.log_odds(&View::from(&self.position.play_unchecked(*chosen)));
            let least = self.among.iter().copied().min_by(|a, b| odds(a).total_cmp(&odds(b)));
            lines.extend(least.map(|chosen| (chosen, report.value, false, &[][..])));
        }
        lines
    }

    fn info(&self, report: &Report) -> String {
        let (milliseconds, depth) = (report.time.as_millis(), report.depth.max(1));
        let speed = (report.playouts as f64 / report.time.as_secs_f64().max(1e-3)) as u64;
        let hashfull = (1000 * report.memory as u64 / self.options.engine.memory.max(1) as u64).min(1000);
        let figures =
            format!("nodes {} nps {speed} hashfull {hashfull} time {milliseconds}", report.playouts);
        let line = |(number, (chosen, value, proven, moves)): (usize, UciLine<'_>)| {
            let moves = if moves.is_empty() { std::slice::from_ref(&chosen) } else { moves };
            let names: Vec<String> = moves.iter().map(|&chosen| UciMove(chosen).to_string()).collect();
            let (length, score) = (moves.len(), score(value, proven, moves.len()));
            let names = names.join(" ");
            format!(
                "info depth {length} seldepth {depth} multipv {number} score {score} {figures} pv {names}"
            )
        };
        (1..).zip(self.best_lines(report)).take(self.options.lines).map(line).collect::<Vec<_>>().join("\n")
    }
}

/// The score of a chance of winning: the Elo points that make it likely, which a match runner turns
/// back into the chance, at most 10,000. A proven one is `mate`, by the mover's moves of the line
/// shown: the shortest way to the end is not searched for.
fn score(value: f64, proven: bool, plies: usize) -> String {
    let moves = plies.div_ceil(2).max(1);
    match proven {
        true if value >= 0.5 => format!("mate {moves}"),
        true => format!("mate -{moves}"),
        false => format!("cp {}", elo_of(value).clamp(-10_000.0, 10_000.0).round()),
    }
}

#[cfg(test)]
mod tests;
