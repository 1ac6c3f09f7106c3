//! The threads that help with a search and wait between searches.
//!
//! The thread that asks for a search is the first worker, which checks all conditions that end the
//! search. The other workers run playouts in the same tree until the search ends or the root is
//! proven. They also check the stop handle, the hard time bound and the tree's memory, because the
//! first worker may wait long for a core. Between searches only the engine holds the `Arc` of the
//! tree, so the tree needs no lock.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use crossbeam_utils::CachePadded;

use super::arena::{AtomicBool, AtomicU32, AtomicU64, Ordering, Proof};
use super::limits::Limits;
use super::worker::{SearchContext, Worker};

/// The state of one search that its workers share. Fields that workers write have their own cache
/// lines to avoid false sharing. `is_over` is read before every playout and written only once.
///
/// All atomic accesses are relaxed, because they publish no data. The engine sees every change to
/// the tree because each worker returns through a channel, which synchronises the threads.
#[derive(Debug)]
pub(super) struct SharedSearch {
    context: SearchContext,
    limits: Limits,
    /// The time on the stopwatch at which the search must end.
    deadline: Option<Duration>,
    max_playouts: u64,
    is_over: CachePadded<AtomicBool>,
    playouts_begun: CachePadded<AtomicU64>,
    deepest_level: CachePadded<AtomicU32>,
}

impl SharedSearch {
    /// A new search, or the part of a search after a pause to prune the tree. The last argument has
    /// the initial values of the [counters](Self::counters).
    pub(super) fn new(
        context: SearchContext,
        limits: Limits,
        deadline: Option<Duration>,
        [begun, level]: [u64; 2],
    ) -> Arc<Self> {
        Arc::new(SharedSearch {
            context,
            max_playouts: limits.playouts.unwrap_or(u64::MAX),
            limits,
            deadline,
            is_over: CachePadded::new(AtomicBool::new(false)),
            playouts_begun: CachePadded::new(AtomicU64::new(begun)),
            deepest_level: CachePadded::new(AtomicU32::new(level as u32)),
        })
    }

    /// The number of playouts begun, and the level of the deepest descent.
    pub(super) fn counters(&self) -> [u64; 2] {
        [self.playouts_begun.load(Ordering::Relaxed), self.deepest_level().into()]
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Ends the search if the stop handle was used, the deadline has passed or the tree should be
    /// pruned. `count` is the worker's number of playouts.
    fn end_if_due(&self, count: u64) {
        let is_due = || self.limits.is_past(self.deadline) || self.should_prune(self.deadline);
        if self.limits.stop.is_stopped() || (count.is_multiple_of(PLAYOUTS_PER_POOL_CHECK) && is_due()) {
            self.end();
        }
    }

    /// True if the tree is full, and enough time is left to prune it before this hard time bound.
    pub(super) fn should_prune(&self, bound: Option<Duration>) -> bool {
        let arena = &self.context.tree.arena;
        let is_short = |bound: Duration| bound.saturating_sub(self.limits.elapsed()) < arena.longest_prune();
        arena.is_full() && !bound.is_some_and(is_short)
    }

    pub(super) fn has_playouts_left(&self) -> bool {
        self.playouts_begun.load(Ordering::Relaxed) < self.max_playouts
    }

    /// The depth of the deepest descent, in levels of the tree. A ply has two levels.
    pub(super) fn deepest_level(&self) -> u32 {
        self.deepest_level.load(Ordering::Relaxed)
    }

    /// Runs a playout. If all playouts that the limit allows have begun, returns false instead.
    #[inline]
    pub(super) fn try_playout(&self, worker: &mut Worker) -> bool {
        if self.context.access.add(&self.playouts_begun, 1) >= self.max_playouts {
            return false;
        }
        let levels = worker.playout(&self.context) as u32;
        if levels > self.deepest_level() {
            self.deepest_level.fetch_max(levels, Ordering::Relaxed);
        }
        true
    }
}

/// The number of playouts between a pool worker's checks of the clock and of the tree's memory. 64
/// playouts take some milliseconds.
const PLAYOUTS_PER_POOL_CHECK: u64 = 64;

/// The stack size of a search thread in bytes. It equals the stack size of Rust's test threads, in
/// which even debug builds with their large stack frames can search.
const STACK_BYTES: usize = 2 << 20;

#[derive(Debug)]
pub(super) struct Pool(Vec<WorkerSlot>);

#[derive(Debug)]
struct WorkerSlot {
    /// The worker; `None` while its thread uses it.
    worker: Option<Box<Worker>>,
    /// Sends searches to the thread. The thread ends when this sender is dropped.
    tasks: Sender<SearchTask>,
    /// Receives the worker after a search; closed if the thread has panicked.
    done: Receiver<Box<Worker>>,
}

type SearchTask = (Box<Worker>, Arc<SharedSearch>);

impl Pool {
    /// Starts a thread for each of these workers, or for as many as the system allows.
    pub(super) fn new(workers: impl IntoIterator<Item = Worker>) -> Pool {
        let mut slots = Vec::new();
        for worker in workers {
            let (tasks, theirs) = bounded(1);
            let (give_back, done) = bounded(1);
            let run = move || run_tasks(&theirs, &give_back);
            let thread = thread::Builder::new().name("search".to_owned()).stack_size(STACK_BYTES);
            if thread.spawn(run).is_err() {
                break;
            }
            slots.push(WorkerSlot { worker: Some(Box::new(worker)), tasks, done });
        }
        Pool(slots)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All workers of the pool; empty during a search.
    pub(super) fn workers(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.0.iter_mut().filter_map(|slot| slot.worker.as_deref_mut())
    }

    pub(super) fn start(&mut self, shared: &Arc<SharedSearch>) {
        for slot in &mut self.0 {
            let Some(worker) = slot.worker.take() else { continue };
            // If the thread has ended, `wait_for_workers` reports the error.
            let _ = slot.tasks.send((worker, Arc::clone(shared)));
        }
    }

    /// Waits until all workers have finished their current playout.
    ///
    /// # Panics
    /// If a worker has panicked.
    pub(super) fn wait_for_workers(&mut self) {
        for slot in &mut self.0 {
            slot.worker = Some(slot.done.recv().expect("a search thread has panicked, as reported above"));
        }
    }
}

fn run_tasks(tasks: &Receiver<SearchTask>, done: &Sender<Box<Worker>>) {
    for (mut worker, shared) in tasks {
        // A root that is proven lost has no edge for a playout.
        let goes_on = || !shared.is_over() && shared.context.tree.root_proof() == Proof::Unknown;
        for count in 1.. {
            if !goes_on() || !shared.try_playout(&mut worker) {
                break;
            }
            shared.end_if_due(count);
        }
        // Drops `shared` before the worker returns, so that only the engine holds the tree.
        drop(shared);
        if done.send(worker).is_err() {
            return;
        }
    }
}
