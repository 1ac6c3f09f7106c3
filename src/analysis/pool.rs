//! A pool of threads that search positions of queries. The pool keeps engines between searches.
//!
//! One lock protects the state of the pool. No thread holds the lock while it searches.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::{fmt, io};

use parking_lot::{Condvar, Mutex, MutexGuard};
use quiver_engine::search::StopHandle;

use super::answer::{Answer, Content};
use super::query::Query;
use super::search::{KeptEngine, search_turn};

/// A function that receives the answers to one query, one at a time. If the function returns false,
/// the search that gave the answer ends. The pool drops the function after the last answer.
pub(crate) type Sink = Box<dyn FnMut(Answer) -> bool + Send>;

/// Identifies the search of one position of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// Threads that search queries. While no query runs or waits, the pool can ponder: it continues the
/// finished searches of queries with `reuse`. A later query about the same position, or about a
/// later position of the same game, then starts with the visits of the continued search.
pub struct QueryPool {
    shared: Arc<PoolShared>,
    threads: Vec<JoinHandle<()>>,
}

struct PoolShared {
    state: Mutex<PoolState>,
    /// Signalled when a job arrives, when a job ends, and when the pool closes.
    changed: Condvar,
    /// The number of slices of `SLICE_PLAYOUTS` playouts that an engine may ponder after a search.
    slices_per_search: u32,
}

#[derive(Default)]
struct PoolState {
    /// The waiting jobs, highest priority first, and equal priorities in order of arrival.
    waiting: BTreeMap<(Reverse<i64>, Ticket), QueryJob>,
    running: BTreeMap<Ticket, StopHandle>,
    idle: Vec<IdleEngine>,
    /// The stop signal of each pondering engine, by the ticket of the engine's last job.
    pondering: BTreeMap<Ticket, StopHandle>,
    /// The number of slices of playouts that all engines have pondered so far.
    pondered: u64,
    /// The number of jobs that have arrived.
    jobs: u64,
    /// The largest number of engines that may exist, including those of running jobs.
    engines: usize,
    closed: bool,
}

struct QueryJob {
    query: Arc<Query>,
    turn_number: usize,
    sink: Arc<Mutex<Sink>>,
}

struct IdleEngine {
    engine: KeptEngine,
    /// The ticket of the engine's last job.
    used: Ticket,
    /// The number of slices of playouts that the engine may still ponder before its next job.
    slices_left: u32,
}

impl QueryPool {
    /// Creates a pool with `threads` threads and at most `threads` engines. After a search, an
    /// engine ponders at most `slices_per_search` slices of 1,024 playouts, in turn with other
    /// engines.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn new(threads: usize, slices_per_search: u32) -> io::Result<QueryPool> {
        let threads = threads.max(1);
        let state = Mutex::new(PoolState { engines: threads, ..PoolState::default() });
        let shared = Arc::new(PoolShared { state, changed: Condvar::new(), slices_per_search });
        let mut pool = QueryPool { shared, threads: Vec::new() };
        for index in 0..threads {
            let shared = Arc::clone(&pool.shared);
            let thread = thread::Builder::new().name(format!("search-{index}"));
            pool.threads.push(thread.spawn(move || shared.work())?);
        }
        Ok(pool)
    }

    /// Adds a query. For each position to search, returns the number of moves before the position
    /// and a ticket. `sink` may get even the last answer before this function returns.
    pub fn search(&self, query: Query, sink: Box<dyn FnMut(Answer) -> bool + Send>) -> Vec<(usize, Ticket)> {
        let (query, sink) = (Arc::new(query), Arc::new(Mutex::new(sink)));
        let mut state = self.shared.state.lock();
        let submit = |&turn_number: &usize| {
            state.jobs += 1;
            let job = QueryJob { query: Arc::clone(&query), turn_number, sink: Arc::clone(&sink) };
            let ticket = Ticket(state.jobs);
            state.waiting.insert((Reverse(query.priority), ticket), job);
            (turn_number, ticket)
        };
        let tickets = query.turns.iter().map(submit).collect();
        state.stop_pondering();
        self.shared.changed.notify_all();
        tickets
    }

    /// Ends the search that `ticket` names. If the search still waits, it does not begin.
    pub fn terminate(&self, ticket: Ticket) {
        self.shared.terminate(|other| other == ticket);
    }

    /// Drops the engines that neither search nor ponder.
    pub fn drop_idle_engines(&self) {
        self.shared.state.lock().idle.clear();
    }

    /// Waits for all running and waiting searches, and ends the threads.
    pub fn finish(mut self) {
        self.close();
    }

    fn close(&mut self) {
        let mut state = self.shared.state.lock();
        state.closed = true;
        state.stop_pondering();
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // Rust has already reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

/// Ends every search and waits for the threads.
impl Drop for QueryPool {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.shared.terminate(|_| true);
            self.close();
        }
    }
}

