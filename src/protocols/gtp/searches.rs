//! The searches of a GTP session, which choose the next square of a ply or analyse a position.

use std::sync::Arc;
use std::time::Duration;
use std::{io, iter};

use amazons::Move;

use super::analysis::AnalysisOptions;
use super::{DEFAULT_PLAYOUTS, GtpSession};
use crate::contest::Vertex;
use crate::protocols::{search_with_reports, write_line, write_unless_empty};
use crate::search::{Engine, EngineOptions, Limits, Report, Time};
use crate::territory::View;

/// The controlling program may play a queen or a destination that the ply's search has not tried.
/// The session then searches up to this many full moves that begin with the played squares.
const FALLBACK_MOVES: usize = 8;

impl GtpSession {
    pub(super) fn limits(&self) -> Limits {
        let time = self.clock.time(self.game.position().to_move());
        let time = time.or(self.options.time.map(Time::PerMove));
        let playouts = self.options.playouts.or(time.is_none().then_some(DEFAULT_PLAYOUTS));
        Limits { time, playouts, ..Limits::default() }.started()
    }

    /// Chooses and plays the next square of the ply: the queen, its destination or the arrow.
    /// Resigns if the game is over.
    pub(super) fn generate_square(&mut self, analysis: Option<AnalysisOptions>) -> io::Result<String> {
        let resigns = || Ok("resign".to_owned());
        if self.game.is_over() {
            return resigns();
        }
        let position = *self.game.position();
        let is_known = self.last_search.as_ref().is_some_and(|(at, _)| *at == position);
        if self.game.chosen_squares().is_empty() || !is_known {
            self.last_search = self.search(analysis)?.map(|report| (position, report));
        }
        let Some((_, report)) = &self.last_search else { return resigns() };
        if let Some(analysis) = analysis {
            write_unless_empty(&self.output, &analysis.info_line(report, &self.game))?;
        }
        let mut searched = iter::once(report.best).chain(report.candidates.iter().map(|it| it.played));
        let played = searched.find(|&played| self.game.is_continued_by(played));
        let square =
            played.or_else(|| self.best_fallback_move()).map(|played| self.game.next_square_of(played));
        match square {
            Some(square) if self.game.play(square).is_ok() => {
                Ok(Vertex { square, size: position.size() }.to_string())
            }
            _ => resigns(),
        }
    }

    fn search(&mut self, analysis: Option<AnalysisOptions>) -> io::Result<Option<Report>> {
        let (limits, game) = (self.limits(), &self.game);
        let interval = analysis.map_or(Duration::MAX, |analysis| analysis.interval);
        let line =
            |report: &Report| analysis.map_or(String::new(), |analysis| analysis.info_line(report, game));
        let engine = self.search.engine(game.game());
        let report = search_with_reports(engine, &limits, interval, &self.output, line)?;
        self.clock.spend(game.position().to_move(), limits.elapsed());
        Ok(report)
    }

    /// Returns a good full move that begins with the squares already played in this ply. The ply's
    /// search has tried no such move, so the moves with the best static values are searched now.
    fn best_fallback_move(&self) -> Option<Move> {
        let (position, evaluator) = (self.game.position(), &self.options.engine.evaluator);
        let mut moves: Vec<(f64, Move)> = position
            .legal_moves_iter()
            .filter(|&played| self.game.is_continued_by(played))
            .map(|played| (evaluator.log_odds(&View::from(&position.play_unchecked(played))), played))
            .collect();
        moves.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        moves.truncate(FALLBACK_MOVES);
        let options = EngineOptions {
            memory: self.options.engine.memory / FALLBACK_MOVES,
            ..self.options.engine.clone()
        };
        let playouts = (self.options.playouts.unwrap_or(DEFAULT_PLAYOUTS) / FALLBACK_MOVES as u64).max(1);
        let value = |played: Move| {
            let after = position.play_unchecked(played);
            let report = Engine::new(&options, &after).search(&Limits::playouts(playouts));
            report.map_or(1.0, |report| 1.0 - report.value)
        };
        let valued = moves.into_iter().map(|(_, played)| (value(played), played));
        valued.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, played)| played)
    }

    pub(super) fn analyse(&mut self, analysis: AnalysisOptions) -> io::Result<()> {
        if self.game.is_over() {
            return write_line(&self.output, "");
        }
        let (game, output, limits) = (self.game.clone(), Arc::clone(&self.output), Limits::default());
        self.search.start(self.game.game(), limits.stop.clone(), move |engine| {
            let line = |report: &Report| analysis.info_line(report, &game);
            let report = search_with_reports(engine, &limits, analysis.interval, &output, line)?;
            report.map_or(Ok(()), |report| write_unless_empty(&output, &line(&report)))
        });
        Ok(())
    }

    /// Ends the analysis in progress, if any, and ends its answer with an empty line.
    pub(super) fn end_analysis(&mut self) -> io::Result<()> {
        self.search.stop().map_or(Ok(()), |told| told.and_then(|()| write_line(&self.output, "")))
    }
}
