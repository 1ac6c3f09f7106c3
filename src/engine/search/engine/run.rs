//! One search of an engine, from its time bounds to its report.

use std::sync::Arc;
use std::{iter, mem};

use amazons::Move;

use super::Engine;
use crate::search::arena::Proof;
use crate::search::clock::{EarlyStop, TimeBounds};
use crate::search::ending::prove_root;
use crate::search::limits::Limits;
use crate::search::mean_table::MeanTable;
use crate::search::pool::SharedSearch;
use crate::search::rave::Rave;
use crate::search::report::{Candidate, Ending, Report, StopReason, Watch};
use crate::territory::View;

pub(super) struct RunningSearch<'a> {
    pub(super) limits: &'a Limits,
    pub(super) bounds: TimeBounds,
    early_stop: Option<EarlyStop>,
    /// The number of playouts that the first worker has begun.
    begun: u64,
    pub(super) shared: Arc<SharedSearch>,
    pub(super) reused: u32,
    pub(super) collisions: u64,
}

impl Drop for RunningSearch<'_> {
    /// Ends the search even if the engine panics.
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl Engine {
    fn time_bounds(&self, limits: &Limits) -> TimeBounds {
        let empty = self.tree.position.empty().count();
        TimeBounds::new(limits, self.parameters.time_margin(), self.delay_tracker, empty)
    }

    /// Searches from the current root; `None` if there is no legal move. If `asks_at_root`, asks
    /// the solver about the root first, because its answer decides how the workers search.
    pub(super) fn run(
        &mut self,
        limits: &Limits,
        asks_at_root: bool,
        watch: &mut Watch<'_>,
    ) -> Option<Report> {
        let (tree, worker, parameters) = self.parts();
        worker.expand_root(tree, parameters);
        self.tree.root?;
        let (bounds, reused) = (self.time_bounds(limits), self.tree.visits());
        let only_move = bounds.hard.is_some() && self.tree.position.legal_moves_iter().nth(1).is_none();
        let asks_at_root = asks_at_root && self.parameters.endgame && !only_move;
        let mut solved = None;
        // A root that the tree has proven won needs no second proof.
        if asks_at_root && self.tree.root_proof() != Proof::Win {
            let was_won = self.expected == Some(1.0);
            let Engine { tree, worker, parameters, .. } = &mut *self;
            let deadline = bounds.soft.or(bounds.hard);
            let longest_silence = watch.interval.saturating_mul(10);
            let solver = &mut worker.solver;
            solved =
                prove_root(solver, &tree.position, limits, parameters, deadline, longest_silence, was_won);
        }
        // If the root is proven lost, proofs at leaves add nothing.
        let at_leaves = self.parameters.endgame && solved.is_none();
        let early_stop = bounds.soft.map(|soft| EarlyStop::new(soft, self.expected, limits.elapsed()));
        let shared = SharedSearch::new(self.context(at_leaves), limits.clone(), bounds.hard, [0; 2]);
        let mut search =
            RunningSearch { limits, bounds, early_stop, begun: 0, shared, reused, collisions: 0 };
        if let Some((ending, Some(best))) = solved {
            let report = self.solved_root_report(&search, ending, best)?;
            self.expected = Some(report.value);
            return Some(report);
        }
        let mut stop = StopReason::OnlyMove;
        if !only_move {
            stop = loop {
                let initial_tables = self.start_pool(&search.shared);
                let stop = self.search_loop(&mut search, watch);
                search.collisions += self.finish_pool(&search.shared, initial_tables);
                match stop {
                    Some(stop) => break stop,
                    // A playout that was under way may have proven the root in the meantime.
                    None if self.tree.root_proof() != Proof::Unknown => break StopReason::Proven,
                    None => search = self.prune(search, at_leaves),
                }
            };
        }
        if let (StopReason::Time, Some(hard)) = (stop, search.bounds.hard) {
            self.delay_tracker.record_search(limits, hard, limits.elapsed());
        }
        let mut report = self.report(&search, Some(stop))?;
        if let Some((ending, _)) = solved {
            // The solver proved that every move loses. The playouts have looked for the move whose
            // refutation is hardest to find.
            report = Report { value: 0.0, proven: true, ending: Some(ending), ..report };
        }
        self.expected = Some(report.value);
        Some(report)
    }

    fn solved_root_report(&self, search: &RunningSearch<'_>, ending: Ending, best: Move) -> Option<Report> {
        let value = if ending.winner == self.tree.position.to_move() { 1.0 } else { 0.0 };
        let after = self.tree.position.play_unchecked(best);
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
                proven: true,
                prior: 1.0,
                static_value: 1.0 - self.worker.expander.static_value(&View::from(&after)),
                line: vec![best],
                line_visits: vec![0],
            }],
            ..self.report(search, Some(StopReason::Proven))?
        })
    }

    /// Gives the pool's workers copies of the first worker's tables and starts the search. Returns
    /// another copy of the tables for `finish_pool`; `None` if the pool is empty.
    fn start_pool(&mut self, shared: &Arc<SharedSearch>) -> Option<(Rave, MeanTable)> {
        let initial_tables =
            (self.pool.len() > 0).then(|| (self.worker.rave.clone(), self.worker.bias.clone()));
        if let Some((rave, bias)) = &initial_tables {
            for worker in self.pool.workers() {
                worker.rave.clone_from(rave);
                worker.bias.clone_from(bias);
            }
        }
        self.pool.start(shared);
        initial_tables
    }

    /// Ends the search of all workers. Adds their new results to the first worker's tables, whose
    /// state at the start of the search is `initial_tables`. Returns the number of collisions.
    fn finish_pool(&mut self, shared: &SharedSearch, initial_tables: Option<(Rave, MeanTable)>) -> u64 {
        shared.end();
        self.pool.wait_for_workers();
        if let Some((rave, bias)) = &initial_tables {
            for worker in self.pool.workers() {
                self.worker.rave.merge(&worker.rave, rave);
                self.worker.bias.merge(&worker.bias, bias);
            }
        }
        let workers = iter::once(&mut self.worker).chain(self.pool.workers());
        workers.map(|worker| mem::take(&mut worker.collisions)).sum()
    }

    /// Prunes the tree of a paused search. Returns the search, ready to go on.
    fn prune<'a>(&mut self, mut search: RunningSearch<'a>, asks_solver: bool) -> RunningSearch<'a> {
        let (early_stop, counters) = (search.early_stop.take(), search.shared.counters());
        let RunningSearch { limits, bounds, begun, reused, collisions, .. } = search;
        // The engine can prune the tree only after `search` has dropped its reference to the tree.
        drop(search);
        self.parts().0.prune(&|| limits.stop.is_stopped() || limits.is_past(bounds.hard));
        let shared = SharedSearch::new(self.context(asks_solver), limits.clone(), bounds.hard, counters);
        RunningSearch { limits, bounds, early_stop, begun, shared, reused, collisions }
    }

    /// Runs playouts until the search must end, and returns the reason. Returns `None` if the tree
    /// is full and enough time is left to prune it.
    fn search_loop(&mut self, search: &mut RunningSearch<'_>, watch: &mut Watch<'_>) -> Option<StopReason> {
        // Clock checks cost little, and are frequent enough for a time limit of 1 ms.
        const PLAYOUTS_PER_CLOCK_CHECK: u64 = 8;
        const PLAYOUTS_PER_EARLY_STOP_CHECK: u64 = 64;
        /// The number of root visits that ends a search, so that each edge's sum of results stays
        /// below 2^63. Fewer than 2^24 playouts run between two checks of this limit.
        const MAX_VISITS: u32 = (1 << 31) - (1 << 24);
        let limits = search.limits;
        let mut last_clock = limits.elapsed();
        for count in search.begun.. {
            search.begun = count;
            if self.tree.root_proof() != Proof::Unknown {
                return Some(StopReason::Proven);
            }
            if search.shared.is_over() {
                if limits.stop.is_stopped() {
                    return Some(StopReason::Stopped);
                }
                return limits.is_past(search.bounds.hard).then_some(StopReason::Time);
            }
            if count.is_multiple_of(PLAYOUTS_PER_CLOCK_CHECK) && search.shared.has_playouts_left() {
                if let Some(bound) = search.bounds.hard {
                    let now = limits.elapsed();
                    if now >= bound {
                        return Some(StopReason::Time);
                    }
                    if self.delay_tracker.record_delay(now.saturating_sub(last_clock)) {
                        search.bounds.hard = self.time_bounds(limits).hard;
                    }
                    last_clock = now;
                }
                if limits.stop.is_stopped() {
                    return Some(StopReason::Stopped);
                }
                if self.tree.visits() > MAX_VISITS {
                    return Some(StopReason::Counters);
                }
                if search.shared.should_prune(search.bounds.hard) {
                    return None;
                }
                watch.report_if_due(|| self.report(search, None));
            }
            if count % PLAYOUTS_PER_EARLY_STOP_CHECK == PLAYOUTS_PER_EARLY_STOP_CHECK - 1
                && let Some(root) = self.root_state(self.tree.visits() - search.reused)
                && let Some(early_stop) = &mut search.early_stop
                && early_stop.is_due(&root, limits.elapsed(), self.parameters.catch_up)
            {
                return Some(StopReason::Decided);
            }
            if !search.shared.try_playout(&mut self.worker) {
                return Some(StopReason::Playouts);
            }
        }
        Some(StopReason::Playouts)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use amazons::{Position, Size};

    use super::*;
    use crate::search::EngineOptions;

    /// The pool's worker must end the search, because the first worker does nothing in this test.
    #[test]
    fn pool_worker_ends_search_when_due() {
        let start = Size::square(6).and_then(Position::start).unwrap();
        let options = EngineOptions { threads: 2, memory: 1 << 22, ..EngineOptions::default() };
        let mut engine = Engine::new(&options, &start);
        engine.search(&Limits::playouts(1));
        let (stopped, late) = (Limits::default(), Limits::default().started());
        stopped.stop.stop();
        let full = Limits::default();
        for (limits, deadline, fills) in
            [(stopped, None, false), (late, Some(Duration::ZERO), false), (full, None, true)]
        {
            let shared = SharedSearch::new(engine.context(false), limits, deadline, [0; 2]);
            engine.pool.start(&shared);
            engine.pool.wait_for_workers();
            assert_eq!((shared.is_over(), engine.tree.arena.is_full()), (true, fills));
        }
    }
}
