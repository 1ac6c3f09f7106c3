//! Defects: behaviour of a bot that breaks a rule of the judge.

use std::time::Duration;

use serde::Serialize;

use super::{ALARM, Scenario};
use crate::contest::contestant::Observation;
use crate::contest::fault::{Evidence, PlayerFault};
use crate::game::{Coordinates, EndKind, Language, Position};

const MOST_DEBUG: usize = 1 << 10;

const MOST_DATA: usize = 100 << 10;

/// Twice the resolution of the system's CPU clock, in seconds.
const CPU_STEP: f64 = 0.02;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Defect {
    pub kind: DefectKind,
    pub loses: bool,
    pub count: u64,
    /// The game in which it was first seen.
    pub scenario: Scenario,
    /// The bot's turn in that game, from 1.
    pub turn: usize,
    pub message: String,
    /// The request, to pipe back into the bot.
    #[serde(flatten)]
    pub evidence: Evidence,
    pub answer: String,
    /// The position before the turn.
    pub position: Option<Position>,
    /// The six numbers of an illegal move.
    pub answered: Option<Coordinates>,
    pub cause: Option<String>,
}

impl Defect {
    /// A defect of which nothing else is known.
    pub(super) fn new(kind: DefectKind, scenario: Scenario, turn: usize, message: String) -> Defect {
        Defect {
            kind,
            loses: !matches!(kind, DefectKind::Slow | DefectKind::LeftBehind),
            count: 1,
            scenario,
            turn,
            message,
            evidence: Evidence::default(),
            answer: String::new(),
            position: None,
            answered: None,
            cause: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DefectKind {
    IllegalMove,
    /// Output that is no answer.
    Malformed,
    /// It ended by itself, by a signal or with a status other than 0.
    Crash,
    /// Late in CPU time, or past the alarm by the wall.
    Late,
    /// Past its limit by the wall, within the alarm.
    Slow,
    /// No answer, and no work on one.
    Stall,
    /// More output than the judge takes, or more of `debug` or data than it keeps.
    Output,
    Memory,
    /// A process that outlives its answer.
    LeftBehind,
    /// One match changes what the bot does in another.
    Leak,
}

impl DefectKind {
    pub(crate) fn words(self, language: Language) -> &'static str {
        let [english, chinese] = match self {
            DefectKind::IllegalMove => ["illegal move", "走法违规"],
            DefectKind::Malformed => ["malformed output", "输出无法读取"],
            DefectKind::Crash => ["crash", "程序崩溃"],
            DefectKind::Late => ["late", "超时"],
            DefectKind::Slow => ["slow by the wall", "实际用时偏长"],
            DefectKind::Stall => ["no answer", "没有答案"],
            DefectKind::Output => ["too much output", "输出过多"],
            DefectKind::Memory => ["too much memory", "内存超限"],
            DefectKind::LeftBehind => ["a process left behind", "遗留进程"],
            DefectKind::Leak => ["state that leaks between matches", "对局之间互相影响"],
        };
        language.pick(english, chinese)
    }
}

/// Defects of a turn beyond its move, with these limits of time and memory: kinds and observations.
pub(super) fn of_turn(seen: &Observation, limit: Duration, most_memory: u64) -> Vec<(DefectKind, String)> {
    let mut found = Vec::new();
    let (wall, cpu) = (seen.usage.wall.as_secs_f64(), seen.usage.cpu.as_secs_f64());
    let times =
        format!("{cpu:.2} s of CPU time, {wall:.2} s by the wall, limit {:.2} s", limit.as_secs_f64());
    if cpu > limit.as_secs_f64() + CPU_STEP || seen.usage.wall > limit + ALARM {
        found.push((DefectKind::Late, times));
    } else if seen.usage.wall > limit {
        found.push((
            DefectKind::Slow,
            format!("{times}; the judge's alarm is {:.0} s later", ALARM.as_secs_f64()),
        ));
    }
    let names = [("debug", MOST_DEBUG), ("data", MOST_DATA), ("globaldata", MOST_DATA)];
    for ((name, most), &bytes) in names.into_iter().zip(&seen.extras) {
        if bytes > most {
            found.push((DefectKind::Output, format!("{bytes} bytes of {name}: expected at most {most}")));
        }
    }
    // The peak is that of the process: a kept one is reported in the turn in which it passes the
    // limit.
    if seen.usage.memory > most_memory && seen.usage.memory_before <= most_memory {
        let [got, most] = [seen.usage.memory, most_memory].map(|bytes| bytes >> 20);
        found.push((DefectKind::Memory, format!("{got} MiB resident: expected at most {most}")));
    }
    if seen.usage.left_behind {
        let message = "a process that it started still runs after it has ended".to_owned();
        found.push((DefectKind::LeftBehind, message));
    }
    found
}

pub(super) fn of_fault(fault: &PlayerFault) -> DefectKind {
    match fault.reason {
        EndKind::Malformed => DefectKind::Malformed,
        EndKind::Output => DefectKind::Output,
        EndKind::Time => DefectKind::Late,
        EndKind::Crash => DefectKind::Crash,
        EndKind::Stall => DefectKind::Stall,
        EndKind::Memory => DefectKind::Memory,
        _ => DefectKind::IllegalMove,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_of_memory_is_reported_once_for_each_process() {
        let kinds = |memory_before: u64, memory: u64| -> Vec<DefectKind> {
            let [memory, memory_before] = [memory, memory_before].map(|mebibytes| mebibytes << 20);
            let mut seen = Observation::default();
            (seen.usage.memory, seen.usage.memory_before) = (memory, memory_before);
            of_turn(&seen, Duration::from_secs(1), 64 << 20).into_iter().map(|(kind, _)| kind).collect()
        };
        assert_eq!(kinds(0, 64), []);
        assert_eq!(kinds(10, 65), [DefectKind::Memory]);
        assert_eq!(kinds(65, 65), []);
        assert_eq!(kinds(65, 90), []);
    }
}
