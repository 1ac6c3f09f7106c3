//! The protocol of GTP engines in KataGo's dialect for Amazons. A ply takes three `play` or
//! `genmove` commands: for the queen's square, its destination and the arrow.

use amazons::{Move, Position, QueenMove, Side, Square, SquareContent};

use super::engine::{EngineProgram, EngineProtocol, malformed};
use super::exchange::LineKind;
use super::squares::Vertex;
use crate::contest::{Budget, PlayerFault};
use crate::games::{EndKind, Game, TurnFacts};
use crate::messages::excerpt;

const COMMANDS_PER_PLY: u32 = 3;

/// The state of the communication with a GTP engine.
#[derive(Default)]
pub(in crate::contest) struct Gtp {
    /// The number of plies of the game that were played on the engine's board.
    synced_plies: usize,
    asked: Vec<String>,
    answers: Answers,
}

/// The engine's answer to a command: its text after `=`, or the error message after `?`.
type Answer = Result<String, String>;

impl EngineProtocol for Gtp {
    fn get_ready(
        &mut self,
        program: &mut EngineProgram<'_>,
        game: &Game,
    ) -> Result<Vec<String>, PlayerFault> {
        let entrant = program.entrant;
        // An engine that loads a network answers these commands only when it is ready.
        let about = self.ask(program, ["name", "version", "list_commands"])?;
        let [name, version, commands] =
            [0, 1, 2].map(|at: usize| about.get(at).and_then(|it| it.as_deref().ok()).unwrap_or_default());
        program.name = format!("{name} {version}").trim().to_owned();
        let has_kata_clock = commands.split_ascii_whitespace().any(|name| name == "kata-time_settings");

        let playouts = entrant.playouts.map(|playouts| ("maxVisits".to_owned(), playouts.to_string()));
        let mut refused = Vec::new();
        for (name, value) in entrant.options.iter().cloned().chain(playouts) {
            if self.ask(program, [format!("kata-set-param {name} {value}")])?[0].is_err() {
                refused.push(name);
            }
        }

        let start = game.start();
        let size = start.size();
        let mut setup = vec![format!("boardsize {}", size.width()), "clear_board".to_owned()];
        if !start.is_start() {
            setup.push(set_position_command(start));
        }
        if let Some(clock) = entrant.tc {
            let [base, increment] = [clock.base, clock.increment].map(|time| time.as_secs_f64());
            // A ply takes three commands, and the engine adds this increment after each command.
            let increment = increment / f64::from(COMMANDS_PER_PLY);
            setup.push(match has_kata_clock {
                true => format!("kata-time_settings fischer {base} {increment}"),
                false => format!("time_settings {base} 0 0"),
            });
        }
        setup.extend(self.new_play_commands(game));
        let answers = self.ask(program, setup.clone())?;
        check_obeyed(&setup, &answers)?;
        Ok(refused)
    }

    fn request(&mut self, game: &Game, budget: Budget) -> String {
        let mover = game.position().to_move();
        self.asked = self.new_play_commands(game);
        // The engine itself plays its answer to `genmove` on its board, so no `play` follows.
        self.synced_plies += 1;
        let colour = colour(mover);
        self.asked.extend(budget.time.map(|time| match budget.clocks[mover.index()] {
            Some(_) => format!("time_left {colour} {} 0", time.as_secs_f64()),
            None => format!("time_settings 0 {} {COMMANDS_PER_PLY}", time.as_secs_f64()),
        }));
        self.asked.extend((0..COMMANDS_PER_PLY).map(|_| format!("genmove {colour}")));
        self.answers = Answers { awaited: self.asked.len(), ..Answers::default() };
        lines(&self.asked)
    }

    fn classify_line(&mut self, line: &[u8], _: &mut TurnFacts) -> LineKind {
        self.answers.add_line(line)
    }

