//! The engine, which owns the tree and the workers and has the public methods of the search.

mod policy_examples;
mod results;
mod run;

use std::hint::black_box;
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use amazons::{Move, PlayError, Position, QueenMove, Square};

use super::arena::{Access, Edge};
use super::clock::DelayTracker;
use super::limits::Limits;
use super::options::EngineOptions;
use super::parameters::Parameters;
use super::pool::{Pool, SharedSearch};
use super::report::{Report, Watch};
use super::tree::Tree;
use super::worker::{SearchContext, Worker};
pub use policy_examples::PolicyExample;

/// Searches the positions of one game, and keeps its tree and its statistics from turn to turn.
///
/// ```
/// use quiver_engine::{Engine, EngineOptions, Limits, Position, Size};
///
/// let start = Position::start(Size::square(8)?)?;
/// let options = EngineOptions { memory: 16 << 20, ..EngineOptions::default() };
/// let mut engine = Engine::new(&options, &start);
/// let report = engine.search(&Limits::playouts(200)).expect("the first player has moves");
/// assert!(start.play(report.best).is_ok());
/// engine.advance(report.best)?;
/// assert_ne!(engine.position(), &start);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    pub(super) tree: Arc<Tree>,
    pub(super) worker: Worker,
    pool: Pool,
    options: EngineOptions,
    /// The parameters for the current board: the values set in `options`, or the board's defaults.
    pub(super) parameters: Parameters,
    delay_tracker: DelayTracker,
    /// The value that the last search predicted for the side that is now to move.
    expected: Option<f64>,
}

/// The number of bytes that must be free before the engine adds a thread: some 8 MB for the tables
/// of the thread, and the memory that other threads may still need.
const MIN_FREE_BYTES: usize = 32 << 20;

/// True if the system has memory for one more thread. Without this check, a program with a limited
/// address space would abort at a later allocation.
fn has_memory() -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let is_free = probe.try_reserve_exact(MIN_FREE_BYTES).is_ok();
    // Keeps the compiler from removing the allocation.
    black_box(&mut probe);
    is_free
}

impl Engine {
    /// Creates an engine that will search `position`. Reserves its memory at once.
    pub fn new(options: &EngineOptions, position: &Position) -> Engine {
        let threads = options.threads.max(1);
        let parameters = options.parameters.on(position.size());
        let worker = |number| Worker::new(number, threads, options);
        let pool_worker = |number| {
            has_memory().then(|| {
                let mut pool_worker = worker(number);
                pool_worker.warm_up(position, &parameters);
                pool_worker
            })
        };
        Engine {
            tree: Arc::new(Tree::new(options.memory, *position)),
            worker: worker(0),
            pool: Pool::new((1..threads).map_while(pool_worker)),
            options: options.clone(),
            parameters,
            delay_tracker: DelayTracker::default(),
            expected: None,
        }
    }

    /// The position that the next search starts from.
    pub fn position(&self) -> &Position {
        &self.tree.position
    }

    /// The number of search threads: the number in the options, or fewer if the system refused some
    /// threads or their memory.
    pub fn threads(&self) -> usize {
        1 + self.pool.len()
    }

    /// Sets the position to search. Keeps the tree only if the position does not change.
    pub fn set_position(&mut self, position: &Position) {
        if self.tree.position != *position {
            self.parts().0.set_position(*position);
            self.parameters = self.options.parameters.on(position.size());
            self.worker.rave.clear();
            self.worker.bias.clear();
            self.expected = None;
        }
    }

    /// Plays a move and keeps its subtree, unless the parameter `reuse` is off.
    ///
    /// # Errors
    /// If the move is illegal. The engine is then unchanged.
    pub fn advance(&mut self, played: Move) -> Result<(), PlayError> {
        self.position().play(played)?;
        self.advance_unchecked(played);
        Ok(())
    }

    /// Plays a move without checking it. An illegal move leads to a meaningless position.
    pub fn advance_unchecked(&mut self, played: Move) {
        if !self.parameters.reuse {
            return self.set_position(&self.tree.position.play_unchecked(played));
        }
        self.parts().0.advance(played);
        self.worker.rave.age();
        self.worker.bias.age();
        self.expected = self.expected.map(|value| 1.0 - value);
    }

    /// Makes the first search start faster, mainly by allocating memory. Changes no result.
    pub fn warm_up(&mut self) {
        let context = self.context(false);
        for worker in iter::once(&mut self.worker).chain(self.pool.workers()) {
            worker.warm_up(&context.tree.position, &context.parameters);
        }
        context.tree.arena.map_pages();
        self.pool.start(&SharedSearch::new(context, Limits::playouts(0), None, [0; 2]));
        self.pool.wait_for_workers();
    }

    /// Searches until a limit is reached, the winner is proven, or the
    /// [`StopHandle`](super::StopHandle) of the limits stops it; `None` if there is no move.
    ///
    /// With one seed, one thread and a limit of playouts, the result is the same on every machine.
    pub fn search(&mut self, limits: &Limits) -> Option<Report> {
        self.search_watched(limits, &mut Watch::new(Duration::MAX, &mut |_| ()))
    }

    /// Searches like [`Engine::search`] and sends reports to a [`Watch`]. The watch does not change
    /// the result of a search without a clock.
    pub fn search_watched(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        self.run(&limits.started(), true, watch)
    }

    /// Continues the search of the current tree during the opponent's turn; `None` if there is no
    /// legal move. Under a clock, returns at once if there is only one move.
    ///
    /// Unlike [`Engine::search`], this call does not first try to prove the root.
    pub fn ponder(&mut self, limits: &Limits) -> Option<Report> {
        self.run(&limits.started(), false, &mut Watch::new(Duration::MAX, &mut |_| ()))
    }

    /// The queen moves at the root with their visits, including visits of earlier turns, most
    /// visited first. Empty before the first search of a position.
    pub fn queen_visits(&self) -> Vec<(QueenMove, u32)> {
        let root = self.tree.root.map(|root| self.tree.arena.node(root));
        root.map_or(Vec::new(), |root| root.by_visits(Edge::queen_move))
    }

    /// The arrows after a queen move at the root with their visits, in the same form as
    /// [`Engine::queen_visits`]. Empty if the search never expanded the queen move.
    pub fn arrow_visits(&self, queen: QueenMove) -> Vec<(Square, u32)> {
        let node = self.tree.queen_edge(queen).and_then(Edge::child);
        node.map_or(Vec::new(), |node| self.tree.arena.node(node).by_visits(Edge::to))
    }

    /// True if at least a quarter of the tree's memory is free. A search that fills the memory
    /// drops the least visited nodes.
    pub fn can_grow(&self) -> bool {
        !self.tree.arena.is_nearly_full()
    }

    fn context(&self, asks_solver: bool) -> SearchContext {
        SearchContext {
            tree: Arc::clone(&self.tree),
            parameters: self.parameters.clone(),
            access: if self.options.threads > 1 { Access::Shared } else { Access::Exclusive },
            asks_solver,
        }
    }

    fn parts(&mut self) -> (&mut Tree, &mut Worker, &Parameters) {
        let Engine { tree, worker, parameters, .. } = self;
        let tree = Arc::get_mut(tree).expect("all workers release the tree before a search ends");
        (tree, worker, parameters)
    }
}
