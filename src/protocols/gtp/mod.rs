//! `quiver gtp`: this engine for programs that speak GTP as the KataGo family does for Amazons.
//!
//! A ply is three commands: the queen, its destination and the arrow. The engine keeps the stage and
//! the side, and ignores colours, since drivers send black and white within one ply. One search a ply
//! answers all three commands. An analysis streams until the next command.

mod analysis;
mod clock;
mod staged_game;
mod vertex;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use quiver_bot::Start;

use super::search_thread::SearchThread;
use super::{Output, SHOWN, say};
use crate::files::{MAX_LINE, read_line};
use crate::formats;
use crate::games::{Game, MatchGame};
use crate::messages::{excerpt, printable};
use crate::search::{Engine, EngineOptions, Limits, Report, StopHandle, Time, Watch};
use crate::territory::View;
use amazons::{Move, Position, Side, Size, Square, SquareContent, sgf};
use analysis::{Analysis, Dialect};
use clock::{CONTROLS, GtpClock};
use staged_game::StagedGame;
use vertex::Vertex;

/// The settings of a session.
#[derive(Clone, Debug)]
pub struct GtpOptions {
    /// The engine.
    pub engine: EngineOptions,
    /// The position until `boardsize`.
    pub start: Position,
    /// Playouts of a ply where neither time nor visits are set.
    pub playouts: u64,
    /// The time of a ply where the controller sets none.
    pub time: Option<Duration>,
}

const COMMANDS: [&str; 37] = [
    "boardsize",
    "clear_board",
    "clear_cache",
    "g",
    "genmove",
    "genmove3",
    "kata-analyze",
    "kata-genmove_analyze",
    "kata-get-param",
    "kata-get-rules",
    "kata-list-params",
    "kata-list_time_settings",
    "kata-set-param",
    "kata-set-rules",
    "kata-time_settings",
    "known_command",
    "komi",
    "list_commands",
    "loadsgf",
    "lz-analyze",
    "lz-genmove_analyze",
    "name",
    "p",
    "play",
    "play3",
    "printsgf",
    "protocol_version",
    "quit",
    "set_amazons_position",
    "showboard",
    "stop",
    "time_left",
    "time_settings",
    "undo",
    "version",
    "kata-time_left",
    "cputime",
];

/// Full moves that are searched one by one where the search of the ply has not tried the squares that
/// were played.
const FEW: usize = 8;

/// Answers command by command until `quit` or the end of the input.
///
/// # Errors
/// If the input cannot be read or the output not written.
pub fn converse(
    input: impl BufRead,
    options: GtpOptions,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    answer(input, GtpSession::new(options, Arc::new(Mutex::new(output))))
}

fn answer(mut input: impl BufRead, mut session: GtpSession) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        if !read_line(&mut input, MAX_LINE, &mut line)? {
            input.skip_until(b'\n')?;
            session.end_analysis()?;
            session.reply("", Err(format!("a line of more than {MAX_LINE} bytes: expected less")))?;
            continue;
        }
        if line.is_empty() {
            return session.end_analysis();
        }
        if !session.take(&String::from_utf8_lossy(&line))? {
            return Ok(());
        }
    }
}

struct GtpSession {
    options: GtpOptions,
    output: Output,
    game: StagedGame,
    clock: GtpClock,
    search: SearchThread<io::Result<()>>,
    /// True while an analysis is open, whose answer the next command ends.
    analyses: bool,
    /// The search of the current ply, and the position that it was made from.
    found: Option<(Position, Report)>,
}

/// The answer of a command: its text, or what was wrong.
type Answer = Result<String, String>;

impl GtpSession {
    fn new(options: GtpOptions, output: Output) -> GtpSession {
        GtpSession {
            search: SearchThread::new(options.engine.clone()),
            game: StagedGame::new(Game::new(options.start)),
            options,
            output,
            clock: GtpClock::default(),
            analyses: false,
            found: None,
        }
    }

