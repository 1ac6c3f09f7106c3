//! Quiver: a Monte Carlo tree search engine with time control for the Game of the Amazons.
//!
//! The rooms of the house, each leaning only on those above it:
//!
//! - [`files`]: files and lines that are checked before they are used.
//! - [`game`]: the rules. Squares, positions, moves, notations, perft.
//! - [`endgame`]: exact counting at the end of the game.
//! - [`territory`]: the evaluator.
//! - [`policy`]: the network that gives moves their priors.
//! - [`search`]: the tree and its search, its clock and its parameters.
//! - `jobs`: numbered jobs on several threads.
//! - [`messages`]: text from outside in messages.
//! - [`players`]: whatever chooses a move.
//! - [`botzone`]: the wire: request and response forms, the conversation of a match; match logs (feature `replay`).
//! - `training` (feature `training`): self-play games, labelled positions, the evaluator measured on them.
//! - `contest` (feature `match`): matches and tournaments, a referee, what results mean.
//! - `formats` (feature `replay`): files of games in every format, told apart, read and written.
//! - `analysis` (feature `analyze`): questions about positions and games, and their answers.
//! - `web` (feature `replay`): what a browser shows: the board, the page of a match.
//! - [`commands`]: the command line, one file a subcommand.

#[cfg(feature = "analyze")]
pub mod analysis;
pub mod botzone;
#[cfg(feature = "cli")]
pub mod commands;
#[cfg(feature = "match")]
pub mod contest;
pub mod endgame;
pub mod files;
#[cfg(feature = "replay")]
pub mod formats;
pub mod game;
#[cfg(any(feature = "match", feature = "training"))]
mod jobs;
pub mod messages;
pub mod players;
pub mod policy;
pub mod search;
pub mod territory;
#[cfg(feature = "training")]
pub mod training;
#[cfg(feature = "replay")]
pub mod web;
