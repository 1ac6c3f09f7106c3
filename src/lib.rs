//! Quiver: a Monte Carlo tree search engine with time control for the Game of the Amazons.
//!
//! The rooms of the house, each leaning only on those above it:
//!
//! - [`game`]: the rules. Squares, positions, moves, notations, perft.
//! - [`territory`]: the evaluator.
//! - [`search`]: the tree and its search, its clock and its parameters.
//! - [`players`]: whatever chooses a move.
//! - `botzone`: the wire to Botzone; its match logs read and checked (feature `replay`).
//! - `analysis`: questions about positions and games, and their answers (feature `replay`).
//! - `web`: what a browser shows: the board, the page of a match (feature `replay`).
//! - [`commands`]: the command line, one file a subcommand.

#[cfg(feature = "replay")]
pub mod analysis;
#[cfg(feature = "replay")]
pub mod botzone;
pub mod commands;
pub mod game;
pub mod players;
pub mod search;
pub mod territory;
#[cfg(feature = "replay")]
pub mod web;
