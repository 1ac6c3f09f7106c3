//! The engine as a bot for Botzone, whose referee program, the judge, sends it requests.
//!
//! [`conversation`] and the modules that it uses need no input or output, so that a unit test can
//! play a whole match. These are the modules:
//!
//! - [`request`] parses the four forms of a request.
//! - [`History`] finds the board, the start position and the current position of a match.
//! - [`conversation`] answers the requests of one match by a
//!   [`Player`](quiver_engine::players::Player).
//! - [`BotSettings`] has all settings of a bot, and can be written as JSON.
//! - [`run`] plays a match on standard input and output, with a clock and a [`log`].
//! - [`files`] reads regular files and pipes, completely or by lines of limited length.
//! - [`messages`] makes text from outside safe for messages.
//!
//! The program `quiver-bot` takes its settings as one JSON argument. `quiver package` embeds it.

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
