//! Match logs, checks and the upload: the tools around the bot (`quiver_bot`).
//!
//! - `match_log`: logs of finished matches, in every form the site hands out, checked against the
//!   rules.
//! - `judge_log`: a finished game as the judge would have logged it.
//! - `check`: a bot played in every form, and what the judge would find.
//! - `package`: one C++ source that carries this engine, for upload.

pub(crate) mod check;
mod judge_log;
pub(crate) mod match_log;
pub(crate) mod package;

pub use judge_log::judge_log;
pub use match_log::{CheckedGame, Disagreement};
pub(crate) use quiver_bot::request;
pub use quiver_bot::{BoardChoice, BotError, BotSettings, Log, StartChoice, TurnLimits, opening_book, serve};
