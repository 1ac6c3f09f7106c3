//! `quiver contest`: Quiver as an engine on the platform of the Chinese university contest.
//!
//! The platform starts the engine with pipes and reads standard error as if it were standard
//! output. So the engine writes only answers to its pipes, and writes messages for people to the
//! log file.
//!
//! The search thread searches, sends the move and then ponders, while the session reads commands.
//! Both threads change one [`CurrentGame`]: the session plays the opponent's moves in it, and the
//! search thread plays the engine's moves right after sending them. As long as it is the engine's
//! turn in this game, the session ignores moves of the opponent.

mod current_game;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use amazons::{Move, Side};
use parking_lot::Mutex;

use super::search_thread::SearchThread;
use super::{MAX_QUOTED, Output, Session};
use crate::contest::PlatformMove;
use crate::games::{Game, GameEnd};
use crate::messages::excerpt;
use crate::search::EngineOptions;
use current_game::CurrentGame;

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
    /// The SGF file of the resumed game, or of the first game unless its files exist already.
    /// Further games get a number in their files' names. Only the resumed game replaces files.
    pub game_file: PathBuf,
    /// An interrupted game, which the platform's first `new` command resumes.
    pub resumed: Option<Game>,
}

/// The path of the file for game `number`: `path` for the first game, and for each later game
/// `path` with the number before the extension.
fn game_file_path(path: &Path, number: usize) -> PathBuf {
    if number <= 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|it| format!(".{}", it.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

pub struct PlatformSession {
    current: Arc<Mutex<CurrentGame>>,
    search: SearchThread<()>,
    /// A command that was read without its parameter. The next line will begin with this parameter.
    open: Option<String>,
}

impl Session for PlatformSession {
    /// Handles the commands of a line. A command's parameter may be on the next line.
    fn handle_line(&mut self, line: &[u8]) -> io::Result<bool> {
        let text = String::from_utf8_lossy(line);
        self.current.lock().log("<", &text);
        let open = self.open.take();
        let parts = text.split(|c: char| c.is_whitespace() || c == '\0').filter(|part| !part.is_empty());
        let mut words = open.as_deref().into_iter().chain(parts).peekable();
        while let Some(word) = words.next() {
            let obeyed = match word {
                "name?" => {
                    let current = self.current.lock();
                    current.send(&format!("name {}", current.options.name))?;
                    Ok(())
                }
                "new" | "move" => match words.next() {
                    Some(parameter) => self.obey(word, parameter),
                    None => {
                        self.open = Some(word.to_owned());
                        Ok(())
                    }
                },
                "error" => self.move_refused(),
                "end" => {
                    self.end(words.next_if(|next| side(next).is_some()).and_then(side));
                    Ok(())
                }
                "quit" => {
                    self.leave_game();
                    return Ok(false);
                }
                // The platform uses these commands only in games other than Amazons.
                "accept" | "refuse" | "take" | "taked" => Ok(()),
                other => Err(format!(
                    "'{}': expected name?, new, move, error, end or quit",
                    excerpt(other, MAX_QUOTED)
                )),
            };
            if let Err(why) = obeyed {
                self.current.lock().note(&format!("ignored: {why}"));
            }
        }
        Ok(true)
    }

    fn refuse_line(&mut self, why: String) -> io::Result<()> {
        self.current.lock().note(&why);
        Ok(())
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.leave_game();
        Ok(())
    }
}

impl PlatformSession {
    /// A session that sends its answers to `output`. All received and sent lines are copied to
    /// `log`.
    pub fn new(options: PlatformOptions, output: Output, log: Output) -> PlatformSession {
        PlatformSession {
            search: SearchThread::new(options.engine.clone()),
            current: Arc::new(Mutex::new(CurrentGame::new(options, output, log))),
            open: None,
        }
    }

    fn obey(&mut self, command: &str, parameter: &str) -> Result<(), String> {
        if command == "move" {
            let PlatformMove(played) = parameter.parse()?;
            return self.opponent_moved(played).map_err(|why| format!("{played}: {why}"));
        }
        let expected = || format!("new '{}': expected black or white", excerpt(parameter, MAX_QUOTED));
        self.begin(side(parameter).ok_or_else(expected)?);
        Ok(())
    }

    fn begin(&mut self, side: Side) {
        self.leave_game();
        let mut current = self.current.lock();
        let position = *current.begin(side).position();
        self.search.reset(&current.options.engine);
        drop(current);
        self.search.warm_up(&position);
        if position.to_move() == side {
            self.think();
        }
    }

    /// Plays a move of the opponent. The error says why the opponent cannot play this move now.
    fn opponent_moved(&mut self, played: Move) -> Result<(), String> {
        let mut current = self.current.lock();
        let (game, side) = current.game.as_mut().ok_or("no game has begun: expected new")?;
        if game.position().to_move() == *side {
            return Err("it is this engine's turn".to_owned());
        }
        game.play(played).map_err(|error| error.to_string())?;
        current.refused.clear();
        current.save();
        drop(current);
        self.think();
        Ok(())
    }

    /// Takes back the engine's last move, which the platform has refused, and sends another move.
    fn move_refused(&mut self) -> Result<(), String> {
        let mut current = self.current.lock();
        let sent = current.game.as_mut().filter(|(game, side)| game.position().to_move() != *side);
        let ply = sent.and_then(|(game, _)| game.undo()).ok_or("error: no move was sent")?;
        current.note(&format!("THE PLATFORM REFUSED {}: the engine sends another legal move", ply.played));
        current.refused.insert(0, ply);
        drop(current);
        self.think();
        Ok(())
    }

    /// Starts the search for the engine's move, unless the game is over.
    fn think(&mut self) {
        self.search.stop();
        let current = self.current.lock();
        let Some((game, side)) = &current.game else { return };
        if game.position().winner().is_none() {
            let (limits, shared) = (current.limits(game, *side), Arc::clone(&self.current));
            self.search.start(game, limits.stop.clone(), move |engine| {
                current_game::take_turn(&shared, engine, &limits);
            });
        }
    }

    fn end(&mut self, winner: Option<Side>) {
        let mut current = self.current.lock();
        if let Some((game, _)) = &mut current.game {
            let by_rules = game.position().winner();
            game.end = by_rules.or(winner).map(|winner| GameEnd::with_inferred_kind(game.position(), winner));
            if let (Some(by_rules), Some(named)) = (by_rules, winner)
                && by_rules != named
            {
                current.note(&format!(
                    "the platform says that the {named} player has won; by the rules the {by_rules} player has"
                ));
            }
        }
        current.leave();
        drop(current);
        self.search.stop();
    }

    /// Saves and ends the game in progress, if any. Then stops the search, which cannot send a move
    /// without a game.
    fn leave_game(&mut self) {
        self.current.lock().leave();
        self.search.stop();
    }
}

fn side(text: &str) -> Option<Side> {
    match text {
        "black" => Some(Side::First),
        "white" => Some(Side::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
