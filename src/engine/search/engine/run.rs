//! One search of an engine, from the bounds of its time to its report.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use std::{iter, mem};

use super::Engine;
use crate::game::FullMove;
use crate::search::cells::Cells;
use crate::search::clock::{Bounds, Patience, RootState};
use crate::search::edge::Proof;
use crate::search::limits::Limits;
use crate::search::pool::SharedSearch;
use crate::search::rave::Rave;
use crate::search::report::{Candidate, Ending, Report, StopReason};
use crate::search::selection::choose;
use crate::search::summary;
use crate::search::watch::Watch;

/// One call of [`Engine::search`] or [`Engine::ponder`], as all workers see it.
struct RunningSearch<'a> {
    limits: &'a Limits,
    bounds: Bounds,
    shared: Arc<SharedSearch>,
    reused: u32,
    /// The tables when the search began; `None` with one worker.
    before: Option<(Rave, Cells)>,
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
        Bounds::new(limits, self.parameters.margin(), self.lateness, empty)
    }

    /// Asks the solver for the winner first, while the other workers search. Searches if the winner
    /// is unknown, or if the position is lost and still contested: some replies are harder to find
    /// than others.
    pub(super) fn solve_or_run(&mut self, limits: &Limits, watch: &mut Watch<'_>) -> Option<Report> {
        let endgame = self.parameters.endgame == 1;
        let mut search = match self.begin(limits, endgame)? {
            ControlFlow::Continue(search) => search,
            ControlFlow::Break(only_move) => return Some(only_move),
        };
        // A win that the tree has proven needs no second proof.
        if !endgame || self.tree.proof() == Proof::Win {
            return self.join(search, watch);
        }
        let Some((ending, best)) = self.solve_root(&search, watch) else {
            return self.join(search, watch);
        };
        self.end(&mut search);
        let value = if ending.winner == self.tree.position.to_move() { 1.0 } else { 0.0 };
        let Some(best) = best else {
            // Without proofs at leaves, which would all say the same.
            let report = self.run(limits, false, watch)?;
            return Some(Report { ending: Some(ending), value, proven: true, ..report });
        };
        let candidate = Candidate {
            full: best,
            visits: 0,
            value,
            prior: 1.0,
            static_value: value,
            line: vec![best],
            line_visits: vec![0],
        };
        Some(Report {
            best,
            value,
            proven: true,
            ending: Some(ending),
            principal_variation: vec![best],
            candidates: vec![candidate],
            depth: 0,
            ..self.report(&search, StopReason::Proven)?
        })
    }

    /// Spends a share of the time on a proof of the winner, but no longer than a watch may wait.
    fn solve_root(
        &mut self,
        search: &RunningSearch<'_>,
        watch: &Watch<'_>,
    ) -> Option<(Ending, Option<FullMove>)> {
        let RunningSearch { limits, bounds, .. } = search;
        let Engine { tree, worker, stop, parameters, .. } = self;
        let begun = limits.stopwatch.elapsed();
        let share = |deadline: Duration| deadline.saturating_sub(begun).mul_f64(parameters.endgame_share);
        let deadline = bounds.soft.or(bounds.hard);
        let until = deadline.map(|deadline| begun + share(deadline).min(watch.patience()));
        worker.endings.at_root(&tree.position, limits, parameters, until, stop)
    }

    /// Searches without asking the solver at the root; `endgame` says whether leaves ask it.
    pub(super) fn run(&mut self, limits: &Limits, endgame: bool, watch: &mut Watch<'_>) -> Option<Report> {
        match self.begin(limits, endgame)? {
            ControlFlow::Continue(search) => self.join(search, watch),
            ControlFlow::Break(only_move) => Some(only_move),
        }
    }

    /// Starts all other workers. Under a clock an only move is reported at once, without a search;
    /// `None` if there is no move.
    fn begin<'a>(
        &mut self,
        limits: &'a Limits,
        endgame: bool,
    ) -> Option<ControlFlow<Report, RunningSearch<'a>>> {
        self.tree.root?;
        let shared = SharedSearch::new(&self.tree, &self.parameters, limits.playouts, endgame);
        let (shared, bounds, reused) = (Arc::new(shared), self.bounds(limits), self.tree.visits());
        let mut search = RunningSearch { limits, bounds, shared, reused, before: None, collisions: 0 };
        if search.bounds.hard.is_some() && self.tree.position.full_moves().nth(1).is_none() {
            let report = self.report(&search, StopReason::OnlyMove)?;
            return Some(ControlFlow::Break(self.remember_value(report)));
        }
        if self.pool.len() > 0 {
            let (rave, bias) = &*search.before.insert((self.worker.rave.clone(), self.worker.bias.clone()));
            for worker in self.pool.workers() {
                worker.rave.clone_from(rave);
                worker.bias.clone_from(bias);
            }
        }
        self.pool.start(&search.shared);
        Some(ControlFlow::Continue(search))
    }

    /// Takes part in a search until one of the conditions that end it holds.
    fn join(&mut self, mut search: RunningSearch<'_>, watch: &mut Watch<'_>) -> Option<Report> {
        let stop = self.first_worker(&search, |engine| {
            watch.look(|| engine.report(&search, StopReason::Searching));
        });
        self.end(&mut search);
        if let (StopReason::Time, Some(hard)) = (stop, search.bounds.hard) {
            self.lateness.note(search.limits, hard, search.limits.stopwatch.elapsed());
        }
        let report = self.report(&search, stop)?;
        Some(self.remember_value(report))
    }

    fn end(&mut self, search: &mut RunningSearch<'_>) {
        search.shared.end();
        self.pool.finish();
        let workers = iter::once(&mut self.worker).chain(self.pool.workers());
        search.collisions = workers.map(|worker| mem::take(&mut worker.collisions)).sum();
        if let Some((rave, bias)) = &search.before {
            for worker in self.pool.workers() {
                self.worker.rave.merge(&worker.rave, rave);
                self.worker.bias.merge(&worker.bias, bias);
            }
        }
    }

    /// Stores the report's value, which the next search expects, and returns the report.
    fn remember_value(&mut self, report: Report) -> Report {
        self.expected = Some((report.value, 0));
        report
    }

    fn report(&self, search: &RunningSearch<'_>, stop: StopReason) -> Option<Report> {
        let root = self.tree.root?;
        let bound = self.parameters.final_bound;
        let (best, value, proven) = summary::chosen(&self.tree, root, &self.worker.expander, bound)?;
        Some(Report {
            best,
            value,
            network_value: self.tree.network_value,
            proven,
            ending: None,
            principal_variation: summary::principal_variation(&self.tree, root, best, bound),
            candidates: summary::candidates(&self.tree, root, bound),
            playouts: search.shared.playouts(),
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
    fn first_worker(&mut self, search: &RunningSearch<'_>, mut look: impl FnMut(&Engine)) -> StopReason {
        // Often enough for a millisecond, seldom enough that the clock costs nothing.
        const PLAYOUTS_PER_CHECK: u64 = 8;
        const PLAYOUTS_PER_LOOK: u64 = 64;
        /// The search stops at this many visits, so that the sum of an edge stays below 2^63. The
        /// distance to 2^31 exceeds the playouts between two checks.
        const MOST_VISITS: u32 = (1 << 31) - (1 << 24);
        let RunningSearch { limits, bounds, shared, .. } = search;
        let mut patience = bounds.soft.map(|soft| {
            let expected =
                self.expected.map(|(value, plies)| if plies % 2 == 0 { value } else { 1.0 - value });
            Patience::new(soft, expected)
        });
        let (mut hard, mut looked) = (bounds.hard, limits.stopwatch.elapsed());
        for own in 0u64.. {
            if self.tree.proof() != Proof::Unknown {
                return StopReason::Proven;
            }
            if own.is_multiple_of(PLAYOUTS_PER_CHECK) && shared.has_playouts_left() {
                if let Some(bound) = hard {
                    let now = limits.stopwatch.elapsed();
                    if now >= bound {
                        return StopReason::Time;
                    }
                    if self.lateness.saw(now.saturating_sub(looked)) {
                        hard = self.bounds(limits).hard;
                    }
                    looked = now;
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
                && let Some(standing) = self.standing(shared.playouts())
                && patience.is_at_end(&standing, limits.stopwatch.elapsed(), self.parameters.catch_up)
            {
                return StopReason::Decided;
            }
            if !shared.playout(&mut self.worker) {
                return StopReason::Playouts;
            }
        }
        StopReason::Playouts
    }

    /// The state of the root; `None` as long as no full move leads.
    fn standing(&self, playouts: u64) -> Option<RootState> {
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
        Some(RootState {
            leader: FullMove::new(queen.queen_move(), arrow.to()),
            value: arrow.mean()?,
            lead: u64::from(queen_lead.min(arrow_lead)),
            playouts,
        })
    }
}
