//! `quiver uci`: Quiver as a UCI engine with the variant `amazons`, in Fairy-Stockfish's notation.
//!
//! A session reads commands and runs one search at a time on a thread. A search writes an `info`
//! line twice a second, and a last `info` line before `bestmove`.

mod arguments;

use std::io;
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use amazons::{Move, Position, UciMove};

use super::search_thread::SearchThread;
use super::{MAX_QUOTED, Output, Session, search_with_reports, write_line};
use crate::contest::statistics::elo_of;
use crate::games::Game;
use crate::messages::{excerpt, printable};
use crate::search::{Candidate, EngineOptions, Report};
use crate::territory::View;
use arguments::{Go, UciOptions, read_position};

const INFO_INTERVAL: Duration = Duration::from_millis(500);

const NO_MOVE: &str = "bestmove (none)";

pub struct UciSession {
    options: UciOptions,
    output: Output,
    /// The game of the last `position` command, or the start position after `ucinewgame` or a new
    /// variant. `None` if the last `position` command was refused, so `go` plays no move.
    game: Option<Game>,
    /// A search with limits writes its answer itself and returns `None`. A search without limits
    /// returns its answer, and the session sends this answer after `stop`.
    search: SearchThread<io::Result<Option<String>>>,
    /// True if the search ends only after `stop` or `ponderhit`.
    infinite: bool,
    /// The arguments of `go ponder` without the word `ponder`. After `ponderhit` the search
    /// continues with these arguments.
    after_ponder_hit: Option<String>,
}

impl Session for UciSession {
    fn handle_line(&mut self, line: &[u8]) -> io::Result<bool> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // These commands end a running search. Other commands are answered while it runs.
        if let "go" | "position" | "quit" | "setoption" | "stop" | "ucinewgame" = command {
            self.stop_and_answer()?;
        }
        match command {
            "quit" => return Ok(false),
            "isready" => {
                self.search.warm_up(self.game.as_ref().map_or(&self.options.start, Game::position));
                self.send("readyok")?;
            }
            "uci" => {
                let name = format!("id name Quiver {}", env!("CARGO_PKG_VERSION"));
                let listing = self.options.listing();
                self.send(&format!("{name}\nid author the Quiver project\n{listing}uciok"))?;
            }
            "setoption" => {
                let start = self.options.start;
                let warning = match self.options.set(rest) {
                    Ok(warning) => {
                        self.search.reset(&self.options.engine);
                        warning
                    }
                    Err(error) => Some(error),
                };
                if self.options.start != start {
                    self.game = Some(Game::new(self.options.start));
                }
                warning.map_or(Ok(()), |warning| self.complain(&warning))?;
            }
            "ucinewgame" => {
                self.search.reset(&self.options.engine);
                self.game = Some(Game::new(self.options.start));
            }
            "position" => match read_position(rest, self.options.start) {
                Ok(game) => self.game = Some(game),
                Err(error) => {
                    self.game = None;
                    self.complain(&error)?;
                }
            },
            "go" => self.go(rest)?,
            "ponderhit" => self.ponder_hit()?,
            // `debug` and `register` have no effect: there is no debug mode and no registration.
            "" | "stop" | "debug" | "register" => {}
            other => self.complain(&format!("'{}': expected a UCI command", excerpt(other, MAX_QUOTED)))?,
        }
        Ok(true)
    }

    fn refuse_line(&mut self, why: String) -> io::Result<()> {
        self.complain(&why)
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        if self.infinite {
            return self.stop_and_answer();
        }
        self.search.wait().unwrap_or(Ok(None)).map(drop)
    }
}

impl UciSession {
    pub fn new(engine: EngineOptions, output: Output) -> UciSession {
        let (search, options) = (SearchThread::new(engine.clone()), UciOptions::new(engine));
        let game = Some(Game::new(options.start));
        UciSession { options, output, game, search, infinite: false, after_ponder_hit: None }
    }

    /// Continues to search in the same tree after the opponent has played the expected move.
    fn ponder_hit(&mut self) -> io::Result<()> {
        let Some(rest) = self.after_ponder_hit.take() else { return Ok(()) };
        self.stop_search()?;
        self.go(&rest)
    }

