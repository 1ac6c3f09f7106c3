//! Questions about positions and games, and the engine's answers.
//!
//! - [`review`]: a finished game, searched position by position: where was it lost?
//! - [`territory`]: who is nearer to what on a board, and by how much.
//! - [`mod@line`]: a game as far as it went.
//! - [`query`], [`answer`]: what may be asked, and what is answered, as JSON; [`fields`] reads it.
//! - [`desk`]: where queries wait and are searched, several at once.
//! - [`session`]: the analysis engine of `quiver analyze --jsonl`.
//!
//! `quiver analyze` and the page of `quiver serve` ask the same questions and get the same answers.
#![doc = include_str!("protocol.md")]

pub mod answer;
pub mod desk;
pub mod fields;
pub mod line;
pub mod query;
pub mod review;
pub mod session;
pub mod territory;

pub use answer::Analysis;
pub use desk::Desk;
pub use line::Line;
pub use query::{Defaults, Effort, Query};
pub use review::{Loss, Point, Review};
pub use territory::TerritoryMap;

/// The page that documents the protocol.
pub const PROTOCOL: &str = include_str!("protocol.md");
