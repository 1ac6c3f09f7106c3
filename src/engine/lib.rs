//! The engine of Quiver: evaluator, endgame solver and Monte Carlo tree search for the Game of the
//! Amazons. It runs on Linux, macOS, Windows and WebAssembly: see [`platform`].
//!
//! ```
//! use quiver_engine::{Engine, EngineOptions, Limits, Position, Side, Size};
//!
//! let mut position = Position::start(Size::square(8)?)?;
//! let mut engine = Engine::new(&EngineOptions { seed: 5, ..EngineOptions::default() }, &position);
//! for _ in 0..2 {
//!     let report = engine.search(&Limits::playouts(100)).expect("the game is not over");
//!     println!("{}: the mover wins with a chance of {:.2}", report.best, report.value);
//!     position = position.play(report.best)?;
//!     engine.advance(report.best)?;
//! }
//! assert_eq!(*engine.position(), position);
//! assert_eq!(position.to_move(), Side::First);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! The rules are in the crate [`amazons`]. Each module uses only modules before it: [`platform`]
//! (clocks), [`simd`], `shipped` (the networks, weights and books in the library), [`endgame`],
//! [`territory`], [`policy`], [`search`], [`players`].
//!
//! # Examples
//!
//! The folder `examples` has programs that play a game, analyse a position within a time limit,
//! search with a custom evaluator, solve an ending, read SGF, and play a match of two players.
//!
//! # Features
//!
//! `avx512`, on by default, compiles evaluator, network and selection once more for processors with
//! AVX-512. `serde` reads and writes squares, moves, positions and names of players as text.
//! `bot-8` and `bot-10` leave out the network, the weights and the book of the other boards.

#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

pub mod endgame;
pub mod platform;
pub mod players;
pub mod policy;
pub mod search;
mod shipped;
pub mod simd;
pub mod territory;

pub use amazons;
pub use amazons::{Bitboard, HalfPly, Move, PlayError, Position, QueenMove, Side, Size, Square};
pub use endgame::{Effort, Solution, Solver};
pub use policy::Network;
pub use search::{Engine, EngineOptions, Limits, Parameters, Report, StopHandle, StopReason, Time};
pub use territory::{Evaluator, View, Weights, logistic};
