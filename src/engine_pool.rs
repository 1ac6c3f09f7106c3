//! Threads that search, the jobs that wait for them, and the engines that wait between two jobs.
//!
//! The analysis engine and the page search queries with an [`EnginePool`], local AI its matches.
//! All state is behind one lock, which no thread holds while it searches. With nothing to do the
//! pool ponders, if it was asked to: it searches on with idle engines, in turn and in short slices,
//! until a job comes.

mod schedule;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::search::StopHandle;
use schedule::{IdleEngine, PoolState, RunningJob};

/// Names the jobs of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// One search, and the listener for its result.
pub(crate) trait SearchJob: Send + 'static {
    /// An engine that a pool keeps between two jobs, with what it knows.
    type Engine: Send + 'static;
    type Outcome;

    /// The handle that ends searches of an engine; `None` if it answers at once and never ponders.
    fn stop_handle(engine: &Self::Engine) -> Option<StopHandle>;

    /// Searches on for a short while. Returns false if no more is to be found for a later job.
    fn ponder(engine: &mut Self::Engine) -> bool;

    /// The part of this job's tree that the engine already has; `None` if the job must not use it.
    fn fit(&self, engine: &Self::Engine) -> Option<usize>;

    /// The engine that is to search: the one that fits best, made ready, or a new one.
    fn engine(&self, kept: Option<Self::Engine>) -> Self::Engine;

    fn run(&self, engine: &mut Self::Engine) -> Self::Outcome;

    /// Gives the result to the job's listener, after the engine is back in the pool. A stopped search
    /// has a result too; `None` if the job was terminated before a thread took it, or panicked.
    fn finish(self, outcome: Option<Self::Outcome>);
}

pub(crate) struct EnginePool<J: SearchJob> {
    shared: Arc<PoolShared<J>>,
    threads: Vec<JoinHandle<()>>,
}

struct PoolShared<J: SearchJob> {
    state: Mutex<PoolState<J>>,
    /// Signalled when a job comes, when one ends, and when no more will come.
    changed: Condvar,
    engines: usize,
    slices: u32,
}

impl<J: SearchJob> EnginePool<J> {
    /// A pool that runs `threads` jobs at a time and has at most `engines` engines. After a job an
    /// engine ponders for at most this many slices, in turn with the others.
    pub(crate) fn new(threads: usize, engines: usize, slices: u32) -> io::Result<EnginePool<J>> {
        let threads = threads.max(1);
        let state = Mutex::new(PoolState {
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            idle: Vec::new(),
            pondering: BTreeMap::new(),
            pondered: 0,
            numbers: 0,
            closed: false,
        });
        let engines = engines.max(threads);
        let shared = Arc::new(PoolShared { state, changed: Condvar::new(), engines, slices });
        let mut pool = EnginePool { shared, threads: Vec::new() };
        for index in 0..threads {
            let shared = Arc::clone(&pool.shared);
            let thread = thread::Builder::new().name(format!("search-{index}"));
            pool.threads.push(thread.spawn(move || shared.work())?);
        }
        Ok(pool)
    }

    /// Adds the jobs of one request; they may end before this returns. A higher priority runs first.
    /// Each job ends by one [`SearchJob::finish`].
    pub(crate) fn submit(&self, priority: i64, jobs: impl IntoIterator<Item = J>) -> Ticket {
        let mut state = self.shared.state.lock();
        let ticket = Ticket(state.next_number());
        for job in jobs {
            let place = (Reverse(priority), state.next_number());
            state.waiting.insert(place, (ticket, job));
        }
        state.stop_pondering();
        self.shared.changed.notify_all();
        ticket
    }

    /// Ends the jobs of a ticket: running searches stop, waiting jobs do not begin.
    pub(crate) fn terminate(&self, ticket: Ticket) {
        self.shared.terminate(|other| other == ticket);
    }

    pub(crate) fn terminate_all(&self) {
        self.shared.terminate(|_| true);
    }

    /// Drops the idle engines but these. One that searches or ponders is idle at a later call.
    pub(crate) fn keep(&self, wanted: impl Fn(&J::Engine) -> bool) {
        let mut state = self.shared.state.lock();
        let unwanted: Vec<_> = state.idle.extract_if(.., |idle| !wanted(&idle.engine)).collect();
        drop(state);
        drop(unwanted);
    }

