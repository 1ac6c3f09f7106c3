//! A match in words and figures.

use super::{LoggedAnswer, MatchEnding, MatchLog, Replay, excerpt};
use crate::game::Side;
use crate::messages::counted;

/// A player by turn order and, if the log has one, by name: `first player`, or `Alice (first)`.
pub(crate) fn player(log: &MatchLog, side: Side) -> String {
    match &log.players[side.index()] {
        Some(name) => format!("{} ({side})", excerpt(name)),
        None => format!("{side} player"),
    }
}

/// Who won and why, as one sentence.
pub(crate) fn result(log: &MatchLog, replay: &Replay) -> String {
    let count = replay.plies.len();
    let plies = counted(count, "ply", "plies");
    let won = |loser: Side| (player(log, !loser), player(log, loser));
    let sentence = match &replay.ending {
        MatchEnding::NoMove { loser } => {
            let (winner, loser) = won(*loser);
            format!("{winner} won after {plies}: {loser} had no legal move left.")
        }
        MatchEnding::Failed { loser, failure } => {
            let (winner, loser) = won(*loser);
            format!("{winner} won after {plies}: at ply {} {loser} {failure}.", count + 1)
        }
        MatchEnding::Awarded { loser } => {
            let (winner, loser) = won(*loser);
            format!("{winner} won after {plies}: the game ended there, and {loser} had moves left.")
        }
        MatchEnding::Open { to_move } => {
            format!("Unfinished: the log stops after {plies}, {} to move.", player(log, *to_move))
        }
        MatchEnding::Disputed { winner: Some(winner) } => {
            format!("Disputed after {plies}: the log names {} as the winner.", player(log, *winner))
        }
        MatchEnding::Disputed { winner: None } => format!("Disputed after {plies}, without a winner."),
    };
    let mut characters = sentence.chars();
    characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}

/// Time and memory of one side over a match, by the site's own measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SideTimes {
    /// Turns whose time is known.
    pub(crate) turns: usize,
    pub(crate) mean_ms: f64,
    pub(crate) worst_ms: f64,
    /// The ply of the slowest turn, from 1.
    pub(crate) worst_ply: usize,
    /// The most memory of any turn in megabytes, if known.
    pub(crate) peak_mb: Option<f64>,
}

/// The costs of a side's turns, the one it failed in included; `None` if the log has no times of
/// it.
pub(crate) fn side_times(log: &MatchLog, side: Side) -> Option<SideTimes> {
    let answers = (1..).zip(&log.turns).filter_map(|(ply, turn)| Some((ply, turn.answer.as_ref()?)));
    let own: Vec<(usize, &LoggedAnswer)> = answers.filter(|(_, answer)| answer.side == side).collect();
    let times: Vec<(usize, f64)> =
        own.iter().filter_map(|(ply, answer)| Some((*ply, answer.time_ms?))).collect();
    // Of equals the first.
    let (worst_ply, worst_ms) = times.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let mean_ms = times.iter().map(|(_, time)| time).sum::<f64>() / times.len() as f64;
    let peak_mb = own.iter().filter_map(|(_, answer)| answer.memory_mb).reduce(f64::max);
    Some(SideTimes { turns: times.len(), mean_ms, worst_ms, worst_ply, peak_mb })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_speak_to_a_terminal() {
        let mut log = MatchLog::default();
        assert_eq!(player(&log, Side::Second), "second player");
        log.players[0] = Some("\u{1b}[31mred\n\u{202e} 王".into());
        assert_eq!(player(&log, Side::First), "\\u{1b}[31mred\\n\\u{202e} 王 (first)");
    }
}
