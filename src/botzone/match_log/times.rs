//! What the turns of a match cost each side, by the site's own measure.

use super::{LoggedAnswer, MatchLog};
use crate::game::Side;

/// Time and memory of one side over a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideTimes {
    /// Turns whose time is known.
    pub turns: usize,
    /// Their mean in milliseconds.
    pub mean_ms: f64,
    /// The slowest of them in milliseconds.
    pub worst_ms: f64,
    /// The ply of the slowest, from 1.
    pub worst_ply: usize,
    /// The most memory of any turn in megabytes, if known.
    pub peak_mb: Option<f64>,
}

/// The costs of a side's turns, the one it failed in included; `None` if the log has no times of
/// it.
#[must_use]
pub fn side_times(log: &MatchLog, side: Side) -> Option<SideTimes> {
    let mut times = SideTimes::default();
    let mut sum = 0.0;
    for (index, answer) in answers(log).filter(|(_, answer)| answer.side == side) {
        if let Some(memory) = answer.memory_mb {
            times.peak_mb = Some(times.peak_mb.map_or(memory, |peak| peak.max(memory)));
        }
        let Some(time) = answer.time_ms else { continue };
        sum += time;
        times.turns += 1;
        if times.turns == 1 || time > times.worst_ms {
            (times.worst_ms, times.worst_ply) = (time, index + 1);
        }
    }
    if times.turns == 0 {
        return None;
    }
    times.mean_ms = sum / times.turns as f64;
    Some(times)
}

fn answers(log: &MatchLog) -> impl Iterator<Item = (usize, &LoggedAnswer)> {
    log.turns.iter().enumerate().filter_map(|(index, turn)| Some((index, turn.answer.as_ref()?)))
}