    /// Takes a line in. Returns whether to go on reading.
    fn take(&mut self, line: &str) -> io::Result<bool> {
        let line: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (id, words) = match words[..] {
            [id, ref rest @ ..] if id.parse::<u64>().is_ok() => (id, rest),
            ref words => ("", words),
        };
        let [command, arguments @ ..] = words else { return Ok(true) };
        self.end_analysis()?;
        let answer = match *command {
            "kata-analyze" | "lz-analyze" => return self.analyse(id, command, arguments).map(|()| true),
            "kata-genmove_analyze" | "lz-genmove_analyze" => {
                return self.move_analysed(id, command, arguments).map(|()| true);
            }
            "genmove" => self.generate(None)?,
            "genmove3" | "g" => {
                let mut answer = self.generate(None)?;
                while answer.is_ok() && !self.game.begun().is_empty() {
                    answer = self.generate(None)?;
                }
                answer
            }
            command => self.obey(command, arguments),
        };
        self.reply(id, answer)?;
        Ok(*command != "quit")
    }

    /// Answers a command that needs no search.
    fn obey(&mut self, command: &str, arguments: &[&str]) -> Answer {
        let done = |()| String::new();
        match command {
            "quit" | "stop" | "komi" | "kata-set-rules" => Ok(String::new()),
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok("Quiver".to_owned()),
            "version" => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            "list_commands" => Ok(COMMANDS.join("\n")),
            "known_command" => {
                let known = arguments.first().is_some_and(|name| COMMANDS.contains(name));
                Ok(known.to_string())
            }
            "boardsize" => self.set_board(arguments).map(done),
            "clear_board" => {
                let size = self.game.position().size();
                let start = Position::start(size).map_err(|error| error.to_string())?;
                self.set_game(Game::new(start));
                Ok(String::new())
            }
            "clear_cache" => {
                self.forget();
                Ok(String::new())
            }
            "play" => self.play(arguments, 1).map(done),
            "play3" | "p" => self.play(arguments, 3).map(done),
            "undo" if self.game.undo() => Ok(String::new()),
            "undo" => Err("cannot undo: the game is at its start".to_owned()),
            "set_amazons_position" => self.set_position(arguments).map(done),
            "time_settings" => GtpClock::read_settings(arguments).map(|clock| self.clock = clock).map(done),
            "kata-time_settings" => {
                GtpClock::read_kata_settings(arguments).map(|clock| self.clock = clock).map(done)
            }
            "kata-list_time_settings" => Ok(CONTROLS.to_owned()),
            "time_left" | "kata-time_left" => match arguments {
                [colour, rest @ ..] => self.clock.read_left(side(colour)?, rest).map(done),
                [] => Err("expected a colour, a time and stones, as in b 300 0".to_owned()),
            },
            "kata-get-rules" => Ok("{}".to_owned()),
            "kata-list-params" => Ok("maxVisits maxTime".to_owned()),
            "kata-get-param" => self.parameter(arguments),
            "kata-set-param" => self.set_parameter(arguments).map(done),
            "cputime" => Ok(format!("{:.3}", crate::search::Cpu::Process.now().as_secs_f64())),
            "showboard" => Ok(self.board()),
            "loadsgf" => self.load(arguments).map(done),
            "printsgf" => self.print(arguments),
            other => Err(format!("unknown command '{}'", excerpt(other, SHOWN))),
        }
    }

    fn forget(&mut self) {
        self.search.reset(&self.options.engine);
        self.found = None;
    }

    fn set_game(&mut self, game: Game) {
        self.game = StagedGame::new(game);
        self.found = None;
    }

    fn set_board(&mut self, arguments: &[&str]) -> Result<(), String> {
        let sides: Vec<usize> = arguments.iter().filter_map(|word| word.parse().ok()).collect();
        let side = match sides[..] {
            [side] => Some(side),
            [width, height] if width == height => Some(width),
            _ => None,
        };
        let start = side.and_then(|side| Position::start(Size::square(side).ok()?).ok());
        let start = start.ok_or("unacceptable size: expected 6, 8 or 10")?;
        self.set_game(Game::new(start));
        Ok(())
    }

