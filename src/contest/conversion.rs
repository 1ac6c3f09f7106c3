//! Games of a record as [`Game`]s, and back.

use serde_json::json;

use super::adjudication;
use super::fault::InputError;
use super::game_record::{GameRecord, RecordedPlayer, game_line, read_game};
use super::record::KIND;
use crate::files::{JournalLine, LineReader, header_line, sealed_line};
use crate::game::{EndKind, FoundGame, Game, GameEnd};

/// Reads the games of a record. A line that is no game is an entry of the list; a last line
/// without its end is passed over unless it is a whole game, since a match may be writing it.
pub fn games(record: &str) -> impl Iterator<Item = FoundGame<String, GameRecord>> + '_ {
    let mut reader = LineReader::new(&KIND);
    (1..).zip(record.split_inclusive('\n')).filter_map(move |(line, text)| {
        let whole = if text.ends_with('\n') { text } else { &format!("{text}\n") };
        let game = match reader.next(whole.as_bytes()) {
            Ok(JournalLine::Record(game)) => read_game(game.as_bytes()),
            Ok(JournalLine::Header(_) | JournalLine::Torn) => return None,
            Err(cause) => Err(cause),
        };
        (text.ends_with('\n') || game.is_ok()).then_some(FoundGame { line, game })
    })
}

/// Writes a record of games that were played elsewhere.
///
/// # Errors
/// If one of them did not end as a match ends a game.
pub fn record(games: &[Game], source: &str) -> Result<String, InputError> {
    let mut out = header_line(&json!({"contest": {"converted": source}}));
    for (number, game) in games.iter().enumerate() {
        let end = end(game).map_err(|state| {
            let expected = "a game that was played out, resigned, or lost by a fault or on time";
            InputError(format!("game {} {state}: expected {expected}", number + 1))
        })?;
        let player = |slot: usize| RecordedPlayer {
            entrant: slot,
            name: game.players[slot].clone().unwrap_or_else(|| ["first", "second"][slot].to_owned()),
            spec: String::new(),
            version: String::new(),
            tc: None,
            seed: 0,
        };
        let players = [0, 1].map(player);
        let mut game = game.clone();
        game.end = Some(end);
        let record = GameRecord { opening: 0, ..GameRecord::new(number, number / 2, players, game) };
        out += &sealed_line(&game_line(&record));
        out.push('\n');
    }
    Ok(out)
}

/// The end of a game in the words of a record; an error that says what is wrong with it.
fn end(game: &Game) -> Result<GameEnd, &'static str> {
    let position = game.position();
    if let Some(winner) = position.winner() {
        return Ok(GameEnd::new(winner, EndKind::NoMove));
    }
    let end = game.end.clone().ok_or("is unfinished")?;
    let proven = |winner| adjudication::proven(position).is_some_and(|(side, _)| side == winner);
    match end.kind {
        EndKind::Proven | EndKind::Unstated if proven(end.winner) => {
            Ok(GameEnd { kind: EndKind::Proven, ..end })
        }
        _ if end.winner == position.to_move() => Err("was won by the player to move"),
        kind if kind.is_failure() => Ok(end),
        _ => Err("ends while the loser has moves left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Fen, Side};

    #[test]
    fn unknown_times_stay_unknown_and_a_whole_last_line_is_read() {
        let start: Fen = "Q1/1q w - - 0 1".parse().unwrap();
        let mut game = Game::of(start.0, &["a2-b2/a2".parse().unwrap()]).unwrap();
        game.end = Some(GameEnd::new(Side::First, EndKind::Time));
        let text = record(&[game], "a test").unwrap();
        assert!(text.contains("\"times\":[null]"), "{text}");
        for whole in [text.as_str(), text.trim_end()] {
            let found: Vec<_> = games(whole).map(|found| found.game.unwrap()).collect();
            assert_eq!(found.len(), 1, "{whole}");
            assert_eq!(found[0].played()[0].facts.seconds, None);
        }
        assert!(games(&text[..text.len() - 2]).next().is_none(), "a line that was cut is passed over");
    }
}
