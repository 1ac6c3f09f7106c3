//! Searches a position of a query with a new engine, or with an engine kept from an earlier query.

use std::sync::Arc;
use std::time::Duration;

use quiver_engine::search::{Engine, Limits, Report, StopHandle, Watch};

use super::answer::{Answer, Content, PositionAnswer};
use super::query::Query;

/// An idle engine ponders in slices of this many playouts. A new query interrupts a running slice.
pub(crate) const SLICE_PLAYOUTS: u64 = 1024;

/// An engine kept after a search, with the query and the turn number of the search.
#[derive(Debug)]
pub struct KeptEngine {
    engine: Engine,
    query: Arc<Query>,
    /// The number of moves before the searched position.
    turn_number: usize,
}

impl KeptEngine {
    /// Returns the number of moves from the start of the game to the root of this engine's tree. Of
    /// several engines, the engine with the largest number fits best. Returns `None` if a search of
    /// the query's position after `turn_number` moves cannot use the tree.
    ///
    /// # Panics
    /// If the game of the query has fewer than `turn_number` moves.
    pub fn reusable_plies(&self, query: &Query, turn_number: usize) -> Option<usize> {
        let (asked, known) = (&query.game, &self.query.game);
        let fits = query.reuse
            && self.query.engine.parameters == query.engine.parameters
            && known.start() == asked.start()
            && asked.moves()[..turn_number].starts_with(&known.moves()[..self.turn_number]);
        fits.then_some(self.turn_number)
    }

    /// Ponders for one slice. Returns false if another slice is useless, as when the tree is full.
    pub fn ponder(&mut self, stop: StopHandle) -> bool {
        let limits = Limits { stop, ..Limits::playouts(SLICE_PLAYOUTS) };
        let report = if self.query.reuse { self.engine.ponder(&limits) } else { None };
        report.is_some_and(|report| !report.proven) && self.engine.can_grow()
    }
}

/// Searches the position of a query after `turn_number` moves. Uses the engine `kept`, which must
/// fit (see [`KeptEngine::reusable_plies`]). If `kept` is `None`, a new engine searches, and the
/// result does not depend on earlier queries. Passes answers during the search to `output`, which
/// returns false to end the search. Returns the last answer, and the engine for later queries.
///
/// # Panics
/// If the game of the query has fewer than `turn_number` moves.
pub fn search_turn(
    query: &Arc<Query>,
    turn_number: usize,
    kept: Option<KeptEngine>,
    stop: StopHandle,
    output: &mut dyn FnMut(Answer) -> bool,
) -> (Answer, KeptEngine) {
    let position = query.game.positions()[turn_number];
    let mut engine = match kept {
        Some(KeptEngine { mut engine, turn_number: before, .. }) => {
            query.game.plies()[before..turn_number]
                .iter()
                .for_each(|ply| engine.advance_unchecked(ply.played));
            engine
        }
        None => Engine::new(&query.engine, &position),
    };
    let answer = |is_during_search, report: Option<&Report>| Answer {
        id: query.id.clone(),
        turn_number,
        is_during_search,
        // The territory map does not change during a search, but each answer contains it again.
        content: Content::Analysis(Box::new(PositionAnswer::new(&position, report, &query.answer))),
    };
    let limits = Limits { stop, ..query.limits };
    let mut tell = |report: &Report| {
        if !output(answer(true, Some(report))) {
            limits.stop.stop();
        }
    };
    let every = query.report_every.unwrap_or(Duration::MAX);
    let report = engine.search_watched(&limits, &mut Watch::new(every, &mut tell));
    (answer(false, report.as_ref()), KeptEngine { engine, query: Arc::clone(query), turn_number })
}
