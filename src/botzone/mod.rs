//! The wire to Botzone: what the judge sends, what it wants to read, and the conversation of a
//! match.
//!
//! Everything but `session` is text in and text out, so that a whole match is a unit test. From
//! the judge inwards:
//!
//! - `request`: the four forms of a request, told apart and checked for their shape.
//! - `starts`, `history`: which board and start a history belongs to, and the position it leads
//!   to.
//! - `conversation`: one match: requests in, moves of a [`Player`](crate::players::Player) out.
//! - `response`: a move as the judge reads it.
//! - `match_log` (feature `replay`): logs of finished matches, in every form the site hands out,
//!   checked against the rules.
//! - `judge_log` (feature `match`): a finished game as the judge would have logged it.
//! - `settings`: everything that makes a bot what it is, as one value that can be written down.
//! - `session`: a bot's life on its standard input and output, with its `clock` and its
//!   `log`.
//! - `local_ai`: 本地AI, many matches at once over HTTP, where the cargo feature of that name is on.
//! - `package`: one C++ source that carries this engine, for upload (with the cargo feature
//!   `package`).

mod clock;
mod conversation;
mod history;
#[cfg(feature = "match")]
mod judge_log;
#[cfg(feature = "local-ai")]
pub mod local_ai;
mod log;
#[cfg(feature = "replay")]
pub(crate) mod match_log;
#[cfg(feature = "package")]
pub(crate) mod package;
pub(crate) mod request;
pub(crate) mod response;
mod session;
mod settings;
mod starts;

pub use clock::TurnLimits;
pub use conversation::Conversation;
#[cfg(feature = "match")]
pub use judge_log::{LostTurn, NoStart, judge_log};
pub use log::Log;
#[cfg(feature = "replay")]
pub use match_log::{check as check_log, read as read_logs};
pub use session::BotError;
pub use settings::BotSettings;
pub use starts::{StartChoice, Starts};
