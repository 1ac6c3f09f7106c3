//! Limits of a search: time, playouts, and a stop from outside.

use std::time::Duration;

use super::stop_handle::StopHandle;
use super::stopwatch::Stopwatch;

/// The time and playouts that a search may use. Without time and playouts, as by default, it runs
/// until the winner is proven or it is stopped. The clock starts with each search, unless it runs
/// already.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::search::{Limits, Time};
///
/// let fixed = Limits::playouts(10_000); // repeats on every machine
/// let move_time = Limits::per_move(Duration::from_millis(300));
/// assert_eq!(move_time.time, Some(Time::PerMove(Duration::from_millis(300))));
/// let bank = Time::Game { remaining: Duration::from_secs(60), increment: Duration::from_secs(1) };
/// let game = Limits { time: Some(bank), ..Limits::default() };
/// assert_eq!((fixed.time, move_time.playouts, game.playouts), (None, None, None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time, as [`Limits::stopwatch`] measures it.
    pub time: Option<Time>,
    /// Playouts; a search makes exactly this many unless another condition ends it.
    pub playouts: Option<u64>,
    /// The clock of a turn that has begun before the search; `None` for wall time from the beginning
    /// of the search.
    pub stopwatch: Option<Stopwatch>,
    /// Ends the search from outside.
    pub stop: StopHandle,
}

/// A time control, as it stands at the start of a turn.
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
    /// A limit for this move; being late loses.
    PerMove(Duration),
    /// A bank for the rest of the game, and what each move adds to it.
    Game {
        /// Time left on the clock.
        remaining: Duration,
        /// Added after each move.
        increment: Duration,
    },
}

impl Limits {
    /// A fixed number of playouts and no clock: the same search every time.
    pub fn playouts(playouts: u64) -> Limits {
        Limits { playouts: Some(playouts), ..Limits::default() }
    }

    /// A time for one move, by the wall.
    pub fn per_move(time: Duration) -> Limits {
        Limits { time: Some(Time::PerMove(time)), ..Limits::default() }
    }

    /// These limits for a turn that begins now, unless its clock runs already.
    #[must_use]
    pub fn started(&self) -> Limits {
        Limits { stopwatch: Some(self.stopwatch.unwrap_or_else(Stopwatch::wall)), ..self.clone() }
    }

    /// The time of the turn so far; zero if no clock runs.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.map_or(Duration::ZERO, |stopwatch| stopwatch.elapsed())
    }
}
