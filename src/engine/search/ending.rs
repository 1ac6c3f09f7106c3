//! The endgame in the search: what the solver proves at the root and at leaves.
//!
//! At a leaf, bounds or remembered sums may prove the winner; a gate skips them while too much is
//! contested. At the root, the engine spends a share of the turn on a proof before the first
//! playout.

use std::time::Duration;

use super::edge::Proof;
use super::limits::Limits;
use super::parameters::Parameters;
use super::report::Ending;
use super::watch::StopHandle;
use crate::endgame::{Effort, Prospects, Solver};
use crate::game::{FullMove, Position};
use crate::territory::View;

/// Bytes of the solver's tables, which fit into a processor's cache. They do not depend on the
/// memory of the tree, so that neither does what is proven.
const MEMORY: usize = 4 << 20;

/// Solver nodes at the root where neither time nor playouts are limited: some tenths of a second.
const UNLIMITED: u64 = 20_000;

#[derive(Debug, Default)]
pub(super) struct Endings {
    solver: Option<Box<Solver>>,
}

impl Endings {
    fn solver(&mut self) -> &mut Solver {
        self.solver.get_or_insert_with(|| Box::new(Solver::new(MEMORY)))
    }

    /// The [waste](View::waste) of a state; `None` if neither side has two squares for itself.
    #[inline]
    pub(super) fn waste(&mut self, view: &View<'_>) -> Option<i16> {
        self.solver().waste(view.empty, view.amazons)
    }

    /// The proof of a position by bounds alone, for the side that has just moved.
    #[inline]
    pub(super) fn at_leaf(&mut self, position: &Position) -> Proof {
        if !Prospects::from(position).may_be_decided(position.to_move()) {
            return Proof::Unknown;
        }
        match self.solver().prove(position, &Effort::nodes(0)).winner {
            Some(winner) if winner == position.to_move() => Proof::Loss,
            Some(_) => Proof::Win,
            None => Proof::Unknown,
        }
    }

    /// The winner of the position at the root, if it can be proven until this time on the stopwatch
    /// of the limits, and the move to play: none where the search may choose among moves that are
    /// all lost.
    pub(super) fn at_root(
        &mut self,
        position: &Position,
        limits: &Limits,
        parameters: &Parameters,
        until: Option<Duration>,
        stop: &StopHandle,
    ) -> Option<(Ending, Option<FullMove>)> {
        if Prospects::from(position).contested() > parameters.endgame_contested {
            return None;
        }
        let is_past = |until: Option<Duration>| {
            stop.is_stopped() || until.is_some_and(|until| limits.stopwatch.elapsed() >= until)
        };
        // Without a clock the result must not depend on one, so that a node counts as a playout.
        let playouts = limits.playouts.map(|playouts| (parameters.endgame_share * playouts as f64) as u64);
        let nodes = playouts.or(until.map(|_| u64::MAX)).unwrap_or(UNLIMITED);
        let begun = limits.stopwatch.elapsed();
        let solver = self.solver();
        let solution = solver.prove(position, &Effort { nodes, stop: &|| is_past(until) });
        let winner = solution.winner?;
        let margin = solution.margin();
        let best = if winner == position.to_move() || margin.is_some() {
            // The move may take as long again as the proof may: otherwise a proof found at the last
            // moment would have no move.
            let longer = until.map(|until| until + until.saturating_sub(begun));
            solver.best_move(position, winner, &Effort { nodes, stop: &|| is_past(longer) })
        } else {
            None
        };
        if winner == position.to_move() && best.is_none() {
            return None;
        }
        Some((Ending { winner, margin }, best))
    }
}
