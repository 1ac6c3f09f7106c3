//! A game written as the log of a judge, for those who would read it with the tools of the site.

use serde_json::{Map, Value, json};

use crate::game::{Coordinates, FullMove, Position, Side, Start};

/// A game that Botzone has no log of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrittenError {
    /// It begins elsewhere.
    #[error("the game does not begin at a start position: expected one, Botzone knows no other")]
    Start,
    /// A move cannot be played.
    #[error("move {number} is illegal: expected a legal one")]
    Move {
        /// Its number, from 1.
        number: usize,
    },
}

/// The log of a game, under `log`: as far as it has gone, with the judge's last word if it is over. What the turns took
/// is not known and left at nothing.
///
/// # Errors
/// If the game begins at no start position or a move is illegal.
pub fn written(start: &Position, plies: &[FullMove]) -> Result<Value, WrittenError> {
    let is_start = |form: Start| form.position(start.size()).is_ok_and(|known| known == *start);
    if ![Start::Formula, Start::Left].into_iter().any(is_start) {
        return Err(WrittenError::Start);
    }
    let mut position = *start;
    let mut log = vec![said(&position, None)];
    for (index, &full) in plies.iter().enumerate() {
        let mover = position.to_move();
        position = position.play(full).map_err(|_| WrittenError::Move { number: index + 1 })?;
        let answer = json!({"verdict": "OK", "time": 0, "memory": 0, "response": six(full.into())});
        log.push(keyed(mover, answer));
        log.push(said(&position, Some(full)));
    }
    Ok(json!({"game": "Amazons", "log": log}))
}

/// What the judge says when it is somebody's turn, or when the game is over.
fn said(position: &Position, last: Option<FullMove>) -> Value {
    let mut display = last.map_or_else(|| json!({}), |last| six(last.into()));
    display["blackCount"] = position.count_full_moves(Side::First).into();
    display["whiteCount"] = position.count_full_moves(Side::Second).into();
    let output = match position.winner() {
        None => {
            let shown = last.map_or(Coordinates::NONE, Coordinates::from);
            json!({"command": "request", "content": keyed(position.to_move(), six(shown)), "display": display})
        }
        Some(winner) => {
            display["winner"] = winner.index().into();
            let score = |side: Side| if side == winner { 2 } else { 0 };
            let content = json!({"0": score(Side::First), "1": score(Side::Second)});
            json!({"command": "finish", "content": content, "display": display})
        }
    };
    json!({"output": output, "verdict": "OK", "time": 0, "memory": 0})
}

fn keyed(side: Side, value: Value) -> Value {
    Value::Object(Map::from_iter([(side.index().to_string(), value)]))
}

fn six(coordinates: Coordinates) -> Value {
    let [x0, y0, x1, y1, x2, y2] = coordinates.0;
    json!({"x0": x0, "y0": y0, "x1": x1, "y1": y1, "x2": x2, "y2": y2})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::match_log::{check, read};

    #[test]
    fn what_is_written_agrees_with_the_rules_to_the_end() {
        let judged = include_bytes!("../../../tests/data/judge_logs/random-2.json");
        let found = read(judged.as_slice()).unwrap();
        let replay = check(found[0].log.as_ref().unwrap());
        let log = written(&replay.positions[0], &replay.plies).unwrap();
        let found = read(log.to_string().as_bytes()).unwrap();
        let again = check(found[0].log.as_ref().unwrap());
        assert_eq!((&again.plies, &again.ending), (&replay.plies, &replay.ending));
        assert!(again.disagreements.is_empty(), "{:?}", again.disagreements);
        assert_eq!(written(&replay.positions[1], &[]), Err(WrittenError::Start));
        assert_eq!(written(&replay.positions[0], &replay.plies[1..]), Err(WrittenError::Move { number: 1 }));
    }
}
