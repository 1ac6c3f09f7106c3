//! The engine: a tree, its parameters, and the loop that searches.

use std::sync::Arc;
use std::time::Duration;

use super::clock::{Bounds, Lateness, Patience, Standing};
use super::edge::{Edge, Proof};
use super::limits::Limits;
use super::parameters::Parameters;
use super::pool::{Control, Pool};
use super::report::{Report, StopReason};
use super::stop::StopHandle;
use super::summary;
use super::tree::Tree;
use super::worker::Worker;
use crate::game::{Bitboard, FullMove, Position};
use crate::territory::Evaluator;

/// What an engine needs to know before its first game.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Bytes for the tree; where the system refuses as much, half of it, and so on.
    pub memory: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Threads that search, at least 1: the one that asks and as many more as are needed. With more than one, searches do
    /// not repeat.
    pub threads: usize,
    /// The search parameters.
    pub parameters: Parameters,
    /// What values positions, unless the parameters ask for the literature's evaluator.
    pub evaluator: Evaluator,
}

impl Default for EngineOptions {
    /// 200 MB, seed 1, one thread, and all else as it is shipped.
    fn default() -> EngineOptions {
        EngineOptions {
            memory: 200 << 20,
            seed: 1,
            threads: 1,
            parameters: Parameters::default(),
            evaluator: Evaluator::default(),
        }
    }
}

/// Searches one game at a time and keeps what it knows from turn to turn.
#[derive(Debug)]
pub struct Engine {
    tree: Arc<Tree>,
    worker: Worker,
    pool: Pool,
    parameters: Parameters,
    stop: StopHandle,
    lateness: Lateness,
    /// The value of the last search for the side that moved then, and plies since.
    expected: Option<(f64, u32)>,
}

impl Engine {
    /// An engine about to search `position`. Reserves its memory at once and touches it as the tree grows.
    #[must_use]
    pub fn new(options: &EngineOptions, position: &Position) -> Engine {
        let evaluator = match options.parameters.evaluator {
            0 => options.evaluator.clone(),
            _ => Evaluator::campya(),
        };
        let threads = options.threads.max(1);
        let worker = |number| Worker::new(number, threads, options.seed, evaluator.clone());
        Engine {
            tree: Arc::new(Tree::new(options.memory, *position)),
            worker: worker(0),
            pool: Pool::new((1..threads).map(worker)),
            parameters: options.parameters.clone(),
            stop: StopHandle::default(),
            lateness: Lateness::default(),
            expected: None,
        }
    }

