//! The game in progress on the contest platform, which the session shares with its search thread.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use amazons::{Move, Side, sgf};
use parking_lot::Mutex;

use super::{PlatformOptions, game_file_path};
use crate::contest::PlatformMove;
use crate::files;
use crate::formats::contest_record;
use crate::games::{Game, MatchGame, PlayedMove, TurnFacts};
use crate::messages::printable;
use crate::protocols::{Output, write_line};
use crate::search::{Engine, Limits, Report, Time};

/// The total time divided by this number is reserved for the person who operates the platform.
const OPERATOR_RESERVE_DIVISOR: u32 = 20;

/// The time for each move after the engine has used up its total time.
const MIN_MOVE_TIME: Duration = Duration::from_millis(300);

/// The game in progress, if any, and the streams and files to which the moves of all games are
/// written.
pub(super) struct CurrentGame {
    pub(super) options: PlatformOptions,
    output: Output,
    log: Output,
    /// The game, and the side that the engine plays; `None` between games.
    pub(super) game: Option<(Game, Side)>,
    /// The number of the game that began last.
    number: usize,
    /// Plies that the platform has refused in the current position, the last refusal first. The
    /// time of each ply includes the time of the plies that were refused before it.
    pub(super) refused: Vec<PlayedMove>,
}

impl CurrentGame {
    pub(super) fn new(options: PlatformOptions, output: Output, log: Output) -> CurrentGame {
        CurrentGame { options, output, log, game: None, number: 0, refused: Vec::new() }
    }

    /// Begins a game in which the engine plays `side`. The resumed game keeps its files. Any other
    /// game gets the next number for which neither of its files exists.
    pub(super) fn begin(&mut self, side: Side) -> &Game {
        self.number += 1;
        let mut game = self.options.resumed.take().unwrap_or_else(|| {
            while self.files().iter().any(|file| file.exists()) {
                self.number += 1;
            }
            self.options.start.clone()
        });
        game.players[side.index()].get_or_insert_with(|| self.options.name.clone());
        &self.game.insert((game, side)).0
    }

    pub(super) fn leave(&mut self) {
        self.save();
        self.game = None;
        self.refused.clear();
    }

    /// The files of the game that began last: its SGF file, and the contest's record.
    fn files(&self) -> [PathBuf; 2] {
        let file = game_file_path(&self.options.game_file, self.number);
        [file.clone(), file.with_extension("txt")]
    }

    /// Writes the game as SGF and as the contest's record, so that a crash loses no move.
    pub(super) fn save(&self) {
        let Some((game, _)) = &self.game else { return };
        let texts = [sgf::write([&game.without_match_facts()]), contest_record::write(game)];
        for (path, text) in self.files().iter().zip(texts) {
            if let Err(error) = files::replace(path, text) {
                self.note(&format!("{} could not be written: {error}", path.display()));
            }
        }
    }

    pub(super) fn send(&self, text: &str) -> io::Result<()> {
        self.log(">", text);
        write_line(&self.output, text)
    }

    /// Writes a line of the log. An error is ignored, because it must not end a game.
    pub(super) fn log(&self, mark: &str, text: &str) {
        let _ = write_line(&self.log, &format!("{mark} {}", printable(text.trim_end())));
    }

    pub(super) fn note(&self, text: &str) {
        self.log("#", text);
    }

    /// The limits of the engine's next turn, with a stopwatch that starts now. Without `time` and
    /// `playouts`, the turn may use the total time minus the operator's reserve and minus the time
    /// of earlier turns and of refused plies.
    pub(super) fn limits(&self, game: &Game, side: Side) -> Limits {
        let PlatformOptions { total, time, playouts, .. } = self.options;
        if playouts.is_some() {
            return Limits { playouts, ..Limits::default() }.started();
        }
        let own = game.plies().iter().skip(usize::from(game.start().to_move() != side)).step_by(2);
        let used: f64 = own.chain(self.refused.first()).filter_map(|ply| ply.facts.seconds).sum();
        let left = (total - total / OPERATOR_RESERVE_DIVISOR).saturating_sub(Duration::from_secs_f64(used));
        let bank = Time::Game { remaining: left.max(MIN_MOVE_TIME), increment: Duration::ZERO };
        Limits { time: Some(time.map_or(bank, Time::PerMove)), ..Limits::default() }.started()
    }

    /// Sends the best move that the platform has not refused, and plays it. Returns `None` if there
    /// is no such move, if sending fails, or if the game has ended during the search.
    fn play(&mut self, report: &Report, time: Duration) -> Option<Move> {
        let (game, _) = self.game.as_ref()?;
        let searched = std::iter::once(report.best).chain(report.candidates.iter().map(|it| it.played));
        let all = searched.chain(game.position().legal_moves());
        let Some(played) =
            all.into_iter().find(|&played| self.refused.iter().all(|ply| ply.played != played))
        else {
            self.note("every legal move was refused");
            return None;
        };
        if let Err(error) = self.send(&format!("move {}", PlatformMove(played))) {
            self.note(&format!("the move could not be sent: {error}"));
            return None;
        }
        let refused_time = self.refused.first().and_then(|ply| ply.facts.seconds).unwrap_or(0.0);
        let (seconds, Report { value, playouts, .. }) = (time.as_secs_f64() + refused_time, report);
        self.note(&format!("{played}: value {value:.3}, {playouts} playouts, {seconds:.2} s"));
        let facts = TurnFacts {
            seconds: Some(seconds),
            value: Some(*value),
            proven: report.proven,
            playouts: Some(*playouts),
            ..TurnFacts::default()
        };
        let (game, _) = self.game.as_mut()?;
        game.play(PlayedMove { played, facts }).ok()?;
        self.save();
        Some(played)
    }
}

/// Searches, sends the move and ponders, until the search is stopped.
pub(super) fn take_turn(current: &Mutex<CurrentGame>, engine: &mut Engine, limits: &Limits) {
    let Some(report) = engine.search(limits) else { return };
    let played = current.lock().play(&report, limits.elapsed());
    let ponders = current.lock().options.ponder;
    if let Some(played) = played.filter(|_| ponders)
        && engine.advance(played).is_ok()
    {
        engine.ponder(&Limits { stop: limits.stop.clone(), ..Limits::default() });
    }
}
