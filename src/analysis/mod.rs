//! Questions about positions and games, and the engine's answers.
//!
//! - [`review`]: a finished game, searched position by position: where was it lost?
//! - [`territory`]: who is nearer to what on a board, and by how much.
//! - [`game_line`]: a game as far as it went.
//! - [`request`], [`query`], [`answer`]: what may be asked, and what is answered, as JSON;
//!   [`fields`] reads it.
//! - [`query_pool`]: searches queries, several at once.
//! - [`session`]: the analysis engine of `quiver analyze --jsonl`.
//!
//! `quiver analyze` and the page of `quiver serve` ask the same questions and get the same answers.
#![doc = include_str!("protocol.md")]

pub mod answer;
pub mod fields;
pub mod game_line;
pub mod query;
pub mod query_pool;
pub mod request;
pub mod review;
pub mod session;
pub mod territory;

pub use answer::Analysis;
pub use game_line::GameLine;
pub use query::{Defaults, Effort, Query};
pub use query_pool::QueryPool;
pub use request::Request;
pub use review::{Loss, Point, Review};
pub use territory::TerritoryMap;

/// The page that documents the protocol.
pub const PROTOCOL: &str = include_str!("protocol.md");
