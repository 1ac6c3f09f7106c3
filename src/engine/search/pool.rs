//! Threads that help with a search and sleep between searches.
//!
//! The thread that asks for a search is its first worker and the only one that reads the clock. The
//! others make playouts in the same tree until the first worker ends the search. The engine moves
//! each worker to its thread and gets it back at the end. The tree is in an `Arc`, which the engine
//! alone holds between searches, so that it needs no lock.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_utils::CachePadded;
use parking_lot::{Condvar, Mutex};

use super::atomics::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use super::parameters::Parameters;
use super::tree::Tree;
use super::worker::{PlayoutContext, Worker};

/// The shared state of one search. `over` is read before every playout and written once, `begun` is
/// written by every worker: each has a cache line of its own, against false sharing.
///
/// All accesses are relaxed, since nothing is published with them. The engine sees what a worker
/// did to the tree because the worker itself comes back through a mailbox, which has a lock.
#[derive(Debug)]
pub(super) struct SearchControl {
    over: CachePadded<AtomicBool>,
    begun: CachePadded<AtomicU64>,
    levels: AtomicU32,
    most: u64,
    alone: bool,
    /// True if leaves ask the endgame solver.
    endgame: bool,
}

impl SearchControl {
    /// For a search of at most `most` playouts; `endgame` says whether leaves ask the solver.
    pub(super) fn new(most: Option<u64>, workers: usize, endgame: bool) -> SearchControl {
        SearchControl {
            over: CachePadded::new(AtomicBool::new(false)),
            begun: CachePadded::new(AtomicU64::new(0)),
            levels: AtomicU32::new(0),
            most: most.unwrap_or(u64::MAX),
            alone: workers == 1,
            endgame,
        }
    }

    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub(super) fn has_playouts_left(&self) -> bool {
        self.begun.load(Ordering::Relaxed) < self.most
    }

    pub(super) fn playouts(&self) -> u64 {
        self.begun.load(Ordering::Relaxed).min(self.most)
    }

    /// Levels of the deepest descent, two a ply.
    pub(super) fn levels(&self) -> u32 {
        self.levels.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn playout(&self, worker: &mut Worker, tree: &Tree, parameters: &Parameters) -> bool {
        let before = if self.alone {
            let begun = self.begun.load(Ordering::Relaxed);
            self.begun.store(begun + 1, Ordering::Relaxed);
            begun
        } else {
            self.begun.fetch_add(1, Ordering::Relaxed)
        };
        if before >= self.most {
            return false;
        }
        let levels = worker.playout(PlayoutContext { tree, parameters, endgame: self.endgame }) as u32;
        if levels > self.levels() {
            self.levels.fetch_max(levels, Ordering::Relaxed);
        }
        true
    }
}

#[derive(Debug)]
pub(super) struct Pool {
    slots: Vec<WorkerSlot>,
}

#[derive(Debug)]
struct WorkerSlot {
    worker: Option<Box<Worker>>,
    mailbox: Arc<Mailbox>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Mailbox {
    message: Mutex<Option<Message>>,
    changed: Condvar,
}

#[derive(Debug)]
enum Message {
    /// To the thread: a search to help with.
    Search(SearchTask),
    Quit,
    /// To the engine: the worker, back from its search.
    Done(Box<Worker>),
    /// To the engine: the thread has panicked, and its worker is lost.
    Panicked,
}

#[derive(Debug)]
struct SearchTask {
    worker: Box<Worker>,
    tree: Arc<Tree>,
    control: Arc<SearchControl>,
    parameters: Parameters,
}

impl Mailbox {
    fn put(&self, message: Message) {
        *self.message.lock() = Some(message);
        self.changed.notify_all();
    }

    /// Waits for a message that is `wanted` and takes it.
    fn take(&self, wanted: impl Fn(&Message) -> bool) -> Message {
        let mut held = self.message.lock();
        loop {
            match held.take_if(|message| wanted(message)) {
                Some(message) => return message,
                None => self.changed.wait(&mut held),
            }
        }
    }
}

impl Pool {
    /// A thread for each of these workers, or as many as the system grants.
    pub(super) fn new(workers: impl IntoIterator<Item = Worker>) -> Pool {
        let mut slots = Vec::new();
        for worker in workers {
            let mailbox = Arc::<Mailbox>::default();
            let theirs = Arc::clone(&mailbox);
            let thread = thread::Builder::new().name("search".to_owned()).spawn(move || run_thread(&theirs));
            let Ok(thread) = thread else { break };
            slots.push(WorkerSlot { worker: Some(Box::new(worker)), mailbox, thread: Some(thread) });
        }
        Pool { slots }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The workers; all of them between searches, none during one.
    pub(super) fn workers(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.slots.iter_mut().filter_map(|slot| slot.worker.as_deref_mut())
    }

    pub(super) fn start(&mut self, tree: &Arc<Tree>, control: &Arc<SearchControl>, parameters: &Parameters) {
        for slot in &mut self.slots {
            let Some(worker) = slot.worker.take() else { continue };
            slot.mailbox.put(Message::Search(SearchTask {
                worker,
                tree: Arc::clone(tree),
                control: Arc::clone(control),
                parameters: parameters.clone(),
            }));
        }
    }

    /// Waits until all workers have finished their current playout.
    ///
    /// # Panics
    /// If a worker has panicked.
    pub(super) fn finish(&mut self) {
        for slot in &mut self.slots {
            match slot.mailbox.take(|message| matches!(message, Message::Done(_) | Message::Panicked)) {
                Message::Done(worker) => slot.worker = Some(worker),
                _ => panic!("a search thread has panicked, and has said why"),
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for slot in &mut self.slots {
            slot.mailbox.put(Message::Quit);
            if let Some(thread) = slot.thread.take() {
                // The panic hook has already reported a panic of the thread.
                let _ = thread.join();
            }
        }
    }
}

fn run_thread(mailbox: &Mailbox) {
    /// Tells the engine if the thread panics, since the engine waits for it.
    struct OnPanic<'a>(&'a Mailbox);

    impl Drop for OnPanic<'_> {
        fn drop(&mut self) {
            if thread::panicking() {
                self.0.put(Message::Panicked);
            }
        }
    }

    let _on_panic = OnPanic(mailbox);
    let wanted = |message: &Message| matches!(message, Message::Search(_) | Message::Quit);
    while let Message::Search(task) = mailbox.take(wanted) {
        let SearchTask { mut worker, tree, control, parameters } = task;
        while !control.is_over() && control.playout(&mut worker, &tree, &parameters) {}
        // Before the worker goes back: then the engine alone holds the tree.
        drop((tree, control));
        mailbox.put(Message::Done(worker));
    }
}