    fn read(&mut self, _: &str, game: &Game) -> Result<Move, PlayerFault> {
        let answers = &self.answers.received;
        check_obeyed(&self.asked, answers)?;
        let size = game.start().size();
        let mut squares = answers[answers.len() - COMMANDS_PER_PLY as usize..].iter().map(|answer| {
            let text = answer.as_deref().unwrap_or_default();
            match text.to_ascii_lowercase().as_str() {
                "pass" | "resign" => {
                    let detail = format!("the engine answered genmove with '{text}', which loses the game");
                    Err(PlayerFault::new(EndKind::Forfeit, detail))
                }
                _ => Vertex::read(text, size).map(|vertex| vertex.square).map_err(malformed),
            }
        });
        let mut next = || squares.next().unwrap_or_else(|| Err(malformed("too few answers".to_owned())));
        Ok(Move::new(QueenMove { from: next()?, to: next()? }, next()?))
    }
}

impl Gtp {
    fn ask(
        &mut self,
        program: &mut EngineProgram<'_>,
        commands: impl IntoIterator<Item: Into<String>>,
    ) -> Result<Vec<Answer>, PlayerFault> {
        let commands: Vec<String> = commands.into_iter().map(Into::into).collect();
        let mut answers = Answers { awaited: commands.len(), ..Answers::default() };
        program.query(&lines(&commands), "=", |line| answers.add_line(line))?;
        Ok(answers.received)
    }

    /// The `play` commands for moves that the engine's board lacks. The caller must send these
    /// commands, because the next call returns only the commands for moves played after this call.
    fn new_play_commands(&mut self, game: &Game) -> Vec<String> {
        let size = game.start().size();
        let mut plays = Vec::new();
        for (number, played) in game.moves().into_iter().enumerate().skip(self.synced_plies) {
            let mover = if number % 2 == 0 { game.start().to_move() } else { !game.start().to_move() };
            let squares = [played.from, played.to, played.arrow];
            plays.extend(squares.map(|square| format!("play {} {}", colour(mover), Vertex { square, size })));
        }
        self.synced_plies = game.plies().len();
        plays
    }
}

fn lines(commands: &[String]) -> String {
    commands.iter().map(|command| format!("{command}\n")).collect()
}

/// The letter of a side in GTP commands: black, `b`, is the first player.
fn colour(side: Side) -> char {
    ['b', 'w'][side.index()]
}

fn set_position_command(position: &Position) -> String {
    let size = position.size();
    let mut command = format!("set_amazons_position {}", colour(position.to_move()));
    for square in (0..size.height()).flat_map(|y| (0..size.width()).filter_map(move |x| Square::new(x, y))) {
        let mark = match position.content(square) {
            Some(SquareContent::Amazon(side)) => colour(side),
            Some(SquareContent::Burnt) => 'x',
            Some(SquareContent::Empty) | None => continue,
        };
        command += &format!(" {mark} {}", Vertex { square, size });
    }
    command
}

/// Collects the answers to several commands from an engine's lines. An answer begins with `=` or
/// `?` and ends with an empty line. Lines outside an answer are ignored.
#[derive(Default)]
struct Answers {
    awaited: usize,
    open: bool,
    received: Vec<Answer>,
}

impl Answers {
    fn add_line(&mut self, line: &[u8]) -> LineKind {
        let line = String::from_utf8_lossy(line);
        match self.received.last_mut().filter(|_| self.open) {
            Some(_) if line.is_empty() => self.open = false,
            Some(Ok(answer) | Err(answer)) => *answer += &format!("\n{line}"),
            None if line.starts_with(['=', '?']) => {
                let text = line[1..].trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned();
                self.received.push(if line.starts_with('=') { Ok(text) } else { Err(text) });
                self.open = true;
            }
            None => return LineKind::Dropped,
        }
        if self.received.len() >= self.awaited && !self.open { LineKind::Last } else { LineKind::Inner }
    }
}

fn check_obeyed(commands: &[String], answers: &[Answer]) -> Result<(), PlayerFault> {
    for (command, answer) in commands.iter().zip(answers) {
        if let Err(error) = answer {
            let (command, error) = (excerpt(command, 80), excerpt(error.trim(), 80));
            return Err(malformed(format!("'{command}' was answered '? {error}': expected '='")));
        }
    }
    Ok(())
}
