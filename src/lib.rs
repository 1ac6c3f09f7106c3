//! The program Quiver: a Monte Carlo tree search engine for the Game of the Amazons, with its bot
//! and its tools.
//!
//! Other programs use the crates `amazons` (the rules, `src/amazons`), `quiver-engine`
//! (`src/engine`), `quiver-bot` (a bot for Botzone, `src/bot`) and `quiver-analysis` (questions
//! about positions and games, `src/analysis`). This crate re-exports `amazons`, all items of
//! `quiver-engine`, some items of `quiver-bot`, and `quiver-analysis` as `analysis`. It also
//! re-exports two modules of `quiver-analysis`: [`games`] and [`words`].
//!
//! # Modules
//!
//! The modules serve the program `quiver` and are not a stable interface. Each module uses only the
//! modules above it in this list:
//!
//! - [`files`] writes files that survive a crash: whole files, and journals of records.
//! - [`messages`] writes messages to standard error, and escapes untrusted text in them.
//! - `jobs` runs numbered jobs on several threads.
//! - `threads` limits the number of search threads.
//! - `normal_distribution` has the cumulative normal distribution.
//! - [`contest`] plays matches between players of any kind, and rates their results.
//! - [`training`] plays games for training, measures the evaluator on them, scores players on test
//!   positions, and makes opening books.
//! - [`botzone`] checks bots for Botzone, and makes the file for the upload.
//! - [`formats`] reads and writes files of games.
//! - [`protocols`] runs the engine by UCI, GTP and the protocol of the Chinese university contest.
//! - [`web`] serves the page of `quiver serve`, and writes pages about games and matches.
//! - [`commands`] is the command line.
// Only the tests, the fuzz targets and the Python package use this library.
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
