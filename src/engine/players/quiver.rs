//! The engine as a player, which keeps its tree from turn to turn.

use super::{Choice, Player};
use crate::game::{FullMove, Position};
use crate::search::{Engine, Limits, Report, StopHandle, Watch};

impl Player for Engine {
    fn warm_up(&mut self) {
        self.warm_up();
    }

    fn set_position(&mut self, position: &Position) {
        self.set_position(position);
    }

    fn advance(&mut self, full: FullMove) {
        self.advance(full);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        self.search(limits).map(choice)
    }

    fn choose_watched(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Choice> {
        self.search_watched(limits, watch).map(choice)
    }

    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.stop_handle())
    }
}

fn choice(report: Report) -> Choice {
    Choice { full: report.best, report: Some(report) }
}
