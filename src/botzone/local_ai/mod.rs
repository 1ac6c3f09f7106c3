//! 本地AI: playing on the site from one's own machine, many matches at once.
//!
//! `quiver local-ai` is the user. The protocol is one long poll over HTTP: its headers carry our
//! answers, its body the requests that came in. From the site inwards:
//!
//! - `credentials`, `secret`: the account, and what keeps its secret out of messages.
//! - `site`: the calls over HTTP, and what each reply means.
//! - [`poll`]: the body of a poll.
//! - [`play`]: one match, a state machine without a clock or a thread.
//! - `matches`, [`state`]: all of them, and the file that remembers them when the process ends.
//! - `options`: how to play, and how long to wait for what.
//! - `engines`: the searches of all matches.
//! - `runner`: the loop, with its `tally` of results and the `teller`, which tells the user.

mod credentials;
mod engines;
mod matches;
mod options;
pub mod play;
pub mod poll;
mod runner;
mod secret;
mod site;
pub mod state;
mod tally;
mod teller;

pub(crate) use credentials::{BaseUrl, Credentials, Settings};
pub(crate) use matches::Matches;
pub(crate) use options::{Options, Waits};
pub(crate) use runner::Runner;
pub(crate) use site::{MatchOptions, MatchOrder, Site};
pub use state::{StateError, StateFile};
pub(crate) use teller::Teller;
