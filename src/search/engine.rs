//! The engine: a tree, its parameters, and the loop that searches.

use std::time::Duration;

use super::arena::Proof;
use super::limits::Limits;
use super::parameters::Parameters;
use super::report::{Candidate, Report, StopReason};
use super::stop::StopHandle;
use super::summary;
use super::tree::Tree;
use super::watch::Watch;
use crate::game::{Bitboard, FullMove, Position};
use crate::territory::Evaluator;

/// What an engine needs to know before its first game.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Bytes for the tree; where the system refuses as much, half of it, and so on.
    pub memory: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// The search parameters.
    pub parameters: Parameters,
    /// What values positions, unless the parameters ask for the literature's evaluator.
    pub evaluator: Evaluator,
}

impl Default for EngineOptions {
    /// 200 MB, seed 1, and all else as it is shipped.
    fn default() -> EngineOptions {
        EngineOptions {
            memory: 200 << 20,
            seed: 1,
            parameters: Parameters::default(),
            evaluator: Evaluator::default(),
        }
    }
}

/// Searches one game at a time and keeps what it knows from turn to turn.
#[derive(Debug)]
pub struct Engine {
    tree: Tree,
    parameters: Parameters,
    stop: StopHandle,
}

impl Engine {
    /// An engine about to search `position`. Reserves its memory at once and touches it as the tree grows.
    #[must_use]
    pub fn new(options: &EngineOptions, position: &Position) -> Engine {
        let evaluator = match options.parameters.evaluator {
            0 => options.evaluator.clone(),
            _ => Evaluator::campya(),
        };
        Engine {
            tree: Tree::new(options.memory, options.seed, evaluator, *position),
            parameters: options.parameters.clone(),
            stop: StopHandle::default(),
        }
    }

    /// The position to be searched.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.tree.position
    }

    /// Starts from this position; what is known is kept only if it is the one that stands.
    pub fn set_position(&mut self, position: &Position) {
        if self.tree.position != *position {
            self.tree.set_position(*position);
        }
    }

    /// Goes on by a move, which must be legal, and keeps what is known below it.
    pub fn advance(&mut self, full: FullMove) {
        self.tree.advance(full);
    }

    /// A handle that ends a search of this engine.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Searches until a limit is reached, the winner is proven or somebody stops it; `None` if there is no move.
    ///
    /// With one seed and a limit of playouts the result is the same on every machine.
    pub fn search(&mut self, limits: &Limits) -> Option<Report> {
        self.search_watched(limits, &mut Watch::nobody())
    }

    /// [`Engine::search`] for somebody who looks on: told from time to time what is known so far. What is found is
    /// the same.
    pub fn search_watched(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        self.tree.lift_restriction();
        self.prepare();
        let report = self.solve_or_run(limits, watch);
        self.stop.reset();
        report
    }

    /// [`Engine::search`] among the moves of the amazons on these squares alone; `None` if they have none. Replies and
    /// later plies are not restricted.
    pub fn search_among(&mut self, amazons: &Bitboard, limits: &Limits) -> Option<Report> {
        self.tree.lift_restriction();
        self.prepare();
        let possible = self.tree.restrict(amazons, &self.parameters);
        let report = if possible { self.run(limits, &mut Watch::nobody()) } else { None };
        self.stop.reset();
        report
    }

    /// Makes room and a root.
    fn prepare(&mut self) {
        self.tree.compact();
        self.tree.expand_root(&self.parameters);
    }

    /// Asks for the end of the game first. A lost position that is still contested is searched all the same: some replies
    /// are harder to find than others.
    fn solve_or_run(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        let deadline = self.deadline(limits);
        let position = self.tree.position;
        // A win that the tree has proven needs no second proof.
        if deadline.is_some() && self.is_forced() || self.tree.proof == Proof::Win {
            return self.run(limits, watch);
        }
        let begun = limits.stopwatch.elapsed();
        let share = self.parameters.endgame_share;
        // Whoever looks on is not kept waiting for long.
        let time = |deadline: Duration| deadline.saturating_sub(begun).mul_f64(share).min(watch.patience());
        let until = deadline.map(|deadline| begun + time(deadline));
        let tree = &mut self.tree;
        let Some(proven) = tree.endings.at_root(&position, limits, until, &self.stop, &self.parameters)
        else {
            return self.run(limits, watch);
        };
        let (ending, value) = (Some(proven.ending), proven.value(position.to_move()));
        let Some(best) = proven.best else {
            // Without proofs at leaves: they would all say the same.
            let asked = std::mem::replace(&mut self.parameters.endgame, 0);
            let report = self.run(limits, watch);
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
            playouts: 0,
            reused: u64::from(self.tree.visits),
            depth: 0,
            time: limits.stopwatch.elapsed(),
            memory: self.tree.arena.used(),
            stop: StopReason::Proven,
        })
    }

    /// When to answer, on the turn's stopwatch.
    fn deadline(&self, limits: &Limits) -> Option<Duration> {
        let margin = Duration::from_millis(u64::from(self.parameters.margin_ms));
        limits.deadline(margin, self.tree.position.empty().count())
    }

    /// Whether there is one full move only.
    fn is_forced(&self) -> bool {
        self.tree.position.full_moves().nth(1).is_none()
    }

    fn run(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        self.tree.root?;
        let mut progress = Progress { playouts: 0, levels: 0, reused: self.tree.visits };
        let stop = self.playouts(limits, &mut progress, watch);
        self.report(limits, &progress, stop)
    }

    /// What is known now.
    fn report(&self, limits: &Limits, progress: &Progress, stop: StopReason) -> Option<Report> {
        let root = self.tree.root?;
        let best = summary::chosen(&self.tree, root)?;
        Some(Report {
            best: best.full,
            value: best.value,
            proven: best.proven,
            ending: None,
            principal_variation: summary::principal_variation(&self.tree, root, best.full),
            candidates: summary::candidates(&self.tree, root),
            playouts: progress.playouts,
            reused: u64::from(progress.reused),
            depth: progress.levels.div_ceil(2) as u32,
            time: limits.stopwatch.elapsed(),
            memory: self.tree.arena.used(),
            stop,
        })
    }

    /// The loop: playouts, and every few of them the conditions that end it.
    fn playouts(&mut self, limits: &Limits, progress: &mut Progress, watch: &mut Watch<'_>) -> StopReason {
        // Often enough for a millisecond, seldom enough that the clock costs nothing.
        const PLAYOUTS_PER_CHECK: u64 = 8;
        let deadline = self.deadline(limits);
        if deadline.is_some() && self.is_forced() {
            return StopReason::OnlyMove;
        }
        loop {
            if self.tree.proof != Proof::Unknown {
                return StopReason::Proven;
            }
            if limits.playouts.is_some_and(|most| progress.playouts >= most) {
                return StopReason::Playouts;
            }
            if progress.playouts.is_multiple_of(PLAYOUTS_PER_CHECK) {
                if deadline.is_some_and(|deadline| limits.stopwatch.elapsed() >= deadline) {
                    return StopReason::Time;
                }
                if self.stop.is_stopped() {
                    return StopReason::Stopped;
                }
                if watch.is_due()
                    && let Some(report) = self.report(limits, progress, StopReason::Searching)
                {
                    watch.tell(&report);
                }
            }
            let levels = self.tree.playout(&self.parameters);
            progress.levels = progress.levels.max(levels);
            progress.playouts += 1;
        }
    }
}

/// How far a search has come.
struct Progress {
    playouts: u64,
    /// Levels of the deepest descent, two a ply.
    levels: usize,
    /// Visits of the root that were already there.
    reused: u32,
}
