//! Adjudication: the referee ends a game if the endgame solver proves its winner.

use amazons::{Position, Side};

use crate::endgame::{Effort, Solver};

/// The most nodes that the endgame solver visits to prove the winner of a position.
pub(super) const PROOF_NODES: u64 = 50;

/// The size of the endgame solver's tables, in bytes, which is enough for [`PROOF_NODES`] nodes.
const SOLVER_BYTES: usize = 1 << 18;

/// The proven winner of a position and, if the solver knows it, the number of moves by which the
/// winner leads. `None` if the solver finds no proof within [`PROOF_NODES`] nodes. The result
/// depends only on the position, because the limit counts nodes and each call has a new solver.
pub(super) fn proven_winner(position: &Position) -> Option<(Side, Option<u32>)> {
    // With more than two fifths of the board empty, the solver would rarely find the winner.
    let squares = u32::from(position.size().width()) * u32::from(position.size().height());
    if 5 * position.empty().count() > 2 * squares {
        return None;
    }
    let solution = Solver::new(SOLVER_BYTES).prove(position, &Effort::nodes(PROOF_NODES));
    solution.winner.map(|winner| (winner, solution.margin()))
}
