//! `quiver uci`: this engine as a UCI engine with the variant `amazons`, in Fairy-Stockfish's
//! notation.
//!
//! The start position is that of the 10x10 board, or of `amazons8` and `amazons6`; any other board
//! comes as a FEN.
//!
//! A session reads commands, runs one search at a time on a thread, and writes the answers: an `info`
//! line twice a second, and one at the end of a search, with its `bestmove`.

mod request;

use std::io::{self, BufRead, BufReader, Write};
use std::iter;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use amazons::{Game, Move, Position, UciMove};
use parking_lot::Mutex;

use super::options::EngineArgs;
use crate::contest::statistics::elo_of;
use crate::files::{MAX_LINE, read_line};
use crate::messages::{excerpt, printable};
use crate::search::{Candidate, Engine, EngineOptions, Report, StopHandle, Watch};
use crate::territory::View;
use request::{Go, SHOWN, UciOptions, read_position};

/// Time between two reports of a search.
const INFO_EVERY: Duration = Duration::from_millis(500);

/// The answer where there is no move to play.
const NO_MOVE: &str = "bestmove (none)";

/// The writer of answers, shared with the thread that searches.
type Output = Arc<Mutex<dyn Write + Send>>;

pub(super) fn run(engine: &EngineArgs) -> anyhow::Result<()> {
    Ok(converse(BufReader::new(io::stdin()), engine.options()?, io::stdout())?)
}

/// Answers line by line until `quit` or the end of the input.
pub fn converse(
    input: impl BufRead,
    engine: EngineOptions,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    answer(input, UciSession::new(engine, Arc::new(Mutex::new(output))))
}

fn answer(mut input: impl BufRead, mut session: UciSession) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        if !read_line(&mut input, MAX_LINE, &mut line)? {
            input.skip_until(b'\n')?;
            session.complain(&format!("a line of more than {MAX_LINE} bytes: expected less"))?;
            continue;
        }
        if line.is_empty() {
            return session.end_of_input();
        }
        if !session.take(&String::from_utf8_lossy(&line))? {
            return Ok(());
        }
    }
}

struct UciSession {
    options: UciOptions,
    output: Output,
    /// Made when it is first needed, and again after an option has changed; away while it searches.
    engine: Option<Engine>,
    given: Given,
    search: Option<UciSearch>,
}

/// What the last `position` gave.
enum Given {
    /// None came yet: the start position of the variant counts.
    Start,
    Game(Box<Game>),
    /// The last one was refused. No move is played for another position in its place.
    Refused,
}

struct UciSearch {
    /// Returns the engine where one searched, and the answer if that may only come after `stop`.
    thread: JoinHandle<io::Result<(Option<Engine>, Option<String>)>>,
    stop: StopHandle,
    infinite: bool,
    /// The search that the opponent's expected move puts on the clock: the rest of `go ponder`.
    pondered: Option<String>,
}

impl UciSession {
    fn new(engine: EngineOptions, output: Output) -> UciSession {
        UciSession {
            options: UciOptions::new(engine),
            output,
            engine: None,
            given: Given::Start,
            search: None,
        }
    }

