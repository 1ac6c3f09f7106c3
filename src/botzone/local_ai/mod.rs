//! 本地AI: playing on the site from one's own machine, many matches at once.
//!
//! `quiver local-ai` is the user. The protocol is one long poll over HTTP: its headers carry our answers, its
//! body the requests that came in. From the site inwards:
//!
//! - [`credentials`], [`secret`]: the account, and how nobody gets to read it.
//! - [`site`]: the calls, and what each reply means; [`http`] carries them.
//! - [`poll`]: the body of a poll.
//! - [`play`]: one match, a state machine without a clock or a thread.
//! - [`mod@matches`], [`state`]: all of them, and the file that remembers them when the process ends.
//! - [`options`]: how to play, and how long to wait for what.
//! - `engines`: the searches of all matches.
//! - [`runner`]: the loop, with its [`series`] of matches to start and its [`notice`]s.

pub mod credentials;
mod engines;
pub mod http;
pub mod matches;
pub mod notice;
pub mod options;
pub mod play;
pub mod poll;
pub mod runner;
pub mod secret;
pub mod series;
pub mod site;
pub mod state;

pub use credentials::{BaseUrl, Credentials, CredentialsError, Settings};
pub use http::HttpSite;
pub use matches::Matches;
pub use notice::{Notice, Tally};
pub use options::{Options, Waits};
pub use poll::SiteId;
pub use runner::{Interrupter, Runner};
pub use series::Series;
pub use site::{Call, CallOutcome, MatchOptions, MatchOrder, Refusal, Site};
pub use state::{StateError, StateFile};
