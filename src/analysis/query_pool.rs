//! Searches queries, several at once and by priority, and terminates them on request.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::answer::Analysis;
use super::query::Query;
pub use crate::engine_pool::Ticket;
use crate::engine_pool::{Ended, EnginePool, JobControl, Pondering, PooledEngine, SearchJob};
use crate::game::Position;
use crate::players::EngineOptions;
use crate::search::{Engine, Report, StopHandle, Watch};

/// Playouts of a slice of pondering: a bound in case a stop is missed.
const SLICE: u64 = 1024;

/// Takes the answers to one query, one at a time. Returns whether its reader is still there.
/// Dropped after the last answer.
pub type Sink = Box<dyn FnMut(Value) -> bool + Send>;

/// Queries being searched and waiting.
#[derive(Debug)]
pub struct QueryPool {
    pool: EnginePool<QueryJob>,
    /// Bytes of each search.
    memory: usize,
}

/// One position of a query.
struct QueryJob {
    query: Arc<Query>,
    turn: usize,
    /// The reader of the query's answers.
    sink: Arc<Mutex<Sink>>,
    memory: usize,
}

/// An engine, and the position of a query that its tree belongs to.
struct QueryEngine {
    engine: Engine,
    query: Arc<Query>,
    turn: usize,
}

impl QueryPool {
    /// A pool that searches `workers` positions at a time, each in at most `memory` bytes.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn new(workers: usize, memory: usize) -> io::Result<QueryPool> {
        Ok(QueryPool { pool: EnginePool::new(workers, workers, Pondering::Off)?, memory })
    }

    /// The same pool, but one that ponders while no query is open.
    ///
    /// It searches on in the tree of the last query with `reuse`. A later query about this
    /// position, or about a later one of the game, finds these visits.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn pondering(workers: usize, memory: usize) -> io::Result<QueryPool> {
        Ok(QueryPool { pool: EnginePool::new(workers, workers, Pondering::LastUsed)?, memory })
    }

    /// A name for a query that is about to be submitted: an answer may come before
    /// [`QueryPool::submit`] returns.
    #[must_use]
    pub fn ticket(&self) -> Ticket {
        self.pool.ticket()
    }

    /// Adds a query. Each of its turns is answered once with `searching` false, or as terminated.
    pub fn submit(&self, ticket: Ticket, query: Query, sink: Sink) {
        let (query, sink) = (Arc::new(query), Arc::new(Mutex::new(sink)));
        let job = |&turn| {
            let (query, sink) = (Arc::clone(&query), Arc::clone(&sink));
            QueryJob { query, turn, sink, memory: self.memory }
        };
        let jobs: Vec<QueryJob> = query.turns.iter().map(job).collect();
        self.pool.submit(ticket, query.priority, jobs);
    }

    /// Ends a query: a position being searched is answered with the result so far, a waiting one as
    /// terminated.
    pub fn terminate(&self, ticket: Ticket) {
        self.pool.terminate(ticket);
    }

    /// Ends every query.
    pub fn terminate_all(&self) {
        self.pool.terminate_all();
    }

    /// Waits until every query is answered.
    pub fn finish(self) {
        self.pool.finish();
    }
}

impl QueryJob {
    fn position(&self) -> Position {
        self.query.game.position_after(self.turn)
    }

    /// An answer to this position. Returns whether its reader is still there.
    fn answer(&self, mut answer: Value) -> bool {
        answer["id"] = self.query.id.as_str().into();
        answer["turn"] = self.turn.into();
        answer["turnNumber"] = self.turn.into();
        let mut sink = self.sink.lock();
        (*sink)(answer)
    }

    fn analysis(&self, report: Option<&Report>) -> Value {
        // Distances do not change during a search, but each answer is complete by itself.
        let Query { territory, listed, .. } = &*self.query;
        Analysis { position: &self.position(), report, territory: *territory, listed }.json()
    }

    /// An engine that is about to search this position: the one that fits, moved forward, or a new
    /// one, whose result depends on no earlier query.
    fn ready(&self, kept: Option<QueryEngine>) -> QueryEngine {
        let engine = match kept {
            Some(QueryEngine { mut engine, turn, .. }) => {
                self.query.game.plies()[turn..self.turn].iter().for_each(|ply| engine.advance(ply.full));
                engine
            }
            None => {
                let options = EngineOptions { memory: self.memory, ..self.query.engine.clone() };
                Engine::new(&options, &self.position())
            }
        };
        QueryEngine { engine, query: Arc::clone(&self.query), turn: self.turn }
    }
}

impl SearchJob for QueryJob {
    type Engine = QueryEngine;
    type Outcome = Value;

    fn fit(&self, QueryEngine { query, turn, .. }: &QueryEngine) -> Option<usize> {
        let (ours, known) = (&self.query.game, &query.game);
        let fits = self.query.reuse
            && query.engine.searches_like(&self.query.engine)
            && known.start() == ours.start()
            && ours.plies()[..self.turn].starts_with(&known.plies()[..*turn]);
        fits.then_some(*turn)
    }

    fn run(
        &self,
        engine: Option<QueryEngine>,
        control: &JobControl<'_, QueryJob>,
    ) -> (Option<QueryEngine>, Value) {
        if self.position().winner().is_some() {
            return (engine, self.analysis(None));
        }
        let mut engine = self.ready(engine);
        control.begin(&engine.engine.stop_handle());
        let mut tell = |report: &Report| {
            if !self.answer(self.analysis(Some(report))) {
                control.terminate();
            }
        };
        let mut watch = match self.query.report_every {
            Some(every) => Watch::new(every, &mut tell),
            None => Watch::none(),
        };
        let report = engine.engine.search_watched(&self.query.limits.limits(), &mut watch);
        (Some(engine), self.analysis(report.as_ref()))
    }

    fn finish(self, ended: Ended<Value>) -> bool {
        match ended {
            Ended::Done(answer) => self.answer(answer),
            // A panic has been reported on standard error.
            Ended::Terminated | Ended::Panicked(_) => self.answer(json!({"terminated": true})),
        }
    }
}

impl PooledEngine for QueryEngine {
    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.engine.stop_handle())
    }

    fn may_ponder(&self) -> bool {
        self.query.reuse
    }

    fn ponder(&mut self) -> Option<u64> {
        let report = self.engine.ponder(SLICE)?;
        (!report.proven && self.engine.has_room()).then_some(report.playouts)
    }
}

#[cfg(test)]
mod tests;
