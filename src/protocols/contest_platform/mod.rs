//! `quiver contest`: this engine on the platform of the Chinese university contest.
//!
//! The platform speaks over pipes and reads standard error as if it were standard output, so only
//! answers may be written: everything for people goes to the log file.
//!
//! One thread searches, answers and then ponders while the session reads on. The game file is written
//! after each ply, so that a crash loses nothing.

mod game_files;
mod turn;
mod words;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use amazons::{Move, Side};
use parking_lot::Mutex;

use super::search_thread::SearchThread;
use super::{Output, Session, say};
use crate::games::{Game, GameEnd, PlayedMove};
use crate::search::{EngineOptions, Limits, Time};
pub use game_files::numbered;
use game_files::{Log, save};
use turn::Turn;
use words::{Word, WordReader};

/// The fraction of the total time that is kept back for the operator's hand.
const OPERATOR_SHARE: u32 = 20;

/// The least time of a move, when the total is used up.
const LEAST_TIME: Duration = Duration::from_millis(300);

/// The settings of a session.
#[derive(Clone, Debug)]
pub struct PlatformOptions {
    /// The engine.
    pub engine: EngineOptions,
    /// The name that the platform shows.
    pub name: String,
    /// A game at its start: the names of the teams by turn order, and the date, time and place as its
    /// event, for the contest's record.
    pub start: Game,
    /// The time of all own turns of a game.
    pub total: Duration,
    /// The time of each move, instead of the total.
    pub time: Option<Duration>,
    /// Playouts of each move, instead of any time.
    pub playouts: Option<u64>,
    /// True if the engine thinks while the opponent does.
    pub ponder: bool,
    /// The file of the first game; see [`numbered`].
    pub game_file: PathBuf,
    /// The number of the first game, from 1.
    pub first_game: usize,
    /// The game that the first `new` goes on with.
    pub resumed: Option<Game>,
}

/// Answers the platform until `quit` or the end of the input. `log` gets the whole conversation.
///
/// # Errors
/// If the input cannot be read or the output not written.
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
    reader: WordReader,
    search: SearchThread<io::Result<Option<PlayedMove>>>,
    /// The game in progress and the engine's side in it.
    game: Option<(Game, Side)>,
    /// The number of the last game begun.
    games: usize,
    /// True once the engine's turn in progress has been answered, or is to send nothing any more.
    ///
    /// All accesses are relaxed: the swap alone decides which comes first, and the answer itself
    /// travels through the end of the thread.
    answered: Arc<AtomicBool>,
    /// Moves that the platform has refused in the current position, the last answer first.
    refused: Vec<Move>,
}

impl Session for PlatformSession {
    fn take(&mut self, line: &[u8]) -> io::Result<bool> {
        self.log.write("<", &String::from_utf8_lossy(line));
        for word in self.reader.read(line) {
            match word {
                Word::Name => self.answer(&format!("name {}", self.options.name))?,
                Word::New(side) => self.begin(side)?,
                Word::Move(played) => self.opponent_moved(played)?,
                Word::Error => self.move_refused()?,
                Word::End(winner) => self.end(winner),
                Word::Quit => {
                    self.leave();
                    return Ok(false);
                }
                Word::Unknown(message) => self.log.note(&format!("ignored: {message}")),
            }
        }
        Ok(true)
    }

    fn refuse(&mut self, why: String) -> io::Result<()> {
        self.log.note(&why);
        Ok(())
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.leave();
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
            reader: WordReader::default(),
            game: None,
            answered: Arc::default(),
            refused: Vec::new(),
        }
    }

    fn answer(&self, text: &str) -> io::Result<()> {
        self.log.write(">", text);
        say(&self.output, text)
    }

    fn begin(&mut self, side: Side) -> io::Result<()> {
        self.leave();
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

    /// Takes back the engine and the answer of the turn that is over. Returns false while the engine
    /// still thinks.
    fn end_turn(&mut self) -> bool {
        if !self.answered.load(Ordering::Relaxed) {
            return false;
        }
        self.adopt();
        true
    }

    /// Ends the search and adds the move that it answered to the game.
    fn adopt(&mut self) {
        let Some((game, _)) = &mut self.game else { return };
        match self.search.stop() {
            Some(Ok(Some(played))) => {
                // The search chose it from the legal moves.
                if let Err(error) = game.play(played) {
                    self.log.note(&format!("an own move was lost: {error}"));
                }
            }
            Some(Err(error)) => self.log.note(&format!("the answer could not be written: {error}")),
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

    /// Plays a move of the opponent; the error says why it cannot be one.
    fn play(&mut self, played: Move) -> Result<(), String> {
        let thinks = self.search.is_busy() && !self.end_turn();
        let (game, side) = self.game.as_mut().ok_or("no game has begun: expected new")?;
        if thinks || game.position().to_move() == *side {
            return Err("it is this engine's turn".to_owned());
        }
        game.play(played).map_err(|error| error.to_string())
    }

    /// The platform has not made the last move: another one is sent.
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
        self.log.note(&format!("THE PLATFORM REFUSED {played}: another one of the legal moves is sent"));
        self.refused.insert(0, played);
        self.think()
    }

    /// The time that is left of the total, less what is kept back; its clock runs from now.
    fn limits(&self, game: &Game, side: Side) -> Limits {
        let PlatformOptions { total, time, playouts, .. } = self.options;
        if playouts.is_some() {
            return Limits { playouts, ..Limits::default() }.started();
        }
        let own = game.plies().iter().skip(usize::from(game.start().to_move() != side)).step_by(2);
        let used: f64 = own.filter_map(|ply| ply.facts.seconds).sum();
        let left = (total - total / OPERATOR_SHARE).saturating_sub(Duration::from_secs_f64(used));
        let bank = Time::Game { remaining: left.max(LEAST_TIME), increment: Duration::ZERO };
        Limits { time: Some(time.map_or(bank, Time::PerMove)), ..Limits::default() }.started()
    }

    /// Begins the engine's turn, which answers and then ponders by itself.
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

    /// Ends the game in progress, if there is one, and its search. A move that was not yet sent is lost.
    fn leave(&mut self) {
        if self.search.is_busy() && !self.answered.swap(true, Ordering::Relaxed) {
            // The turn sees the flag, and sends nothing.
            self.search.stop();
        }
        self.adopt();
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
                    "the platform names the {named} player as the winner, the rules the {by_rules}"
                ));
            }
            game.end = by_rules.or(winner).map(|winner| GameEnd::at(game.position(), winner));
        }
        self.leave();
    }

    /// The file of the current game.
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
