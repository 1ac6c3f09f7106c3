//! Quiver: a Monte Carlo tree search engine with time control for the Game of the Amazons.
//!
//! ```
//! use quiver::{Engine, EngineOptions, Limits, Side, Size, Start};
//!
//! let mut position = Start::Formula.position(Size::square(8)?)?;
//! let mut engine = Engine::new(&EngineOptions { seed: 5, ..EngineOptions::default() }, &position);
//! for _ in 0..2 {
//!     let report = engine.search(&Limits::playouts(100)).expect("the game is not over");
//!     println!("{}: the mover wins with a chance of {:.2}", report.best, report.value);
//!     position = position.play(report.best)?;
//!     engine.advance(report.best);
//! }
//! assert_eq!(*engine.position(), position);
//! assert_eq!(position.to_move(), Side::First);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! Each uses only modules that stand above it:
//!
//! - [`game`]: the rules. Squares, positions, moves, notations, perft.
//! - [`endgame`]: exact counting at the end of the game.
//! - [`territory`]: the evaluator.
//! - [`policy`]: the network that gives moves their priors, and positions a value.
//! - [`search`]: the tree and its search, its clock and its parameters.
//! - [`players`]: whatever chooses a move.
//!
//! The other modules serve the program `quiver` and are no stable interface. Below all of these:
//!
//! - `files`: files read and written whole, and lines of bounded length.
//! - `messages`: text from outside as messages show it.
//! - `jobs`: numbered jobs on several threads.
//! - `normal`: the normal distribution.
//!
//! Above them, each again uses only what stands before it:
//!
//! - `botzone`: the wire to the site Botzone, its match logs, local AI and the upload.
//! - `training`: games for training, and the evaluator measured on them.
//! - `contest`: matches between players of any make, and what their results mean.
//! - `formats`: files of games in every format.
//! - `analysis`: questions about positions, and their answers.
//! - `web`: the pages.
//! - `commands`: the command line.
//!
//! # Features
//!
//! | feature | what it adds to the library and to the program |
//! |---|---|
//! | `cli` | the command line |
//! | `analyze` | questions about positions: `quiver analyze` |
//! | `avx512` | evaluator, network and selection once more, for processors with AVX-512 |
//! | `local-ai` | play on Botzone from this machine: `quiver local-ai` |
//! | `match` | matches between engines: `quiver match`, `openings`, `uci` |
//! | `package` | the upload for Botzone: `quiver package` |
//! | `replay` | match logs and files of games: `quiver replay` |
//! | `serve` | the board in a browser: `quiver serve` |
//! | `training` | games for training: `quiver selfplay`, `evaluate`, `features` |
//!
//! All are on by default. A program that only searches builds with `default-features = false`.

#[cfg(feature = "analyze")]
#[doc(hidden)]
pub mod analysis;
#[doc(hidden)]
pub mod botzone;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod commands;
#[cfg(feature = "match")]
#[doc(hidden)]
pub mod contest;
pub mod endgame;
#[doc(hidden)]
pub mod files;
#[cfg(feature = "replay")]
#[doc(hidden)]
pub mod formats;
pub mod game;
#[cfg(any(feature = "match", feature = "training"))]
mod jobs;
#[doc(hidden)]
pub mod messages;
#[cfg(any(feature = "match", feature = "analyze"))]
mod normal;
pub mod players;
pub mod policy;
pub mod search;
pub mod territory;
#[cfg(feature = "training")]
#[doc(hidden)]
pub mod training;
#[cfg(feature = "replay")]
#[doc(hidden)]
pub mod web;

pub use endgame::{Effort, Solution, Solver};
pub use game::{Bitboard, Fen, FullMove, HalfPly, Position, QueenMove, Setup, Side, Size, Square, Start};
pub use policy::Network;
pub use search::{Engine, EngineOptions, Limits, Parameters, Report, StopHandle, StopReason, Time};
pub use territory::{Evaluator, View, Weights, logistic};
