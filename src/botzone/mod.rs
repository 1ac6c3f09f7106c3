//! Tools for Botzone. The bot itself is the crate `quiver_bot`.
//!
//! - `check` plays games with a bot and lists the defects that the judge would find.
//! - `package` writes one C++ source that contains this engine, for an upload to Botzone.

pub(crate) mod check;
pub(crate) mod package;

pub use quiver_bot::{BoardChoice, BotError, BotSettings, Log, StartChoice, TurnLimits, opening_book, serve};
