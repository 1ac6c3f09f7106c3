//! Game clocks: a player has a base time for the whole game, and each move adds an increment.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::InputError;
use crate::messages::excerpt;

/// The state of a player's game clock between two turns. Users set the clock for the start of a
/// game with `BASE+INC` in seconds, as in `60+0.6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeControl {
    /// The time that the player has left, without the increment of the next turn.
    pub base: Duration,
    /// The time that is added to `base` before each turn, including the first.
    pub increment: Duration,
}

/// The largest base time or increment that a user may set: one day.
const MAX_SECONDS: f64 = 86_400.0;

impl FromStr for TimeControl {
    type Err = InputError;

    fn from_str(text: &str) -> Result<TimeControl, InputError> {
        let seconds = |text: &str| {
            let seconds = text.parse::<f64>().ok()?;
            (0.0..=MAX_SECONDS).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
        };
        let both = || {
            let (base, increment) = text.split_once('+')?;
            let control = TimeControl { base: seconds(base)?, increment: seconds(increment)? };
            (control.base + control.increment > Duration::ZERO).then_some(control)
        };
        both().ok_or_else(|| {
            InputError(format!("'{}': expected BASE+INC in seconds, as in 60+0.6", excerpt(text, 40)))
        })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.base.as_secs_f64(), self.increment.as_secs_f64())
    }
}

impl TryFrom<String> for TimeControl {
    type Error = InputError;

    fn try_from(text: String) -> Result<TimeControl, InputError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> String {
        control.to_string()
    }
}

impl TimeControl {
    pub(super) fn time_left(&self) -> Duration {
        self.base + self.increment
    }

    /// Subtracts the time of a turn from the clock, and returns the time that remains. Returns zero
    /// if the turn took longer than the player's remaining time. The player does not always lose in
    /// this case, because the rules allow some grace.
    pub(super) fn spend(&mut self, spent: Duration) -> Duration {
        self.base = self.time_left().saturating_sub(spent);
        self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_as_they_are_written_and_carry_over() {
        for text in ["900+0", "60+0.6", "0+1", "0.5+0.01"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in ["", "60", "60+", "+1", "-1+1", "0+0", "1e9+0", "60+0.6+1", "nan+1", "40/60+1"] {
            let error = text.parse::<TimeControl>().unwrap_err().to_string();
            assert_eq!(error, format!("'{text}': expected BASE+INC in seconds, as in 60+0.6"));
        }
        // The third turn takes longer than the time left, so the clock shows zero.
        let (ms, mut clock) = (Duration::from_millis, "2+0.5".parse::<TimeControl>().unwrap());
        assert_eq!([2400, 550, 550].map(|spent| clock.spend(ms(spent))), [100, 50, 0].map(ms));
        assert_eq!(clock.time_left(), ms(500));
    }
}
