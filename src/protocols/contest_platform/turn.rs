//! One turn of the engine on the contest platform.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use amazons::Move;

use super::game_files::{Log, save};
use crate::contest::PlatformMove;
use crate::games::{Game, PlayedMove, TurnFacts};
use crate::protocols::{Output, write_line};
use crate::search::{Engine, Limits, Report};

/// The data that the search thread needs for one turn of the engine.
pub(super) struct Turn {
    pub(super) game: Game,
    pub(super) refused: Vec<Move>,
    pub(super) output: Output,
    pub(super) log: Log,
    pub(super) answered: Arc<AtomicBool>,
    pub(super) ponder: bool,
    pub(super) file: PathBuf,
}

impl Turn {
    /// Searches, sends the move, writes the game file, and ponders until it is stopped. Returns the
    /// sent move, or `None` if no move was sent.
    pub(super) fn play(mut self, engine: &mut Engine, limits: &Limits) -> io::Result<Option<PlayedMove>> {
        let Some(report) = engine.search(limits) else { return Ok(None) };
        let Some(played) = self.choose(&report) else {
            self.log.note("every legal move was refused");
            return Ok(None);
        };
        // If the game ended during the search, no move may be sent.
        if self.answered.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        let text = format!("move {}", PlatformMove(played));
        self.log.write(">", &text);
        write_line(&self.output, &text)?;
        let seconds = limits.elapsed().as_secs_f64();
        let facts = TurnFacts {
            seconds: Some(seconds),
            value: Some(report.value),
            proven: report.proven,
            playouts: Some(report.playouts),
            ..TurnFacts::default()
        };
        let Report { value, playouts, .. } = report;
        self.log.note(&format!("{played}: value {value:.3}, {playouts} playouts, {seconds:.2} s"));
        let ply = PlayedMove { played, facts };
        if self.game.play(ply.clone()).is_ok() {
            save(&self.game, &self.file, &self.log);
        }
        if self.ponder && engine.advance(played).is_ok() {
            engine.ponder(&Limits { stop: limits.stop.clone(), ..Limits::default() });
        }
        Ok(Some(ply))
    }

    fn choose(&self, report: &Report) -> Option<Move> {
        let searched = std::iter::once(report.best).chain(report.candidates.iter().map(|it| it.played));
        let all = searched.chain(self.game.position().legal_moves_iter());
        all.into_iter().find(|played| !self.refused.contains(played))
    }
}