    fn go(&mut self, rest: &str) -> io::Result<()> {
        let (start, is_refused) = (Game::new(self.options.start), self.game.is_none());
        let game = self.game.as_ref().unwrap_or(&start);
        let position = *game.position();
        let go = Go::read(rest, &position);
        for note in &go.notes {
            self.complain(note)?;
        }
        self.infinite = go.is_infinite();
        let rest_of_ponder =
            || rest.split_ascii_whitespace().filter(|word| *word != "ponder").collect::<Vec<_>>().join(" ");
        self.after_ponder_hit = go.ponder.then(rest_of_ponder);
        if is_refused {
            self.complain("go: the last position was refused: expected a valid position first")?;
        }
        let (output, infinite) = (Arc::clone(&self.output), self.infinite);
        let reporter = UciReporter { options: self.options.clone(), root_moves: go.root_moves, position };
        self.search.start(game, go.limits.stop.clone(), move |engine| {
            let mut answer = NO_MOVE.to_owned();
            if !is_refused {
                let info = |report: &Report| reporter.info(report);
                let report = search_with_reports(engine, &go.limits, INFO_INTERVAL, &output, info)?;
                let lost = || format!("info depth 0 score mate 0\n{NO_MOVE}");
                answer = report.map_or_else(lost, |report| reporter.answer(&report));
            }
            if infinite {
                return Ok(Some(answer));
            }
            write_line(&output, &answer).map(|()| None)
        });
        Ok(())
    }

    fn stop_and_answer(&mut self) -> io::Result<()> {
        self.after_ponder_hit = None;
        self.stop_search()?.map_or(Ok(()), |answer| self.send(&answer))
    }

    /// Ends the running search, if any. Returns its answer if the search has not written it.
    fn stop_search(&mut self) -> io::Result<Option<String>> {
        self.search.stop().unwrap_or(Ok(None))
    }

    fn send(&self, text: &str) -> io::Result<()> {
        write_line(&self.output, text)
    }

    fn complain(&self, text: &str) -> io::Result<()> {
        self.send(&format!("info string {}", printable(text)))
    }
}

struct UciReporter {
    options: UciOptions,
    /// The moves of `searchmoves`; empty if all moves are allowed. The search still considers all
    /// moves, and the engine plays the most visited move of this list. If the search reports no
    /// move of the list, the engine plays the listed move with the best static value.
    root_moves: Vec<Move>,
    position: Position,
}

/// A move, its value, true if the value is proven, and the best line that begins with this move.
type UciLine<'a> = (Move, f64, bool, &'a [Move]);

impl UciReporter {
    fn answer(&self, report: &Report) -> String {
        let (best, .., moves) = self.best_lines(report)[0];
        // If the reply ends the game, there is no position to ponder on.
        let goes_on = |reply: &&Move| {
            let after = self.position.play_unchecked(best).play_unchecked(**reply);
            after.winner().is_none()
        };
        let reply = moves.get(1).filter(|_| self.options.ponder).filter(goes_on);
        let reply = reply.map_or_else(String::new, |&chosen| format!(" ponder {}", UciMove(chosen)));
        format!("{}\nbestmove {}{reply}", self.info(report), UciMove(best))
    }

    /// Returns the allowed moves with their principal variations: first the move to play, and then
    /// the other moves by visits. The result is never empty.
    fn best_lines<'a>(&self, report: &'a Report) -> Vec<UciLine<'a>> {
        let best = (report.best, report.value, report.proven, &report.principal_variation[..]);
        let line = |it: &'a Candidate| (it.played, it.value, it.proven, &it.line[..]);
        let others = report.candidates.iter().filter(|it| it.played != report.best).map(line);
        let counts =
            |(chosen, ..): &UciLine<'_>| self.root_moves.is_empty() || self.root_moves.contains(chosen);
        let mut lines: Vec<UciLine<'_>> = iter::once(best).chain(others).filter(counts).collect();
        if lines.is_empty() {
            let evaluator = &self.options.engine.evaluator;
            let odds =
                |chosen: &Move| evaluator.log_odds(&View::from(&self.position.play_unchecked(*chosen)));
            let least = self.root_moves.iter().copied().min_by(|a, b| odds(a).total_cmp(&odds(b)));
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

/// Formats a probability of winning as a UCI score: the difference in Elo points that gives this
/// probability, at most 10,000. A proven value is written as `mate` and the number of the mover's
/// own moves in the line shown, which need not be the shortest win.
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
