//! Limits of a search: time and playouts.

use std::time::Duration;

use super::stopwatch::Stopwatch;

/// The time and playouts that a search may use. Without time and playouts it runs until the winner is proven or it is
/// stopped.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::search::{Limits, Stopwatch, Time};
///
/// let fixed = Limits::playouts(10_000); // repeats on every machine
/// let move_time = Limits::per_move(Duration::from_millis(300));
/// let bank = Time::Game { remaining: Duration::from_secs(60), increment: Duration::from_secs(1) };
/// let game = Limits { time: Some(bank), playouts: None, stopwatch: Stopwatch::wall() };
/// assert_eq!((fixed.time, move_time.playouts, game.playouts), (None, None, None));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time, as [`Limits::stopwatch`] measures it.
    pub time: Option<Time>,
    /// Playouts; a search makes exactly this many unless another condition ends it.
    pub playouts: Option<u64>,
    /// Started at the beginning of the turn, which may be before the search.
    pub stopwatch: Stopwatch,
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
        Limits { time: None, playouts: Some(playouts), stopwatch: Stopwatch::wall() }
    }

    /// A time for one move, by the wall, from now.
    pub fn per_move(time: Duration) -> Limits {
        Limits { time: Some(Time::PerMove(time)), playouts: None, stopwatch: Stopwatch::wall() }
    }
}
