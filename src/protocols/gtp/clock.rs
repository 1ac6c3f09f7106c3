//! The time settings of GTP, and the time that they allow for a ply.

use std::time::Duration;

use crate::search::Time;
use amazons::Side;

/// A ply takes three commands: queen, destination, arrow. Time settings count each one as a move.
const COMMANDS_PER_PLY: u32 = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Control {
    #[default]
    None,
    /// The time `bank` for the whole game. After it is used up, periods follow, and the engine must
    /// answer `commands` commands in each period.
    Periods { bank: Duration, period: Duration, commands: u32 },
    /// A time `bank` for the whole game, to which each command adds `increment`.
    Fischer { bank: Duration, increment: Duration },
}

#[derive(Clone, Debug, Default)]
pub(super) struct GtpClock {
    control: Control,
    /// The time for the whole game that each side has left, as this clock has measured it.
    banks: [Duration; 2],
    /// The last `time_left` for each side: a time, and the number of commands for which this time
    /// must last. The number 0 means the rest of the game.
    reported: [Option<(Duration, u32)>; 2],
}

pub(super) const CONTROL_NAMES: &str = "none absolute byoyomi canadian fischer fischer-capped";

impl GtpClock {
    fn start(control: Control) -> GtpClock {
        let bank = match control {
            Control::None => Duration::ZERO,
            Control::Periods { bank, .. } | Control::Fischer { bank, .. } => bank,
        };
        GtpClock { control, banks: [bank; 2], reported: [None; 2] }
    }

    /// Parses the arguments of `time_settings`: the time for the whole game, the length of a
    /// period, and the number of commands in a period. Time is unlimited if a period above zero has
    /// 0 commands, or if all three numbers are 0.
    pub(super) fn read_settings(words: &[&str]) -> Result<GtpClock, String> {
        let expected = || "expected main time, byo-yomi time and stones, as in 900 30 3".to_owned();
        let [bank, period, commands] = words else { return Err(expected()) };
        let (bank, period) = (seconds(bank)?, seconds(period)?);
        let commands: u32 = commands.parse().map_err(|_| expected())?;
        let is_unlimited = commands == 0 && (period > Duration::ZERO || bank.is_zero());
        Ok(GtpClock::start(match is_unlimited {
            true => Control::None,
            false => Control::Periods { bank, period, commands: commands.max(1) },
        }))
    }

    pub(super) fn read_kata_settings(words: &[&str]) -> Result<GtpClock, String> {
        let time = |text: &&str| seconds(text);
        let number = |text: &str| {
            let number = text.parse::<u32>().ok().filter(|&number| number > 0);
            number.ok_or_else(|| format!("'{text}': expected a whole number above 0"))
        };
        Ok(GtpClock::start(match words {
            ["none"] => Control::None,
            ["absolute", bank] => Control::Periods { bank: time(bank)?, period: Duration::ZERO, commands: 1 },
            // The number of periods has no effect: a period that is not used up is used again.
            ["byoyomi", bank, period, periods] => {
                number(periods)?;
                Control::Periods { bank: time(bank)?, period: time(period)?, commands: 1 }
            }
            ["canadian", bank, period, commands] => {
                Control::Periods { bank: time(bank)?, period: time(period)?, commands: number(commands)? }
            }
            ["fischer", bank, increment] | ["fischer-capped", bank, increment, ..] => {
                Control::Fischer { bank: time(bank)?, increment: time(increment)? }
            }
            _ => return Err(format!("expected one of {CONTROL_NAMES} and its numbers")),
        }))
    }

    pub(super) fn read_left(&mut self, side: Side, words: &[&str]) -> Result<(), String> {
        let expected = || "expected a colour, a time and stones, as in b 300 0".to_owned();
        let [time, commands] = words else { return Err(expected()) };
        let reported = (seconds(time)?, commands.parse().map_err(|_| expected())?);
        self.reported[side.index()] = Some(reported);
        Ok(())
    }

    pub(super) fn spend(&mut self, side: Side, time: Duration) {
        let bank = &mut self.banks[side.index()];
        *bank = bank.saturating_sub(time);
        // A time from `time_left` holds only until the next search.
        self.reported[side.index()] = None;
    }

    /// Returns the time limit of a side's next ply, or `None` if there is no limit. The ply's first
    /// command may use the time of all three, because the other two are answered at once.
    pub(super) fn time(&self, side: Side) -> Option<Time> {
        let share = |time: Duration, commands: u32| time * COMMANDS_PER_PLY.min(commands) / commands;
        let increment = match self.control {
            Control::Periods { period, commands, .. } => share(period, commands),
            Control::Fischer { increment, .. } => increment * COMMANDS_PER_PLY,
            Control::None => Duration::ZERO,
        };
        let game = |remaining| Some(Time::Game { remaining, increment });
        match (self.reported[side.index()], self.control) {
            (Some((time, 0)), _) => game(time),
            (Some((time, commands)), _) => Some(Time::PerMove(share(time, commands))),
            (None, Control::None) => None,
            (None, Control::Periods { .. }) if self.banks[side.index()].is_zero() => {
                Some(Time::PerMove(increment))
            }
            (None, _) => game(self.banks[side.index()]),
        }
    }
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
    fn controller_corrects_the_bank() {
        let second = Duration::from_secs(1);
        let mut clock = GtpClock::read_settings(&["60", "0", "0"]).unwrap();
        clock.spend(Side::First, 20 * second);
        let bank = |remaining| Some(Time::Game { remaining, increment: Duration::ZERO });
        assert_eq!(
            [Side::First, Side::Second].map(|side| clock.time(side)),
            [bank(40 * second), bank(60 * second)]
        );
        clock.read_left(Side::First, &["35.5", "0"]).unwrap();
        assert_eq!(clock.time(Side::First), bank(Duration::from_millis(35_500)));
        clock.read_left(Side::First, &["-1", "3"]).unwrap();
        assert_eq!(clock.time(Side::First), Some(Time::PerMove(Duration::ZERO)));
        assert!(clock.read_left(Side::First, &["1"]).is_err());
    }
}
