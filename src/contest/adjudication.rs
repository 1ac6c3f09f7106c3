//! Adjudication: the referee ends a game if the endgame solver proves its winner.

use amazons::{Position, Side};

use crate::endgame::{Effort, Solver};

/// The most nodes that the endgame solver visits to prove the winner of a position.
pub(super) const PROOF_NODES: u64 = 50;

/// The size of the endgame solver's tables, in bytes. [`PROOF_NODES`] nodes need less memory.
const SOLVER_BYTES: usize = 1 << 18;

/// The proven winner of a position and, if the solver knows it, the number of moves by which the
/// winner leads. `None` if the solver finds no proof within [`PROOF_NODES`] nodes. The result
/// depends only on the position: the limit is not a time, and each call creates a new solver.
pub(super) fn proven_winner(position: &Position) -> Option<(Side, Option<u32>)> {
    // On a board that is more than two fifths empty, no proof is tried: it would rarely succeed.
    let squares = u32::from(position.size().width()) * u32::from(position.size().height());
    if 5 * position.empty().count() > 2 * squares {
        return None;
    }
    let solution = Solver::new(SOLVER_BYTES).prove(position, &Effort::nodes(PROOF_NODES));
    solution.winner.map(|winner| (winner, solution.margin()))
}
