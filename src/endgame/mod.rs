//! The end of the game, exactly.
mod bounds;
mod cells;
mod filling;
mod region;
mod solver;
mod table;

pub use solver::{Effort, Solution, Solver};