    /// The position to be searched.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.tree.position
    }

    /// Threads that search: those asked for, or as many as the system gave.
    #[must_use]
    pub fn threads(&self) -> usize {
        1 + self.pool.len()
    }

    /// The tree, which nobody else holds between searches.
    fn tree_mut(&mut self) -> &mut Tree {
        Arc::get_mut(&mut self.tree).expect("workers give the tree back before a search ends")
    }

    /// Starts from this position; what is known is kept only if it is the one that stands.
    pub fn set_position(&mut self, position: &Position) {
        if self.tree.position != *position {
            self.tree_mut().set_position(*position);
            self.worker.rave.clear();
            self.expected = None;
        }
    }

    /// Goes on by a move, which must be legal, and keeps what is known below it.
    pub fn advance(&mut self, full: FullMove) {
        self.tree_mut().advance(full);
        self.worker.rave.age();
        self.expected = self.expected.map(|(value, plies)| (value, plies + 1));
    }

    /// A handle that ends a search of this engine.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Searches until a limit is reached, the winner is proven or somebody stops it; `None` if there is no move.
    ///
    /// With one seed, one thread and a limit of playouts the result is the same on every machine.
    pub fn search(&mut self, limits: &Limits) -> Option<Report> {
        self.prepare();
        let report = self.run(limits);
        self.stop.reset();
        report
    }

    /// [`Engine::search`] among the moves of the amazons on these squares alone; `None` if they have none. Replies and
    /// later plies are not restricted.
    pub fn search_among(&mut self, amazons: &Bitboard, limits: &Limits) -> Option<Report> {
        self.prepare();
        let Engine { tree, worker, parameters, .. } = self;
        let tree = Arc::get_mut(tree).expect("workers give the tree back before a search ends");
        let possible = tree.restrict(amazons, &mut worker.expander, parameters);
        let report = if possible { self.run(limits) } else { None };
        self.stop.reset();
        report
    }

    /// Makes room and a root.
    fn prepare(&mut self) {
        let Engine { tree, worker, parameters, .. } = self;
        let tree = Arc::get_mut(tree).expect("workers give the tree back before a search ends");
        tree.lift_restriction();
        tree.compact();
        tree.expand_root(&mut worker.expander, parameters);
    }

    fn run(&mut self, limits: &Limits) -> Option<Report> {
        let root = self.tree.root?;
        let reused = self.tree.visits();
        let control = Arc::new(Control::new(limits.playouts, self.threads()));
        let stop = self.playouts(limits, &control);
        let Parameters { final_bound, .. } = self.parameters;
        let best = summary::chosen(&self.tree, root, &self.worker.expander, final_bound)?;
        self.expected = Some((best.value, 0));
        Some(Report {
            best: best.full,
            value: best.value,
            proven: best.proven,
            principal_variation: summary::principal_variation(&self.tree, root, best.full, final_bound),
            candidates: summary::candidates(&self.tree, root),
            playouts: control.playouts(),
            reused: u64::from(reused),
            depth: control.levels().div_ceil(2),
            time: limits.stopwatch.elapsed(),
            memory: self.tree.arena.used(),
            stop,
        })
    }

    /// All workers together, until one of the conditions that end a search holds.
    fn playouts(&mut self, limits: &Limits, control: &Arc<Control>) -> StopReason {
        let margin = Duration::from_millis(u64::from(self.parameters.margin_ms));
        let bounds = Bounds::new(limits, margin, self.lateness, self.tree.position.empty().count());
        if bounds.hard.is_some() && self.tree.position.full_moves().nth(1).is_none() {
            return StopReason::OnlyMove;
        }
        let before = (self.pool.len() > 0).then(|| self.worker.rave.clone());
        if let Some(rave) = &before {
            self.pool.workers().for_each(|worker| worker.rave.clone_from(rave));
        }
        self.pool.start(&self.tree, control, &self.parameters);
        let over = OnDrop(control);
        let stop = self.first_worker(limits, &bounds, control);
        drop(over);
        self.pool.finish();
        if let Some(before) = &before {
            self.pool.workers().for_each(|worker| self.worker.rave.merge(&worker.rave, before));
        }
        if let (StopReason::Time, Some(hard)) = (stop, bounds.hard) {
            self.lateness.note(hard, limits.stopwatch.elapsed());
        }
        stop
    }

    /// The loop of the thread that asks: playouts, and every few of them the conditions that end it.
    fn first_worker(&mut self, limits: &Limits, bounds: &Bounds, control: &Control) -> StopReason {
        // Often enough for a millisecond, seldom enough that the clock costs nothing.
        const PLAYOUTS_PER_CHECK: u64 = 8;
        const PLAYOUTS_PER_LOOK: u64 = 64;
        /// Visits that are safe to count: in the time of one check nobody makes as many as are left.
        const MOST_VISITS: u32 = u32::MAX - (1 << 24);
        let mut patience = bounds.soft.map(|soft| {
            let expected = self.expected.map(|(value, plies)| if plies % 2 == 0 { value } else { 1.0 - value });
            Patience::new(soft, expected)
        });
        for own in 0u64.. {
            if self.tree.proof() != Proof::Unknown {
                return StopReason::Proven;
            }
            if own.is_multiple_of(PLAYOUTS_PER_CHECK) && control.has_playouts_left() {
                if bounds.hard.is_some_and(|hard| limits.stopwatch.elapsed() >= hard) {
                    return StopReason::Time;
                }
                if self.stop.is_stopped() {
                    return StopReason::Stopped;
                }
                if self.tree.visits() > MOST_VISITS {
                    return StopReason::Counters;
                }
            }
            if own % PLAYOUTS_PER_LOOK == PLAYOUTS_PER_LOOK - 1
                && let Some(patience) = &mut patience
                && let Some(standing) = self.standing(control.playouts())
                && patience.is_at_end(&standing, limits.stopwatch.elapsed(), self.parameters.catch_up)
            {
                return StopReason::Decided;
            }
            if !control.playout(&mut self.worker, &self.tree, &self.parameters) {
                return StopReason::Playouts;
            }
        }
        StopReason::Playouts
    }

    /// How the root stands; `None` as long as no full move leads.
    fn standing(&self, playouts: u64) -> Option<Standing> {
        let leading = |node| {
            let mut edges: Vec<&Edge> = self.tree.arena.node(node).iter().collect();
            edges.sort_by_key(|edge| std::cmp::Reverse(edge.visits()));
            let lead = edges[0].visits() - edges.get(1).map_or(0, |second| second.visits());
            (edges[0], lead)
        };
        let (queen, queen_lead) = leading(self.tree.root?);
        let (arrow, arrow_lead) = leading(queen.child()?);
        Some(Standing {
            leader: u64::from_le_bytes([queen.from().index(), queen.to().index(), arrow.to().index(), 0, 0, 0, 0, 0]),
            value: arrow.mean()?,
            lead: u64::from(queen_lead.min(arrow_lead)),
            playouts,
        })
    }
}

/// Ends a search however its loop is left.
struct OnDrop<'a>(&'a Control);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}