    pub(crate) fn finish(mut self) {
        self.close();
    }

    fn close(&mut self) {
        let mut state = self.shared.state.lock();
        state.closed = true;
        state.stop_pondering();
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic has been reported on standard error.
            let _ = thread.join();
        }
    }
}

/// Ends every job and waits for the threads.
impl<J: SearchJob> Drop for EnginePool<J> {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.terminate_all();
            self.close();
        }
    }
}

impl<J: SearchJob> PoolShared<J> {
    fn terminate(&self, matches: impl Fn(Ticket) -> bool) {
        let mut state = self.state.lock();
        let waiting: Vec<J> = state
            .waiting
            .extract_if(.., |_, (ticket, _)| matches(*ticket))
            .map(|(_, (_, job))| job)
            .collect();
        for running in state.running.values_mut().filter(|running| matches(running.ticket)) {
            running.stopped = true;
            if let Some(handle) = &running.handle {
                handle.stop();
            }
        }
        drop(state);
        for job in waiting {
            finish(job, None);
        }
    }

    /// Makes the search of a job stoppable. It ends at once if the ticket has already been
    /// terminated.
    fn begin(&self, number: u64, handle: StopHandle) {
        handle.reset();
        if let Some(running) = self.state.lock().running.get_mut(&number) {
            if running.stopped {
                handle.stop();
            }
            running.handle = Some(handle);
        }
    }

    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            // An engine that ponders returns soon, and is most likely the one that the job needs.
            if state.pondering.is_empty()
                && let Some((number, ticket, job)) = state.next_job(self.engines)
            {
                let full = state.running.len() + state.idle.len() >= self.engines;
                state.running.insert(number, RunningJob { ticket, handle: None, stopped: false });
                let (engine, evicted) = state.take(&job, full);
                MutexGuard::unlocked(&mut state, || {
                    // The job makes a new engine, so the old one's memory goes first.
                    drop(evicted);
                    self.run(number, job, engine);
                });
            } else if state.closed && state.waiting.is_empty() {
                return;
            } else if let Some(idle) = state.next_to_ponder() {
                MutexGuard::unlocked(&mut state, || self.ponder(idle));
            } else {
                self.changed.wait(&mut state);
            }
        }
    }

    fn run(&self, number: u64, job: J, engine: Option<J::Engine>) {
        let searched = catch_unwind(AssertUnwindSafe(|| {
            let mut engine = job.engine(engine);
            if let Some(handle) = J::stop_handle(&engine) {
                self.begin(number, handle);
            }
            let outcome = job.run(&mut engine);
            (engine, outcome)
        }));
        // An engine whose job panicked is dropped, because its state is unknown. The panic has been
        // reported on standard error.
        let (engine, outcome) = searched.ok().unzip();
        // The engine returns to the pool before the listener gets the result, because the listener
        // may submit the next job at once.
        let mut state = self.state.lock();
        state.running.remove(&number);
        state.idle.extend(engine.map(|engine| IdleEngine { engine, used: number, slices: self.slices }));
        drop(state);
        self.changed.notify_all();
        finish(job, outcome);
    }

    fn ponder(&self, mut idle: IdleEngine<J::Engine>) {
        let used = idle.used;
        let slice = catch_unwind(AssertUnwindSafe(|| {
            let slices = if J::ponder(&mut idle.engine) { idle.slices - 1 } else { 0 };
            IdleEngine { slices, ..idle }
        }));
        let mut state = self.state.lock();
        state.pondering.remove(&used);
        state.pondered += 1;
        // An engine that panicked is lost; the panic has been reported on standard error.
        state.idle.extend(slice.ok());
        drop(state);
        self.changed.notify_all();
    }
}

/// Hands a result to its listener. A listener that panics is gone, and the thread goes on.
fn finish<J: SearchJob>(job: J, outcome: Option<J::Outcome>) {
    let _ = catch_unwind(AssertUnwindSafe(|| job.finish(outcome)));
}

/// Views for the tests of the pool, which `analysis::query_pool` has.
#[cfg(test)]
impl<J: SearchJob> EnginePool<J> {
    /// The slices that the engines have pondered.
    pub(crate) fn pondered(&self) -> u64 {
        self.shared.state.lock().pondered
    }

    pub(crate) fn is_pondering(&self) -> bool {
        !self.shared.state.lock().pondering.is_empty()
    }
}
