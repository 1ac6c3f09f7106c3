//! The end of the game in the search: what `endgame` proves at the root and at leaves.
//!
//! At a leaf, bounds alone may prove the winner; a gate skips them while too much is contested. At the root, the
//! engine spends a share of the turn on a proof before the first playout.

use std::time::Duration;

use super::edge::Proof;
use super::limits::Limits;
use super::parameters::Parameters;
use super::report::Ending;
use super::stop::StopHandle;
use crate::endgame::{Effort, Prospects, Solver};
use crate::game::{FullMove, Position, Side};
use crate::territory::View;

/// Bytes of the solver's tables, whatever the tree has: what it proves in so many nodes should not depend on that. They
/// fit into a processor's cache.
const MEMORY: usize = 4 << 20;

/// Nodes at the root where neither time nor playouts are limited: some tenths of a second.
const UNLIMITED: u64 = 20_000;

/// The solver of one engine, made when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Endings {
    solver: Option<Box<Solver>>,
}

/// A position whose winner is proven.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proven {
    pub(super) ending: Ending,
    /// What to play; `None` where the search may choose among moves that are all lost.
    pub(super) best: Option<FullMove>,
}

impl Endings {
    fn solver(&mut self) -> &mut Solver {
        self.solver.get_or_insert_with(|| Box::new(Solver::new(MEMORY)))
    }

    /// The [waste](View::waste) of a leaf; `None` if neither side has squares for itself.
    #[inline]
    pub(super) fn waste(&mut self, view: &View<'_>, parameters: &Parameters) -> Option<i16> {
        if parameters.endgame == 0 {
            return None;
        }
        self.solver().waste(view.empty, view.amazons)
    }

    /// What is proven of the side that has just moved.
    #[inline]
    pub(super) fn at_leaf(&mut self, position: &Position, parameters: &Parameters) -> Proof {
        if parameters.endgame == 0 {
            return Proof::Unknown;
        }
        if !Prospects::from(position).may_be_decided(position.to_move()) {
            return Proof::Unknown;
        }
        match self.solver().prove(position, &Effort::nodes(0)).winner {
            Some(winner) if winner == position.to_move() => Proof::Loss,
            Some(_) => Proof::Win,
            None => Proof::Unknown,
        }
    }

    /// The winner of the position at the root, if that can be proven `until` then, or within the share of the playouts
    /// that endings have.
    pub(super) fn at_root(
        &mut self,
        position: &Position,
        limits: &Limits,
        until: Option<Duration>,
        stop: &StopHandle,
        parameters: &Parameters,
    ) -> Option<Proven> {
        let contested = Prospects::from(position).contested();
        if parameters.endgame == 0 || contested > parameters.endgame_contested {
            return None;
        }
        let share = parameters.endgame_share;
        // Without a clock the result must not depend on one: a node counts as a playout.
        let playouts = limits.playouts.map(|playouts| (share * playouts as f64) as u64);
        let nodes = playouts.or(until.map(|_| u64::MAX)).unwrap_or(UNLIMITED);
        let begun = limits.stopwatch.elapsed();
        let past = |until: Option<Duration>| {
            stop.is_stopped() || until.is_some_and(|until| limits.stopwatch.elapsed() >= until)
        };
        let late = || past(until);
        let effort = Effort { nodes, stop: &late };
        let solver = self.solver();
        let solution = solver.prove(position, &effort);
        let winner = solution.winner?;
        let margin = solution.margin();
        let best = if winner == position.to_move() || margin.is_some() {
            // As much again, so that a proof found at the last moment is not lost for want of its move.
            let longer = until.map(|until| until + until.saturating_sub(begun));
            solver.best_move(position, winner, &Effort { nodes, stop: &|| past(longer) })
        } else {
            None
        };
        if winner == position.to_move() && best.is_none() {
            return None;
        }
        Some(Proven { ending: Ending { winner, margin }, best })
    }
}

impl Proven {
    /// The chance of winning of this side.
    pub(super) fn value(&self, side: Side) -> f64 {
        if self.ending.winner == side { 1.0 } else { 0.0 }
    }
}
