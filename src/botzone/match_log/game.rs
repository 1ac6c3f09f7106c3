//! Logs and games of any notation, one as the other.

use super::{Claim, Failure, LoggedAnswer, MatchEnding, MatchLog, Replay, Reply, Turn};
use crate::game::{EndKind, Game, GameEnd, Ply, TurnFacts};

impl From<&Game> for MatchLog {
    /// The log of a game: its moves as answers, with their times and comments.
    fn from(game: &Game) -> MatchLog {
        let mut side = game.start().to_move();
        let turns = game.plies().iter().map(|ply| {
            let debug = Some(ply.facts.comment.clone()).filter(|comment| !comment.is_empty());
            let answer = LoggedAnswer {
                side,
                reply: Reply::Numbers(ply.full.into()),
                verdict: "OK".to_owned(),
                time_ms: ply.facts.seconds.map(|seconds| 1000.0 * seconds),
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
            claim: Some(Claim { start: *game.start(), end: game.end.clone() }),
        }
    }
}

/// The game that a log tells, as far as it can be replayed.
pub(crate) fn game(log: &MatchLog, replay: &Replay) -> Game {
    let mut game = Game::new(replay.positions[0]);
    let answers = log.turns.iter().map(|turn| turn.answer.as_ref());
    let plies = replay.plies.iter().zip(answers).map(|(&full, answer)| {
        let comment = answer.and_then(|answer| answer.debug.clone()).unwrap_or_default();
        let seconds = answer.and_then(|answer| Some(answer.time_ms? / 1000.0));
        Ply { full, facts: TurnFacts { comment, seconds, ..TurnFacts::default() } }
    });
    // A replay plays legal moves only.
    let _ = game.extend(plies);
    game.players.clone_from(&log.players);
    game.event.clone_from(&log.id);
    game.end = replay.ending.winner().map(|winner| match &replay.ending {
        MatchEnding::Failed { failure: Failure::Program(word), .. } if word == "TLE" => {
            GameEnd::new(winner, EndKind::Time)
        }
        MatchEnding::Failed { .. } => GameEnd::new(winner, EndKind::Forfeit),
        _ => GameEnd::at(game.position(), winner),
    });
    game
}
