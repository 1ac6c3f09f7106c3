//! The searches of a GTP session, which choose the squares to play or analyse a position.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use amazons::Move;

use super::analysis::Analysis;
use super::{Answer, GtpSession};
use crate::contest::Vertex;
use crate::messages::printable;
use crate::protocols::{Output, write_line};
use crate::search::{Engine, EngineOptions, Limits, Report, StopHandle, Time, Watch};
use crate::territory::View;

/// The controlling program may play a queen or a destination that the ply's search has not tried.
/// The session then searches up to this many full moves with the played squares, one by one.
const FALLBACK_MOVES: usize = 8;

impl GtpSession {
    pub(super) fn limits(&self) -> Limits {
        let time = self.clock.time(self.game.position().to_move());
        let time = time.or(self.options.time.map(Time::PerMove));
        let playouts = time.is_none().then_some(self.options.playouts);
        Limits { time, playouts, ..Limits::default() }.started()
    }

    /// Chooses and plays the next square of the ply: the queen, its destination or the arrow.
    pub(super) fn generate(&mut self, analysis: Option<Analysis>) -> io::Result<Answer> {
        if self.game.is_over() {
            return Ok(Ok("resign".to_owned()));
        }
        let position = *self.game.position();
        let is_known = self.found.as_ref().is_some_and(|(at, _)| *at == position);
        if self.game.chosen().is_empty() || !is_known {
            let Some(report) = self.search(analysis)? else { return Ok(Ok("resign".to_owned())) };
            self.found = Some((position, report));
        }
        let Some((_, report)) = &self.found else { return Ok(Ok("resign".to_owned())) };
        if let Some(analysis) = analysis {
            write(&self.output, &analysis.line(report, &self.game))?;
        }
        let searched = std::iter::once(report.best).chain(report.candidates.iter().map(|it| it.played));
        let played = searched.into_iter().find(|&played| self.game.is_continued_by(played));
        let Some(played) = played.or_else(|| self.best_fallback_move()) else {
            return Ok(Ok("resign".to_owned()));
        };
        let square = self.game.square_of(played);
        let vertex = Vertex { square, size: position.size() };
        Ok(self.game.play(square).map(|()| vertex.to_string()))
    }

    fn search(&mut self, analysis: Option<Analysis>) -> io::Result<Option<Report>> {
        let (limits, side) = (self.limits(), self.game.position().to_move());
        let mut written = Ok(());
        let (output, game) = (&self.output, &self.game);
        let mut tell = |report: &Report| {
            if let (Some(analysis), true) = (analysis, written.is_ok()) {
                written = write(output, &analysis.line(report, game));
            }
        };
        let every = analysis.map_or(Duration::MAX, |analysis| analysis.interval);
        let engine = self.search.engine(game.game());
        let report = engine.search_watched(&limits, &mut Watch::new(every, &mut tell));
        written?;
        self.clock.spend(side, limits.elapsed());
        Ok(report)
    }

    /// A good full move with the squares already played in this ply, for a ply whose search tried
    /// no such move. Searches the moves with the best static values one by one.
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
        let playouts = (self.options.playouts / FALLBACK_MOVES as u64).max(1);
        let value = |played: Move| {
            let after = position.play_unchecked(played);
            let report = Engine::new(&options, &after).search(&Limits::playouts(playouts));
            report.map_or(1.0, |report| 1.0 - report.value)
        };
        let valued = moves.into_iter().map(|(_, played)| (value(played), played));
        valued.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, played)| played)
    }

    pub(super) fn move_analysed(&mut self, analysis: Analysis) -> io::Result<()> {
        match self.generate(Some(analysis))? {
            Ok(vertex) => write_line(&self.output, &format!("play {vertex}\n")),
            Err(error) => write_line(&self.output, &format!("info string {}\n", printable(&error))),
        }
    }

    pub(super) fn analyse(&mut self, analysis: Analysis) -> io::Result<()> {
        self.is_analysing = true;
        if self.game.is_over() {
            return Ok(());
        }
        let (game, output, stop) = (self.game.clone(), Arc::clone(&self.output), StopHandle::default());
        let limits = Limits { stop: stop.clone(), ..Limits::default() };
        let whole_plies = self.game.game().clone();
        self.search.start(&whole_plies, stop, move |engine| {
            // The search stops when its lines can no longer be written to the output.
            let mut told = Ok(());
            let mut tell = |report: &Report| {
                told = write(&output, &analysis.line(report, &game)).inspect_err(|_| limits.stop.stop());
            };
            let report = engine.search_watched(&limits, &mut Watch::new(analysis.interval, &mut tell));
            told?;
            report.map_or(Ok(()), |report| write(&output, &analysis.line(&report, &game)))
        });
        Ok(())
    }

    /// Ends the analysis in progress, if any, and ends its answer with an empty line.
    pub(super) fn end_analysis(&mut self) -> io::Result<()> {
        self.search.stop().unwrap_or(Ok(()))?;
        if std::mem::take(&mut self.is_analysing) { write_line(&self.output, "") } else { Ok(()) }
    }
}

/// Writes a line of an analysis, unless it is empty, because an empty line would end the answer.
fn write(output: &Output, line: &str) -> io::Result<()> {
    if line.is_empty() { Ok(()) } else { write_line(output, line) }
}
