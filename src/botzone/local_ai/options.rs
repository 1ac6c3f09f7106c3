//! How local AI is to play, and how long it waits for what.

use std::collections::VecDeque;
use std::time::Duration;

use super::site::MatchOrder;

/// How to play.
pub(crate) struct Options {
    /// Threads that think, each about one match at a time.
    pub(crate) threads: usize,
    /// Engines at once; a match beyond them takes over the one that was used longest ago.
    pub(crate) engines: usize,
    /// Time for an answer, if there is one: matches that wait for the same threads share it.
    pub(crate) time: Option<Duration>,
    /// Whether to think on the opponents' time.
    pub(crate) ponder: bool,
    /// Matches to start.
    pub(crate) orders: VecDeque<MatchOrder>,
    /// How many of them go on at once.
    pub(crate) at_once: usize,
    /// Whether to go on when all of them have been played.
    pub(crate) stay: bool,
    /// Whether to end matches that cannot go on.
    pub(crate) abort_lost: bool,
    /// How long to wait for what.
    pub(crate) waits: Waits,
}

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    /// After 502, 504 or a lost connection, before the same call again: 5 s by the site's rules.
    pub(crate) retry: Duration,
    /// After a technical problem.
    pub(crate) trouble: Duration,
    /// From one poll to the next at least, where the first brought nothing new.
    pub(crate) quiet: Duration,
    /// For answers to be found and delivered after the user wants to stop.
    pub(crate) grace: Duration,
}
