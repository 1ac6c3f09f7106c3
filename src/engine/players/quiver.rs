//! The engine as a player.

use super::{Choice, Player};
use crate::game::{FullMove, Position};
use crate::search::{Engine, EngineOptions, Limits, Report, StopHandle, Watch};

/// Plays the best move of an [`Engine`], which keeps its tree from turn to turn.
#[derive(Debug)]
pub struct QuiverPlayer {
    engine: Engine,
}

impl QuiverPlayer {
    /// A player with an engine of its own.
    #[must_use]
    pub fn new(options: &EngineOptions, position: &Position) -> QuiverPlayer {
        QuiverPlayer { engine: Engine::new(options, position) }
    }
}

impl Player for QuiverPlayer {
    fn set_position(&mut self, position: &Position) {
        self.engine.set_position(position);
    }

    fn advance(&mut self, full: FullMove) {
        self.engine.advance(full);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        self.engine.search(limits).map(choice)
    }

    fn choose_watched(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Choice> {
        self.engine.search_watched(limits, watch).map(choice)
    }

    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.engine.stop_handle())
    }
}

fn choice(report: Report) -> Choice {
    Choice { full: report.best, report: Some(report) }
}
