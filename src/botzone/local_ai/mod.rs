//! 本地AI: playing on the site from one's own machine, many matches at once.
//!
//! `quiver local-ai` is the user. The protocol is one long poll over HTTP: its headers carry our answers, its
//! body the requests that came in. From the site inwards:
//!
//! - `credentials`, `secret`: the account, and what keeps its secret out of messages.
//! - `site`: the calls, and what each reply means; `http` carries them.
//! - [`poll`]: the body of a poll.
//! - [`play`]: one match, a state machine without a clock or a thread.
//! - `matches`, [`state`]: all of them, and the file that remembers them when the process ends.
//! - `options`: how to play, and how long to wait for what.
//! - `engines`: the searches of all matches.
//! - `runner`: the loop, with its `series` of matches to start and its `notice`s.

mod credentials;
mod engines;
mod http;
mod matches;
mod notice;
mod options;
pub mod play;
pub mod poll;
mod runner;
mod secret;
mod series;
mod site;
pub mod state;

pub(crate) use credentials::{BaseUrl, Credentials, Settings};
pub(crate) use http::HttpSite;
pub(crate) use matches::Matches;
pub(crate) use notice::{Notice, Tally};
pub(crate) use options::{Options, Waits};
pub(crate) use runner::{Interrupter, Runner};
pub(crate) use secret::Secret;
pub(crate) use series::Series;
pub(crate) use site::{Call, CallOutcome, MatchOptions, MatchOrder, Refusal, Site};
pub use state::{StateError, StateFile};
