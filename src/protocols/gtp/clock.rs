//! The time settings of GTP, and the time that they allow for a ply.

use std::time::Duration;

use crate::search::Time;
use amazons::Side;

/// A ply takes three commands (queen, destination, arrow), and time settings count commands.
const COMMANDS_PER_PLY: u32 = 3;

#[derive(Clone, Debug, Default)]
pub(super) struct GtpClock {
    /// The time for the whole game that each side has left, as this clock has measured it. `None`
    /// if time is unlimited.
    banks: Option<[Duration; 2]>,
    /// The time for each ply in addition to the time in `banks`.
    increment: Duration,
    /// True if a side without time in `banks` may use `increment` for each ply. False if each ply
    /// adds `increment` to the side's time in `banks` (Fischer).
    has_periods: bool,
    /// The last `time_left` for each side: a time, and the number of commands for which this time
    /// must last. The number 0 means the rest of the game.
    reported: [Option<(Duration, u32)>; 2],
}

pub(super) const TIME_CONTROL_NAMES: &str = "none absolute byoyomi canadian fischer";

impl GtpClock {
    fn new(bank: Duration, increment: Duration, has_periods: bool) -> GtpClock {
        GtpClock { banks: Some([bank; 2]), increment, has_periods, reported: [None; 2] }
    }

    /// Parses the arguments of `time_settings`: the time for the whole game, the length of a
    /// period, and the number of commands in a period. Time is unlimited if a period above zero has
    /// 0 commands, or if all three numbers are 0.
    pub(super) fn read_settings(words: &[&str]) -> Result<GtpClock, String> {
        let expected = || "expected main time, byo-yomi time and stones, as in 900 30 3".to_owned();
        let [bank, period, commands] = words else { return Err(expected()) };
        let (bank, period) = (seconds(bank)?, seconds(period)?);
        let commands: u32 = commands.parse().map_err(|_| expected())?;
        Ok(match commands {
            0 if period > Duration::ZERO || bank.is_zero() => GtpClock::default(),
            commands => GtpClock::new(bank, ply_share(period, commands.max(1)), true),
        })
    }

    pub(super) fn read_kata_settings(words: &[&str]) -> Result<GtpClock, String> {
        let number = |text: &str| {
            let number = text.parse::<u32>().ok().filter(|&number| number > 0);
            number.ok_or_else(|| format!("'{text}': expected a whole number above 0"))
        };
        Ok(match words {
            ["none"] => GtpClock::default(),
            ["absolute", bank] => GtpClock::new(seconds(bank)?, Duration::ZERO, true),
            // The number of periods has no effect, because a ply within a period uses up no period.
            ["byoyomi", bank, period, periods] => {
                number(periods)?;
                GtpClock::new(seconds(bank)?, seconds(period)?, true)
            }
            ["canadian", bank, period, commands] => {
                GtpClock::new(seconds(bank)?, ply_share(seconds(period)?, number(commands)?), true)
            }
            ["fischer", bank, increment] => {
                GtpClock::new(seconds(bank)?, seconds(increment)? * COMMANDS_PER_PLY, false)
            }
            _ => return Err(format!("expected one of {TIME_CONTROL_NAMES} and its numbers")),
        })
    }

    pub(super) fn read_time_left(&mut self, side: Side, words: &[&str]) -> Result<(), String> {
        let expected = || "expected a colour, a time and stones, as in b 300 0".to_owned();
        let [time, commands] = words else { return Err(expected()) };
        let reported = (seconds(time)?, commands.parse().map_err(|_| expected())?);
        self.reported[side.index()] = Some(reported);
        Ok(())
    }

    pub(super) fn spend(&mut self, side: Side, time: Duration) {
        if let Some(banks) = &mut self.banks {
            let bank = banks[side.index()].saturating_sub(time);
            banks[side.index()] = if self.has_periods { bank } else { bank + self.increment };
        }
        // A time from `time_left` holds only until the next search.
        self.reported[side.index()] = None;
    }

    /// Returns the time limit of a side's next ply, or `None` if there is no limit. The first
    /// command of a ply may use all this time, because the engine answers the other two commands
    /// immediately.
    pub(super) fn time(&self, side: Side) -> Option<Time> {
        let game = |remaining| {
            // If the main time ends during this ply, the rest of the ply may take a period.
            if self.has_periods && remaining <= self.increment {
                return Time::PerMove(self.increment);
            }
            Time::Game { remaining, increment: self.increment }
        };
        let bank = self.banks.map(|banks| banks[side.index()]);
        match self.reported[side.index()] {
            Some((time, 0)) => Some(game(time)),
            Some((time, commands)) => Some(Time::PerMove(ply_share(time, commands))),
            None => bank.map(game),
        }
    }
}

