//! Threads that search, the jobs that wait for them, and the engines that wait between two jobs.
//!
//! The analysis engine and the page search queries with an [`EnginePool`].
//! All state is behind one lock, which no thread holds while it searches. With nothing to do the
//! pool ponders, if it was asked to: it searches on with idle engines, in turn and in short slices,
//! until a job comes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::search::StopHandle;

/// Names the jobs of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// One search, and the listener for its result.
pub(crate) trait SearchJob: Send + 'static {
    /// An engine that a pool keeps between two jobs, with what it knows.
    type Engine: Send + 'static;
    type Outcome;

    /// Searches on for a short while, unless stopped. Returns false if no more is to be found for a later
    /// job.
    fn ponder(engine: &mut Self::Engine, stop: StopHandle) -> bool;

    /// The part of this job's tree that the engine already has; `None` if the job must not use it.
    fn fit(&self, engine: &Self::Engine) -> Option<usize>;

    /// Searches with the engine that fits best, or with a new one, until stopped. Returns the engine.
    fn run(&self, kept: Option<Self::Engine>, stop: StopHandle) -> (Self::Engine, Self::Outcome);

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
    slices: u32,
}

struct PoolState<J: SearchJob> {
    /// Higher priority first, then in order of arrival.
    waiting: BTreeMap<(Reverse<i64>, u64), (Ticket, J)>,
    running: BTreeMap<u64, (Ticket, StopHandle)>,
    idle: Vec<IdleEngine<J::Engine>>,
    /// Engines that ponder, by the number of their last job.
    pondering: BTreeMap<u64, StopHandle>,
    /// Slices that the engines have pondered.
    pondered: u64,
    /// The last number of a ticket or a job.
    numbers: u64,
    engines: usize,
    /// True if no more jobs will come.
    closed: bool,
}

struct IdleEngine<E> {
    engine: E,
    /// The number of its last job: larger is later.
    used: u64,
    /// Slices that it may still ponder before its next job.
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
            engines: engines.max(threads),
            closed: false,
        });
        let shared = Arc::new(PoolShared { state, changed: Condvar::new(), slices });
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

    /// Drops the engines that no job uses. One that ponders stays until it is idle.
    pub(crate) fn clear(&self) {
        let idle = std::mem::take(&mut self.shared.state.lock().idle);
        drop(idle);
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
        let running = state.running.values().filter(|(ticket, _)| matches(*ticket));
        running.for_each(|(_, stop)| stop.stop());
        drop(state);
        for job in waiting {
            finish(job, None);
        }
    }

    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            // An engine that ponders returns soon, and is most likely the one that the job needs.
            if state.pondering.is_empty()
                && let Some((number, ticket, job)) = state.next_job()
            {
                let (kept, evicted) = state.take(&job);
                let stop = StopHandle::default();
                state.running.insert(number, (ticket, stop.clone()));
                MutexGuard::unlocked(&mut state, || {
                    // The job makes a new engine, so the old one's memory goes first.
                    drop(evicted);
                    self.run(number, job, kept, stop);
                });
            } else if state.closed && state.waiting.is_empty() {
                return;
            } else if let Some((idle, stop)) = state.next_to_ponder() {
                MutexGuard::unlocked(&mut state, || self.ponder(idle, stop));
            } else {
                self.changed.wait(&mut state);
            }
        }
    }

    fn run(&self, number: u64, job: J, kept: Option<J::Engine>, stop: StopHandle) {
        let searched = catch_unwind(AssertUnwindSafe(|| job.run(kept, stop)));
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

    fn ponder(&self, mut idle: IdleEngine<J::Engine>, stop: StopHandle) {
        let used = idle.used;
        let slice = catch_unwind(AssertUnwindSafe(|| {
            let slices = if J::ponder(&mut idle.engine, stop) { idle.slices - 1 } else { 0 };
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

impl<J: SearchJob> PoolState<J> {
    fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn stop_pondering(&self) {
        self.pondering.values().for_each(StopHandle::stop);
    }

    /// True if a new engine takes the place of an idle one.
    fn is_full(&self) -> bool {
        self.running.len() + self.idle.len() >= self.engines
    }

    /// Takes the job that is next.
    ///
    /// If that would drop an engine, jobs of the same ticket that an idle engine fits go first.
    /// Otherwise, with one match more than engines, every match would lose its tree in turn.
    fn next_job(&mut self) -> Option<(u64, Ticket, J)> {
        let (&first, (ticket, job)) = self.waiting.first_key_value()?;
        let fits = |job: &J| self.idle.iter().any(|idle| job.fit(&idle.engine).is_some());
        let place = if self.is_full() && !fits(job) {
            let mut others = self.waiting.iter().filter(|(_, (other, job))| other == ticket && fits(job));
            others.next().map_or(first, |(&place, _)| place)
        } else {
            first
        };
        let (ticket, job) = self.waiting.remove(&place)?;
        Some((place.1, ticket, job))
    }

    /// The engine that fits a job best. If none fits and the pool is full, the engine to drop: the
    /// one unused for the longest time.
    fn take(&mut self, job: &J) -> (Option<J::Engine>, Option<J::Engine>) {
        let fits = self.idle.iter().enumerate();
        let best = fits.filter_map(|(index, idle)| Some((job.fit(&idle.engine)?, idle.used, index))).max();
        if let Some((_, _, index)) = best {
            return (Some(self.idle.swap_remove(index).engine), None);
        }
        let full = self.is_full();
        let oldest = (0..self.idle.len()).min_by_key(|&index| self.idle[index].used).filter(|_| full);
        (None, oldest.map(|index| self.idle.swap_remove(index).engine))
    }

    /// The engine to ponder with, while no job runs or waits: the one with most slices left, and of
    /// equals the one last used.
    fn next_to_ponder(&mut self) -> Option<(IdleEngine<J::Engine>, StopHandle)> {
        if self.closed || !self.running.is_empty() || !self.waiting.is_empty() {
            return None;
        }
        let ponders = self.idle.iter().enumerate().filter(|(_, idle)| idle.slices > 0);
        let (index, idle) = ponders.max_by_key(|(_, idle)| (idle.slices, idle.used))?;
        let stop = StopHandle::default();
        self.pondering.insert(idle.used, stop.clone());
        Some((self.idle.swap_remove(index), stop))
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
