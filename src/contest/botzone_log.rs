//! Converts a recorded game to the log that Botzone's judge would write.

use serde_json::{Value, json};

use super::game_record::{GameRecord, RecordedPlayer};
use crate::botzone::judge_log;

/// The error of a game that has no log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}: {cause}")]
pub struct LogError {
    /// The game's number in the contest.
    pub game: usize,
    /// The cause.
    pub cause: String,
}

/// The match log of a recorded game. The moves of an opening are logged as the players' own, taking
/// no time. A record has no debug texts, and so its log has none.
///
/// # Errors
/// If the game does not begin at a start position, or the record is damaged.
pub fn match_log(record: &GameRecord) -> Result<Value, LogError> {
    let error = |cause: String| LogError { game: record.game, cause };
    let game = record.to_game().map_err(error)?;
    let mut log = judge_log(&game).map_err(|cause| error(cause.to_string()))?;
    log["number"] = record.game.into();
    let player = |player: &RecordedPlayer| json!({"name": player.name, "spec": player.spec, "version": player.version});
    log["players"] = record.players.iter().map(player).collect();
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Coordinates, EndKind, Fen, Size, Start};

    /// The game that a log of the published judge tells, as a record of ours.
    fn record(log: &[Value]) -> GameRecord {
        let answers: Vec<[i64; 6]> = log
            .iter()
            .flat_map(|entry| entry.as_object().unwrap())
            .filter_map(|(_, entry)| entry.get("response"))
            .map(|at| ["x0", "y0", "x1", "y1", "x2", "y2"].map(|name| at[name].as_i64().unwrap()))
            .collect();
        let moves: Vec<String> =
            answers.iter().map(|&numbers| Coordinates(numbers).full_move().unwrap().to_string()).collect();
        let end = &log.last().unwrap()["output"];
        let reason = match end["display"]["err"].as_str() {
            None => EndKind::NoMove,
            Some("INVALIDMOVE") => EndKind::IllegalMove,
            Some("INVALID_INPUT_VERDICT_TLE") => EndKind::Time,
            Some(other) => panic!("{other}"),
        };
        // The moves of a record are legal.
        let legal = moves.len() - usize::from(reason == EndKind::IllegalMove);
        GameRecord {
            game: 0,
            pair: 0,
            players: [RecordedPlayer::nameless(0), RecordedPlayer::nameless(1)],
            start: Fen(Start::Formula.position(Size::square(8).unwrap()).unwrap()).to_string(),
            opening: moves[..2].to_vec(),
            moves: moves[2..legal].to_vec(),
            times: vec![Some(0.005); legal - 2],
            values: vec![None; legal - 2],
            proven: Vec::new(),
            playouts: vec![None; legal - 2],
            restarts: Vec::new(),
            winner: usize::from(end["content"]["1"] == 2),
            reason,
            detail: None,
            answered: answers.get(legal).copied(),
            evidence: None,
            last_time: reason.is_fault().then_some(1.0),
        }
    }

    #[test]
    fn the_published_judge_says_the_same() {
        for text in [
            include_str!("../../tests/data/judge_logs/random-1.json"),
            include_str!("../../tests/data/judge_logs/random-2.json"),
            include_str!("../../tests/data/judge_logs/random-3.json"),
            include_str!("../../tests/data/judge_logs/illegal-move.json"),
            include_str!("../../tests/data/judge_logs/timeout.json"),
        ] {
            let judged: Value = serde_json::from_str(text).unwrap();
            let judged = judged["log"].as_array().unwrap();
            let ours = match_log(&record(judged)).unwrap();
            let ours = ours["log"].as_array().unwrap();
            assert_eq!(ours.len(), judged.len());
            for (index, (ours, judged)) in ours.iter().zip(judged).enumerate() {
                assert_eq!(ours["output"], judged["output"], "entry {index}");
                for (seat, entry) in judged.as_object().unwrap().iter().filter(|(key, _)| key.len() == 1) {
                    for field in ["verdict", "response"] {
                        assert_eq!(ours[seat][field], entry[field], "entry {index}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_game_from_elsewhere_has_no_log() {
        let log: Value =
            serde_json::from_str(include_str!("../../tests/data/judge_logs/timeout.json")).unwrap();
        let mut game = record(log["log"].as_array().unwrap());
        game.moves[0] = "a1-a1/a1".to_owned();
        let error = match_log(&game).unwrap_err().to_string();
        assert!(error.starts_with("game 0: move 3, a1-a1/a1: "), "{error}");
        (game.start, game.opening, game.moves) = ("q2/3/2Q w - - 0 1".to_owned(), Vec::new(), Vec::new());
        let error = match_log(&game).unwrap_err().to_string();
        assert!(error.starts_with("game 0: the game does not begin at a start position"), "{error}");
    }
}
