//! Threads that help with a search and sleep between searches.
//!
//! The thread that asks for a search is its first worker and the only one that reads the clock. The
//! others make playouts in the same tree until the first worker ends the search or the root is proven.
//! The engine moves each worker to its thread and gets it back at the end. The tree is in an `Arc`, which the engine
//! alone holds between searches, so that it needs no lock.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use crossbeam_utils::CachePadded;

use super::arena::{AtomicBool, AtomicU32, AtomicU64, Ordering, Proof};
use super::worker::{SearchContext, Worker};

/// One search, as its workers share it. What workers write meanwhile has cache lines of its own,
/// against false sharing; `over` is read before every playout and written once.
///
/// All accesses are relaxed, since nothing is published with them. The engine sees what a worker
/// did to the tree because the worker itself comes back through a channel, which synchronises.
#[derive(Debug)]
pub(super) struct SharedSearch {
    context: SearchContext,
    most: u64,
    over: CachePadded<AtomicBool>,
    begun: CachePadded<AtomicU64>,
    levels: CachePadded<AtomicU32>,
}

impl SharedSearch {
    /// A search of at most `most` playouts.
    pub(super) fn new(context: SearchContext, most: Option<u64>) -> Self {
        SharedSearch {
            context,
            most: most.unwrap_or(u64::MAX),
            over: CachePadded::new(AtomicBool::new(false)),
            begun: CachePadded::new(AtomicU64::new(0)),
            levels: CachePadded::new(AtomicU32::new(0)),
        }
    }

    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_playouts_left(&self) -> bool {
        self.begun.load(Ordering::Relaxed) < self.most
    }

    /// Levels of the deepest descent, two a ply.
    pub(super) fn levels(&self) -> u32 {
        self.levels.load(Ordering::Relaxed)
    }

    /// Makes a playout. Returns false if all have begun.
    #[inline]
    pub(super) fn playout(&self, worker: &mut Worker) -> bool {
        if self.context.access.add(&self.begun, 1) >= self.most {
            return false;
        }
        let levels = worker.playout(&self.context) as u32;
        if levels > self.levels() {
            self.levels.fetch_max(levels, Ordering::Relaxed);
        }
        true
    }
}

/// The stack of a search thread, in bytes: twice that of the threads in which the tests run searches of
/// a debug build, whose frames are the largest.
const STACK: usize = 2 << 20;

#[derive(Debug)]
pub(super) struct Pool(Vec<WorkerSlot>);

#[derive(Debug)]
struct WorkerSlot {
    /// Between searches.
    worker: Option<Box<Worker>>,
    /// The thread ends once this is dropped.
    tasks: Sender<SearchTask>,
    /// Brings the worker back from a search; closed if the thread has panicked.
    done: Receiver<Box<Worker>>,
    thread: JoinHandle<()>,
}

/// A worker and the search that it takes part in.
type SearchTask = (Box<Worker>, Arc<SharedSearch>);

impl Pool {
    /// A thread for each of these workers, or as many as the system grants.
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

    /// The workers; all of them between searches, none during one.
    pub(super) fn workers(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.0.iter_mut().filter_map(|slot| slot.worker.as_deref_mut())
    }

    pub(super) fn start(&mut self, search: &Arc<SharedSearch>) {
        for slot in &mut self.0 {
            let Some(worker) = slot.worker.take() else { continue };
            // If the thread has ended, `finish` finds out.
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
        // A root that is proven lost has no edge left for a playout.
        let goes_on =
            || !search.over.load(Ordering::Relaxed) && search.context.tree.proof() == Proof::Unknown;
        while goes_on() && search.playout(&mut worker) {}
        // Before the worker goes back: then the engine alone holds the tree.
        drop(search);
        if done.send(worker).is_err() {
            return;
        }
    }
}
