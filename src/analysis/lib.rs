//! Answers questions about positions and games of the Amazons, in JSON.
//!
//! A question is the text of a JSON object, and an answer is a value that serde serialises. The
//! caller transports both. `quiver analyze --jsonl` and the page of `quiver serve` use this crate.
//!
//! - [`AnalysisRequest`] parses a query, and [`search_turn`] searches one of its positions. On
//!   platforms with threads, a [`QueryPool`] searches many positions, and an [`AnalysisSession`]
//!   tracks queries by their ids.
//! - [`game()`] returns the moves and positions of a game, [`save`] writes a game as text,
//!   [`review_points`] reviews a game, and [`choose_move`] chooses a move on a level of strength.
//!
//! The rest of this page lists the fields of queries and answers.
#![doc = include_str!("protocol.md")]
#![cfg_attr(target_family = "wasm", allow(dead_code, reason = "pools and sessions need threads"))]

mod answer;
mod catalogue;
mod exercises;
mod fields;
pub mod formats;
mod game;
mod game_fields;
pub mod games;
mod level;
#[cfg(not(target_family = "wasm"))]
mod pool;
mod query;
mod request;
mod review;
mod search;
#[cfg(not(target_family = "wasm"))]
mod session;
mod territory;
pub mod words;

use amazons::Side;
use serde::Serialize;

pub use answer::{Answer, Content, MoveInfo, PositionAnswer, Refusal, RootInfo, ordered_candidates};
pub use catalogue::{Catalogue, catalogue};
pub use exercises::{Endgame, Exercises, MoveTask, exercises};
pub use fields::FieldError;
pub use game::{GameAnswer, GameOrList, GameResult, SaveAnswer, game, save};
pub use level::{LevelMove, choose_move};
#[cfg(not(target_family = "wasm"))]
pub use pool::{QueryPool, Ticket};
pub use query::{AnswerOptions, Defaults, Query};
pub use quiver_bot::InputError;
pub use request::{Action, AnalysisRequest, read_query};
pub use review::{JUDGEMENTS, Loss, Review, ReviewAnswer, ReviewPoint, SideReview, Verdict, review_points};
pub use search::{KeptEngine, search_turn};
#[cfg(not(target_family = "wasm"))]
pub use session::{AnalysisSession, Output};
pub use territory::{NearerCounts, TerritoryMap, TerritoryRegion};

/// The text of `protocol.md`, which describes queries and their answers in Markdown.
pub const PROTOCOL: &str = include_str!("protocol.md");

/// A pair of values, one for each player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BySide<T> {
    /// The value for the first player.
    pub first: T,
    /// The value for the second player.
    pub second: T,
}

impl<T> BySide<T> {
    /// Calls `each` for each of the two players, and returns the pair of results.
    pub fn of(each: impl Fn(Side) -> T) -> BySide<T> {
        BySide { first: each(Side::First), second: each(Side::Second) }
    }
}

#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;
