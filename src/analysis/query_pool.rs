//! Searches queries, several at once and by priority, and terminates them on request.

use std::sync::Arc;
use std::time::Duration;

use amazons::Position;
use parking_lot::Mutex;

use super::answer::{Answer, Content, PositionAnswer};
use super::query::Query;
pub(crate) use crate::engine_pool::Ticket;
use crate::engine_pool::{EnginePool, SearchJob};
use crate::search::{Engine, Limits, Report, StopHandle, Stopwatch, Watch};

/// Playouts of a slice of pondering: a bound in case a stop is missed.
const SLICE: u64 = 1024;

/// Takes the answers to one query, one at a time. Returns whether its reader is still there.
/// Dropped after the last answer.
pub(crate) type Sink = Box<dyn FnMut(Answer) -> bool + Send>;

/// Queries being searched and waiting. A pool that ponders searches on in the trees of queries with
/// `reuse`: a later query about such a position, or about a later one of the game, finds these
/// visits.
pub(crate) type QueryPool = EnginePool<QueryJob>;

/// One position of a query.
pub(crate) struct QueryJob {
    query: Arc<Query>,
    turn: usize,
    sink: Arc<Mutex<Sink>>,
}

/// An engine, and the position of a query that its tree belongs to.
pub(crate) struct QueryEngine {
    engine: Engine,
    query: Arc<Query>,
    turn: usize,
}

impl EnginePool<QueryJob> {
    /// Adds a query. Each of its turns has one answer that is not during its search. Returns the ticket of
    /// each turn.
    pub(crate) fn search(&self, query: Query, sink: Sink) -> Vec<(usize, Ticket)> {
        let (query, sink) = (Arc::new(query), Arc::new(Mutex::new(sink)));
        let submit = |&turn: &usize| {
            let job = QueryJob { query: Arc::clone(&query), turn, sink: Arc::clone(&sink) };
            (turn, self.submit(query.priority, [job]))
        };
        query.turns.iter().map(submit).collect()
    }
}

impl QueryJob {
    fn position(&self) -> Position {
        self.query.game.positions()[self.turn]
    }

    /// Gives an answer to the reader. Returns whether the reader is still there.
    fn answer(&self, is_during_search: bool, content: Content) -> bool {
        let id = self.query.id.clone();
        let mut sink = self.sink.lock();
        (*sink)(Answer { id, turn_number: self.turn, is_during_search, content })
    }

    fn analysis(&self, report: Option<&Report>) -> Content {
        // Distances do not change during a search, but each answer is complete by itself.
        Content::Analysis(Box::new(PositionAnswer::new(&self.position(), report, &self.query.answer)))
    }
}

impl SearchJob for QueryJob {
    type Engine = QueryEngine;
    type Outcome = Content;

    fn ponder(QueryEngine { engine, query, .. }: &mut QueryEngine, stop: StopHandle) -> bool {
        let limits = Limits { stop, ..Limits::playouts(SLICE) };
        query.reuse && engine.ponder(&limits).is_some_and(|report| !report.proven) && engine.has_room()
    }

    fn fit(&self, QueryEngine { query, turn, .. }: &QueryEngine) -> Option<usize> {
        let (ours, known) = (&self.query.game, &query.game);
        let fits = self.query.reuse
            && query.engine.parameters == self.query.engine.parameters
            && query.engine.margin == self.query.engine.margin
            && known.start() == ours.start()
            && ours.plies()[..self.turn].starts_with(&known.plies()[..*turn]);
        fits.then_some(*turn)
    }

    /// Searches with the engine that fits, moved forward, or with a new one, whose result depends on no
    /// earlier query.
    fn run(&self, kept: Option<QueryEngine>, stop: StopHandle) -> (QueryEngine, Content) {
        let mut engine = match kept {
            Some(QueryEngine { mut engine, turn, .. }) => {
                self.query.game.plies()[turn..self.turn]
                    .iter()
                    .for_each(|ply| engine.advance_unchecked(ply.full));
                engine
            }
            None => Engine::new(&self.query.engine, &self.position()),
        };
        let limits = Limits { stopwatch: Stopwatch::wall(), stop, ..self.query.limits };
        let mut tell = |report: &Report| {
            if !self.answer(true, self.analysis(Some(report))) {
                limits.stop.stop();
            }
        };
        let every = self.query.report_every.unwrap_or(Duration::MAX);
        let report = engine.search_watched(&limits, &mut Watch::new(every, &mut tell));
        let answer = self.analysis(report.as_ref());
        (QueryEngine { engine, query: Arc::clone(&self.query), turn: self.turn }, answer)
    }

    fn finish(self, outcome: Option<Content>) {
        self.answer(false, outcome.unwrap_or(Content::Nothing { no_results: true }));
    }
}

#[cfg(test)]
mod tests;
