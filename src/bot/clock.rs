//! The limits of a turn.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::search::{Limits, Stopwatch, Time};

/// The limits of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnLimits {
    /// Time for the first turn of the match: the one before which we have made no move.
    pub first: Option<Duration>,
    /// Time for every other turn.
    pub time: Option<Duration>,
    /// Playouts for every turn.
    pub playouts: Option<u64>,
}

impl TurnLimits {
    /// The limits of a turn of the match, counted from 1, in which the judge may have named a limit
    /// itself.
    ///
    /// The judge's limit only ever lowers ours: it allows what the site allows, and ours is what
    /// this machine, this margin, this user wants used. Where we have none, playouts decide, and go
    /// on to.
    pub(super) fn of_turn(&self, turn: usize, judge: Option<Duration>, stopwatch: Stopwatch) -> Limits {
        let own = if turn == 1 { self.first } else { self.time };
        let time = own.map(|own| Time::PerMove(judge.map_or(own, |judge| own.min(judge))));
        Limits { time, playouts: self.playouts, stopwatch }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::search::Cpu;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_turn_is_that_of_the_match_and_the_judge_only_lowers() {
        let limits = TurnLimits { first: Some(2 * SECOND), time: Some(SECOND), playouts: None };
        let time = |turn, judge| limits.of_turn(turn, judge, Stopwatch::wall()).time;
        assert_eq!(time(1, None), Some(Time::PerMove(2 * SECOND)));
        assert_eq!(time(2, None), Some(Time::PerMove(SECOND)));
        assert_eq!(time(1, Some(SECOND)), Some(Time::PerMove(SECOND)));
        assert_eq!(time(2, Some(6 * SECOND)), Some(Time::PerMove(SECOND)));
        assert_eq!(time(2, Some(SECOND / 2)), Some(Time::PerMove(SECOND / 2)));
        let playouts = TurnLimits { first: None, time: None, playouts: Some(50) };
        let limits = playouts.of_turn(1, Some(SECOND), Stopwatch::wall());
        assert_eq!((limits.time, limits.playouts), (None, Some(50)));
    }

    #[test]
    fn work_before_the_first_read_and_after_an_answer_is_charged() {
        let process = Cpu::Process.now();
        assert!(Stopwatch::turn(Instant::now(), Duration::ZERO).elapsed() >= process);
        let answered = Cpu::Process.now();
        while Cpu::Process.now() < answered + Duration::from_millis(20) {}
        assert!(Stopwatch::turn(Instant::now(), answered).elapsed() >= Duration::from_millis(20));
    }
}
