//! A match in sentences. Names come from the log, with their control characters spelt out: a
//! terminal may read them.

use super::{MatchEnding, MatchLog, Replay};
use crate::game::Side;

/// A player by turn order and, if the log has one, by name: `first player`, or `Alice (first)`.
#[must_use]
pub fn player(log: &MatchLog, side: Side) -> String {
    match &log.players[side.index()] {
        Some(name) => format!("{} ({side})", printable(name)),
        None => format!("{side} player"),
    }
}

/// Who won and why, as one sentence.
#[must_use]
pub fn result(log: &MatchLog, replay: &Replay) -> String {
    let plies = match replay.plies.len() {
        1 => "1 ply".to_owned(),
        count => format!("{count} plies"),
    };
    let sentence = match &replay.ending {
        MatchEnding::NoMove { loser } => {
            let (winner, loser) = (player(log, !*loser), player(log, *loser));
            format!("{winner} won after {plies}: {loser} had no legal move left.")
        }
        MatchEnding::Failed { loser, failure } => {
            let (winner, loser) = (player(log, !*loser), player(log, *loser));
            format!("{winner} won after {plies}: at ply {} {loser} {failure}.", replay.plies.len() + 1)
        }
        MatchEnding::Open { to_move } => {
            format!("Unfinished: the log stops after {plies}, {} to move.", player(log, *to_move))
        }
        MatchEnding::Disputed { winner: Some(winner) } => {
            format!("Disputed after {plies}: the log names {} as the winner.", player(log, *winner))
        }
        MatchEnding::Disputed { winner: None } => format!("Disputed after {plies}, without a winner."),
    };
    capitalised(&sentence)
}

/// Text with its control characters spelt out, and those that would turn the direction of a line.
#[must_use]
pub fn printable(text: &str) -> String {
    let unprintable = |character: char| {
        character.is_control()
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if unprintable(character) { out.extend(character.escape_unicode()) } else { out.push(character) }
    }
    out
}

fn capitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_speak_to_a_terminal() {
        let mut log = MatchLog::default();
        assert_eq!(player(&log, Side::Second), "second player");
        log.players[0] = Some("\u{1b}[31mred\u{202e} 王".into());
        assert_eq!(player(&log, Side::First), "\\u{1b}[31mred\\u{202e} 王 (first)");
    }
}
