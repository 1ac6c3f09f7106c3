//! The engine: a tree, its parameters, and what its user asks of it.

mod run;

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use amazons::{Move, PlayError, Position, QueenMove, Square};
use rand_xoshiro::rand_core::Rng;

use super::arena::{Access, Edge};
use super::clock::Lateness;
use super::findings::Finding;
use super::limits::Limits;
use super::options::EngineOptions;
use super::parameters::Parameters;
use super::pool::{Pool, SharedSearch};
use super::report::{Report, Watch};
use super::summary::Summary;
use super::tree::Tree;
use super::worker::{SearchContext, Worker};

/// Searches one game at a time and keeps what it knows from turn to turn.
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
    /// Those of the options, on the board that is played.
    pub(super) parameters: Parameters,
    lateness: Lateness,
    /// The value that the last search found, for the side to move now.
    expected: Option<f64>,
}

/// The places where a search asks the endgame solver, if the parameter `endgame` allows it.
#[derive(Clone, Copy, PartialEq)]
enum SolverUse {
    None,
    AtLeaves,
    /// At leaves, and before the first playout at the root.
    AtRootToo,
}

impl Engine {
    /// An engine about to search `position`. Reserves its memory at once and touches it as the tree
    /// grows.
    pub fn new(options: &EngineOptions, position: &Position) -> Engine {
        let threads = options.threads.max(1);
        let worker = |number| Worker::new(number, threads, options);
        Engine {
            tree: Arc::new(Tree::new(options.memory, *position)),
            worker: worker(0),
            pool: Pool::new((1..threads).map(worker)),
            options: options.clone(),
            parameters: options.resolved(position.size()),
            lateness: Lateness::default(),
            expected: None,
        }
    }

    /// The position to be searched.
    pub fn position(&self) -> &Position {
        &self.tree.position
    }

    /// Threads that search: those asked for, or as many as the system gave.
    pub fn threads(&self) -> usize {
        1 + self.pool.len()
    }

    /// Starts from this position. Keeps the tree only if the position is the current one.
    pub fn set_position(&mut self, position: &Position) {
        if self.tree.position != *position {
            self.parts().0.set_position(*position);
            self.parameters = self.options.resolved(position.size());
            self.worker.rave.clear();
            self.worker.bias.clear();
            self.expected = None;
        }
    }

    /// Plays a move and keeps the subtree below it, unless the parameter `reuse` is off.
    ///
    /// # Errors
    /// If the move is illegal. The engine stays as it was.
    pub fn advance(&mut self, played: Move) -> Result<(), PlayError> {
        self.position().play(played)?;
        self.advance_unchecked(played);
        Ok(())
    }

    /// [`Engine::advance`] for a move known to be legal; any other leaves a position without meaning.
    pub fn advance_unchecked(&mut self, played: Move) {
        if !self.parameters.reuse {
            return self.set_position(&self.tree.position.play_unchecked(played));
        }
        self.parts().0.advance(played);
        self.worker.rave.age();
        self.worker.bias.age();
        self.expected = self.expected.map(|value| 1.0 - value);
    }

    /// Does ahead of the first search what that search would otherwise pay for: allocates the tables
    /// of every worker, maps the first pages of the tree and waits until all threads run. Changes no
    /// result.
    pub fn warm_up(&mut self) {
        let context = self.context(false);
        for worker in iter::once(&mut self.worker).chain(self.pool.workers()) {
            worker.warm_up(&context.tree.position, &context.parameters);
        }
        context.tree.arena.map_pages();
        self.pool.start(&Arc::new(SharedSearch::new(context, Some(0))));
        self.pool.finish();
    }

    /// Searches until a limit is reached, the winner is proven or the limits'
    /// [`StopHandle`](super::StopHandle) stops it; `None` if there is no move.
    ///
    /// With one seed, one thread and a limit of playouts the result is the same on every machine.
    pub fn search(&mut self, limits: &Limits) -> Option<Report> {
        self.search_watched(limits, &mut Watch::new(Duration::MAX, &mut |_| ()))
    }

    /// [`Engine::search`] that reports to a [`Watch`] from time to time. The result is the same.
    pub fn search_watched(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        let (tree, worker, parameters) = self.parts();
        worker.expand_root(tree, parameters);
        self.run(limits, SolverUse::AtRootToo, watch)
    }

    /// Continues with the tree as it stands, while the opponent thinks, within any limits; `None` if
    /// there is no move. Under a clock it answers an only move at once.
    ///
    /// Unlike a search it asks for no proof at the root, so that many short calls cost no more than a
    /// long one.
    pub fn ponder(&mut self, limits: &Limits) -> Option<Report> {
        let (tree, worker, parameters) = self.parts();
        worker.expand_root(tree, parameters);
        self.run(limits, SolverUse::AtLeaves, &mut Watch::new(Duration::MAX, &mut |_| ()))
    }

    /// Every queen move at the root with its visits, most visited first, visits kept from earlier
    /// turns included. Empty before the first search of a position.
    pub fn queen_visits(&self) -> Vec<(QueenMove, u32)> {
        let root = self.tree.root.map(|root| self.tree.arena.node(root));
        root.map_or(Vec::new(), |root| root.by_visits(Edge::queen_move))
    }

    /// Every arrow after a queen move at the root with its visits, as [`Engine::queen_visits`]. Empty
    /// if the search never expanded the queen move.
    pub fn arrow_visits(&self, queen: QueenMove) -> Vec<(Square, u32)> {
        let node = self.tree.queen_edge(queen).and_then(Edge::child);
        node.map_or(Vec::new(), |node| self.tree.arena.node(node).by_visits(Edge::to))
    }

    /// A position of the tree, drawn by visits from move to move until few are left; `None` if the draw
    /// comes to an end of the tree before.
    pub fn draw(&self, rng: &mut impl Rng) -> Option<Position> {
        self.tree.draw(rng)
    }

    /// The findings at the root and at all nodes below that have `least` visits, where the search tried
    /// a move and has not proven the winner.
    pub fn findings(&self, least: u32) -> Vec<Finding> {
        self.summary().findings(least)
    }

    /// True if the tree can still grow.
    pub fn has_room(&self) -> bool {
        self.tree.arena.has_room()
    }

    fn summary(&self) -> Summary<'_> {
        Summary { tree: &self.tree, final_bound: self.parameters.final_bound }
    }

    /// A search of the tree as it stands; `asks_solver` says whether leaves ask the endgame solver.
    fn context(&self, asks_solver: bool) -> SearchContext {
        SearchContext {
            tree: Arc::clone(&self.tree),
            parameters: self.parameters.clone(),
            access: Access::of_workers(self.options.threads.max(1)),
            asks_solver,
        }
    }

    fn parts(&mut self) -> (&mut Tree, &mut Worker, &Parameters) {
        let Engine { tree, worker, parameters, .. } = self;
        let tree = Arc::get_mut(tree).expect("workers give the tree back before a search ends");
        (tree, worker, parameters)
    }
}
