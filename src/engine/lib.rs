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
//! # The types in two minutes
//!
//! | to do | use |
//! |---|---|
//! | find a move with its value and the expected line | [`Engine::search`] within [`Limits`]; the result is a [`Report`] |
//! | set memory, threads, seed and parameters | [`EngineOptions`], [`ParameterSettings`] |
//! | stop a search from another thread, or watch its progress | [`StopHandle`], [`Engine::search_watched`] |
//! | keep the tree for the next turn, or search during the opponent's turn | [`Engine::advance`], [`Engine::ponder`] |
//! | play against a weaker player | [`players::PlayerKind`] |
//! | evaluate a position without a search | [`Evaluator`] or [`Network`], each with a [`View`] |
//! | search with your own evaluator | [`territory::Evaluate`] |
//! | prove who wins an endgame | [`Solver`] |
//!
//! The rules are in the crate [`amazons`]. Each module of this crate uses only modules before it in
//! this list: [`platform`] (clocks), [`simd`], `shipped` (networks, weights and books),
//! [`endgame`], [`territory`] (the evaluator), [`policy`] (the network), [`search`], [`players`].
//!
//! # Features
//!
//! The feature `avx512` (default) compiles the evaluator, the network and the selection of edges a
//! second time, for processors with AVX-512. The features `boards-8` and `boards-10` (both default)
//! include the network, the weights and the opening book: `boards-8` for boards up to 8x8, and
//! `boards-10` for larger boards. At least one of `boards-8` and `boards-10` is required. The
//! feature `serde` reads and writes squares, moves, positions and names of players as text.

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
pub use search::{
    Candidate, Engine, EngineOptions, Limits, ParameterSettings, Report, StopHandle, StopReason, Time, Watch,
};
pub use territory::{Evaluator, View, Weights, logistic};
