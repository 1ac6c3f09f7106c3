//! Adjudication: the referee ends a game if the endgame solver proves its winner.

use amazons::{Position, Side};

use crate::endgame::{Effort, Solver};

/// The most nodes of a proof. The number is fixed, so that a position always has the same verdict.
pub(super) const PROOF_NODES: u64 = 50;

/// The size of the solver's tables, in bytes. [`PROOF_NODES`] nodes cannot fill such tables.
const SOLVER_BYTES: usize = 1 << 18;

/// The proven winner of a position, and the number of moves by which the winner leads, if the
/// solver knows it. `None` if [`PROOF_NODES`] nodes prove no winner. Each call creates a new
/// solver, so earlier positions do not change the result.
pub(super) fn proven(position: &Position) -> Option<(Side, Option<u32>)> {
    // On a board that is more than two fifths empty, no proof is tried: it would rarely succeed.
    let squares = u32::from(position.size().width()) * u32::from(position.size().height());
    if 5 * position.empty().count() > 2 * squares {
        return None;
    }
    let solution = Solver::new(SOLVER_BYTES).prove(position, &Effort::nodes(PROOF_NODES));
    solution.winner.map(|winner| (winner, solution.margin()))
}
