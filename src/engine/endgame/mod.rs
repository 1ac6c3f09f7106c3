//! The exact endgame solver: proves which side wins, and finds a move that keeps a win.
//!
//! No amazon or arrow leaves its region of unburnt squares, so a position is a sum of regions. Each
//! module uses only modules before it in this list: `region`, `table`, `filling`, `bounds`, `sum`,
//! `solver`.
//!
//! A result is a proof, unless two different sums have the same 64-bit key in a table.

mod bounds;
mod filling;
mod region;
mod solver;
mod sum;
mod table;

pub use bounds::Prospects;
pub use solver::{BestMoveError, Effort, Solution, Solver};
