//! How local AI is to play, and how long it waits for what.

use std::time::Duration;

use super::series::Series;

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// After 502, 504 or a lost connection, before the same call again: 5 s by the site's rules.
    pub retry: Duration,
    /// After a technical problem.
    pub trouble: Duration,
    /// From one poll to the next at least, where the first brought nothing new.
    pub quiet: Duration,
    /// For answers to be finished and delivered when somebody wants to stop.
    pub grace: Duration,
}

/// How to play.
pub struct Options {
    /// Threads that think, each about one match at a time.
    pub threads: usize,
    /// Engines at once; a match beyond them takes over the one that was used longest ago.
    pub seats: usize,
    /// Time for an answer, if there is one: matches that wait for the same threads share it.
    pub time: Option<Duration>,
    /// Whether to think on the opponents' time.
    pub ponder: bool,
    /// Matches to start.
    pub series: Series,
    /// Whether to go on when all of them have been played.
    pub stay: bool,
    /// Whether to end matches that cannot go on.
    pub abort_lost: bool,
    /// How long to wait for what.
    pub waits: Waits,
}