    /// Plays one square, or the squares of a whole ply, with or without a colour before them. Nothing is
    /// played if one of them is wrong.
    fn play(&mut self, arguments: &[&str], count: usize) -> Result<(), String> {
        let squares = match arguments {
            [colour, squares @ ..] if squares.len() == count => {
                side(colour)?;
                squares
            }
            squares if squares.len() == count => squares,
            _ => return Err(format!("invalid arguments: expected a colour and {count} of from, to, arrow")),
        };
        let mut game = self.game.clone();
        for word in squares {
            match word.to_ascii_lowercase().as_str() {
                "pass" | "resign" => game.give_up()?,
                _ => {
                    let square = Vertex::read(word, game.position().size())?.square;
                    game.play(square).map_err(|error| format!("illegal move: {word}: {error}"))?;
                }
            }
        }
        self.game = game;
        Ok(())
    }

    /// Sets what stands after `set_amazons_position`: the side to move, then pieces and burnt squares.
    fn set_position(&mut self, arguments: &[&str]) -> Result<(), String> {
        let [mover, pairs @ ..] = arguments else {
            return Err("expected the side to move and pairs of b, w or x and a vertex".to_owned());
        };
        let size = self.game.position().size();
        let mut position = Position::new(size).with_mover(side(mover)?);
        for pair in pairs.chunks(2) {
            let [content, vertex] = pair else {
                return Err(format!("'{}' without a vertex", excerpt(pair[0], SHOWN)));
            };
            let content = match *content {
                "x" | "X" => SquareContent::Burnt,
                colour => SquareContent::Amazon(side(colour)?),
            };
            let square = Vertex::read(vertex, size)?.square;
            position.put(square, content).map_err(|error| error.to_string())?;
        }
        self.set_game(Game::new(position));
        Ok(())
    }

    fn parameter(&self, arguments: &[&str]) -> Answer {
        match arguments {
            ["maxVisits"] => Ok(self.options.playouts.to_string()),
            ["maxTime"] => {
                Ok(self.options.time.map_or("1e20".to_owned(), |time| time.as_secs_f64().to_string()))
            }
            _ => Err("expected maxVisits or maxTime".to_owned()),
        }
    }

    fn set_parameter(&mut self, arguments: &[&str]) -> Result<(), String> {
        match arguments {
            ["maxVisits", number] => {
                let visits = number.parse().ok().filter(|&visits: &u64| visits > 0);
                self.options.playouts = visits.ok_or("maxVisits: expected a whole number above 0")?;
                self.options.time = None;
            }
            ["maxTime", seconds] => {
                let seconds = seconds.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
                let seconds = seconds.ok_or("maxTime: expected seconds above 0")?;
                self.options.time = (seconds < 3.2e7).then(|| Duration::from_secs_f64(seconds));
            }
            _ => return Err("expected maxVisits or maxTime and a number".to_owned()),
        }
        Ok(())
    }

    /// The limits of a ply, from now.
    fn limits(&self) -> Limits {
        let time = self.clock.time(self.game.position().to_move());
        let time = time.or(self.options.time.map(Time::PerMove));
        let playouts = time.is_none().then_some(self.options.playouts);
        Limits { time, playouts, ..Limits::default() }
    }

