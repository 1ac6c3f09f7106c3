//! The wire to Botzone: requests of the judge, answers that it reads, and the conversation of a
//! match.
//!
//! [`conversation`] and what it is made of are text in and text out, so that a whole match is a unit
//! test. From the judge inwards:
//!
//! - [`request`]: the four forms of a request, told apart and checked for their shape.
//! - [`History`]: the board and the start of a match, and the position that its plies lead to.
//! - [`conversation`]: one match: requests in, moves of a [`Player`](quiver_engine::players::Player)
//!   out, as the judge reads them.
//! - [`BotSettings`]: everything that makes a bot, as one value that can be written down.
//! - [`run`]: the bot on standard input and output, with its clock and its [`log`].
//! - [`files`]: regular files and pipes, read whole or by lines of bounded length.
//! - [`messages`]: text from outside as messages show it.
//!
//! The program `quiver-bot` takes its settings as one JSON argument: `quiver package` embeds it.

pub mod conversation;
mod coordinates;
pub mod files;
mod history;
mod input_error;
pub mod log;
pub mod messages;
pub mod request;
mod session;
mod settings;
mod start;

pub use conversation::Conversation;
pub use coordinates::Coordinates;
pub use history::History;
pub use input_error::InputError;
pub use log::Log;
use quiver_engine::{players, search};
pub use session::{BotError, opening_book, run, serve};
pub use settings::{BoardChoice, BotSettings, TurnLimits};
pub use start::{Start, StartChoice};
