//! `quiver contest`: Quiver as an engine on the platform of the Chinese university contest.
//!
//! The platform starts the engine with pipes and reads standard error as if it were standard
//! output. So the engine writes only answers to its pipes, and writes messages for people to the
//! log file.
//!
//! The search thread searches, sends the move and then ponders, while the session reads commands.
//! The game file is written after each ply, so that a crash loses no move.

mod commands;
mod game_files;
mod turn;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use amazons::{Move, Side};
use parking_lot::Mutex;

use super::search_thread::SearchThread;
use super::{Output, Session, write_line};
use crate::games::{Game, GameEnd, PlayedMove};
use crate::search::{EngineOptions, Limits, Time};
use commands::{CommandReader, PlatformCommand};
pub use game_files::numbered;
use game_files::{Log, save};
use turn::Turn;

/// The total time divided by this number is reserved for the person who operates the platform.
const OPERATOR_RESERVE_DIVISOR: u32 = 20;

/// The time for each move after the engine has used up its total time.
const MIN_MOVE_TIME: Duration = Duration::from_millis(300);

#[derive(Clone, Debug)]
pub struct PlatformOptions {
    pub engine: EngineOptions,
    pub name: String,
    /// A game without moves that is copied for each new game. It names both teams, and its `event`
    /// is the date, time and place for the contest's record.
    pub start: Game,
    /// The time for all turns of the engine in a game.
    pub total: Duration,
    /// The time limit of each move, which replaces `total`.
    pub time: Option<Duration>,
    /// The number of playouts of each move, which replaces `total` and `time`.
    pub playouts: Option<u64>,
    pub ponder: bool,
    /// The path of the file for the first game. [`numbered`] gives the paths of the others.
    pub game_file: PathBuf,
    /// The number of the first game, from 1.
    pub first_game: usize,
    /// An interrupted game, which the platform's first `new` command resumes.
    pub resumed: Option<Game>,
}

/// Answers the platform until `quit` or the end of the input. All received and sent lines are
/// copied to `log`.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn converse(
    input: impl BufRead,
    options: PlatformOptions,
    output: impl Write + Send + 'static,
    log: impl Write + Send + 'static,
) -> io::Result<()> {
    let (output, log) = (Arc::new(Mutex::new(output)), Arc::new(Mutex::new(log)));
    super::converse(input, &mut PlatformSession::new(options, output, Log(log)))
}

struct PlatformSession {
    options: PlatformOptions,
    output: Output,
    log: Log,
    reader: CommandReader,
    search: SearchThread<io::Result<Option<PlayedMove>>>,
    game: Option<(Game, Side)>,
    /// The number of the game that began last.
    games: usize,
    /// True if the engine has sent its move in the current turn, or may no longer send a move.
    ///
    /// Relaxed accesses suffice. The thread that first swaps in `true` decides whether the move is
    /// sent, and the session reads the move itself only after it has joined the search thread.
    answered: Arc<AtomicBool>,
    /// Moves that the platform has refused in the current position, the last refused one first.
    refused: Vec<Move>,
}

impl Session for PlatformSession {
    fn handle_line(&mut self, line: &[u8]) -> io::Result<bool> {
        self.log.write("<", &String::from_utf8_lossy(line));
        for word in self.reader.read(line) {
            match word {
                PlatformCommand::Name => self.answer(&format!("name {}", self.options.name))?,
                PlatformCommand::New(side) => self.begin(side)?,
                PlatformCommand::Move(played) => self.opponent_moved(played)?,
                PlatformCommand::Error => self.move_refused()?,
                PlatformCommand::End(winner) => self.end(winner),
                PlatformCommand::Quit => {
                    self.leave_game();
                    return Ok(false);
                }
                PlatformCommand::Unknown(message) => self.log.note(&format!("ignored: {message}")),
            }
        }
        Ok(true)
    }

    fn refuse(&mut self, why: String) -> io::Result<()> {
        self.log.note(&why);
        Ok(())
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.leave_game();
        Ok(())
    }
}

impl PlatformSession {
    fn new(options: PlatformOptions, output: Output, log: Log) -> PlatformSession {
        PlatformSession {
            search: SearchThread::new(options.engine.clone()),
            games: options.first_game - 1,
            options,
            output,
            log,
            reader: CommandReader::default(),
            game: None,
            answered: Arc::default(),
            refused: Vec::new(),
        }
    }

    fn answer(&self, text: &str) -> io::Result<()> {
        self.log.write(">", text);
        write_line(&self.output, text)
    }

    fn begin(&mut self, side: Side) -> io::Result<()> {
        self.leave_game();
        self.games += 1;
        let mut game = self.options.resumed.take().unwrap_or_else(|| self.options.start.clone());
        game.players[side.index()].get_or_insert_with(|| self.options.name.clone());
        game.end = None;
        self.search.reset(&self.options.engine);
        self.search.warm_up(game.position());
        let turn = game.position().to_move();
        self.game = Some((game, side));
        if turn == side { self.think() } else { Ok(()) }
    }

