use std::time::Duration;

use super::stop_handle::StopHandle;
use super::stopwatch::Stopwatch;

/// The time and the playouts that a search may use. Without limits, which is the default, a search
/// runs until the winner is proven or another thread stops it.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::search::{Limits, Time};
///
/// let fixed = Limits::playouts(10_000); // the same result on every machine
/// let move_time = Limits::per_move(Duration::from_millis(300));
/// assert_eq!(move_time.time, Some(Time::PerMove(Duration::from_millis(300))));
/// let bank = Time::Game { remaining: Duration::from_secs(60), increment: Duration::from_secs(1) };
/// let game = Limits { time: Some(bank), ..Limits::default() };
/// assert_eq!((fixed.time, move_time.playouts, game.playouts), (None, None, None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time control, measured by [`Limits::stopwatch`].
    pub time: Option<Time>,
    /// The number of playouts, which the search uses exactly unless another condition ends it.
    pub playouts: Option<u64>,
    /// A stopwatch that was started before the search; `None` to measure wall time from the start
    /// of the search.
    pub stopwatch: Option<Stopwatch>,
    /// The handle with which another thread ends the search.
    pub stop: StopHandle,
}

/// The time control of a player at the start of a turn.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::{Limits, Time};
///
/// let limits = Limits::per_move(Duration::from_millis(300));
/// assert_eq!(limits.time, Some(Time::PerMove(Duration::from_millis(300))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// A time limit for this move. A player that exceeds it loses.
    PerMove(Duration),
    /// A clock for the rest of the game, with an increment after each move.
    Game {
        /// The time left on the clock.
        remaining: Duration,
        /// The time added after each move.
        increment: Duration,
    },
}

impl Limits {
    /// A fixed number of playouts without a clock. With one thread, the result is always the same.
    pub fn playouts(playouts: u64) -> Limits {
        Limits { playouts: Some(playouts), ..Limits::default() }
    }

    /// A time limit for one move, measured by the wall clock.
    pub fn per_move(time: Duration) -> Limits {
        Limits { time: Some(Time::PerMove(time)), ..Limits::default() }
    }

    /// These limits with a running stopwatch, which starts now unless they already contain one.
    #[must_use]
    pub fn started(&self) -> Limits {
        Limits { stopwatch: Some(self.stopwatch.unwrap_or_else(Stopwatch::wall)), ..self.clone() }
    }

    /// The time used in this turn so far; zero if no stopwatch runs.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.map_or(Duration::ZERO, |stopwatch| stopwatch.elapsed())
    }
}
