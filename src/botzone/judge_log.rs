//! A game written as the log of Botzone's judge, which the tools of the site read.

use serde_json::{Value, json};

use crate::game::{Coordinates, EndKind, FullMove, Game, Position, Side, Start};

/// A game that Botzone has no log of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game does not begin at a start position: expected one, Botzone knows no other")]
pub struct NoStart;

/// The turn in which the player to move lost although it had moves left.
#[derive(Clone, Copy, Debug)]
pub struct LostTurn {
    /// What the site says of the player's program.
    pub verdict: &'static str,
    /// What the judge says of the loser.
    pub error: &'static str,
    /// Seconds that the player used.
    pub seconds: f64,
    /// The numbers that it answered, if it did.
    pub answered: Option<Coordinates>,
}

impl LostTurn {
    /// The player ran out of time.
    pub const TIME: LostTurn =
        LostTurn { verdict: "TLE", error: "INVALID_INPUT_VERDICT_TLE", seconds: 0.0, answered: None };

    /// The last turn of a game that was lost on time. The log of a game that ended in another way
    /// before the rules ended it stops with its last move: Botzone knows no such end.
    #[must_use]
    pub fn of(game: &Game) -> Option<LostTurn> {
        let end = game.end.as_ref().filter(|_| game.position().winner().is_none())?;
        let lost = end.kind == EndKind::Time && end.winner != game.position().to_move();
        lost.then_some(LostTurn::TIME)
    }
}

/// The log of a game under `log`: requests and answers in turn, with both sides' legal full moves
/// at every ply. The judge's verdict ends it if the game was played out, or if `lost` says how it
/// ended.
///
/// # Errors
/// If the game begins at no start position.
pub fn judge_log(game: &Game, lost: Option<LostTurn>) -> Result<Value, NoStart> {
    Start::of(game.start()).ok_or(NoStart)?;
    let mut position = *game.start();
    let mut log = vec![said(&position, None)];
    for ply in game.plies() {
        let mover = position.to_move();
        position = position.play_unchecked(ply.full);
        let mut entry = answer("OK", ply.facts.seconds.unwrap_or_default(), Some(ply.full.into()));
        if !ply.facts.comment.is_empty() {
            entry["debug"] = ply.facts.comment.as_str().into();
        }
        log.push(keyed(mover, entry));
        log.push(said(&position, Some(ply.full)));
    }
    if let Some(LostTurn { verdict, error, seconds, answered }) = lost {
        let loser = position.to_move();
        log.push(keyed(loser, answer(verdict, seconds, answered)));
        let mut display = display(&position, None);
        display["err"] = error.into();
        log.push(finish(!loser, display));
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

/// The judge's entry before a turn, or the one that ends a game which was played out.
fn said(position: &Position, last: Option<FullMove>) -> Value {
    let display = display(position, last);
    match position.winner() {
        None => {
            let content = keyed(position.to_move(), json!(last.map_or(Coordinates::NONE, Coordinates::from)));
            judge(json!({"command": "request", "content": content, "display": display}))
        }
        Some(winner) => finish(winner, display),
    }
}

/// What is shown: the last move, and the legal full moves of both sides.
fn display(position: &Position, last: Option<FullMove>) -> Value {
    let mut display = last.map_or_else(|| json!({}), |last| json!(Coordinates::from(last)));
    display["blackCount"] = position.count_full_moves(Side::First).into();
    display["whiteCount"] = position.count_full_moves(Side::Second).into();
    display
}

fn finish(winner: Side, mut display: Value) -> Value {
    display["winner"] = winner.index().into();
    let score = |side: Side| if side == winner { 2 } else { 0 };
    let content = json!({"0": score(Side::First), "1": score(Side::Second)});
    judge(json!({"command": "finish", "content": content, "display": display}))
}

fn judge(output: Value) -> Value {
    json!({"output": output, "time": 0, "memory": 0, "verdict": "OK", "keep_running": false})
}

fn answer(verdict: &str, seconds: f64, response: Option<Coordinates>) -> Value {
    let milliseconds = (1000.0 * seconds).round() as u64;
    let mut entry = json!({"time": milliseconds, "memory": 0, "verdict": verdict, "keep_running": false});
    if let Some(response) = response {
        entry["response"] = json!(response);
    }
    entry
}

fn keyed(side: Side, value: Value) -> Value {
    json!({(side.index().to_string()): value})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::match_log::{check, game, read};

    #[test]
    fn a_game_lost_on_time_is_written_as_one() {
        let found = read(&include_bytes!("../../tests/data/judge_logs/timeout.json")[..]).unwrap();
        let log = found[0].log.as_ref().unwrap();
        let replay = check(log);
        let game = game(log, &replay);
        let written = judge_log(&game, LostTurn::of(&game)).unwrap();
        let again = read(written.to_string().as_bytes()).unwrap();
        let again = check(again[0].log.as_ref().unwrap());
        assert_eq!((&again.plies, &again.ending), (&replay.plies, &replay.ending));
        assert!(again.disagreements.is_empty(), "{:?}", again.disagreements);
    }
}
