//! Writes a game as a log of Botzone's judge, in the JSON form that Botzone's own tools read.

use amazons::{Position, Side};
use quiver_bot::{Coordinates, Start};
use serde_json::{Value, json};

use crate::InputError;
use crate::games::{EndKind, Game, TurnFacts};

pub(super) const INVALID_MOVE: &str = "INVALIDMOVE";

/// The beginning of the judge's error text, `display.err`, if the loser's program failed. The
/// rest of the text is the verdict of Botzone's sandbox on the program, such as `TLE`.
pub(super) const FAILED_PROGRAM: &str = "INVALID_INPUT_VERDICT_";

pub(super) const VERDICTS: [(&str, EndKind); 5] = [
    ("TLE", EndKind::Time),
    ("RE", EndKind::Crash),
    ("MLE", EndKind::Memory),
    ("OLE", EndKind::Output),
    ("NJ", EndKind::Malformed),
];

/// Writes the log of a game as JSON. The log ends with the judge's verdict if the side to move has
/// no legal move or lost by a fault. Botzone knows no other end, so the log of any other game stops
/// after the last move.
///
/// # Errors
/// If the game does not begin at a start position that Botzone knows.
pub fn judge_log(game: &Game) -> Result<Value, InputError> {
    let expected = "expected a start position that Botzone knows";
    let unknown = || InputError(format!("the game begins at {}: {expected}", game.start()));
    Start::of(game.start()).ok_or_else(unknown)?;
    let mut log = json!({"game": "Amazons", "log": entries(game)});
    if game.players.iter().any(Option::is_some) {
        log["players"] = game.players.iter().map(|name| json!({"name": name})).collect();
    }
    if let Some(id) = &game.event {
        log["_id"] = id.as_str().into();
    }
    Ok(log)
}

/// The entries of a game's log: the outputs of the judge, and the answers of the players. The game
/// may begin at any position.
pub(super) fn entries(game: &Game) -> Vec<Value> {
    let mut log = vec![judge_entry(game.start(), None)];
    for (ply, after) in game.plies().iter().zip(&game.positions()[1..]) {
        let played = Some(ply.played.into());
        log.push(player_entry(!after.to_move(), "OK", &ply.facts, played));
        log.push(judge_entry(after, played));
    }
    let position = game.position();
    let loser = position.to_move();
    let lost = game.end.as_ref().filter(|end| end.kind.is_fault() && end.winner != loser);
    if let Some(end) = lost.filter(|_| position.winner().is_none()) {
        let kind = if end.kind == EndKind::Stall { EndKind::Time } else { end.kind };
        let verdict = VERDICTS.iter().find(|&&(_, fault)| fault == kind).map(|(word, _)| word);
        log.push(player_entry(loser, verdict.unwrap_or(&"OK"), &end.turn, end.answered));
        let err = verdict.map_or(INVALID_MOVE.to_owned(), |word| format!("{FAILED_PROGRAM}{word}"));
        let mut display = display(position, None);
        display["err"] = err.into();
        log.push(finish_output(!loser, display));
    }
    log
}

/// The judge's output after the move `last`: a request to the player to move, or the result.
fn judge_entry(position: &Position, last: Option<Coordinates>) -> Value {
    let display = display(position, last);
    if let Some(winner) = position.winner() {
        return finish_output(winner, display);
    }
    let asked = position.to_move().index().to_string();
    judge_output("request", json!({asked: last.unwrap_or(Coordinates::NONE)}), display)
}

fn finish_output(winner: Side, mut display: Value) -> Value {
    display["winner"] = winner.index().into();
    let [first, second] = Side::BOTH.map(|side| if side == winner { 2 } else { 0 });
    judge_output("finish", json!({"0": first, "1": second}), display)
}

/// An output of the judge. The time and memory of the judge itself are unknown and written as 0.
fn judge_output(command: &str, content: Value, display: Value) -> Value {
    json!({
        "output": {"command": command, "content": content, "display": display},
        "time": 0,
        "memory": 0,
        "verdict": "OK",
        "keep_running": false,
    })
}

fn display(position: &Position, last: Option<Coordinates>) -> Value {
    let mut display = json!(last);
    let [first, second] = Side::BOTH.map(|side| position.count_legal_moves(side));
    display["blackCount"] = first.into();
    display["whiteCount"] = second.into();
    display
}

/// A log entry with a player's answer, and the turn's time in milliseconds and memory in megabytes.
fn player_entry(side: Side, verdict: &str, facts: &TurnFacts, response: Option<Coordinates>) -> Value {
    let mut answer = json!({
        "time": facts.milliseconds().unwrap_or_default().round() as u64,
        "memory": facts.megabytes.unwrap_or_default().round() as u64,
        "verdict": verdict,
        "keep_running": facts.kept_running,
    });
    if response.is_some() {
        answer["response"] = json!(response);
    }
    if !facts.comment.is_empty() {
        answer["debug"] = facts.comment.as_str().into();
    }
    json!({side.index().to_string(): answer})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::match_log;

    #[test]
    fn entries_equal_those_of_published_judge() {
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
