//! A game written as the log of Botzone's judge, which the tools of the site read.

use amazons::{Coordinates, EndKind, Game, InputError, Move, Position, Side, Start, TurnFacts};
use serde_json::{Value, json};

pub(super) const INVALID_MOVE: &str = "INVALIDMOVE";

/// The beginning of `display.err` where there was no move to judge; the word of the site's sandbox
/// for the program's run follows.
pub(super) const VERDICT: &str = "INVALID_INPUT_VERDICT_";

/// The words of the site's sandbox for a program that failed.
pub(super) const VERDICTS: [(&str, EndKind); 5] = [
    ("TLE", EndKind::Time),
    ("RE", EndKind::Crash),
    ("MLE", EndKind::Memory),
    ("OLE", EndKind::Output),
    ("NJ", EndKind::Malformed),
];

/// The log of a game under `log`: requests and answers in turn, with both sides' legal full moves
/// at every ply. The judge's verdict ends it if the game was played out, or lost by a fault of the
/// player to move. Botzone has no other end: the log of any other game stops with its last move.
/// A game that begins at no start position has no log.
pub fn judge_log(game: &Game) -> Result<Value, InputError> {
    let none = "the game does not begin at a start position: expected one, Botzone knows no other";
    Start::of(game.start()).ok_or_else(|| InputError(none.to_owned()))?;
    let mut log = json!({"game": "Amazons", "log": entries(game)});
    if game.players.iter().any(Option::is_some) {
        log["players"] = game.players.iter().map(|name| json!({"name": name})).collect();
    }
    if let Some(id) = &game.event {
        log["_id"] = id.as_str().into();
    }
    Ok(log)
}

/// The entries of the judge and the players, from any start.
pub(super) fn entries(game: &Game) -> Vec<Value> {
    let mut log = vec![said(game.start(), None)];
    for (ply, after) in game.plies().iter().zip(&game.positions()[1..]) {
        log.push(keyed(!after.to_move(), answer("OK", &ply.facts, Some(ply.full.into()))));
        log.push(said(after, Some(ply.full)));
    }
    let position = game.position();
    let loser = position.to_move();
    let lost = game.end.as_ref().filter(|end| end.kind.is_fault() && end.winner != loser);
    if let Some(end) = lost.filter(|_| position.winner().is_none()) {
        let kind = if end.kind == EndKind::Stall { EndKind::Time } else { end.kind };
        let verdict = VERDICTS.iter().find(|&&(_, fault)| fault == kind).map(|(word, _)| word);
        log.push(keyed(loser, answer(verdict.unwrap_or(&"OK"), &end.turn, end.answered)));
        let mut display = display(position, None);
        display["err"] = verdict.map_or(INVALID_MOVE.into(), |word| format!("{VERDICT}{word}").into());
        log.push(finish(!loser, display));
    }
    log
}

/// The judge's entry before a turn, or the one that ends a game which was played out.
fn said(position: &Position, last: Option<Move>) -> Value {
    let display = display(position, last);
    match position.winner() {
        None => {
            let content = keyed(position.to_move(), json!(last.map_or(Coordinates::NONE, Coordinates::from)));
            judge(json!({"command": "request", "content": content, "display": display}))
        }
        Some(winner) => finish(winner, display),
    }
}

fn display(position: &Position, last: Option<Move>) -> Value {
    let mut display = last.map_or_else(|| json!({}), |last| json!(Coordinates::from(last)));
    display["blackCount"] = position.count_legal_moves(Side::First).into();
    display["whiteCount"] = position.count_legal_moves(Side::Second).into();
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

fn answer(verdict: &str, facts: &TurnFacts, response: Option<Coordinates>) -> Value {
    let mut entry = json!({
        "time": facts.milliseconds().unwrap_or_default().round() as u64,
        "memory": facts.megabytes.unwrap_or_default().round() as u64,
        "verdict": verdict,
        "keep_running": facts.kept_running,
    });
    if let Some(response) = response {
        entry["response"] = json!(response);
    }
    if !facts.comment.is_empty() {
        entry["debug"] = facts.comment.as_str().into();
    }
    entry
}

fn keyed(side: Side, value: Value) -> Value {
    json!({(side.index().to_string()): value})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::match_log;

    #[test]
    fn the_published_judge_says_the_same() {
        for name in ["random-1", "random-2", "random-3", "illegal-move", "timeout"] {
            let text = std::fs::read_to_string(format!("../../tests/data/judge_logs/{name}.json")).unwrap();
            let game = match_log::read(&text).unwrap().remove(0).game.unwrap().game;
            let judged: Value = serde_json::from_str(&text).unwrap();
            let judged = judged["log"].as_array().unwrap();
            let ours = judge_log(&game).unwrap();
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
}
