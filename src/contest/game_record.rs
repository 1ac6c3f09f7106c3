//! A finished game, and its line in a record.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::adjudication;
use super::fault::Evidence;
use super::game_clock::TimeControl;
use crate::game::{Coordinates, EndKind, Fen, FullMove, Game, GameEnd, Ply, Side, TurnFacts};

/// A game of a contest.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Its number in the contest.
    pub number: usize,
    /// The pair it belongs to.
    pub pair: usize,
    /// The players, first player first.
    pub players: [RecordedPlayer; 2],
    /// The game; without an end while it is played.
    pub game: Game,
    /// Plies of the opening, which precede those of the players.
    pub opening: usize,
    /// For each crash after which a program was started again the ply that it was to make, counted
    /// from 0 after the opening.
    pub restarts: Vec<usize>,
    /// The request to a program at fault, and its error output.
    pub evidence: Option<Evidence>,
}

/// The fields of a line, which `record.md` describes.
#[derive(Serialize, Deserialize)]
struct RecordLine {
    game: usize,
    pair: usize,
    players: [RecordedPlayer; 2],
    start: String,
    opening: Vec<String>,
    moves: Vec<String>,
    times: Vec<Option<f64>>,
    values: Vec<Option<f64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    proven: Vec<usize>,
    playouts: Vec<Option<u64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    restarts: Vec<usize>,
    winner: usize,
    reason: EndKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answered: Option<[i64; 6]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_time: Option<f64>,
}

impl GameRecord {
    /// A game of a contest; the plies that `game` has are its opening.
    pub(super) fn new(
        number: usize,
        pair: usize,
        players: [RecordedPlayer; 2],
        mut game: Game,
    ) -> GameRecord {
        game.players = players.each_ref().map(|player| Some(player.name.clone()));
        let opening = game.plies().len();
        GameRecord { number, pair, players, game, opening, restarts: Vec::new(), evidence: None }
    }

    /// The plies of the players, after the opening.
    #[must_use]
    pub fn played(&self) -> &[Ply] {
        &self.game.plies()[self.opening..]
    }

    /// The end; a game without one counts as lost by the player to move.
    #[must_use]
    pub fn end(&self) -> GameEnd {
        let to_move = self.game.position().to_move();
        self.game.end.clone().unwrap_or_else(|| GameEnd::new(!to_move, EndKind::NoMove))
    }

    /// True if the player that claimed a proven win did win; `None` without such a claim. Claims of
    /// a proven loss do not count: the opponent may not know it, and lose.
    #[must_use]
    pub fn proven_win_held(&self) -> Option<bool> {
        let won = |ply: usize| Some(self.mover(ply)) == self.game.winner();
        let claims = self.played().iter().map(|ply| &ply.facts).enumerate();
        let wins = claims.filter(|(_, facts)| facts.proven && facts.value.is_some_and(|value| value > 0.5));
        wins.map(|(ply, _)| won(ply)).reduce(|all, one| all && one)
    }

    /// The side that makes a ply, counted from 0 after the opening.
    #[must_use]
    pub fn mover(&self, ply: usize) -> Side {
        let begins = self.game.start().to_move();
        if (self.opening + ply).is_multiple_of(2) { begins } else { !begins }
    }
}

impl From<&GameRecord> for RecordLine {
    fn from(record: &GameRecord) -> RecordLine {
        let end = record.end();
        let text = |ply: &Ply| ply.full.to_string();
        let played = record.played();
        let facts = || played.iter().map(|ply| &ply.facts);
        RecordLine {
            game: record.number,
            pair: record.pair,
            players: record.players.clone(),
            start: Fen(*record.game.start()).to_string(),
            opening: record.game.plies()[..record.opening].iter().map(text).collect(),
            moves: played.iter().map(text).collect(),
            times: facts().map(|facts| facts.seconds).collect(),
            values: facts().map(|facts| facts.value).collect(),
            proven: (0..).zip(facts()).filter(|(_, facts)| facts.proven).map(|(ply, _)| ply).collect(),
            playouts: facts().map(|facts| facts.playouts).collect(),
            restarts: record.restarts.clone(),
            winner: end.winner.index(),
            reason: end.kind,
            detail: end.detail,
            answered: end.answered.map(|answered| answered.0),
            evidence: record.evidence.clone(),
            last_time: end.turn.seconds,
        }
    }
}

impl TryFrom<RecordLine> for GameRecord {
    type Error = String;

