//! Games of a record as [`Game`]s and as logs of Botzone's judge, and records of other games.

use serde_json::{Value, json};

use super::adjudication;
use super::game_record::{GameRecord, RecordedPlayer};
use super::record::MATCH;
use crate::botzone::judge_log;
use crate::files::{JournalReader, header_line, sealed_line};
use crate::game::{EndKind, FoundGame, Game, GameEnd, InputError};

/// Reads the games of a record. A line that is no game is an entry of the list; a last line
/// without its end is passed over unless it is a whole game, since a match may be writing it.
pub fn games(record: &str) -> impl Iterator<Item = FoundGame<GameRecord>> + '_ {
    let mut reader = JournalReader::new(&MATCH);
    (1..).zip(record.split_inclusive('\n')).filter_map(move |(line, text)| {
        let whole = if text.ends_with('\n') { text } else { &format!("{text}\n") };
        let game = reader.next(whole.as_bytes()).transpose()?.and_then(|game| GameRecord::read(&game));
        let game = game.map_err(InputError);
        (text.ends_with('\n') || game.is_ok()).then_some(FoundGame { line, game })
    })
}

/// Writes a record of games that were played elsewhere, each with an end of a match.
pub fn record(games: &[Game], source: &str) -> Result<String, InputError> {
    let mut out = header_line(&json!({"contest": {"converted": source}}));
    for (number, game) in games.iter().enumerate() {
        let end = end(game).map_err(|state| {
            let expected = "a game that was played out, resigned, or lost by a fault or on time";
            InputError(format!("game {} {state}: expected {expected}", number + 1))
        })?;
        let players = [(0, "first"), (1, "second")].map(|(entrant, side): (usize, &str)| RecordedPlayer {
            entrant,
            name: game.players[entrant].clone().unwrap_or_else(|| side.to_owned()),
            ..RecordedPlayer::default()
        });
        let mut game = game.clone();
        game.end = Some(end);
        let record = GameRecord { opening: 0, ..GameRecord::new(number, players, game) };
        out += &sealed_line(&record.line());
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

/// The match log of a recorded game. The moves of an opening are logged as the players' own, taking
/// no time. A record has no debug texts, and so its log has none.
pub(crate) fn match_log(record: &GameRecord) -> Result<Value, InputError> {
    let mut log =
        judge_log(&record.game).map_err(|cause| InputError(format!("game {}: {cause}", record.number)))?;
    log["number"] = record.number.into();
    let player = |player: &RecordedPlayer| json!({"name": player.name, "spec": player.spec, "version": player.version});
    log["players"] = record.players.iter().map(player).collect();
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::read_logs;
    use crate::game::{Fen, Side};

    #[test]
    fn the_published_judge_says_the_same() {
        for name in ["random-1", "random-2", "random-3", "illegal-move", "timeout"] {
            let text = std::fs::read_to_string(format!("tests/data/judge_logs/{name}.json")).unwrap();
            let game = read_logs(&text).unwrap().remove(0).game.unwrap().game;
            let judged: Value = serde_json::from_str(&text).unwrap();
            let judged = judged["log"].as_array().unwrap();
            let ours = match_log(&GameRecord::new(0, Default::default(), game)).unwrap();
            let ours = ours["log"].as_array().unwrap();
            assert_eq!(ours.len(), judged.len());
            for (index, (ours, judged)) in ours.iter().zip(judged).enumerate() {
                assert_eq!(ours["output"], judged["output"], "entry {index}");
                for (seat, entry) in judged.as_object().unwrap().iter().filter(|(key, _)| key.len() == 1) {
                    for field in ["verdict", "response", "time", "memory", "keep_running"] {
                        assert_eq!(ours[seat][field], entry[field], "entry {index}");
                    }
                }
            }
        }
    }

    #[test]
    fn unknown_times_stay_unknown_and_a_whole_last_line_is_read() {
        let start: Fen = "Q1/1q w - - 0 1".parse().unwrap();
        let mut game = Game::of(start.0, &["a2-b2/a2".parse().unwrap()]).unwrap();
        game.end = Some(GameEnd::new(Side::First, EndKind::Time));
        let text = record(&[game], "a test").unwrap();
        assert!(!text.contains("\"times\""), "{text}");
        for whole in [text.as_str(), text.trim_end()] {
            let found: Vec<_> = games(whole).map(|found| found.game.unwrap()).collect();
            assert_eq!(found.len(), 1, "{whole}");
            assert_eq!(found[0].played()[0].facts.seconds, None);
        }
        assert!(games(&text[..text.len() - 2]).next().is_none(), "a line that was cut is passed over");
    }
}
