//! 本地AI: playing on the site from one's own machine, many matches at once.
//!
//! `quiver local-ai` is the user. The protocol is one long poll over HTTP: its headers carry our
//! answers, its body the requests that came in. From the site inwards:
//!
//! - `credentials`: the account, whose secret no message shows.
//! - `site`: the calls over HTTP.
//! - `reply`: what the site says.
//! - `matches`: what has been asked and answered, and the file that remembers it.
//! - `engines`: the searches of all matches.
//! - `runner`: the loop.

mod credentials;
mod engines;
mod matches;
mod reply;
mod runner;
mod site;

pub(crate) use credentials::{BaseUrl, Credentials};
pub(crate) use engines::Engines;
pub use matches::{MatchState, MatchStore};
pub use reply::Poll;
pub(crate) use reply::SiteId;
pub(crate) use runner::{Options, Runner};
pub(crate) use site::{MatchOrder, Site};