    /// Replays the game, and checks its end.
    fn try_from(line: RecordLine) -> Result<GameRecord, String> {
        let start = line.start.parse::<Fen>().map_err(|error| format!("start: {error}"))?.0;
        let mut game = Game::new(start);
        let moves = line.moves.len();
        let counts = [line.times.len(), line.values.len(), line.playouts.len()];
        let opening = line.opening.len();
        for (index, text) in line.opening.iter().chain(&line.moves).enumerate() {
            let place = |error: &dyn Display| format!("ply {}, '{text}': {error}", index + 1);
            let full: FullMove = text.parse().map_err(|error| place(&error))?;
            let mut ply = Ply::from(full);
            if let Some(index) = index.checked_sub(opening).filter(|_| counts == [moves; 3]) {
                ply.facts = TurnFacts {
                    seconds: line.times[index],
                    value: line.values[index],
                    playouts: line.playouts[index],
                    proven: line.proven.contains(&index),
                    ..TurnFacts::default()
                };
            }
            game.extend([ply]).map_err(|error| place(&error.why))?;
        }
        if counts != [moves; 3] {
            return Err(format!("{counts:?} times, values and playouts: expected {moves}, one a move"));
        }
        if let Some(ply) = line.proven.iter().find(|&&ply| ply >= moves) {
            return Err(format!("proven after move {ply}: expected at most {}", moves.saturating_sub(1)));
        }
        if let Some(ply) = line.restarts.iter().find(|&&ply| ply > moves) {
            return Err(format!("started again at move {ply}: expected at most {moves}"));
        }
        let winner =
            *Side::BOTH.get(line.winner).ok_or_else(|| format!("winner {}: expected 0 or 1", line.winner))?;
        game.end = Some(GameEnd {
            detail: line.detail,
            answered: line.answered.map(Coordinates),
            turn: TurnFacts { seconds: line.last_time, ..TurnFacts::default() },
            ..GameEnd::new(winner, line.reason)
        });
        check_end(&game, winner, line.reason)?;
        game.players = line.players.each_ref().map(|player| Some(player.name.clone()));
        let RecordLine { game: number, pair, players, restarts, evidence, .. } = line;
        Ok(GameRecord { number, pair, players, game, opening, restarts, evidence })
    }
}

/// Checks the end of a game against its position. A player without moves has lost by that, and one
/// with moves by a proof, a fault or its own will.
fn check_end(game: &Game, winner: Side, reason: EndKind) -> Result<(), String> {
    let position = game.position();
    if (reason == EndKind::NoMove) != position.winner().is_some() {
        let left = if reason == EndKind::NoMove { "some" } else { "none" };
        return Err(format!("ended by '{reason}' where the player to move has {left}"));
    }
    let expected = match reason {
        EndKind::Unstated | EndKind::Disputed => {
            return Err(format!("ended by '{reason}': expected an end of a match"));
        }
        // If the solver of this version proves less, the referee's result stands.
        EndKind::Proven => adjudication::proven(position).map_or(winner, |(side, _)| side),
        _ => !position.to_move(),
    };
    if winner != expected {
        let [got, expected] = [winner, expected].map(Side::index);
        return Err(format!("winner {got}: expected {expected}, by its moves"));
    }
    Ok(())
}

/// A player of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPlayer {
    /// The entrant's number in the contest.
    pub entrant: usize,
    /// The entrant's name.
    pub name: String,
    /// Its SPEC, parameters included.
    pub spec: String,
    /// Its own name and version.
    pub version: String,
    /// The terms of its game clock, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<TimeControl>,
    /// Its seed in this game.
    pub seed: u64,
}

#[cfg(test)]
impl RecordedPlayer {
    /// A player of which a test needs only the entrant.
    pub(super) fn nameless(entrant: usize) -> RecordedPlayer {
        RecordedPlayer {
            entrant,
            name: String::new(),
            spec: String::new(),
            version: String::new(),
            tc: None,
            seed: 0,
        }
    }
}

/// The line of a game, without the checksum that its journal adds.
pub(super) fn game_line(game: &GameRecord) -> String {
    // Its names are texts and its numbers finite or null: nothing in it can fail to be written.
    serde_json::to_string(&RecordLine::from(game)).unwrap_or_default()
}

/// Reads the line of a game, and checks it.
pub(super) fn read_game(line: &[u8]) -> Result<GameRecord, String> {
    let line: RecordLine = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let number = line.game;
    line.try_into().map_err(|cause| format!("game {number}: {cause}"))
}
