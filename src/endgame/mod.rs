//! The end of the game, exactly.
mod bounds;
mod cells;
mod filling;
mod play;
mod prospects;
mod region;
mod solver;
mod table;

pub use prospects::Prospects;
pub use solver::{Effort, Solution, Solver};
