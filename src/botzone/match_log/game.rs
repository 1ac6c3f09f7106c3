//! Logs and games of any notation, one as the other.

use super::{Claim, Failure, LoggedAnswer, MatchEnding, MatchLog, Replay, Reply, Turn};
use crate::game::{Game, Manner, Outcome, Ply};

impl From<&Game> for MatchLog {
    /// The log of a game: its moves as answers, with their times and comments.
    fn from(game: &Game) -> MatchLog {
        let mut side = game.start().to_move();
        let turns = game.plies().iter().map(|ply| {
            let debug = Some(ply.comment.clone()).filter(|comment| !comment.is_empty());
            let answer = LoggedAnswer {
                side,
                reply: Reply::Numbers(ply.full.into()),
                verdict: "OK".to_owned(),
                time_ms: ply.seconds.map(|seconds| 1000.0 * seconds),
                memory_mb: None,
                debug,
                keep_running: false,
            };
            side = !side;
            Turn { answer: Some(answer), ..Turn::default() }
        });
        MatchLog {
            id: game.event.clone(),
            players: game.players.clone(),
            turns: turns.collect(),
            finish: None,
            claim: Some(Claim { start: *game.start(), outcome: game.outcome }),
        }
    }
}

/// The game that a log tells, as far as it can be replayed.
pub(crate) fn game(log: &MatchLog, replay: &Replay) -> Game {
    let mut game = Game::new(replay.positions[0]);
    let answers = log.turns.iter().map(|turn| turn.answer.as_ref());
    let plies = replay.plies.iter().zip(answers).map(|(&full, answer)| Ply {
        full,
        comment: answer.and_then(|answer| answer.debug.clone()).unwrap_or_default(),
        value: None,
        seconds: answer.and_then(|answer| Some(answer.time_ms? / 1000.0)),
    });
    // A replay plays legal moves only.
    let _ = game.extend(plies);
    game.players.clone_from(&log.players);
    game.event.clone_from(&log.id);
    game.outcome = replay.ending.winner().map(|winner| {
        let manner = match &replay.ending {
            MatchEnding::Failed { failure: Failure::Program(word), .. } if word == "TLE" => Manner::Time,
            MatchEnding::Failed { .. } => Manner::Forfeit,
            _ => Outcome::at(&game.end(), winner).manner,
        };
        Outcome { winner, manner, margin: None }
    });
    game
}
