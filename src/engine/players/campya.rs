//! Campya: the textbook Monte Carlo tree search of the literature, and a place to learn the method.
//!
//! The player follows Kloetzer (PhD thesis, 2010) as far as that is published. It uses neither the
//! tree nor the endgame solver of [`crate::search`], and serves as a fixed reference opponent.
//!
//! The tree has two levels a ply: the queen move, then the arrow. Each node counts its visits and
//! sums their results. One playout has four steps, in the order of `Tree::playout`:
//!
//! 1. **Select.** From the root, go to the child with the greatest upper confidence bound `mean + C
//!    sqrt(ln N / n)` (UCT, Kocsis and Szepesvári 2006), until a node has no children. `N` counts
//!    the visits of the parent, `n` those of the child: a child is tried because its results are
//!    good or because they are few.
//! 2. **Expand.** A leaf that was visited before gets a child for each half move.
//! 3. **Simulate.** Play a few random plies, then let the published formula
//!    ([`campya`](crate::territory::campya)) say who is ahead.
//! 4. **Back up.** Every node of the path counts the result, seen from the side that moved into it.
//!
//! At the end of the turn the player makes the most visited move.
//!
//! RAVE (rapid action value estimation) makes early visits less blind. One table for the whole tree
//! holds the mean result of all playouts in which a side made a certain half move at any time. That
//! mean enters selection as ten virtual visits, which matter less as real visits arrive.

#[cfg(test)]
mod tests;
mod tree;

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Choice, Player};
use crate::game::{FullMove, Moment, Position};
use crate::search::{EngineOptions, Limits, Report, StopHandle, StopReason};
use tree::{Node, Tree};

/// `C` of the upper confidence bound, for results in [0,1].
const EXPLORATION: f64 = 0.45;

/// Virtual visits with which a RAVE mean enters selection.
const RAVE_VISITS: f64 = 10.0;

const RANDOM_PLIES: u32 = 5;

/// The constants by name, as match records list them.
pub(super) const CONSTANTS: [(&str, f64); 3] =
    [("exploration", EXPLORATION), ("rave_visits", RAVE_VISITS), ("random_plies", RANDOM_PLIES as f64)];

/// Plays by UCT with RAVE, from an empty tree each turn.
#[derive(Debug)]
pub struct CampyaPlayer {
    position: Position,
    tree: Tree,
    rng: Xoshiro256PlusPlus,
    margin: Duration,
    stop: StopHandle,
}

impl CampyaPlayer {
    /// A player about to play from `position`. Of the options it uses the seed, the memory and the
    /// margin.
    pub fn new(options: &EngineOptions, position: &Position) -> CampyaPlayer {
        CampyaPlayer {
            position: *position,
            tree: Tree::new(options.memory),
            rng: Xoshiro256PlusPlus::seed_from_u64(options.seed),
            margin: options.parameters.margin(),
            stop: StopHandle::default(),
        }
    }

    /// Makes playouts until a limit is reached; at least one. Returns their number and what ended
    /// them.
    fn search(&mut self, limits: &Limits, deadline: Option<Duration>) -> (u64, StopReason) {
        /// Playouts between two looks at the clock: well below a millisecond.
        const PLAYOUTS_PER_CHECK: u64 = 16;
        let most = limits.playouts.unwrap_or(u64::from(u32::MAX));
        for done in 1..most {
            self.tree.playout(&self.position, &mut self.rng);
            if done % PLAYOUTS_PER_CHECK != 1 {
                continue;
            }
            if deadline.is_some_and(|deadline| limits.stopwatch.elapsed() >= deadline) {
                return (done, StopReason::Time);
            }
            if self.stop.is_stopped() {
                return (done, StopReason::Stopped);
            }
        }
        self.tree.playout(&self.position, &mut self.rng);
        (most.max(1), if limits.playouts.is_some() { StopReason::Playouts } else { StopReason::Counters })
    }
}

impl Player for CampyaPlayer {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.play_unchecked(full);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        let queen_moves = Moment::Position(self.position).half_moves();
        if queen_moves.is_empty() {
            return None;
        }
        self.tree.restart(queen_moves);
        let deadline = limits.deadline(self.margin, self.position.empty().count());
        let (playouts, stop) = self.search(limits, deadline);
        self.stop.reset();
        let (line, value) = self.tree.best_line(&self.position);
        let report = Report {
            best: *line.first()?,
            value,
            network_value: None,
            proven: false,
            ending: None,
            principal_variation: line,
            candidates: Vec::new(),
            playouts,
            reused: 0,
            depth: self.tree.levels.div_ceil(2) as u32,
            time: limits.stopwatch.elapsed(),
            bound: deadline,
            memory: self.tree.nodes.len() * size_of::<Node>(),
            stop,
        };
        Some(Choice { full: report.best, report: Some(report) })
    }

    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.stop.clone())
    }
}