    /// Takes a line in. Returns whether to go on reading.
    fn take(&mut self, line: &str) -> io::Result<bool> {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // These end a search; the others are answered in the middle of it.
        if let "go" | "position" | "quit" | "setoption" | "stop" | "ucinewgame" = command {
            self.halt()?;
        }
        match command {
            "quit" => return Ok(false),
            "isready" => {
                self.set_up();
                self.say("readyok")?;
            }
            "uci" => {
                let name = format!("id name Quiver {}", env!("CARGO_PKG_VERSION"));
                let listing = self.options.listing();
                self.say(&format!("{name}\nid author the Quiver project\n{listing}uciok"))?;
            }
            "setoption" => match self.options.set(rest) {
                Ok(warning) => {
                    self.engine = None;
                    warning.map_or(Ok(()), |warning| self.complain(&warning))?;
                }
                Err(error) => self.complain(&error)?,
            },
            "ucinewgame" => (self.engine, self.given) = (None, Given::Start),
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

    /// True while a search runs or waits to be told to answer.
    #[cfg(test)]
    fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(|search| !search.thread.is_finished())
    }

    /// Waits for a search that ends by itself; stops any other.
    fn end_of_input(&mut self) -> io::Result<()> {
        match self.search.take_if(|search| !search.infinite) {
            Some(search) => self.join(search).map(drop),
            None => self.halt(),
        }
    }

    /// The expected move was played: searches on, now on the clock, in the same tree.
    fn ponder_hit(&mut self) -> io::Result<()> {
        let rest = self.search.as_mut().and_then(|search| search.pondered.take());
        let Some(rest) = rest else { return Ok(()) };
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
        let (stop, infinite) = (go.limits.stop.clone(), go.is_infinite());
        let output = Arc::clone(&self.output);
        let reporter = UciReporter { options: self.options.clone(), among: go.among, position };
        let mut engine = game.map(|game| self.ready_engine(&game));
        if engine.is_none() {
            self.complain("go: the last position was refused: expected a position first")?;
        }
        let thread = thread::spawn(move || {
            // A search whose reader is gone ends, even one without a limit.
            let mut told = Ok(());
            let mut tell = |report: &Report| {
                told = say(&output, &reporter.info(report)).inspect_err(|_| go.limits.stop.stop());
            };
            let watch = &mut Watch::new(INFO_EVERY, &mut tell);
            let report = engine.as_mut().and_then(|engine| engine.search_watched(&go.limits, watch));
            told?;
            let answer = match (&engine, &report) {
                (None, _) => NO_MOVE.to_owned(),
                (Some(_), None) => format!("info depth 0 score mate 0\n{NO_MOVE}"),
                (Some(_), Some(report)) => reporter.answer(report),
            };
            if infinite {
                return Ok((engine, Some(answer)));
            }
            say(&output, &answer)?;
            Ok((engine, None))
        });
        let pondered = go.ponder.then(|| {
            rest.split_ascii_whitespace().filter(|word| *word != "ponder").collect::<Vec<_>>().join(" ")
        });
        self.search = Some(UciSearch { thread, stop, infinite, pondered });
        Ok(())
    }

    /// Makes an engine before the clock of its first turn runs.
    fn set_up(&mut self) {
        if self.engine.is_none() && self.search.is_none() {
            let position = match &self.given {
                Given::Game(game) => game.position(),
                Given::Start | Given::Refused => &self.options.start,
            };
            self.engine.insert(Engine::new(&self.options.engine, position)).warm_up();
        }
    }

    /// The engine at the game's position. If moves lead there from its last one, it keeps its tree.
    fn ready_engine(&mut self, game: &Game) -> Engine {
        let engine = self.engine.take();
        let mut engine = engine.unwrap_or_else(|| Engine::new(&self.options.engine, game.position()));
        // No position comes twice: each has another number of burnt squares.
        match game.positions().iter().position(|position| position == engine.position()) {
            Some(ply) => game.plies()[ply..].iter().for_each(|ply| engine.advance_unchecked(ply.full)),
            None => engine.set_position(game.position()),
        }
        engine
    }

    /// Ends a search, if there is one, and writes its answer.
    fn halt(&mut self) -> io::Result<()> {
        self.stop()?.map_or(Ok(()), |answer| self.say(&answer))
    }

    /// Ends a search, if there is one. Returns its answer, if that is not yet written.
    fn stop(&mut self) -> io::Result<Option<String>> {
        let Some(search) = self.search.take() else { return Ok(None) };
        search.stop.stop();
        self.join(search)
    }

    fn join(&mut self, search: UciSearch) -> io::Result<Option<String>> {
        let ended = search.thread.join().map_err(|_| io::Error::other("the search panicked"))?;
        let (engine, answer) = ended?;
        self.engine = engine.or(self.engine.take());
        Ok(answer)
    }

    fn say(&self, text: &str) -> io::Result<()> {
        say(&self.output, text)
    }

    fn complain(&self, text: &str) -> io::Result<()> {
        self.say(&format!("info string {}", printable(text)))
    }
}

fn say(output: &Output, text: &str) -> io::Result<()> {
    let mut output = output.lock();
    writeln!(output, "{text}")?;
    output.flush()
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
        let reply = reply.map_or_else(String::new, |&full| format!(" ponder {}", UciMove(full)));
        format!("{}\nbestmove {}{reply}", self.info(report), UciMove(best))
    }

    /// The moves that count, one at least: the one to be played, then the others by their visits.
    fn best_lines<'a>(&self, report: &'a Report) -> Vec<UciLine<'a>> {
        let best = (report.best, report.value, report.proven, &report.principal_variation[..]);
        // A value of exactly 0 or 1 is proven; that of the best move says so itself.
        let line = |it: &'a Candidate| (it.full, it.value, it.value <= 0.0 || it.value >= 1.0, &it.line[..]);
        let others = report.candidates.iter().filter(|it| it.full != report.best).map(line);
        let counts = |(full, ..): &UciLine<'_>| self.among.is_empty() || self.among.contains(full);
        let mut lines: Vec<UciLine<'_>> = iter::once(best).chain(others).filter(counts).collect();
        if lines.is_empty() {
            let evaluator = &self.options.engine.evaluator;
            let odds = |full: &Move| evaluator.log_odds(&View::from(&self.position.play_unchecked(*full)));
            let least = self.among.iter().copied().min_by(|a, b| odds(a).total_cmp(&odds(b)));
            lines.extend(least.map(|full| (full, report.value, false, &[][..])));
        }
        lines
    }

    fn info(&self, report: &Report) -> String {
        let (milliseconds, depth) = (report.time.as_millis(), report.depth.max(1));
        let speed = (report.playouts as f64 / report.time.as_secs_f64().max(1e-3)) as u64;
        let full = (1000 * report.memory as u64 / self.options.engine.memory.max(1) as u64).min(1000);
        let figures = format!("nodes {} nps {speed} hashfull {full} time {milliseconds}", report.playouts);
        let line = |(number, (full, value, proven, moves)): (usize, UciLine<'_>)| {
            let moves = if moves.is_empty() { std::slice::from_ref(&full) } else { moves };
            let names: Vec<String> = moves.iter().map(|&full| UciMove(full).to_string()).collect();
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
