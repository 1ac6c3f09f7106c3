//! Adjudication: the referee ends a game if the endgame solver proves its winner.

use amazons::{Position, Side};

use crate::endgame::{Effort, Solver};

/// The most nodes of a proof. The number is fixed, so that a position always has the same verdict.
pub(super) const PROOF_NODES: u64 = 50;

/// Bytes of the solver's tables, more than a proof of so few nodes can fill.
const SOLVER_BYTES: usize = 1 << 18;

/// The proven winner of a position, with the margin in moves if the solver has counted it. `None`
/// if [`PROOF_NODES`] nodes prove nothing. A new solver makes the result independent of earlier
/// positions.
pub(super) fn proven(position: &Position) -> Option<(Side, Option<u32>)> {
    // With more than two fifths of the board empty, proofs are rare and each node is expensive.
    let squares = u32::from(position.size().width()) * u32::from(position.size().height());
    if 5 * position.empty().count() > 2 * squares {
        return None;
    }
    let solution = Solver::new(SOLVER_BYTES).prove(position, &Effort::nodes(PROOF_NODES));
    solution.winner.map(|winner| (winner, solution.margin()))
}
