//! A game written as the log of a judge, for those who would read it with the tools of the site.

use serde_json::{Map, Value, json};

use crate::botzone::six;
use crate::game::{Coordinates, FullMove, Game, Manner, Outcome, Position, Side, Start};

/// A game that Botzone has no log of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum WrittenError {
    #[error("the game does not begin at a start position: expected one, Botzone knows no other")]
    Start,
}

/// The log of a game, under `log`: as far as it has gone, with the judge's last word if it was played out or lost on
/// time. Botzone knows no other ends.
///
/// # Errors
/// If the game begins at no start position.
pub fn written(game: &Game) -> Result<Value, WrittenError> {
    let start = game.start();
    let is_start = |form: Start| form.position(start.size()).is_ok_and(|known| known == *start);
    if ![Start::Formula, Start::Left].into_iter().any(is_start) {
        return Err(WrittenError::Start);
    }
    let mut position = *start;
    let mut log = vec![said(&position, None)];
    for ply in game.plies() {
        let mover = position.to_move();
        position = position.play_unchecked(ply.full);
        let time = (1000.0 * ply.seconds.unwrap_or_default()).round() as u64;
        let mut answer =
            json!({"verdict": "OK", "time": time, "memory": 0, "response": six::value(ply.full.into())});
        if !ply.comment.is_empty() {
            answer["debug"] = ply.comment.as_str().into();
        }
        log.push(keyed(mover, answer));
        log.push(said(&position, Some(ply.full)));
    }
    let loser = position.to_move();
    let on_time = |end: Outcome| end.manner == Manner::Time && end.winner != loser;
    if position.winner().is_none() && game.outcome.is_some_and(on_time) {
        log.push(keyed(loser, json!({"verdict": "TLE", "time": 0, "memory": 0})));
        let mut display = counts(&position, json!({}));
        display["err"] = "INVALID_INPUT_VERDICT_TLE".into();
        log.push(entry(finish(!loser, display)));
    }
    let mut log = json!({"game": "Amazons", "log": log});
    if game.players.iter().any(Option::is_some) {
        log["players"] = game.players.iter().map(|name| json!({"name": name})).collect();
    }
    if let Some(id) = &game.event {
        log["_id"] = id.as_str().into();
    }
    Ok(log)
}

/// What the judge says when it is somebody's turn, or when the game is over.
fn said(position: &Position, last: Option<FullMove>) -> Value {
    let display = counts(position, last.map_or_else(|| json!({}), |last| six::value(last.into())));
    let output = match position.winner() {
        None => {
            let shown = last.map_or(Coordinates::NONE, Coordinates::from);
            json!({"command": "request", "content": keyed(position.to_move(), six::value(shown)), "display": display})
        }
        Some(winner) => finish(winner, display),
    };
    entry(output)
}

/// What is shown, with the legal full moves of both sides.
fn counts(position: &Position, mut display: Value) -> Value {
    display["blackCount"] = position.count_full_moves(Side::First).into();
    display["whiteCount"] = position.count_full_moves(Side::Second).into();
    display
}

fn finish(winner: Side, mut display: Value) -> Value {
    display["winner"] = winner.index().into();
    let score = |side: Side| if side == winner { 2 } else { 0 };
    let content = json!({"0": score(Side::First), "1": score(Side::Second)});
    json!({"command": "finish", "content": content, "display": display})
}

fn entry(output: Value) -> Value {
    json!({"output": output, "verdict": "OK", "time": 0, "memory": 0})
}

fn keyed(side: Side, value: Value) -> Value {
    Value::Object(Map::from_iter([(side.index().to_string(), value)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::match_log::{check, game, read};

    #[test]
    fn what_is_written_agrees_with_the_rules_to_the_end() {
        let judged = include_bytes!("../../../tests/data/judge_logs/random-2.json");
        let found = read(judged.as_slice()).unwrap();
        let replay = check(found[0].log.as_ref().unwrap());
        let log = written(&Game::of(replay.positions[0], &replay.plies).unwrap()).unwrap();
        let found = read(log.to_string().as_bytes()).unwrap();
        let again = check(found[0].log.as_ref().unwrap());
        assert_eq!((&again.plies, &again.ending), (&replay.plies, &replay.ending));
        assert!(again.disagreements.is_empty(), "{:?}", again.disagreements);
        assert_eq!(written(&Game::new(replay.positions[1])), Err(WrittenError::Start));
    }

    #[test]
    fn a_loss_on_time_is_the_judges_last_word() {
        let judged = include_bytes!("../../../tests/data/judge_logs/timeout.json");
        let found = read(judged.as_slice()).unwrap();
        let log = found[0].log.as_ref().unwrap();
        let told = game(log, &check(log));
        assert_eq!(told.outcome.map(|end| end.manner), Some(Manner::Time));
        let again = read(written(&told).unwrap().to_string().as_bytes()).unwrap();
        let again = check(again[0].log.as_ref().unwrap());
        assert_eq!(again.ending, check(log).ending);
        assert!(again.disagreements.is_empty(), "{:?}", again.disagreements);
    }
}