    /// Searches for the square of the current stage and plays it. Writes an analysis on the way if one
    /// is asked for.
    fn generate(&mut self, analysis: Option<Analysis>) -> io::Result<Answer> {
        if self.game.is_over() {
            return Ok(Ok("resign".to_owned()));
        }
        let position = *self.game.position();
        let is_known = self.found.as_ref().is_some_and(|(at, _)| *at == position);
        if self.game.begun().is_empty() || !is_known {
            let Some(report) = self.search(analysis)? else { return Ok(Ok("resign".to_owned())) };
            self.found = Some((position, report));
        }
        let Some((_, report)) = &self.found else { return Ok(Ok("resign".to_owned())) };
        if let Some(analysis) = analysis {
            say(&self.output, &analysis.line(report, &self.game))?;
        }
        let searched = std::iter::once(report.best).chain(report.candidates.iter().map(|it| it.played));
        let played = searched.into_iter().find(|&played| self.game.goes_on_with(played));
        let Some(played) = played.or_else(|| self.best_of_few()) else { return Ok(Ok("resign".to_owned())) };
        let square = self.game.square_of(played);
        let vertex = Vertex { square, size: position.size() };
        Ok(self.game.play(square).map(|()| vertex.to_string()))
    }

    fn search(&mut self, analysis: Option<Analysis>) -> io::Result<Option<Report>> {
        let (limits, side) = (self.limits(), self.game.position().to_move());
        let mut written = Ok(());
        let (output, game) = (&self.output, &self.game);
        let mut tell = |report: &Report| {
            if let (Some(analysis), true) = (analysis, written.is_ok()) {
                written = say(output, &analysis.line(report, game));
            }
        };
        let every = analysis.map_or(Duration::MAX, |analysis| analysis.every);
        let engine = self.search.engine(game.game());
        let report = engine.search_watched(&limits, &mut Watch::new(every, &mut tell));
        written?;
        self.clock.spend(side, limits.stopwatch.elapsed());
        Ok(report)
    }

