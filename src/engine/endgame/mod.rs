//! The exact endgame solver: proves which side wins when only filling is left, and finds the move.
//!
//! No move leaves its region of unburnt squares, so a position is a sum of regions. A region that
//! only one side has amazons in is worth the moves that this side can make there. Each file uses
//! only those before it: `region`, `table`, `filling`, `bounds`, `sum`, `solver`, `play`.
//!
//! The search uses the solver at its root and at leaves, `quiver solve` for any position. A result
//! is a proof, unless two sums share a 64-bit key in a table.

mod bounds;
mod filling;
mod play;
mod region;
mod solver;
mod sum;
mod table;

pub use bounds::Prospects;
pub use play::BestMoveError;
pub use solver::{Effort, Solution, Solver};
