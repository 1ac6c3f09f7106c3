//! The engine: a tree, its parameters, and the loop that searches.

use std::sync::Arc;
use std::time::Duration;

use super::clock::{Bounds, Lateness, Patience, Standing};
use super::edge::Proof;
use super::ending::{Proven, RootEffort};
use super::limits::Limits;
use super::options::EngineOptions;
use super::parameters::Parameters;
use super::pool::{Control, Pool};
use super::rave::Rave;
use super::report::{Candidate, Report, StopReason};
use super::selection::choose;
use super::stop::StopHandle;
use super::summary::{self, VisitCounts};
use super::tree::Tree;
use super::watch::Watch;
use super::worker::Worker;
use crate::game::{Bitboard, FullMove, Position};

/// Searches one game at a time and keeps what it knows from turn to turn.
///
/// ```
/// use quiver::game::{Size, Start};
/// use quiver::search::{Engine, EngineOptions, Limits};
///
/// let start = Start::Formula.position(Size::square(8).unwrap()).unwrap();
/// let options = EngineOptions { memory: 16 << 20, ..EngineOptions::default() };
/// let mut engine = Engine::new(&options, &start);
/// let report = engine.search(&Limits::playouts(200)).expect("the first player has moves");
/// assert!(start.play(report.best).is_ok());
/// engine.advance(report.best);
/// assert_ne!(engine.position(), &start);
/// ```
#[derive(Debug)]
pub struct Engine {
    pub(super) tree: Arc<Tree>,
    worker: Worker,
    pool: Pool,
    options: EngineOptions,
    /// Those of the options, on the board that is played.
    parameters: Parameters,
    stop: StopHandle,
    lateness: Lateness,
    /// The value of the last search for the side that moved then, and plies since.
    expected: Option<(f64, u32)>,
}

/// What one call of the engine may use.
#[derive(Clone, Copy, Debug)]
struct Turn<'a> {
    limits: &'a Limits,
    bounds: Bounds,
    /// Whether leaves ask the endgame solver.
    endgame: bool,
}

/// A search, as all workers see it.
struct Search {
    control: Arc<Control>,
    /// Visits of the root when the search began.
    reused: u32,
    /// The RAVE table when the search began; `None` with one worker.
    before: Option<Rave>,
}

impl Drop for Search {
    /// Ends the search even if the engine panics.
    fn drop(&mut self) {
        self.control.end();
    }
}