    /// The best full move that goes on with the squares played, where the search of the ply has tried
    /// none: the few of the best static value are searched one by one.
    fn best_of_few(&self) -> Option<Move> {
        let (position, evaluator) = (self.game.position(), &self.options.engine.evaluator);
        let mut moves: Vec<(f64, Move)> = position
            .legal_moves_iter()
            .filter(|&played| self.game.goes_on_with(played))
            .map(|played| (evaluator.log_odds(&View::from(&position.play_unchecked(played))), played))
            .collect();
        moves.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        moves.truncate(FEW);
        let options =
            EngineOptions { memory: self.options.engine.memory / FEW, ..self.options.engine.clone() };
        let playouts = (self.options.playouts / FEW as u64).max(1);
        let value = |played: Move| {
            let after = position.play_unchecked(played);
            let report = Engine::new(&options, &after).search(&Limits::playouts(playouts));
            report.map_or(1.0, |report| 1.0 - report.value)
        };
        let valued = moves.into_iter().map(|(_, played)| (value(played), played));
        valued.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, played)| played)
    }

    fn move_analysed(&mut self, id: &str, command: &str, arguments: &[&str]) -> io::Result<()> {
        let analysis = match Analysis::read(dialect(command), arguments) {
            Ok(analysis) => analysis,
            Err(error) => return self.reply(id, Err(error)),
        };
        say(&self.output, &format!("={id}"))?;
        match self.generate(Some(analysis))? {
            Ok(vertex) => say(&self.output, &format!("play {vertex}\n")),
            Err(error) => say(&self.output, &format!("info string {}\n", printable(&error))),
        }
    }

    /// Begins an analysis, which the next command ends.
    fn analyse(&mut self, id: &str, command: &str, arguments: &[&str]) -> io::Result<()> {
        let analysis = match Analysis::read(dialect(command), arguments) {
            Ok(analysis) => analysis,
            Err(error) => return self.reply(id, Err(error)),
        };
        say(&self.output, &format!("={id}"))?;
        self.analyses = true;
        if self.game.is_over() {
            return Ok(());
        }
        let (game, output, stop) = (self.game.clone(), Arc::clone(&self.output), StopHandle::default());
        let limits = Limits { stop: stop.clone(), ..Limits::default() };
        let whole_plies = self.game.game().clone();
        self.search.start(&whole_plies, stop, move |engine| {
            // An analysis whose reader is gone ends.
            let mut told = Ok(());
            let mut tell = |report: &Report| {
                told = say(&output, &analysis.line(report, &game)).inspect_err(|_| limits.stop.stop());
            };
            let report = engine.search_watched(&limits, &mut Watch::new(analysis.every, &mut tell));
            told?;
            match report.map(|report| analysis.line(&report, &game)) {
                Some(line) if !line.is_empty() => say(&output, &line),
                _ => Ok(()),
            }
        });
        Ok(())
    }

    /// Ends the analysis that is open, and its answer by an empty line.
    fn end_analysis(&mut self) -> io::Result<()> {
        self.search.stop().unwrap_or(Ok(()))?;
        if std::mem::take(&mut self.analyses) { say(&self.output, "") } else { Ok(()) }
    }

    /// The board as a GTP program shows it: row 1 below, black `X`, white `O`, burnt `#`.
    fn board(&self) -> String {
        let position = self.game.position();
        let size = position.size();
        let column = |x| Square::new(x, 0).map(|square| Vertex { square, size }.to_string());
        let names: String =
            (0..size.width()).filter_map(column).map(|name| format!(" {}", &name[..1])).collect();
        let mut text = format!("\n  {names}\n");
        for y in 0..size.height() {
            let row: String =
                position.row(y).flat_map(|content| [' ', content.symbol(['X', 'O', '#', '.'])]).collect();
            text += &format!("{:2}{row}\n", size.height() - y);
        }
        let mover = ["black", "white"][position.to_move().index()];
        let stage = ["queen", "destination", "arrow"][self.game.begun().len()];
        text + &format!("{mover} to choose the {stage}")
    }

    /// Loads the first game of a file, up to the stage before a move number where one is given.
    fn load(&mut self, arguments: &[&str]) -> Result<(), String> {
        let (path, stages) = match arguments {
            [path] => (path, usize::MAX),
            [path, number] => {
                let number = number.parse().ok().filter(|&number: &usize| number > 0);
                (path, number.ok_or("expected a move number above 0")? - 1)
            }
            _ => return Err("expected a file and a move number".to_owned()),
        };
        let failed = |error: String| format!("cannot load {}: {error}", excerpt(path, SHOWN));
        let bytes = crate::files::read(path.as_ref(), crate::files::MAX_TEXT);
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        let starts = Start::positions_from(self.game.position().size().width().into());
        let found = formats::read(&bytes, &starts).map_err(|error| failed(error.to_string()))?;
        let loaded = formats::trusted(found).next().map(|found| found.game);
        let loaded = loaded.ok_or_else(|| failed("no game".to_owned()))?;
        let loaded = loaded.map_err(|error| failed(error.to_string()))?;
        let mut game = StagedGame::new(Game::new(*loaded.start()));
        let squares =
            loaded.plies().iter().flat_map(|ply| [ply.played.from, ply.played.to, ply.played.arrow]);
        squares.take(stages).try_for_each(|square| game.play(square)).map_err(failed)?;
        (self.game, self.found) = (game, None);
        Ok(())
    }

    fn print(&self, arguments: &[&str]) -> Answer {
        let text = sgf::write([&self.game.game().to_notation()]);
        match arguments {
            [] => Ok(text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")),
            [path] => {
                let written = crate::files::replace(path.as_ref(), text);
                written.map_err(|error| format!("cannot save {}: {error}", excerpt(path, SHOWN)))?;
                Ok(String::new())
            }
            _ => Err("expected a file, or nothing".to_owned()),
        }
    }

    fn reply(&self, id: &str, answer: Answer) -> io::Result<()> {
        let (mark, text) = match &answer {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        let space = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
        say(&self.output, &format!("{mark}{id}{space}{}\n", printable(text)))
    }
}

/// A colour. Black is the first player.
fn side(text: &str) -> Result<Side, String> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(format!("'{}': expected black or white", excerpt(text, SHOWN))),
    }
}

fn dialect(command: &str) -> Dialect {
    if command.starts_with("lz-") { Dialect::LeelaZero } else { Dialect::Kata }
}

#[cfg(test)]
mod tests;
