//! `quiver gtp`: Quiver as an engine for programs that use GTP in KataGo's dialect for Amazons.
//!
//! A ply takes three commands: the queen, its destination and the arrow. The session tracks the
//! side to move itself and ignores the colours in these commands, because some controlling programs
//! send both colours within one ply. One search answers all three commands of a ply. An analysis
//! writes lines until the next command.

mod analysis;
mod clock;
mod positions;
mod searches;
mod staged_game;

use std::io;
use std::time::Duration;

use super::search_thread::SearchThread;
use super::{MAX_QUOTED, Output, Session, write_line};
use crate::messages::{excerpt, printable};
use crate::search::{EngineOptions, Report};
use amazons::{Position, Side};
use analysis::AnalysisOptions;
use clock::{GtpClock, TIME_CONTROL_NAMES};
use staged_game::StagedGame;

#[derive(Clone, Debug)]
pub struct GtpOptions {
    pub engine: EngineOptions,
    pub start: Position,
    /// The largest number of playouts of the search for a ply. `None` stands for
    /// [`DEFAULT_PLAYOUTS`] without a time limit, and for no limit with one.
    pub playouts: Option<u64>,
    /// The time limit for a ply if the controlling program sets no time control.
    pub time: Option<Duration>,
}

const DEFAULT_PLAYOUTS: u64 = 20_000;

const COMMANDS: &str = "boardsize clear_board clear_cache g genmove genmove3 kata-analyze \
                        kata-genmove_analyze kata-get-param kata-get-rules kata-list-params \
                        kata-list_time_settings kata-set-param kata-set-rules kata-time_settings \
                        known_command komi list_commands loadsgf lz-analyze lz-genmove_analyze name p play \
                        play3 printsgf protocol_version quit set_amazons_position showboard stop time_left \
                        time_settings undo version kata-time_left cputime";

pub struct GtpSession {
    options: GtpOptions,
    output: Output,
    game: StagedGame,
    clock: GtpClock,
    search: SearchThread<io::Result<()>>,
    /// The position that was searched last, and the report of this search.
    last_search: Option<(Position, Report)>,
}

type Answer = Result<String, String>;

impl Session for GtpSession {
    fn handle_line(&mut self, line: &[u8]) -> io::Result<bool> {
        let line = String::from_utf8_lossy(line);
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
            "kata-analyze" | "lz-analyze" | "kata-genmove_analyze" | "lz-genmove_analyze" => {
                match AnalysisOptions::read(command, arguments) {
                    Ok(analysis) => {
                        write_line(&self.output, &format!("={id}"))?;
                        if command.contains("genmove") {
                            let vertex = self.generate_square(Some(analysis))?;
                            write_line(&self.output, &format!("play {vertex}\n"))?;
                        } else {
                            self.analyse(analysis)?;
                        }
                        return Ok(true);
                    }
                    Err(error) => Err(error),
                }
            }
            "genmove" => Ok(self.generate_square(None)?),
            "genmove3" | "g" => {
                let mut stages = self.game.chosen_squares().len()..3;
                Ok(stages.try_fold(String::new(), |_, _| self.generate_square(None))?)
            }
            command => self.obey(command, arguments),
        };
        self.reply(id, answer)?;
        Ok(*command != "quit")
    }

    fn refuse_line(&mut self, why: String) -> io::Result<()> {
        self.end_analysis()?;
        self.reply("", Err(why))
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.end_analysis()
    }
}

impl GtpSession {
    pub fn new(options: GtpOptions, output: Output) -> GtpSession {
        GtpSession {
            search: SearchThread::new(options.engine.clone()),
            game: StagedGame::new(options.start),
            options,
            output,
            clock: GtpClock::default(),
            last_search: None,
        }
    }

    /// Answers a command that needs no search.
    fn obey(&mut self, command: &str, arguments: &[&str]) -> Answer {
        let done = |()| String::new();
        match command {
            "quit" | "stop" | "komi" | "kata-set-rules" => Ok(String::new()),
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok("Quiver".to_owned()),
            "version" => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            "list_commands" => Ok(COMMANDS.replace(' ', "\n")),
            "known_command" => {
                Ok(COMMANDS.split(' ').any(|name| arguments.first() == Some(&name)).to_string())
            }
            "boardsize" => self.set_board(arguments).map(done),
            "clear_board" => {
                let start = Position::start(self.game.position().size());
                self.game = StagedGame::new(start.map_err(|error| error.to_string())?);
                Ok(String::new())
            }
            "clear_cache" => {
                self.search.reset(&self.options.engine);
                self.last_search = None;
                Ok(String::new())
            }
            "play" => self.play_squares(arguments, 1).map(done),
            "play3" | "p" => self.play_squares(arguments, 3).map(done),
            "undo" if self.game.undo() => Ok(String::new()),
            "undo" => Err("cannot undo: the game is at its start".to_owned()),
            "set_amazons_position" => self.set_position(arguments).map(done),
            "time_settings" => GtpClock::read_settings(arguments).map(|clock| self.clock = clock).map(done),
            "kata-time_settings" => {
                GtpClock::read_kata_settings(arguments).map(|clock| self.clock = clock).map(done)
            }
            "kata-list_time_settings" => Ok(TIME_CONTROL_NAMES.to_owned()),
            "time_left" | "kata-time_left" => match arguments {
                [colour, rest @ ..] => self.clock.read_time_left(side(colour)?, rest).map(done),
                [] => Err("expected a colour, a time and stones, as in b 300 0".to_owned()),
            },
            "kata-get-rules" => Ok("{}".to_owned()),
            "kata-list-params" => Ok("maxVisits maxTime".to_owned()),
            "kata-get-param" => self.parameter(arguments),
            "kata-set-param" => self.set_parameter(arguments).map(done),
            "cputime" => Ok(format!("{:.3}", crate::search::Cpu::Process.now().as_secs_f64())),
            "showboard" => Ok(self.board()),
            "loadsgf" => self.load_game(arguments).map(done),
            "printsgf" => self.print_game(arguments),
            other => Err(format!("unknown command '{}'", excerpt(other, MAX_QUOTED))),
        }
    }

    fn parameter(&self, arguments: &[&str]) -> Answer {
        /// KataGo's number of visits for a search without a limit of visits.
        const UNLIMITED: u64 = 1 << 50;
        match arguments {
            ["maxVisits"] => Ok(self.limits().playouts.unwrap_or(UNLIMITED).to_string()),
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
                self.options.playouts = Some(visits.ok_or("maxVisits: expected a whole number above 0")?);
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

    fn reply(&self, id: &str, answer: Answer) -> io::Result<()> {
        let (mark, text) = match &answer {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        let space = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
        write_line(&self.output, &format!("{mark}{id}{space}{}\n", printable(text)))
    }
}

fn side(text: &str) -> Result<Side, String> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(format!("'{}': expected black or white", excerpt(text, MAX_QUOTED))),
    }
}

#[cfg(test)]
mod tests;
