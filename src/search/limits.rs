//! How much a search may use, and the bounds that follow.

use std::time::Duration;

use super::stopwatch::Stopwatch;

/// What a search may use. Nothing set means: until proven or stopped.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time, as [`Limits::stopwatch`] measures it.
    pub time: Option<Time>,
    /// Playouts; a search makes exactly this many unless another condition ends it.
    pub playouts: Option<u64>,
    /// Runs from the start of the turn, which is before the search when input had to be read and unpacked.
    pub stopwatch: Stopwatch,
}

/// A time control, as it stands at the start of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// This much for this move; being late loses.
    PerMove(Duration),
    /// A bank for the rest of the game, and what each move adds to it.
    Game {
        /// Left on the clock.
        remaining: Duration,
        /// Added after each move.
        increment: Duration,
    },
}

impl Limits {
    /// A fixed number of playouts and no clock: the same search every time.
    #[must_use]
    pub fn playouts(playouts: u64) -> Limits {
        Limits { time: None, playouts: Some(playouts), stopwatch: Stopwatch::wall() }
    }

    /// A time for one move, by the wall, from now.
    #[must_use]
    pub fn per_move(time: Duration) -> Limits {
        Limits { time: Some(Time::PerMove(time)), playouts: None, stopwatch: Stopwatch::wall() }
    }
}
