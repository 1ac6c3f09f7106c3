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

    /// When to answer, on the stopwatch: the limit less a margin for what no check of the clock sees.
    ///
    /// `margin` is used whole as long as it is at most a tenth of the limit. A game's bank is spread over the
    /// moves that `empty` squares leave to this side.
    #[must_use]
    pub(super) fn deadline(&self, margin: Duration, empty: u32) -> Option<Duration> {
        let limit = match self.time? {
            Time::PerMove(limit) => limit,
            Time::Game { remaining, increment } => {
                // Games end with a few squares left, and the last moves need little: half of one's own half.
                let moves = f64::from(empty) / 4.0 + 2.0;
                let spread = remaining.div_f64(moves) + increment.mul_f64(0.8);
                spread.min(remaining.mul_f64(0.5))
            }
        };
        Some(limit.saturating_sub(margin.min(limit / 10)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARGIN: Duration = Duration::from_millis(50);

    #[test]
    fn a_margin_is_never_more_than_a_tenth() {
        let deadline = |ms| Limits::per_move(Duration::from_millis(ms)).deadline(MARGIN, 50);
        assert_eq!(deadline(1000), Some(Duration::from_millis(950)));
        assert_eq!(deadline(100), Some(Duration::from_millis(90)));
        assert_eq!(Limits::playouts(9).deadline(MARGIN, 50), None);
    }

    #[test]
    fn a_bank_is_never_spent_on_one_move() {
        for (remaining, empty) in [(300_000, 92), (300_000, 1), (10, 1), (0, 40)] {
            let remaining = Duration::from_millis(remaining);
            let mut limits = Limits::per_move(Duration::ZERO);
            limits.time = Some(Time::Game { remaining, increment: Duration::from_secs(5) });
            assert!(limits.deadline(MARGIN, empty).unwrap() <= remaining / 2);
        }
    }
}