/// The part of `time` that one ply may use, if `time` must last for `commands` commands.
fn ply_share(time: Duration, commands: u32) -> Duration {
    time * COMMANDS_PER_PLY.min(commands) / commands
}

/// Parses seconds up to about a year. A negative number, from a clock that ran out, becomes 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds <= 3.2e7);
    let seconds = seconds.ok_or_else(|| format!("'{text}': expected seconds up to 32000000"))?;
    Ok(Duration::from_secs_f64(seconds.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ply_gets_the_time_of_its_three_commands() {
        let second = Duration::from_secs(1);
        let time = |clock: GtpClock| clock.time(Side::First);
        let settings = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            GtpClock::read_settings(&words)
        };
        let kata = |text: &str| GtpClock::read_kata_settings(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(time(settings("0 1 1").unwrap()), Some(Time::PerMove(second)));
        assert_eq!(time(settings("0 30 6").unwrap()), Some(Time::PerMove(15 * second)));
        assert_eq!(time(settings("0 0 0").unwrap()), None);
        assert_eq!(time(settings("60 5 0").unwrap()), None);
        let bank = |remaining, increment| {
            Some(Time::Game { remaining: remaining * second, increment: increment * second })
        };
        assert_eq!(time(settings("60 0 0").unwrap()), bank(60, 0));
        assert_eq!(time(kata("none").unwrap()), None);
        assert_eq!(time(kata("absolute 90").unwrap()), bank(90, 0));
        assert_eq!(time(kata("byoyomi 0 10 3").unwrap()), Some(Time::PerMove(10 * second)));
        assert_eq!(time(kata("canadian 9 30 30").unwrap()), bank(9, 3));
        assert_eq!(time(kata("fischer 60 2").unwrap()), bank(60, 6));
        for wrong in ["soon", "absolute", "absolute soon", "canadian 9 30 0", "fischer 1"] {
            assert!(kata(wrong).is_err(), "{wrong}");
        }
        assert!(settings("1 2").is_err() && settings("1 2 x").is_err() && settings("nan 2 1").is_err());
    }

    #[test]
    fn increments_and_periods_follow_each_ply() {
        let [tenth, second] = [100, 1_000].map(Duration::from_millis);
        let mut fischer = GtpClock::read_kata_settings(&["fischer", "5", "1"]).unwrap();
        fischer.spend(Side::First, 2 * second);
        let game = |remaining, increment| Some(Time::Game { remaining, increment });
        assert_eq!(fischer.time(Side::First), game(6 * second, 3 * second));
        // Each ply has its period in addition to the main time, also when little main time is left.
        let mut periods = GtpClock::read_settings(&["5", "1", "3"]).unwrap();
        periods.spend(Side::First, 2 * second);
        assert_eq!(periods.time(Side::First), game(3 * second, second));
        periods.spend(Side::First, 29 * tenth);
        assert_eq!(periods.time(Side::First), Some(Time::PerMove(second)));
        periods.read_time_left(Side::First, &["0.2", "0"]).unwrap();
        assert_eq!(periods.time(Side::First), Some(Time::PerMove(second)));
    }

    #[test]
    fn controller_corrects_the_bank() {
        let second = Duration::from_secs(1);
        let mut clock = GtpClock::read_settings(&["60", "0", "0"]).unwrap();
        clock.spend(Side::First, 20 * second);
        let bank = |remaining| Some(Time::Game { remaining, increment: Duration::ZERO });
        assert_eq!(
            [Side::First, Side::Second].map(|side| clock.time(side)),
            [bank(40 * second), bank(60 * second)]
        );
        clock.read_time_left(Side::First, &["35.5", "0"]).unwrap();
        assert_eq!(clock.time(Side::First), bank(Duration::from_millis(35_500)));
        clock.read_time_left(Side::First, &["-1", "3"]).unwrap();
        assert_eq!(clock.time(Side::First), Some(Time::PerMove(Duration::ZERO)));
        assert!(clock.read_time_left(Side::First, &["1"]).is_err());
    }
}
