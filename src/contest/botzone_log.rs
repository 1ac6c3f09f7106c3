//! Converts a recorded game to the log that Botzone's judge would write.

use serde_json::{Value, json};

use super::fault::InputError;
use super::game_record::{GameRecord, RecordedPlayer};
use crate::botzone::judge_log;

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
    use crate::game::{Coordinates, EndKind, Fen, Game, GameEnd, Side, Size, Start, TurnFacts};

    /// The game that a log of the published judge tells, as a record of ours.
    fn record(log: &[Value]) -> GameRecord {
        let answers: Vec<[i64; 6]> = log
            .iter()
            .flat_map(|entry| entry.as_object().unwrap())
            .filter_map(|(_, entry)| entry.get("response"))
            .map(|at| ["x0", "y0", "x1", "y1", "x2", "y2"].map(|name| at[name].as_i64().unwrap()))
            .collect();
        let end = &log.last().unwrap()["output"];
        let kind = match end["display"]["err"].as_str() {
            None => EndKind::NoMove,
            Some("INVALIDMOVE") => EndKind::IllegalMove,
            Some("INVALID_INPUT_VERDICT_TLE") => EndKind::Time,
            Some(other) => panic!("{other}"),
        };
        // The moves of a record are legal.
        let legal = answers.len() - usize::from(kind == EndKind::IllegalMove);
        let moves: Vec<_> =
            answers[..legal].iter().map(|&numbers| Coordinates(numbers).full_move().unwrap()).collect();
        let start = Start::Formula.position(Size::square(8).unwrap()).unwrap();
        let mut game = Game::of(start, &moves).unwrap();
        game.end = Some(GameEnd {
            answered: answers.get(legal).copied().map(Coordinates),
            turn: TurnFacts { seconds: kind.is_fault().then_some(1.0), ..TurnFacts::default() },
            ..GameEnd::new(Side::BOTH[usize::from(end["content"]["1"] == 2)], kind)
        });
        GameRecord::new(0, 0, [0, 1].map(RecordedPlayer::nameless), game)
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
        let Fen(start) = "q2/3/2Q w - - 0 1".parse().unwrap();
        let game = GameRecord::new(0, 0, [0, 1].map(RecordedPlayer::nameless), Game::new(start));
        let error = match_log(&game).unwrap_err().to_string();
        assert!(error.starts_with("game 0: the game does not begin at a start position"), "{error}");
    }
}