impl fmt::Debug for QueryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryPool").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl PoolShared {
    fn terminate(&self, matches: impl Fn(Ticket) -> bool) {
        let mut state = self.state.lock();
        let waiting = state.waiting.extract_if(.., |(_, ticket), _| matches(*ticket));
        let waiting: Vec<QueryJob> = waiting.map(|(_, job)| job).collect();
        let running = state.running.iter().filter(|(ticket, _)| matches(**ticket));
        running.for_each(|(_, stop)| stop.stop());
        drop(state);
        waiting.into_iter().for_each(|job| job.finish(None));
    }

    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            // A job waits until no engine ponders, because it most likely needs the tree or the
            // memory of a pondering engine.
            if state.pondering.is_empty()
                && let Some(((_, ticket), job)) = state.waiting.pop_first()
            {
                let kept = state.take_reusable_engine(&job);
                let stop = StopHandle::default();
                state.running.insert(ticket, stop.clone());
                MutexGuard::unlocked(&mut state, || self.run(ticket, job, kept, stop));
            } else if state.closed && state.waiting.is_empty() {
                return;
            } else if let Some((idle, stop)) = state.next_to_ponder() {
                MutexGuard::unlocked(&mut state, || self.ponder(idle, stop));
            } else {
                self.changed.wait(&mut state);
            }
        }
    }

    fn run(&self, ticket: Ticket, job: QueryJob, kept: Option<KeptEngine>, stop: StopHandle) {
        let search =
            || search_turn(&job.query, job.turn_number, kept, stop, &mut |answer| job.answer(answer));
        // An engine whose search panicked is dropped, because its state is unknown.
        let (answer, engine) = catch_unwind(AssertUnwindSafe(search)).ok().unzip();
        // The engine returns to the pool before the last answer is passed on, because the caller
        // may submit the next query at once.
        let mut state = self.state.lock();
        state.running.remove(&ticket);
        let idle =
            engine.map(|engine| IdleEngine { engine, used: ticket, slices_left: self.slices_per_search });
        state.idle.extend(idle);
        drop(state);
        self.changed.notify_all();
        job.finish(answer);
    }

    fn ponder(&self, mut idle: IdleEngine, stop: StopHandle) {
        let used = idle.used;
        let slice = catch_unwind(AssertUnwindSafe(|| {
            let slices_left = if idle.engine.ponder(stop) { idle.slices_left - 1 } else { 0 };
            IdleEngine { slices_left, ..idle }
        }));
        let mut state = self.state.lock();
        state.pondering.remove(&used);
        state.pondered += 1;
        // If pondering panicked, the engine is dropped.
        state.idle.extend(slice.ok());
        drop(state);
        self.changed.notify_all();
    }
}

impl PoolState {
    fn stop_pondering(&self) {
        self.pondering.values().for_each(StopHandle::stop);
    }

    /// Takes the idle engine whose tree fits a job best: see [`KeptEngine::reusable_plies`]. If no
    /// tree fits and the pool is full, drops the engine that was unused for the longest time, to
    /// free its memory for a new engine.
    fn take_reusable_engine(&mut self, job: &QueryJob) -> Option<KeptEngine> {
        let reusable = |(index, idle): (usize, &IdleEngine)| {
            Some((idle.engine.reusable_plies(&job.query, job.turn_number)?, idle.used, index))
        };
        if let Some((_, _, index)) = self.idle.iter().enumerate().filter_map(reusable).max() {
            return Some(self.idle.swap_remove(index).engine);
        }
        let is_full = self.running.len() + self.idle.len() >= self.engines;
        let oldest = (0..self.idle.len()).min_by_key(|&index| self.idle[index].used).filter(|_| is_full);
        oldest.map(|index| self.idle.swap_remove(index));
        None
    }

    /// Takes the engine that ponders next, if no job runs or waits. The engine with the most slices
    /// left is next. Of several such engines, the engine whose last job arrived latest is next.
    fn next_to_ponder(&mut self) -> Option<(IdleEngine, StopHandle)> {
        if self.closed || !self.running.is_empty() || !self.waiting.is_empty() {
            return None;
        }
        let ponders = self.idle.iter().enumerate().filter(|(_, idle)| idle.slices_left > 0);
        let (index, idle) = ponders.max_by_key(|(_, idle)| (idle.slices_left, idle.used))?;
        let stop = StopHandle::default();
        self.pondering.insert(idle.used, stop.clone());
        Some((self.idle.swap_remove(index), stop))
    }
}

impl QueryJob {
    fn answer(&self, answer: Answer) -> bool {
        let mut sink = self.sink.lock();
        (*sink)(answer)
    }

    /// Passes the last answer to the query's sink. `None` means that the search was terminated
    /// before it began, or panicked. A panic in the sink does not end the thread.
    fn finish(self, answer: Option<Answer>) {
        let answer = answer.unwrap_or_else(|| Answer {
            id: self.query.id.clone(),
            turn_number: self.turn_number,
            is_during_search: false,
            content: Content::Nothing { no_results: true },
        });
        let _ = catch_unwind(AssertUnwindSafe(|| self.answer(answer)));
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
