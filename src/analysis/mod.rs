//! Questions about positions and games, and the engine's answers.
//!
//! - [`review`]: a finished game, searched position by position: where was it lost?

pub mod review;

pub use review::{Loss, Point, Review};
