//! Match logs, checks, local AI and the upload: the tools around the bot (`quiver_bot`).
//!
//! - `match_log`: logs of finished matches, in every form the site hands out, checked against the
//!   rules.
//! - `judge_log`: a finished game as the judge would have logged it.
//! - `check`: a bot played in every form, and what the judge would find.
//! - `local_ai`: 本地AI, many matches at once over HTTP.
//! - `package`: one C++ source that carries this engine, for upload.

pub(crate) mod check;
mod judge_log;
pub mod local_ai;
pub(crate) mod match_log;
pub(crate) mod package;

pub use judge_log::judge_log;
pub use match_log::{CheckedGame, Disagreement};
pub use quiver_bot::{
    BoardChoice, BotError, BotSettings, Conversation, History, Log, StartChoice, TurnLimits, opening_book,
};
pub(crate) use quiver_bot::{conversation, request};
