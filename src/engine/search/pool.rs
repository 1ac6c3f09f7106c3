//! Threads that help with a search and sleep between searches.
//!
//! The thread that asks for a search is the first worker, which checks all conditions that end it. The
//! other workers make playouts in the same tree until the search ends or the root is proven. They also
//! look at the stop handle and the hard time bound, because with more threads than cores the first
//! worker may wait long for a core. The engine moves each worker to its thread and gets it back at the end. The tree is
//! in an `Arc` that only the engine holds between searches, so it needs no lock.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use crossbeam_utils::CachePadded;

use super::arena::{AtomicBool, AtomicU32, AtomicU64, Ordering, Proof};
use super::limits::Limits;
use super::worker::{SearchContext, Worker};

/// The state of one search that its workers share. Fields that workers write have their own cache
/// lines to avoid false sharing; `is_over` is read before every playout and written once.
///
/// All accesses are relaxed, because they publish nothing. The engine sees what a worker did to the
/// tree, because the worker itself returns through a channel, which synchronises.
#[derive(Debug)]
pub(super) struct SharedSearch {
    context: SearchContext,
    limits: Limits,
    /// The time at which the search must end.
    deadline: Option<Duration>,
    max_playouts: u64,
    is_over: CachePadded<AtomicBool>,
    playouts_begun: CachePadded<AtomicU64>,
    levels: CachePadded<AtomicU32>,
}

impl SharedSearch {
    /// A search by these limits, with `deadline` for the clock of its limits.
    pub(super) fn new(context: SearchContext, limits: Limits, deadline: Option<Duration>) -> Self {
        SharedSearch {
            context,
            max_playouts: limits.playouts.unwrap_or(u64::MAX),
            limits,
            deadline,
            is_over: CachePadded::new(AtomicBool::new(false)),
            playouts_begun: CachePadded::new(AtomicU64::new(0)),
            levels: CachePadded::new(AtomicU32::new(0)),
        }
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Ends the search if it is stopped or late; `count` is the number of playouts of the caller.
    fn end_if_due(&self, count: u64) {
        let is_late = || self.deadline.is_some_and(|deadline| self.limits.elapsed() >= deadline);
        if self.limits.stop.is_stopped() || (count.is_multiple_of(PLAYOUTS_PER_CLOCK) && is_late()) {
            self.end();
        }
    }

    pub(super) fn has_playouts_left(&self) -> bool {
        self.playouts_begun.load(Ordering::Relaxed) < self.max_playouts
    }

    /// The number of levels of the deepest descent, two for each ply.
    pub(super) fn levels(&self) -> u32 {
        self.levels.load(Ordering::Relaxed)
    }

    /// Makes a playout. Returns false if all playouts have begun.
    #[inline]
    pub(super) fn playout(&self, worker: &mut Worker) -> bool {
        if self.context.access.add(&self.playouts_begun, 1) >= self.max_playouts {
            return false;
        }
        let levels = worker.playout(&self.context) as u32;
        if levels > self.levels() {
            self.levels.fetch_max(levels, Ordering::Relaxed);
        }
        true
    }
}

/// The playouts of a helping worker from one look at the clock to the next: some milliseconds.
const PLAYOUTS_PER_CLOCK: u64 = 64;

/// The stack of a search thread, in bytes: twice that of test threads, in which searches of a debug
/// build have the largest frames.
const STACK: usize = 2 << 20;

#[derive(Debug)]
pub(super) struct Pool(Vec<WorkerSlot>);

#[derive(Debug)]
struct WorkerSlot {
    /// `None` during a search.
    worker: Option<Box<Worker>>,
    /// The thread ends when this is dropped.
    tasks: Sender<SearchTask>,
    /// Returns the worker after a search; closed if the thread has panicked.
    done: Receiver<Box<Worker>>,
    thread: JoinHandle<()>,
}

/// A worker and the search that it takes part in.
type SearchTask = (Box<Worker>, Arc<SharedSearch>);

impl Pool {
    /// A thread for each of these workers, or for as many as the system allows.
    pub(super) fn new(workers: impl IntoIterator<Item = Worker>) -> Pool {
        let mut slots = Vec::new();
        for worker in workers {
            let (tasks, theirs) = bounded(1);
            let (give_back, done) = bounded(1);
            let run = move || run_tasks(&theirs, &give_back);
            let thread = thread::Builder::new().name("search".to_owned()).stack_size(STACK).spawn(run);
            let Ok(thread) = thread else { break };
            slots.push(WorkerSlot { worker: Some(Box::new(worker)), tasks, done, thread });
        }
        Pool(slots)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All workers between searches; none during a search.
    pub(super) fn workers(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.0.iter_mut().filter_map(|slot| slot.worker.as_deref_mut())
    }

    pub(super) fn start(&mut self, search: &Arc<SharedSearch>) {
        for slot in &mut self.0 {
            let Some(worker) = slot.worker.take() else { continue };
            // If the thread has ended, `finish` reports it.
            let _ = slot.tasks.send((worker, Arc::clone(search)));
        }
    }

    /// Waits until all workers have finished their current playout.
    ///
    /// # Panics
    /// If a worker has panicked.
    pub(super) fn finish(&mut self) {
        for slot in &mut self.0 {
            slot.worker = Some(slot.done.recv().expect("a search thread has panicked, and has said why"));
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for WorkerSlot { tasks, thread, .. } in self.0.drain(..) {
            drop(tasks);
            // The panic hook has already reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

fn run_tasks(tasks: &Receiver<SearchTask>, done: &Sender<Box<Worker>>) {
    for (mut worker, search) in tasks {
        // A root that is proven lost has no edge for a playout.
        let goes_on = || !search.is_over() && search.context.tree.proof() == Proof::Unknown;
        for count in 1.. {
            if !goes_on() || !search.playout(&mut worker) {
                break;
            }
            search.end_if_due(count);
        }
        // Dropped before the worker returns, so that the engine alone holds the tree.
        drop(search);
        if done.send(worker).is_err() {
            return;
        }
    }
}
