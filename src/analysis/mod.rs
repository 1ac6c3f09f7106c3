//! Questions about positions and games, and the engine's answers.
//!
//! - [`review`]: searches a finished game position by position and finds where it was lost.
//! - [`territory`]: the nearer side of each square, and by how much.
//! - [`request`], [`query`], [`answer`]: queries and answers as JSON; [`fields`] reads them.
//! - [`query_pool`]: searches queries, several at once.
//! - [`session`]: the analysis engine of `quiver analyze --jsonl`.
//!
//! `quiver analyze` and the page of `quiver serve` ask the same questions and get the same answers.
#![doc = include_str!("protocol.md")]

pub mod answer;
pub mod fields;
pub mod query;
pub mod query_pool;
pub mod request;
pub mod review;
pub mod session;
pub mod territory;

pub use answer::Analysis;
pub use query::{Defaults, Query, QueryLimits};
pub use query_pool::QueryPool;
pub use request::AnalysisRequest;
pub use review::{Judgement, Loss, Review, ReviewPoint};
pub use territory::TerritoryMap;

/// The page that documents the protocol.
pub const PROTOCOL: &str = include_str!("protocol.md");
