//! Writes a game as a log of Botzone's judge, in the JSON form that Botzone's own tools read.

use std::collections::BTreeMap;

use amazons::{Move, Position, Side};
use quiver_bot::{Coordinates, Start};
use serde::Serialize;
use serde_json::Value;

use crate::InputError;
use crate::games::{EndKind, Game, TurnFacts};

pub(super) const INVALID_MOVE: &str = "INVALIDMOVE";

/// The beginning of the judge's error text, `display.err`, if the loser's program failed. The
/// verdict of Botzone's sandbox on the program, such as `TLE`, follows.
pub(super) const FAILED_PROGRAM: &str = "INVALID_INPUT_VERDICT_";

pub(super) const VERDICTS: [(&str, EndKind); 5] = [
    ("TLE", EndKind::Time),
    ("RE", EndKind::Crash),
    ("MLE", EndKind::Memory),
    ("OLE", EndKind::Output),
    ("NJ", EndKind::Malformed),
];

#[derive(Serialize)]
struct MatchLog<'a> {
    game: &'static str,
    log: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<[PlayerName<'a>; 2]>,
    #[serde(rename = "_id", skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

#[derive(Serialize)]
struct PlayerName<'a> {
    name: Option<&'a str>,
}

/// An entry of the log: an output of the judge, or a player's answer under the key 0 or 1.
#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Judge {
        output: Output,
        /// The run of the judge itself. Its time and memory are unknown and written as 0.
        #[serde(flatten)]
        run: Run<'a>,
    },
    Player(BTreeMap<usize, Answer<'a>>),
}

#[derive(Serialize)]
struct Output {
    command: &'static str,
    /// The last move, with the player to move as the key; in `finish`, the scores of both players.
    content: BTreeMap<usize, Content>,
    display: Display,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Move(Coordinates),
    Score(u8),
}

#[derive(Serialize)]
struct Display {
    #[serde(flatten)]
    last: Option<Coordinates>,
    #[serde(rename = "blackCount")]
    first_count: u64,
    #[serde(rename = "whiteCount")]
    second_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    err: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<usize>,
}

/// A run of a program in Botzone's sandbox. `time` is in milliseconds, `memory` in megabytes.
#[derive(Serialize)]
struct Run<'a> {
    time: u64,
    memory: u64,
    verdict: &'a str,
    keep_running: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    run: Run<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Coordinates>,
    #[serde(skip_serializing_if = "str::is_empty")]
    debug: &'a str,
}

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
    let named = game.players.iter().any(Option::is_some);
    let players = game.players.each_ref().map(|name| PlayerName { name: name.as_deref() });
    Ok(to_json(MatchLog {
        game: "Amazons",
        log: entries(game),
        players: named.then_some(players),
        id: game.event.as_deref(),
    }))
}

/// The entries of the log of a game, which may begin at any position.
pub(super) fn entries(game: &Game) -> Vec<Value> {
    let mut log = vec![judge_entry(game.start(), None)];
    for (ply, after) in game.plies().iter().zip(&game.positions()[1..]) {
        log.push(player_entry(!after.to_move(), "OK", &ply.facts, Some(ply.played.into())));
        log.push(judge_entry(after, Some(ply.played)));
    }
    let position = game.position();
    let loser = position.to_move();
    let lost = game.end.as_ref().filter(|end| end.kind.is_fault() && end.winner != loser);
    if let Some(end) = lost.filter(|_| position.winner().is_none()) {
        let kind = if end.kind == EndKind::Stall { EndKind::Time } else { end.kind };
        let verdict = VERDICTS.iter().find(|&&(_, fault)| fault == kind).map(|(word, _)| word);
        log.push(player_entry(loser, verdict.unwrap_or(&"OK"), &end.turn, end.answered));
        let err = verdict.map_or(INVALID_MOVE.to_owned(), |word| format!("{FAILED_PROGRAM}{word}"));
        log.push(finish(!loser, Display { err: Some(err), ..display(position, None) }));
    }
    log.into_iter().map(to_json).collect()
}

/// Serialises a log or an entry, which cannot fail, because all keys are strings or integers.
fn to_json(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn judge_entry<'a>(position: &Position, last: Option<Move>) -> Entry<'a> {
    let display = display(position, last);
    match position.winner() {
        None => {
            let last = last.map_or(Coordinates::NONE, Coordinates::from);
            let content = BTreeMap::from([(position.to_move().index(), Content::Move(last))]);
            judge(Output { command: "request", content, display })
        }
        Some(winner) => finish(winner, display),
    }
}

fn display(position: &Position, last: Option<Move>) -> Display {
    let [first_count, second_count] = Side::BOTH.map(|side| position.count_legal_moves(side));
    Display { last: last.map(Coordinates::from), first_count, second_count, err: None, winner: None }
}

fn finish<'a>(winner: Side, display: Display) -> Entry<'a> {
    let score = |side: Side| (side.index(), Content::Score(if side == winner { 2 } else { 0 }));
    let display = Display { winner: Some(winner.index()), ..display };
    judge(Output { command: "finish", content: Side::BOTH.map(score).into(), display })
}

fn judge<'a>(output: Output) -> Entry<'a> {
    Entry::Judge { output, run: Run { time: 0, memory: 0, verdict: "OK", keep_running: false } }
}

fn player_entry<'a>(
    side: Side,
    verdict: &'a str,
    facts: &'a TurnFacts,
    response: Option<Coordinates>,
) -> Entry<'a> {
    let run = Run {
        time: facts.milliseconds().unwrap_or_default().round() as u64,
        memory: facts.megabytes.unwrap_or_default().round() as u64,
        verdict,
        keep_running: facts.kept_running,
    };
    Entry::Player(BTreeMap::from([(side.index(), Answer { run, response, debug: &facts.comment })]))
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