impl Engine {
    /// An engine about to search `position`. Reserves its memory at once and touches it as the tree
    /// grows.
    #[must_use]
    pub fn new(options: &EngineOptions, position: &Position) -> Engine {
        let threads = options.threads.max(1);
        let worker = |number| Worker::new(number, threads, options);
        Engine {
            tree: Arc::new(Tree::new(options.memory, *position)),
            worker: worker(0),
            pool: Pool::new((1..threads).map(worker)),
            options: options.clone(),
            parameters: options.parameters.on(position.size()),
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

    /// Starts from this position. Keeps the tree only if the position is the current one.
    pub fn set_position(&mut self, position: &Position) {
        if self.tree.position != *position {
            self.parts().0.set_position(*position);
            self.parameters = self.options.parameters.on(position.size());
            self.worker.rave.clear();
            self.expected = None;
        }
    }

    /// Plays a legal move and keeps the subtree below it, unless [`EngineOptions::reuse`] is off.
    pub fn advance(&mut self, full: FullMove) {
        if !self.options.reuse {
            return self.set_position(&self.tree.position.play_unchecked(full));
        }
        self.parts().0.advance(full);
        self.worker.rave.age();
        self.expected = self.expected.map(|(value, plies)| (value, plies + 1));
    }

    /// A handle that ends a search of this engine.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Searches until a limit is reached, the winner is proven or a [`StopHandle`] stops it; `None`
    /// if there is no move.
    ///
    /// With one seed, one thread and a limit of playouts the result is the same on every machine.
    pub fn search(&mut self, limits: &Limits) -> Option<Report> {
        self.search_watched(limits, &mut Watch::none())
    }

    /// [`Engine::search`] that reports to a [`Watch`] from time to time. The result is the same.
    pub fn search_watched(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        self.prepare();
        let report = self.solve_or_run(limits, watch);
        self.stop.reset();
        report
    }

    /// [`Engine::search`] among the moves of the amazons on these squares alone; `None` if they
    /// have none. Replies and later plies are not restricted.
    pub fn search_among(&mut self, amazons: Bitboard, limits: &Limits) -> Option<Report> {
        self.prepare();
        let endgame = self.options.endgame;
        let (tree, worker, parameters) = self.parts();
        let possible = tree.restrict(amazons, worker, parameters, endgame);
        let turn = self.turn(limits);
        let report = if possible { self.run(&turn, &mut Watch::none()) } else { None };
        self.stop.reset();
        report
    }

    /// Continues with the tree as it stands, while the opponent thinks, for this many playouts
    /// or until the winner is proven or a [`StopHandle`] stops it; `None` if there is no move.
    ///
    /// Unlike a search it never compacts the tree and asks for no proof at the root, so that many
    /// short calls cost no more than a long one.
    pub fn ponder(&mut self, playouts: u64) -> Option<Report> {
        self.expand_root();
        let bounds = Bounds { hard: None, soft: None };
        let limits = Limits::playouts(playouts);
        let turn = Turn { limits: &limits, bounds, endgame: self.options.endgame };
        let report = self.run(&turn, &mut Watch::none());
        self.stop.reset();
        report
    }

    /// The visits at the root, and those of the arrows after `full`'s queen move, visits kept from
    /// earlier turns included. Empty before the first search of a position.
    #[must_use]
    pub fn visits(&self, full: FullMove) -> VisitCounts {
        self.tree
            .root
            .map_or_else(VisitCounts::default, |root| VisitCounts::of(&self.tree, root, full.queen()))
    }

    /// Whether the tree can still grow.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.tree.arena.has_room()
    }

    /// What a single worker needs, between searches.
    fn parts(&mut self) -> (&mut Tree, &mut Worker, &Parameters) {
        let Engine { tree, worker, parameters, .. } = self;
        let tree = Arc::get_mut(tree).expect("workers give the tree back before a search ends");
        (tree, worker, parameters)
    }

    /// Makes room and a root.
    fn prepare(&mut self) {
        let (tree, ..) = self.parts();
        tree.lift_restriction();
        tree.compact();
        self.expand_root();
    }

    fn expand_root(&mut self) {
        let endgame = self.options.endgame;
        let (tree, worker, parameters) = self.parts();
        tree.expand_root(worker, parameters, endgame);
    }

    fn turn<'a>(&self, limits: &'a Limits) -> Turn<'a> {
        let empty = self.tree.position.empty().count();
        let bounds = Bounds::new(limits, self.options.margin, self.lateness, empty);
        Turn { limits, bounds, endgame: self.options.endgame }
    }

    /// Whether there is one full move only.
    fn is_forced(&self) -> bool {
        self.tree.position.full_moves().nth(1).is_none()
    }

    /// Asks the solver for the winner first, while the other workers search. Searches if the winner
    /// is unknown, or if the position is lost and still contested: some replies are harder to find
    /// than others.
    fn solve_or_run(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        let turn = self.turn(limits);
        // A win that the tree has proven needs no second proof.
        if turn.bounds.hard.is_some() && self.is_forced() || self.tree.proof() == Proof::Win {
            return self.run(&turn, watch);
        }
        self.tree.root?;
        let search = self.begin(&turn);
        let Some(Proven { ending, best }) = self.solve_root(&turn, watch) else {
            return self.join(search, &turn, watch);
        };
        self.end(&search);
        let value = if ending.winner == self.tree.position.to_move() { 1.0 } else { 0.0 };
        let Some(best) = best else {
            // Without proofs at leaves, which would all say the same.
            let report = self.run(&Turn { endgame: false, ..turn }, watch)?;
            return Some(Report { ending: Some(ending), value, proven: true, ..report });
        };
        let line = vec![best];
        let candidate = Candidate {
            full: best,
            visits: 0,
            value,
            prior: 1.0,
            static_value: value,
            line,
            line_visits: vec![0],
        };
        Some(Report {
            best,
            value,
            proven: true,
            ending: Some(ending),
            principal_variation: vec![best],
            candidates: vec![candidate],
            playouts: search.control.playouts(),
            reused: u64::from(search.reused),
            depth: 0,
            time: limits.stopwatch.elapsed(),
            bound: turn.bounds.hard,
            memory: self.tree.arena.used(),
            stop: StopReason::Proven,
        })
    }

    /// Spends a share of the turn on a proof of the winner, but no longer than a watch may wait.
    fn solve_root(&mut self, turn: &Turn<'_>, watch: &Watch<'_>) -> Option<Proven> {
        if !turn.endgame {
            return None;
        }
        let Engine { tree, worker, stop, parameters, .. } = self;
        let begun = turn.limits.stopwatch.elapsed();
        let share = |deadline: Duration| deadline.saturating_sub(begun).mul_f64(parameters.endgame_share);
        let deadline = turn.bounds.soft.or(turn.bounds.hard);
        let until = deadline.map(|deadline| begun + share(deadline).min(watch.patience()));
        worker.endings.at_root(&tree.position, &RootEffort { limits: turn.limits, parameters, until, stop })
    }

    /// Searches without asking the solver at the root.
    fn run(&mut self, turn: &Turn<'_>, watch: &mut Watch<'_>) -> Option<Report> {
        self.tree.root?;
        if turn.bounds.hard.is_some() && self.is_forced() {
            let report = self.report(turn, &self.new_search(turn), StopReason::OnlyMove)?;
            return Some(self.remember_value(report));
        }
        let search = self.begin(turn);
        self.join(search, turn, watch)
    }

    /// A search that has not begun.
    fn new_search(&self, turn: &Turn<'_>) -> Search {
        let control = Arc::new(Control::new(turn.limits.playouts, self.threads(), turn.endgame));
        Search { control, reused: self.tree.visits(), before: None }
    }

    /// Starts all other workers, on a tree that has a root.
    fn begin(&mut self, turn: &Turn<'_>) -> Search {
        let mut search = self.new_search(turn);
        if self.pool.len() > 0 {
            let rave = &*search.before.insert(self.worker.rave.clone());
            self.pool.workers().for_each(|worker| worker.rave.clone_from(rave));
        }
        self.pool.start(&self.tree, &search.control, &self.parameters);
        search
    }

    /// Takes part in a search until one of the conditions that end it holds.
    fn join(&mut self, search: Search, turn: &Turn<'_>, watch: &mut Watch<'_>) -> Option<Report> {
        let stop = self.first_worker(turn, &search.control, |engine| {
            if watch.is_due()
                && let Some(report) = engine.report(turn, &search, StopReason::Searching)
            {
                watch.tell(&report);
            }
        });
        self.end(&search);
        if let (StopReason::Time, Some(hard)) = (stop, turn.bounds.hard) {
            self.lateness.note(turn.limits, hard, turn.limits.stopwatch.elapsed());
        }
        let report = self.report(turn, &search, stop)?;
        Some(self.remember_value(report))
    }

    /// Waits for the other workers and merges their RAVE tables.
    fn end(&mut self, search: &Search) {
        search.control.end();
        self.pool.finish();
        if let Some(before) = &search.before {
            self.pool.workers().for_each(|worker| self.worker.rave.merge(&worker.rave, before));
        }
    }

    /// Stores the report's value, which the next search expects, and returns the report.
    fn remember_value(&mut self, report: Report) -> Report {
        self.expected = Some((report.value, 0));
        report
    }

    /// What is known now.
    fn report(&self, turn: &Turn<'_>, search: &Search, stop: StopReason) -> Option<Report> {
        let root = self.tree.root?;
        let bound = self.parameters.final_bound;
        let best = summary::chosen(&self.tree, root, &self.worker.expander, bound)?;
        Some(Report {
            best: best.full,
            value: best.value,
            proven: best.proven,
            ending: None,
            principal_variation: summary::principal_variation(&self.tree, root, best.full, bound),
            candidates: summary::candidates(&self.tree, root, bound),
            playouts: search.control.playouts(),
            reused: u64::from(search.reused),
            depth: search.control.levels().div_ceil(2),
            time: turn.limits.stopwatch.elapsed(),
            bound: turn.bounds.hard,
            memory: self.tree.arena.used(),
            stop,
        })
    }

    /// The loop of the calling thread: playouts, and every few of them the conditions that end the
    /// search.
    fn first_worker(
        &mut self,
        turn: &Turn<'_>,
        control: &Control,
        mut look: impl FnMut(&Engine),
    ) -> StopReason {
        // Often enough for a millisecond, seldom enough that the clock costs nothing.
        const PLAYOUTS_PER_CHECK: u64 = 8;
        const PLAYOUTS_PER_LOOK: u64 = 64;
        /// The search stops at this many visits, so that the sum of an edge stays below 2^63. The
        /// distance to 2^31 exceeds the playouts between two checks.
        const MOST_VISITS: u32 = (1 << 31) - (1 << 24);
        let Turn { limits, bounds, .. } = turn;
        let mut patience = bounds.soft.map(|soft| {
            let expected =
                self.expected.map(|(value, plies)| if plies % 2 == 0 { value } else { 1.0 - value });
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
                look(self);
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
        // The edge that would be played, and by how many visits it leads.
        let leading = |node| {
            let node = self.tree.arena.node(node);
            let best = choose(&node, self.parameters.final_bound)?;
            let rivals = node.edges().enumerate().filter(|&(index, _)| index != best);
            let most = rivals.map(|(_, edge)| edge.visits()).max().unwrap_or(0);
            let leader = node.edge(best);
            Some((leader, leader.visits().saturating_sub(most)))
        };
        let (queen, queen_lead) = leading(self.tree.root?)?;
        let (arrow, arrow_lead) = leading(queen.child()?)?;
        Some(Standing {
            leader: FullMove { from: queen.from(), to: queen.to(), arrow: arrow.to() },
            value: arrow.mean()?,
            lead: u64::from(queen_lead.min(arrow_lead)),
            playouts,
        })
    }
}
