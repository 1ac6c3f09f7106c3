//! Threads that help with a search and sleep between searches.
//!
//! The thread that asks for a search is its first worker and alone looks at the clock; the others make playouts in the same
//! tree until it says that it is over. A worker goes to its thread with the task and comes back with the result, and the
//! tree is shared by counting who holds it: what the engine does with it between searches needs no lock.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_utils::CachePadded;
use parking_lot::{Condvar, Mutex};

use super::atomics::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use super::parameters::Parameters;
use super::tree::Tree;
use super::worker::Worker;

/// What the workers of one search agree on. Each on a cache line of its own: the first is read before every playout and
/// written once, the second is written by everybody.
///
/// All accesses are relaxed: nothing is published with them. What a worker did to the tree is seen by the engine because
/// the worker itself comes back over its thread's desk, which has a lock.
#[derive(Debug)]
pub(super) struct Control {
    over: CachePadded<AtomicBool>,
    begun: CachePadded<AtomicU64>,
    levels: AtomicU32,
    /// Playouts that the search may make.
    most: u64,
    alone: bool,
}

impl Control {
    /// For a search of at most so many playouts.
    pub(super) fn new(most: Option<u64>, workers: usize) -> Control {
        Control {
            over: CachePadded::new(AtomicBool::new(false)),
            begun: CachePadded::new(AtomicU64::new(0)),
            levels: AtomicU32::new(0),
            most: most.unwrap_or(u64::MAX),
            alone: workers == 1,
        }
    }

    /// Ends the search: no worker begins another playout.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Whether the search may make another playout.
    pub(super) fn has_playouts_left(&self) -> bool {
        self.begun.load(Ordering::Relaxed) < self.most
    }

    /// Playouts begun.
    pub(super) fn playouts(&self) -> u64 {
        self.begun.load(Ordering::Relaxed).min(self.most)
    }

    /// Levels of the deepest descent, two a ply.
    pub(super) fn levels(&self) -> u32 {
        self.levels.load(Ordering::Relaxed)
    }

    /// Makes a playout if there is one left to make.
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
        let levels = worker.playout(tree, parameters) as u32;
        if levels > self.levels() {
            self.levels.fetch_max(levels, Ordering::Relaxed);
        }
        true
    }
}

/// The threads of one engine besides the one that asks.
#[derive(Debug)]
pub(super) struct Pool {
    seats: Vec<Seat>,
}

/// A thread, and its worker while it sleeps.
#[derive(Debug)]
struct Seat {
    worker: Option<Box<Worker>>,
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

/// Where a thread waits for what to do, and the engine for what it has done.
#[derive(Debug, Default)]
struct Desk {
    slot: Mutex<Option<Slip>>,
    changed: Condvar,
}

/// What lies on a desk.
#[derive(Debug)]
enum Slip {
    /// For the thread: a search to help with.
    Search(Task),
    /// For the thread: its end.
    Quit,
    /// For the engine: the worker, back from its search.
    Back(Box<Worker>),
    /// For the engine: nobody comes back.
    Lost,
}

#[derive(Debug)]
struct Task {
    worker: Box<Worker>,
    tree: Arc<Tree>,
    control: Arc<Control>,
    parameters: Parameters,
}

impl Desk {
    fn put(&self, slip: Slip) {
        *self.slot.lock() = Some(slip);
        self.changed.notify_all();
    }

    /// Waits for a slip that is `wanted` and takes it.
    fn take(&self, wanted: impl Fn(&Slip) -> bool) -> Slip {
        let mut slot = self.slot.lock();
        loop {
            match slot.take_if(|slip| wanted(slip)) {
                Some(slip) => return slip,
                None => self.changed.wait(&mut slot),
            }
        }
    }
}

impl Pool {
    /// A thread for each of these workers. Where the system refuses one, there are as many as it gave.
    pub(super) fn new(workers: impl IntoIterator<Item = Worker>) -> Pool {
        let mut seats = Vec::new();
        for worker in workers {
            let desk = Arc::<Desk>::default();
            let theirs = Arc::clone(&desk);
            let thread = thread::Builder::new().name("search".to_owned()).spawn(move || work(&theirs));
            let Ok(thread) = thread else { break };
            seats.push(Seat { worker: Some(Box::new(worker)), desk, thread: Some(thread) });
        }
        Pool { seats }
    }

    /// Threads of the pool.
    pub(super) fn len(&self) -> usize {
        self.seats.len()
    }

    /// The workers, which are all here between searches.
    pub(super) fn workers(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.seats.iter_mut().filter_map(|seat| seat.worker.as_deref_mut())
    }

    /// Sets all workers to work.
    pub(super) fn start(&mut self, tree: &Arc<Tree>, control: &Arc<Control>, parameters: &Parameters) {
        for seat in &mut self.seats {
            let Some(worker) = seat.worker.take() else { continue };
            seat.desk.put(Slip::Search(Task {
                worker,
                tree: Arc::clone(tree),
                control: Arc::clone(control),
                parameters: parameters.clone(),
            }));
        }
    }

    /// Waits until all have ended the playout they are at.
    ///
    /// # Panics
    /// If a worker has.
    pub(super) fn finish(&mut self) {
        for seat in &mut self.seats {
            match seat.desk.take(|slip| matches!(slip, Slip::Back(_) | Slip::Lost)) {
                Slip::Back(worker) => seat.worker = Some(worker),
                _ => panic!("a search thread has panicked, and has said why"),
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for seat in &mut self.seats {
            seat.desk.put(Slip::Quit);
            if let Some(thread) = seat.thread.take() {
                // A panic of it has been reported by its hook.
                let _ = thread.join();
            }
        }
    }
}

/// The life of a thread.
fn work(desk: &Desk) {
    /// Says so if the thread ends while the engine waits for it.
    struct OnPanic<'a>(&'a Desk);

    impl Drop for OnPanic<'_> {
        fn drop(&mut self) {
            if thread::panicking() {
                self.0.put(Slip::Lost);
            }
        }
    }

    let _lost = OnPanic(desk);
    while let Slip::Search(task) = desk.take(|slip| matches!(slip, Slip::Search(_) | Slip::Quit)) {
        let Task { mut worker, tree, control, parameters } = task;
        while !control.is_over() && control.playout(&mut worker, &tree, &parameters) {}
        // Given back before the worker is: then the engine alone holds the tree.
        drop((tree, control));
        desk.put(Slip::Back(worker));
    }
}
