//! Asks the endgame solver for proofs, at the root and at leaves.
//!
//! At the root, the engine spends a fraction of the turn's time or playouts on a proof before the
//! first playout, unless too many squares are contested (within reach of both sides).

use std::time::Duration;

use amazons::{Move, Position};

use super::arena::Proof;
use super::limits::Limits;
use super::parameters::Parameters;
use super::report::Ending;
use crate::endgame::{Effort, Prospects, Solver};

/// The size of the solver's tables in bytes, which fit into a processor's cache. Because the size
/// is constant, proofs do not depend on the memory of the tree.
pub(super) const TABLE_BYTES: usize = 4 << 20;

/// The number of nodes that the solver may expand to prove the root if neither time nor playouts
/// are limited.
const DEFAULT_PROOF_NODES: u64 = 20_000;

/// The time that a proof at the root may always use if the last search proved a win, even without
/// time on the clock. This time is short, because the solver still has most of the needed results.
const TIME_TO_KEEP_A_WIN: Duration = Duration::from_millis(5);

/// The proof of a leaf by the solver's bounds and stored results, for the side that has just moved.
#[inline]
pub(super) fn prove_leaf(solver: &mut Solver, position: &Position) -> Proof {
    if !Prospects::from(position).may_be_decided(position.to_move()) {
        return Proof::Unknown;
    }
    match solver.prove(position, &Effort::nodes(0)).winner {
        Some(winner) if winner == position.to_move() => Proof::Loss,
        Some(_) => Proof::Win,
        None => Proof::Unknown,
    }
}

/// The proven winner of the root position and the move to play; `None` without a proof. The
/// move is `None` if all moves lose and the search should choose one. Under a clock, the proof
/// may use a fraction of the time until `deadline`, but at most `longest_silence`, because the user
/// gets no reports meanwhile. If the last search proved a win (`was_won`), the proof may always use
/// [`TIME_TO_KEEP_A_WIN`].
///
/// Bounds or stored results alone can prove a win in almost no time. The solver then also returns a
/// move that keeps the win, even if the clock has run out.
pub(super) fn prove_root(
    solver: &mut Solver,
    position: &Position,
    limits: &Limits,
    parameters: &Parameters,
    deadline: Option<Duration>,
    longest_silence: Duration,
    was_won: bool,
) -> Option<(Ending, Option<Move>)> {
    let prospects = Prospects::from(position);
    let is_open = prospects.contested() > parameters.endgame_contested;
    if is_open && !prospects.may_be_decided(position.to_move()) {
        return None;
    }
    let begun = limits.elapsed();
    let part = |ends: Duration| ends.saturating_sub(begun).mul_f64(parameters.endgame_share);
    let least = if was_won { TIME_TO_KEEP_A_WIN } else { Duration::ZERO };
    let share = deadline.map(|ends| part(ends).min(longest_silence).max(least));
    // After the time for the proof, the solver gets the same time again to find the move. Otherwise
    // a proof found at the last moment would come without a move.
    let [proof_ends, move_ends] = [1, 2].map(|shares| share.map(|share| begun + shares * share));
    let is_past = |ends: Option<Duration>| limits.stop.is_stopped() || limits.is_past(ends);
    // Without a clock the result must not depend on time, so a solver node counts as a playout.
    let playouts = limits.playouts.map(|playouts| (parameters.endgame_share * playouts as f64) as u64);
    let nodes = playouts.or(share.map(|_| u64::MAX)).unwrap_or(DEFAULT_PROOF_NODES);
    let proof_nodes = if is_open { 0 } else { nodes };
    let solution = solver.prove(position, &Effort { nodes: proof_nodes, stop: &|| is_past(proof_ends) });
    let winner = solution.winner?;
    let margin = solution.margin();
    let wins = winner == position.to_move();
    if is_open && !wins {
        return None;
    }
    let best_move = || solver.best_move(position, winner, &Effort { nodes, stop: &|| is_past(move_ends) });
    let best = (wins || margin.is_some()).then(best_move).and_then(Result::ok);
    (best.is_some() || !wins).then_some((Ending { winner, margin }, best))
}
