//! Questions about positions and games, and the engine's answers.
//!
//! `quiver analyze` and the page of `quiver serve` ask the same questions and get the same answers.
#![doc = include_str!("protocol.md")]

pub(crate) mod answer;
pub(crate) mod fields;
pub(crate) mod query;
pub(crate) mod query_pool;
mod review;
mod session;
mod territory;

use amazons::Side;
use serde::Serialize;

pub use answer::{Answer, PositionAnswer, Refusal, candidates};
pub use fields::FieldError;
pub use query::{Action, AnalysisRequest, AnswerOptions, Defaults, Query};
pub(crate) use query_pool::QueryPool;
pub(crate) use review::{JUDGEMENTS, Loss, Review, ReviewPoint};
pub(crate) use session::AnalysisSession;
pub use territory::TerritoryMap;

pub(crate) const PROTOCOL: &str = include_str!("protocol.md");

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BySide<T> {
    pub(crate) first: T,
    pub(crate) second: T,
}

impl<T> BySide<T> {
    pub(crate) fn of(each: impl Fn(Side) -> T) -> BySide<T> {
        BySide { first: each(Side::First), second: each(Side::Second) }
    }
}
