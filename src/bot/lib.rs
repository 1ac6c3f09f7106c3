//! The protocol of Botzone: the judge's requests, the answers to them, and the course of a match.
//!
//! [`conversation`] and the modules that it uses take text and return text, so a whole match can be
//! a unit test. In the order of a request:
//!
//! - [`request`]: the four forms of a request, recognised and checked for their shape.
//! - [`History`]: the board and the start of a match, and the position that its plies lead to.
//! - [`conversation`]: one match, answered by a [`Player`](quiver_engine::players::Player).
//! - [`BotSettings`]: all settings of a bot, as one value that can be written as JSON.
//! - [`run`]: the bot on standard input and output, with its clock and its [`log`].
//! - [`files`]: regular files and pipes, read whole or by lines of bounded length.
//! - [`messages`]: text from outside, made safe for messages.
//!
//! The program `quiver-bot` takes its settings as one JSON argument: `quiver package` embeds it.

mod bot_error;
pub mod conversation;
mod coordinates;
pub mod files;
mod history;
mod input_error;
pub mod log;
pub mod messages;
pub mod request;
mod request_reader;
mod serve;
mod settings;
mod start;

pub use bot_error::BotError;
pub use conversation::Conversation;
pub use coordinates::Coordinates;
pub use history::History;
pub use input_error::InputError;
pub use log::Log;
use quiver_engine::{players, search};
pub use serve::{opening_book, run, serve};
pub use settings::{BoardChoice, BotSettings, TurnLimits};
pub use start::{Start, StartChoice};
