//! A game as Botzone's judge would have logged it.

use serde_json::{Map, Value, json};

use super::fault::Reason;
use super::record::GameRecord;
use crate::botzone::six;
use crate::game::{Coordinates, Fen, FullMove, Position, Side, Start};

/// Why a game has no log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum LogError {
    #[error("game {game} begins at {start}: expected a start position, Botzone knows no other")]
    Start { game: usize, start: String },
    #[error("game {game}, ply {ply}: '{text}' is no legal move")]
    Move { game: usize, ply: usize, text: String },
}

/// The match log of a recorded game: judge and players in turn, both sides' legal move counts at every ply.
///
/// The moves of an opening are logged as the players' own, taking no time. What players said beyond their moves is
/// not in a record and so not in a log.
///
/// # Errors
/// If the game does not begin at a start position, or the record is damaged.
pub fn match_log(record: &GameRecord) -> Result<Value, LogError> {
    let start_error = || LogError::Start { game: record.game, start: record.start.clone() };
    let mut position = record.start.parse::<Fen>().map_err(|_| start_error())?.0;
    if Start::Formula.position(position.size()) != Ok(position) {
        return Err(start_error());
    }
    let mut log = vec![judge(request(Side::First, Coordinates::NONE, display(&position, None)))];
    let opening = record.opening.iter().map(|text| (text, None));
    let played = record.moves.iter().zip(record.times.iter().copied());
    let count = record.opening.len() + record.moves.len();
    for (ply, (text, seconds)) in opening.chain(played).enumerate() {
        let damaged = || LogError::Move { game: record.game, ply: ply + 1, text: text.clone() };
        let full: FullMove = text.parse().map_err(|_| damaged())?;
        let mover = position.to_move();
        position = position.play(full).map_err(|_| damaged())?;
        let coordinates = Coordinates::from(full);
        log.push(answer(mover, seconds.unwrap_or_default(), "OK", Some(coordinates)));
        if ply + 1 < count || record.reason.is_fault() {
            log.push(judge(request(!mover, coordinates, display(&position, Some(coordinates)))));
        } else {
            log.push(judge(finish(record.winner, display(&position, Some(coordinates)))));
        }
    }
    if record.reason.is_fault() {
        let (verdict, error) = verdict(record.reason);
        let answered = record.answered.map(Coordinates);
        log.push(answer(position.to_move(), record.last_time.unwrap_or_default(), verdict, answered));
        let mut display = display(&position, None);
        display["err"] = error.into();
        log.push(judge(finish(record.winner, display)));
    } else if count == 0 {
        log.push(judge(finish(record.winner, display(&position, None))));
    }
    let names: Vec<Value> = record
        .players
        .iter()
        .map(|seat| json!({"name": seat.name, "spec": seat.spec, "version": seat.version}))
        .collect();
    Ok(json!({"game": "Amazons", "number": record.game, "players": names, "log": log}))
}

/// How Botzone names a fault: the player's verdict and the judge's error.
fn verdict(reason: Reason) -> (&'static str, &'static str) {
    match reason {
        Reason::NoMove | Reason::IllegalMove => ("OK", "INVALIDMOVE"),
        Reason::Malformed => ("NJ", "INVALID_INPUT_VERDICT_NJ"),
        Reason::Time | Reason::Stall => ("TLE", "INVALID_INPUT_VERDICT_TLE"),
        Reason::Crash => ("RE", "INVALID_INPUT_VERDICT_RE"),
    }
}

/// What the judge shows: the full moves that either side has, and the move just made.
fn display(position: &Position, made: Option<Coordinates>) -> Value {
    let mut display = made.map_or_else(|| json!({}), six::value);
    display["blackCount"] = position.count_full_moves(Side::First).into();
    display["whiteCount"] = position.count_full_moves(Side::Second).into();
    display
}

fn request(to: Side, coordinates: Coordinates, display: Value) -> Value {
    let content = Map::from_iter([(to.index().to_string(), six::value(coordinates))]);
    json!({"command": "request", "content": content, "display": display})
}

fn finish(winner: usize, mut display: Value) -> Value {
    display["winner"] = winner.into();
    let score = |seat| if winner == seat { 2 } else { 0 };
    json!({"command": "finish", "content": {"0": score(0), "1": score(1)}, "display": display})
}

fn judge(output: Value) -> Value {
    json!({"output": output, "time": 0, "memory": 0, "verdict": "OK", "keep_running": false})
}

fn answer(side: Side, seconds: f64, verdict: &str, response: Option<Coordinates>) -> Value {
    let milliseconds = (1000.0 * seconds).round() as u64;
    let mut entry = json!({"time": milliseconds, "memory": 0, "verdict": verdict, "keep_running": false});
    if let Some(response) = response {
        entry["response"] = six::value(response);
    }
    Value::Object(Map::from_iter([(side.index().to_string(), entry)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::record::RecordedPlayer;
    use crate::game::Size;

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
            None => Reason::NoMove,
            Some("INVALIDMOVE") => Reason::IllegalMove,
            Some("INVALID_INPUT_VERDICT_TLE") => Reason::Time,
            Some(other) => panic!("{other}"),
        };
        // The moves of a record are legal.
        let legal = moves.len() - usize::from(reason == Reason::IllegalMove);
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
        assert_eq!(match_log(&game).unwrap_err().to_string(), "game 0, ply 3: 'a1-a1/a1' is no legal move");
        game.start = "q2/3/2Q w - - 0 1".to_owned();
        assert!(matches!(match_log(&game), Err(LogError::Start { game: 0, .. })));
    }
}
