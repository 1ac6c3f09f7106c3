//! Limits of a search: time, playouts, and a stop from outside.

use std::time::Duration;

use super::stop_handle::StopHandle;
use super::stopwatch::Stopwatch;

/// The time and the playouts that a search may use. Without either, as by default, a search runs
/// until the winner is proven or it is stopped. The clock starts with each search, unless the
/// limits have a clock that runs already.
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
    /// The number of playouts, which is exact unless another condition ends the search.
    pub playouts: Option<u64>,
    /// The clock of a turn that started before the search; `None` for wall time from the start of
    /// the search.
    pub stopwatch: Option<Stopwatch>,
    /// The handle by which another thread ends the search.
    pub stop: StopHandle,
}

/// A time control at the start of a turn.
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
    /// A limit for this move. A player that is late loses.
    PerMove(Duration),
    /// A clock for the rest of the game, with an increment for each move.
    Game {
        /// The time left on the clock.
        remaining: Duration,
        /// The time added after each move.
        increment: Duration,
    },
}

impl Limits {
    /// A fixed number of playouts without a clock. The search is the same every time.
    pub fn playouts(playouts: u64) -> Limits {
        Limits { playouts: Some(playouts), ..Limits::default() }
    }

    /// A time for one move, by the wall clock.
    pub fn per_move(time: Duration) -> Limits {
        Limits { time: Some(Time::PerMove(time)), ..Limits::default() }
    }

    /// The limits with a clock that starts now, unless their clock runs already.
    #[must_use]
    pub fn started(&self) -> Limits {
        Limits { stopwatch: Some(self.stopwatch.unwrap_or_else(Stopwatch::wall)), ..self.clone() }
    }

    /// The time of the turn so far; zero if no clock runs.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.map_or(Duration::ZERO, |stopwatch| stopwatch.elapsed())
    }
}
