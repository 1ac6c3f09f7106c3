//! The engine: a tree, its parameters, and the loop that searches.

use std::sync::Arc;
use std::time::Duration;

use super::clock::{Bounds, Lateness, Patience, Standing};
use super::edge::{Edge, Proof};
use super::limits::Limits;
use super::parameters::Parameters;
use super::pool::{Control, Pool};
use super::rave::Rave;
use super::report::{Candidate, Report, StopReason};
use super::stop::StopHandle;
use super::summary;
use super::tree::Tree;
use super::watch::Watch;
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
    /// The search parameters; those that were not set are the defaults of the board that is played.
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
    pub(super) tree: Arc<Tree>,
    worker: Worker,
    pool: Pool,
    /// As they were given.
    asked: Parameters,
    /// On the board that is played.
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
            asked: options.parameters.clone(),
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

    /// Starts from this position; what is known is kept only if it is the one that stands.
    pub fn set_position(&mut self, position: &Position) {
        if self.tree.position != *position {
            self.alone().0.set_position(*position);
            self.parameters = self.asked.on(position.size());
            self.worker.rave.clear();
            self.expected = None;
        }
    }

    /// Goes on by a move, which must be legal, and keeps what is known below it, unless `reuse` is 0.
    pub fn advance(&mut self, full: FullMove) {
        if self.parameters.reuse == 0 {
            return self.set_position(&self.tree.position.play_unchecked(full));
        }
        self.alone().0.advance(full);
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
        self.search_watched(limits, &mut Watch::nobody())
    }

    /// [`Engine::search`] for somebody who looks on: told from time to time what is known so far. What is found is
    /// the same.
    pub fn search_watched(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        self.prepare();
        let report = self.solve_or_run(limits, watch);
        self.stop.reset();
        report
    }

    /// [`Engine::search`] among the moves of the amazons on these squares alone; `None` if they have none. Replies and
    /// later plies are not restricted.
    pub fn search_among(&mut self, amazons: &Bitboard, limits: &Limits) -> Option<Report> {
        self.prepare();
        let (tree, worker, parameters) = self.alone();
        let possible = tree.restrict(amazons, &mut worker.expander, parameters);
        let report =
            if possible { self.run(limits, self.bounds(limits), &mut Watch::nobody()) } else { None };
        self.stop.reset();
        report
    }

    /// Goes on with the tree as it stands, on the time of others, by so many playouts unless the winner is proven or
    /// somebody stops it; `None` if there is no move.
    ///
    /// Unlike a search it never makes room and asks for no proof of the end, so that many short calls, after each of which
    /// somebody may want the engine back, cost no more than a long one.
    pub fn ponder(&mut self, playouts: u64) -> Option<Report> {
        let (tree, worker, parameters) = self.alone();
        tree.expand_root(&mut worker.expander, parameters);
        let unbound = Bounds { hard: None, soft: None };
        let report = self.run(&Limits::playouts(playouts), unbound, &mut Watch::nobody());
        self.stop.reset();
        report
    }

    /// Whether the tree can still grow.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.tree.arena.has_room()
    }

    /// What a single worker needs, between searches.
    fn alone(&mut self) -> (&mut Tree, &mut Worker, &Parameters) {
        let Engine { tree, worker, parameters, .. } = self;
        let tree = Arc::get_mut(tree).expect("workers give the tree back before a search ends");
        (tree, worker, parameters)
    }

    /// Makes room and a root.
    fn prepare(&mut self) {
        let (tree, worker, parameters) = self.alone();
        tree.lift_restriction();
        tree.compact();
        tree.expand_root(&mut worker.expander, parameters);
    }

    /// When to answer.
    fn bounds(&self, limits: &Limits) -> Bounds {
        let margin = Duration::from_millis(u64::from(self.parameters.margin_ms));
        Bounds::new(limits, margin, self.lateness, self.tree.position.empty().count())
    }

    /// Whether there is one full move only.
    fn is_forced(&self) -> bool {
        self.tree.position.full_moves().nth(1).is_none()
    }

    /// Asks for the end of the game first. A lost position that is still contested is searched all the same: some replies
    /// are harder to find than others. The other workers search meanwhile.
    fn solve_or_run(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        let bounds = self.bounds(limits);
        let position = self.tree.position;
        // A win that the tree has proven needs no second proof.
        if bounds.hard.is_some() && self.is_forced() || self.tree.proof() == Proof::Win {
            return self.run(limits, bounds, watch);
        }
        self.tree.root?;
        let begun = limits.stopwatch.elapsed();
        let share = self.parameters.endgame_share;
        // Whoever looks on is not kept waiting for long.
        let time = |deadline: Duration| deadline.saturating_sub(begun).mul_f64(share).min(watch.patience());
        let until = bounds.soft.or(bounds.hard).map(|deadline| begun + time(deadline));
        let search = self.begin(limits);
        let Engine { worker, stop, parameters, .. } = self;
        let Some(proven) = worker.expander.endings.at_root(&position, limits, until, stop, parameters) else {
            return self.join(search, limits, bounds, watch);
        };
        self.end(&search);
        let (ending, value) = (Some(proven.ending), proven.value(position.to_move()));
        let Some(best) = proven.best else {
            // Without proofs at leaves: they would all say the same.
            let asked = std::mem::replace(&mut self.parameters.endgame, 0);
            let report = self.run(limits, bounds, watch);
            self.parameters.endgame = asked;
            return Some(Report { ending, value, proven: true, ..report? });
        };
        let line = vec![best];
        let candidate = Candidate { full: best, visits: 0, value, prior: 1.0, static_value: value, line };
        Some(Report {
            best,
            value,
            proven: true,
            ending,
            principal_variation: vec![best],
            candidates: vec![candidate],
            playouts: search.control.playouts(),
            reused: u64::from(search.reused),
            depth: 0,
            time: limits.stopwatch.elapsed(),
            bound: bounds.hard,
            memory: self.tree.arena.used(),
            stop: StopReason::Proven,
        })
    }

    fn run(&mut self, limits: &Limits, bounds: Bounds, watch: &mut Watch<'_>) -> Option<Report> {
        self.tree.root?;
        if bounds.hard.is_some() && self.is_forced() {
            let report = self.report(limits, &bounds, &self.drawn_up(limits), StopReason::OnlyMove)?;
            return Some(self.concluded(report));
        }
        let search = self.begin(limits);
        self.join(search, limits, bounds, watch)
    }

    /// A search that is still to begin.
    fn drawn_up(&self, limits: &Limits) -> Search {
        let control = Arc::new(Control::new(limits.playouts, self.threads()));
        Search { control, reused: self.tree.visits(), before: None }
    }

    /// Sets all other workers to work, on a tree that has a root.
    fn begin(&mut self, limits: &Limits) -> Search {
        let mut search = self.drawn_up(limits);
        if self.pool.len() > 0 {
            let rave = &*search.before.insert(self.worker.rave.clone());
            self.pool.workers().for_each(|worker| worker.rave.clone_from(rave));
        }
        self.pool.start(&self.tree, &search.control, &self.parameters);
        search
    }

    /// Works along, until one of the conditions that end a search holds.
    fn join(
        &mut self,
        search: Search,
        limits: &Limits,
        bounds: Bounds,
        watch: &mut Watch<'_>,
    ) -> Option<Report> {
        let stop = self.first_worker(limits, &bounds, &search.control, |engine| {
            if watch.is_due()
                && let Some(report) = engine.report(limits, &bounds, &search, StopReason::Searching)
            {
                watch.tell(&report);
            }
        });
        self.end(&search);
        if let (StopReason::Time, Some(hard)) = (stop, bounds.hard) {
            self.lateness.note(limits, hard, limits.stopwatch.elapsed());
        }
        let report = self.report(limits, &bounds, &search, stop)?;
        Some(self.concluded(report))
    }

    /// Waits for the other workers, and learns what they have learned.
    fn end(&mut self, search: &Search) {
        search.control.end();
        self.pool.finish();
        if let Some(before) = &search.before {
            self.pool.workers().for_each(|worker| self.worker.rave.merge(&worker.rave, before));
        }
    }

    /// The report of a search, noted for the next.
    fn concluded(&mut self, report: Report) -> Report {
        self.expected = Some((report.value, 0));
        report
    }

    /// What is known now.
    fn report(&self, limits: &Limits, bounds: &Bounds, search: &Search, stop: StopReason) -> Option<Report> {
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
            time: limits.stopwatch.elapsed(),
            bound: bounds.hard,
            memory: self.tree.arena.used(),
            stop,
        })
    }

    /// The loop of the thread that asks: playouts, and every few of them the conditions that end it.
    fn first_worker(
        &mut self,
        limits: &Limits,
        bounds: &Bounds,
        control: &Control,
        mut look: impl FnMut(&Engine),
    ) -> StopReason {
        // Often enough for a millisecond, seldom enough that the clock costs nothing.
        const PLAYOUTS_PER_CHECK: u64 = 8;
        const PLAYOUTS_PER_LOOK: u64 = 64;
        /// Visits that are safe to count: in the time of one check nobody makes as many as are left.
        const MOST_VISITS: u32 = u32::MAX - (1 << 24);
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
        // The move that would be played, and by how many visits it is ahead of every other.
        let leading = |node| {
            let edges = self.tree.arena.node(node);
            let leader = summary::best(&self.tree, node, self.parameters.final_bound)?;
            let rivals = edges.iter().filter(|edge| !std::ptr::eq(*edge, leader));
            Some((leader, leader.visits().saturating_sub(rivals.map(Edge::visits).max().unwrap_or(0))))
        };
        let (queen, queen_lead) = leading(self.tree.root?)?;
        let (arrow, arrow_lead) = leading(queen.child()?)?;
        Some(Standing {
            leader: u64::from_le_bytes([
                queen.from().index(),
                queen.to().index(),
                arrow.to().index(),
                0,
                0,
                0,
                0,
                0,
            ]),
            value: arrow.mean()?,
            lead: u64::from(queen_lead.min(arrow_lead)),
            playouts,
        })
    }
}

/// A search, as all workers see it.
struct Search {
    control: Arc<Control>,
    /// Visits of the tree before.
    reused: u32,
    /// RAVE's tables before, where several workers go on from them.
    before: Option<Rave>,
}

impl Drop for Search {
    /// However it is left, nobody goes on.
    fn drop(&mut self) {
        self.control.end();
    }
}
