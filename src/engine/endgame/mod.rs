//! The exact endgame solver: which side wins when only squares are left to fill, and by which
//! moves.
//!
//! No move leaves its region of unburnt squares, so that a position is a sum of regions, and a
//! region that one side has for itself is worth the moves it can make there. From the ground up:
//!
//! - `region`: the parts of a position;
//! - `filling`: the exact number of moves in a private region, defects and all;
//! - `bounds`: what a region is worth at least and at most, shared or not;
//! - `sum`, `table` and `solver`: proof of the winner of a sum of regions: [`Solver`];
//! - `play`: the move to play where the winner is known; `margin`: by how many moves it wins;
//! - `shape`: what a position consists of: [`Shape`];
//! - `prospects`: the squares that each side reaches, a cheap gate for the solver: [`Prospects`];
//! - `waste`: private squares that are not certain to become moves, for the evaluator:
//!   [`Solver::waste`].
//!
//! The search asks at its root and at leaves, `quiver solve` for a position from outside. A verdict
//! is a proof, except that two sums may share a 64-bit number in a table.

mod bounds;
mod filling;
mod margin;
mod play;
mod prospects;
mod region;
mod shape;
mod solver;
mod sum;
mod table;
mod waste;

pub use prospects::Prospects;
pub use shape::Shape;
pub use solver::{Effort, Solution, Solver};
