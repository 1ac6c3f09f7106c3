//! The engine as a Botzone bot, which answers requests of the judge, Botzone's referee program.
//!
//! [`conversation`] and the modules that it uses do no input or output, so that a unit test can
//! play a whole match. The main parts of the crate are:
//!
//! - [`request`] parses the judge's requests, which are JSON or plain text.
//! - [`History`] finds the board, the start position and the current position of a match.
//! - [`conversation`] answers the requests of one match by a
//!   [`Player`](quiver_engine::players::Player).
//! - [`BotSettings`] has all settings of a bot, and can be written as JSON.
//! - [`run`] plays a match on standard input and output, with a clock and a [`log`].
//! - [`files`] reads regular files and pipes, completely or by lines of limited length.
//! - [`messages`] makes text from outside safe for messages.
//!
//! `quiver package` embeds the program `quiver-bot` in a C++ source. The program takes its settings
//! as one JSON argument.

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
pub use serve::{opening_book, run, serve};
pub use settings::{BoardChoice, BotSettings, TurnLimits};
pub use start::{Start, StartChoice};