    /// Ends the engine's turn and adds its move to the game. If the engine has not sent its move
    /// yet, changes nothing and returns false.
    fn end_turn(&mut self) -> bool {
        if !self.answered.load(Ordering::Relaxed) {
            return false;
        }
        self.stop_search();
        true
    }

    /// Ends the search. If the search thread has sent a move, adds this move to the game.
    fn stop_search(&mut self) {
        let Some((game, _)) = &mut self.game else { return };
        match self.search.stop() {
            Some(Ok(Some(played))) => {
                // The move is legal, so `play` does not fail.
                if let Err(error) = game.play(played) {
                    self.log.note(&format!("the engine's move could not be added to the game: {error}"));
                }
            }
            Some(Err(error)) => self.log.note(&format!("the move could not be sent: {error}")),
            Some(Ok(None)) | None => {}
        }
    }

    fn opponent_moved(&mut self, played: Move) -> io::Result<()> {
        if let Err(why) = self.play(played) {
            self.log.note(&format!("ignored: {played}: {why}"));
            return Ok(());
        }
        self.refused.clear();
        self.save();
        self.think()
    }

    /// Plays a move of the opponent. The error says why the opponent cannot have played it now.
    fn play(&mut self, played: Move) -> Result<(), String> {
        let thinks = self.search.is_busy() && !self.end_turn();
        let (game, side) = self.game.as_mut().ok_or("no game has begun: expected new")?;
        if thinks || game.position().to_move() == *side {
            return Err("it is this engine's turn".to_owned());
        }
        game.play(played).map_err(|error| error.to_string())
    }

    fn move_refused(&mut self) -> io::Result<()> {
        if !self.end_turn() {
            self.log.note("ignored: error: no move was sent");
            return Ok(());
        }
        let Some((game, _)) = self.game.as_mut().filter(|(game, side)| game.position().to_move() != *side)
        else {
            return Ok(());
        };
        let Some(PlayedMove { played, .. }) = game.undo() else { return Ok(()) };
        self.log.note(&format!("THE PLATFORM REFUSED {played}: the engine sends another legal move"));
        self.refused.insert(0, played);
        self.think()
    }

    /// The limits of the engine's next turn, with a stopwatch that starts now. Without `time` and
    /// `playouts`, the turn may use the total time less the operator's reserve and the time of
    /// earlier turns.
    fn limits(&self, game: &Game, side: Side) -> Limits {
        let PlatformOptions { total, time, playouts, .. } = self.options;
        if playouts.is_some() {
            return Limits { playouts, ..Limits::default() }.started();
        }
        let own = game.plies().iter().skip(usize::from(game.start().to_move() != side)).step_by(2);
        let used: f64 = own.filter_map(|ply| ply.facts.seconds).sum();
        let left = (total - total / OPERATOR_RESERVE_DIVISOR).saturating_sub(Duration::from_secs_f64(used));
        let bank = Time::Game { remaining: left.max(MIN_MOVE_TIME), increment: Duration::ZERO };
        Limits { time: Some(time.map_or(bank, Time::PerMove)), ..Limits::default() }.started()
    }

    fn think(&mut self) -> io::Result<()> {
        let Some((game, side)) = &self.game else { return Ok(()) };
        self.answered.store(false, Ordering::Relaxed);
        if game.position().winner().is_some() {
            return Ok(());
        }
        let limits = self.limits(game, *side);
        let turn = Turn {
            game: game.clone(),
            refused: self.refused.clone(),
            output: Arc::clone(&self.output),
            log: self.log.clone(),
            answered: Arc::clone(&self.answered),
            ponder: self.options.ponder,
            file: self.file(),
        };
        let game = game.clone();
        self.search.start(&game, limits.stop.clone(), move |engine| turn.play(engine, &limits));
        Ok(())
    }

    /// Ends the game in progress and its search, if there is one. No move is sent after this.
    fn leave_game(&mut self) {
        if self.search.is_busy() && !self.answered.swap(true, Ordering::Relaxed) {
            self.search.stop();
        }
        self.stop_search();
        self.save();
        self.game = None;
        self.refused.clear();
    }

    fn end(&mut self, winner: Option<Side>) {
        if self.search.is_busy() {
            self.end_turn();
        }
        if let Some((game, _)) = &mut self.game {
            let by_rules = game.position().winner();
            if let (Some(by_rules), Some(named)) = (by_rules, winner)
                && by_rules != named
            {
                self.log.note(&format!(
                    "the platform says that the {named} player has won; by the rules the {by_rules} player has"
                ));
            }
            game.end = by_rules.or(winner).map(|winner| GameEnd::at(game.position(), winner));
        }
        self.leave_game();
    }

    fn file(&self) -> PathBuf {
        numbered(&self.options.game_file, self.games)
    }

    fn save(&self) {
        if let Some((game, _)) = &self.game {
            save(game, &self.file(), &self.log);
        }
    }
}

#[cfg(test)]
mod tests;
