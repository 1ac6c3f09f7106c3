//! The exact endgame solver: which side wins when only squares are left to fill, and by which
//! moves.
//!
//! No move leaves its region of unburnt squares, so that a position is a sum of regions, and a
//! region that one side has for itself is worth the moves it can make there. From the ground up:
//! `region`, `filling`, `bounds`, `sum`, `table`, `solver`, and then what asks the solver.
//!
//! The search asks at its root and at leaves, `quiver solve` for a position from outside. A verdict
//! is a proof, except that two sums may share a 64-bit number in a table.

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
