//! The program Quiver: a Monte Carlo tree search engine with time control for the Game of the
//! Amazons, its bot and its tools.
//!
//! The libraries that other programs use are the crates `amazons` (the rules, `src/amazons`) and
//! `quiver-engine` (`src/engine`); the wire to Botzone is `quiver-bot` (`src/bot`), and questions about
//! games with their answers are `quiver-analysis` (`src/analysis`). All are exported here again,
//! [`games`] and [`words`] of the last by their own names.
//!
//! # Modules
//!
//! They serve the program `quiver` and are no stable interface. Each uses only modules that stand
//! above it:
//!
//! - [`files`]: files written whole, journals, and faults on demand.
//! - [`messages`]: text from outside as messages show it.
//! - `jobs`: numbered jobs on several threads.
//! - `threads`: the number of search threads.
//! - `normal`: the normal distribution.
//! - [`contest`]: matches between players of any make, and the statistics of their results.
//! - [`training`]: games for training, the evaluator measured on them, test positions and books.
//! - [`botzone`]: match logs of Botzone, checks of bots and the upload.
//! - [`formats`]: files of games in every format.
//! - [`protocols`]: this engine as an engine of other programs.
//! - [`web`]: the pages.
//! - [`commands`]: the command line.
// Only the tests, the fuzzing and the Python package use this library.
#![allow(missing_docs, rustdoc::private_intra_doc_links)]

pub mod botzone;
pub mod commands;
pub mod contest;
pub mod files;
pub mod formats;
mod jobs;
mod normal_distribution;
pub mod protocols;
#[cfg(test)]
#[path = "../tests/common/scratch.rs"]
#[allow(dead_code)]
mod scratch;
mod threads;
pub mod training;
pub mod web;

pub use quiver_analysis::{self as analysis, games, words};
pub use quiver_bot::{Coordinates, InputError, Start, messages};
pub use quiver_engine::*;
