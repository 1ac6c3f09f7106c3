//! Adjudication by proof: the referee ends a game whose winner the exact solver proves.

use amazons::{Position, Side};

use crate::endgame::{Effort, Solver};

/// Nodes that a proof may take. Fixed, so that the same position has the same verdict every time.
pub(super) const NODES: u64 = 50;

/// Bytes of the solver's tables: more than so few nodes fill.
const MEMORY: usize = 1 << 18;

/// The winner, where the solver proves it within [`NODES`], and by how many moves where that is
/// counted. Each position has a new solver: what it proves depends on no earlier position.
pub(super) fn proven(position: &Position) -> Option<(Side, Option<u32>)> {
    // With more than two fifths of the board open, proofs are rare and each node is dear.
    let squares = u32::from(position.size().width()) * u32::from(position.size().height());
    if 5 * position.empty().count() > 2 * squares {
        return None;
    }
    let solution = Solver::new(MEMORY).prove(position, &Effort::nodes(NODES));
    solution.winner.map(|winner| (winner, solution.margin()))
}
