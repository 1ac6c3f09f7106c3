//! Tools for Botzone around the bot (`quiver_bot`).
//!
//! - `check` plays a bot in every form and lists the defects that the judge would find.
//! - `package` writes one C++ source that contains this engine, for the upload.

pub(crate) mod check;
pub(crate) mod package;

pub(crate) use quiver_bot::request;
pub use quiver_bot::{BoardChoice, BotError, BotSettings, Log, StartChoice, TurnLimits, opening_book, serve};
