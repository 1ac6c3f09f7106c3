//! Match logs, checks and the upload: the tools around the bot (`quiver_bot`).
//!
//! - `check`: a bot played in every form, and what the judge would find.
//! - `package`: one C++ source that carries this engine, for upload.

pub(crate) mod check;
pub(crate) mod package;

pub(crate) use quiver_bot::request;
pub use quiver_bot::{BoardChoice, BotError, BotSettings, Log, StartChoice, TurnLimits, opening_book, serve};
