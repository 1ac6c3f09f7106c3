//! One search of an engine, from the bounds of its time to its report.

use std::sync::Arc;
use std::{iter, mem};

use amazons::Move;

use super::{Engine, SolverUse};
use crate::search::arena::Proof;
use crate::search::bias::Bias;
use crate::search::clock::{Bounds, Patience};
use crate::search::limits::Limits;
use crate::search::pool::SharedSearch;
use crate::search::rave::Rave;
use crate::search::report::{Candidate, Ending, Report, StopReason, Watch};
use crate::search::summary::ExpectedLine;

/// One call of [`Engine::search`] or [`Engine::ponder`], as all workers see it.
struct RunningSearch<'a> {
    limits: &'a Limits,
    bounds: Bounds,
    shared: Arc<SharedSearch>,
    reused: u32,
    collisions: u64,
}

impl Drop for RunningSearch<'_> {
    /// Ends the search even if the engine panics.
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl Engine {
    fn bounds(&self, limits: &Limits) -> Bounds {
        let empty = self.tree.position.empty().count();
        Bounds::new(limits, self.options.margin, self.lateness, empty)
    }

    /// Searches from the root as it stands; `None` if there is no move. All workers wait until the
    /// solver was asked at the root, since its answer decides how they search. Under a clock an only
    /// move is reported at once.
    pub(super) fn run(&mut self, limits: &Limits, uses: SolverUse, watch: &mut Watch<'_>) -> Option<Report> {
        self.tree.root?;
        let uses = if self.parameters.endgame { uses } else { SolverUse::None };
        let (bounds, reused) = (self.bounds(limits), self.tree.visits());
        let only_move = bounds.hard.is_some() && self.tree.position.legal_moves_iter().nth(1).is_none();
        let mut solved = None;
        // A win that the tree has proven needs no second proof.
        if uses == SolverUse::AtRootToo && !only_move && self.tree.proof() != Proof::Win {
            let Engine { tree, worker, parameters, .. } = &mut *self;
            let deadline = bounds.soft.or(bounds.hard);
            let longest_silence = watch.every.saturating_mul(10);
            solved = worker.probe.at_root(&tree.position, limits, parameters, deadline, longest_silence);
        }
        // Where the root is lost, proofs at leaves would all say the same.
        let at_leaves = uses != SolverUse::None && solved.is_none();
        let shared = SharedSearch::new(self.context(at_leaves), limits.playouts);
        let mut search = RunningSearch { limits, bounds, shared: Arc::new(shared), reused, collisions: 0 };
        if let Some((ending, Some(best))) = solved {
            return self.solved(&search, ending, best);
        }
        let mut stop = StopReason::OnlyMove;
        if !only_move {
            let before = self.start(&search.shared);
            stop = self.first_worker(&mut search, watch);
            search.collisions = self.finish(&search.shared, before);
        }
        if let (StopReason::Time, Some(hard)) = (stop, search.bounds.hard) {
            self.lateness.note(limits, hard, limits.stopwatch.elapsed());
        }
        let report = self.report(&search, Some(stop))?;
        self.expected = Some(report.value);
        Some(match solved {
            // Only a loss is proven without a move: some replies are harder to find than others.
            Some((ending, _)) => Report { value: 0.0, proven: true, ending: Some(ending), ..report },
            None => report,
        })
    }

    /// The report where the solver has proven the winner and found the move to play.
    fn solved(&self, search: &RunningSearch<'_>, ending: Ending, best: Move) -> Option<Report> {
        let value = if ending.winner == self.tree.position.to_move() { 1.0 } else { 0.0 };
        Some(Report {
            best,
            value,
            proven: true,
            ending: Some(ending),
            principal_variation: vec![best],
            candidates: vec![Candidate {
                played: best,
                visits: 0,
                value,
                prior: 1.0,
                static_value: value,
                line: vec![best],
                line_visits: vec![0],
            }],
            ..self.report(search, Some(StopReason::Proven))?
        })
    }

    /// Starts all other workers. Returns a copy of the tables from before the start; `None` without
    /// other workers.
    fn start(&mut self, shared: &Arc<SharedSearch>) -> Option<(Rave, Bias)> {
        let before = (self.pool.len() > 0).then(|| (self.worker.rave.clone(), self.worker.bias.clone()));
        if let Some((rave, bias)) = &before {
            for worker in self.pool.workers() {
                worker.rave.clone_from(rave);
                worker.bias.clone_from(bias);
            }
        }
        self.pool.start(shared);
        before
    }

    /// Ends the search of all workers and adds up what they have learned since `before`. Returns their
    /// collisions.
    fn finish(&mut self, shared: &SharedSearch, before: Option<(Rave, Bias)>) -> u64 {
        shared.end();
        self.pool.finish();
        if let Some((rave, bias)) = &before {
            for worker in self.pool.workers() {
                self.worker.rave.merge(&worker.rave, rave);
                self.worker.bias.merge(&worker.bias, bias);
            }
        }
        let workers = iter::once(&mut self.worker).chain(self.pool.workers());
        workers.map(|worker| mem::take(&mut worker.collisions)).sum()
    }

    /// The state of a search that has ended for a reason, or that still runs.
    fn report(&self, search: &RunningSearch<'_>, stop: Option<StopReason>) -> Option<Report> {
        let summary = self.summary();
        let ExpectedLine { line, value, proven } = summary.expected_line(&self.worker.expander)?;
        Some(Report {
            best: line[0],
            value,
            network_value: self.tree.network_value,
            proven,
            ending: None,
            principal_variation: line,
            candidates: summary.candidates(),
            playouts: u64::from(self.tree.visits() - search.reused),
            collisions: search.collisions,
            reused: u64::from(search.reused),
            depth: search.shared.levels().div_ceil(2),
            time: search.limits.stopwatch.elapsed(),
            bound: search.bounds.hard,
            memory: self.tree.arena.used(),
            stop,
        })
    }

    /// The loop of the calling thread: playouts, and every few of them the conditions that end the
    /// search.
    fn first_worker(&mut self, search: &mut RunningSearch<'_>, watch: &mut Watch<'_>) -> StopReason {
        // Often enough for a millisecond, seldom enough that the clock costs nothing.
        const PLAYOUTS_PER_CHECK: u64 = 8;
        const PLAYOUTS_PER_LOOK: u64 = 64;
        /// The search stops at this many visits, so that the sum of an edge stays below 2^63. The
        /// distance to 2^31 exceeds the playouts between two checks.
        const MOST_VISITS: u32 = (1 << 31) - (1 << 24);
        let limits = search.limits;
        let mut patience = search.bounds.soft.map(|soft| Patience::new(soft, self.expected));
        let mut looked = limits.stopwatch.elapsed();
        for own in 0u64.. {
            if self.tree.proof() != Proof::Unknown {
                return StopReason::Proven;
            }
            if own.is_multiple_of(PLAYOUTS_PER_CHECK) && search.shared.has_playouts_left() {
                if let Some(bound) = search.bounds.hard {
                    let now = limits.stopwatch.elapsed();
                    if now >= bound {
                        return StopReason::Time;
                    }
                    if self.lateness.saw(now.saturating_sub(looked)) {
                        search.bounds.hard = self.bounds(limits).hard;
                    }
                    looked = now;
                }
                if limits.stop.is_stopped() {
                    return StopReason::Stopped;
                }
                if self.tree.visits() > MOST_VISITS {
                    return StopReason::Counters;
                }
                watch.look(|| self.report(search, None));
            }
            if own % PLAYOUTS_PER_LOOK == PLAYOUTS_PER_LOOK - 1
                && let Some(patience) = &mut patience
                && let Some(standing) = self.summary().root_state(self.tree.visits() - search.reused)
                && patience.is_at_end(&standing, limits.stopwatch.elapsed(), self.parameters.catch_up)
            {
                return StopReason::Decided;
            }
            if !search.shared.playout(&mut self.worker) {
                return StopReason::Playouts;
            }
        }
        StopReason::Playouts
    }
}
