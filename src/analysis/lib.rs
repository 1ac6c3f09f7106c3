//! Questions about positions and games as JSON, and the answers of the engine.
//!
//! A question is the text of a JSON object, and its answer a value for serde. The caller transports
//! both: `quiver analyze --jsonl` and the page of `quiver serve` ask the same questions.
//!
//! - [`AnalysisRequest`] and [`search_turn`]: a query, and the search of one of its positions. On
//!   platforms with threads, a [`QueryPool`] searches many, and an [`AnalysisSession`] tracks
//!   queries by their ids.
//! - [`game()`], [`save`], [`judge`], [`choose_move`]: other questions, answered at once.
//! - [`games`]: games of matches, with the facts of turns and ends.
//! - [`formats`]: games as text, read and written.
//! - [`words`]: sentences about games, in English and Chinese.
//! - [`Review`]: a game with every position searched.
//! - [`exercises()`]: positions to solve; [`catalogue()`] has them with the levels and the start
//!   positions.
//!
//! The fields of queries and their answers:
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
mod judgement;
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

pub use answer::{Answer, Colour, Content, MoveInfo, PositionAnswer, Refusal, RootInfo, candidates};
pub use catalogue::{Catalogue, catalogue};
pub use exercises::{Endgame, Exercises, MoveTask, exercises};
pub use fields::FieldError;
pub use game::{GameAnswer, GameReply, GameResult, SaveAnswer, game, save};
pub use judgement::{ReviewAnswer, SideReview, Verdict, judge};
pub use level::{LevelMove, choose_move};
#[cfg(not(target_family = "wasm"))]
pub use pool::{QueryPool, Ticket};
pub use query::{AnswerOptions, Defaults, Query};
pub use quiver_bot::InputError;
pub use request::{Action, AnalysisRequest, read_query};
pub use review::{JUDGEMENTS, Loss, Review, ReviewPoint};
pub use search::{KeptEngine, search_turn};
#[cfg(not(target_family = "wasm"))]
pub use session::{AnalysisSession, Output};
pub use territory::{Nearer, TerritoryMap, TerritoryRegion};

/// The description of queries and their answers.
pub const PROTOCOL: &str = include_str!("protocol.md");

/// A value for each player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BySide<T> {
    /// The value for the first player.
    pub first: T,
    /// The value for the second player.
    pub second: T,
}

impl<T> BySide<T> {
    /// The values of a function for both players.
    pub fn of(each: impl Fn(Side) -> T) -> BySide<T> {
        BySide { first: each(Side::First), second: each(Side::Second) }
    }
}

/// The README, whose example the tests run.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;
