//! Questions about positions and games, and the engine's answers.
//!
//! - [`review`]: searches a finished game position by position and finds where it was lost.
//! - [`territory`]: the nearer side of each square, and by how much.
//! - [`game_line`]: a start position and the moves from it.
//! - [`request`], [`query`], [`answer`]: queries and answers as JSON; [`fields`] reads them.
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
pub use query::{Defaults, Query, QueryLimits};
pub use query_pool::QueryPool;
pub use request::AnalysisRequest;
pub use review::{Judgement, Loss, Review, ReviewPoint};
pub use territory::TerritoryMap;

/// The page that documents the protocol.
pub const PROTOCOL: &str = include_str!("protocol.md");
