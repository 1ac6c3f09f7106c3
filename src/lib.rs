//! Quiver: a Monte Carlo tree search engine with time control for the Game of the Amazons.
//!
//! The rooms of the house, each leaning only on those above it:
//!
//! - [`game`]: the rules. Squares, positions, moves, notations, perft.

pub mod game;
