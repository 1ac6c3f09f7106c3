//! A finished game, and its line in a record.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::adjudication;
use super::fault::Evidence;
use super::game_clock::TimeControl;
use crate::game::{EndKind, Fen, FullMove};

/// A game that has been played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the contest.
    pub game: usize,
    /// The pair it belongs to.
    pub pair: usize,
    /// Who played, first player first.
    pub players: [RecordedPlayer; 2],
    /// Where it began: a FEN.
    pub start: String,
    /// The moves of the opening.
    pub opening: Vec<String>,
    /// The moves of the players.
    pub moves: Vec<String>,
    /// Seconds used for each move, on the clock of the contest; `None` where the source of a
    /// converted game does not say.
    pub times: Vec<Option<f64>>,
    /// What the mover took its chance for, from 0 to 1, after each move.
    pub values: Vec<Option<f64>>,
    /// The plies, counted from 0 in `moves`, after which the mover said that its chance is proven.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proven: Vec<usize>,
    /// Playouts or nodes of each move.
    pub playouts: Vec<Option<u64>>,
    /// For each crash after which a program was started again the move that it was to make, counted
    /// from 0 in `moves`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<usize>,
    /// 0 if the first player won, 1 if the second.
    pub winner: usize,
    /// Why the game ended.
    pub reason: EndKind,
    /// What was seen of the fault, or what was proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The six numbers of an answer that is not a legal move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<[i64; 6]>,
    /// What a program at fault was asked and wrote about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Seconds of the turn that brought no move, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_time: Option<f64>,
}

impl GameRecord {
    /// Whether the player that claimed a proven win did win; `None` without such a claim. Claims of
    /// a proven loss do not count: the opponent may not know it, and lose.
    #[must_use]
    pub fn proven_win_held(&self) -> Option<bool> {
        let wins = self
            .proven
            .iter()
            .filter(|&&ply| self.values.get(ply).copied().flatten().is_some_and(|value| value > 0.5));
        let held = wins.map(|&ply| (self.first_mover() + ply) % 2 == self.winner);
        held.reduce(|all, one| all && one)
    }

    /// Replays the game.
    fn check(&self) -> Result<(), String> {
        let mut position = self.start.parse::<Fen>().map_err(|error| format!("start: {error}"))?.0;
        for (ply, text) in self.opening.iter().chain(&self.moves).enumerate() {
            let place = |error: &dyn Display| format!("ply {}, '{text}': {error}", ply + 1);
            let full: FullMove = text.parse().map_err(|error| place(&error))?;
            position = position.play(full).map_err(|error| place(&error))?;
        }
        let (moves, counts) = (self.moves.len(), [self.times.len(), self.values.len(), self.playouts.len()]);
        if counts != [moves; 3] {
            return Err(format!("{counts:?} times, values and playouts: expected {moves}, one a move"));
        }
        if let Some(ply) = self.proven.iter().find(|&&ply| ply >= moves) {
            return Err(format!("proven after move {ply}: expected at most {}", moves.saturating_sub(1)));
        }
        if let Some(ply) = self.restarts.iter().find(|&&ply| ply > moves) {
            return Err(format!("started again at move {ply}: expected at most {moves}"));
        }
        // A player without moves has lost by that, and one with moves by a proof or a fault.
        if (self.reason == EndKind::NoMove) != position.winner().is_some() {
            let left = if self.reason == EndKind::NoMove { "some" } else { "none" };
            return Err(format!("ended by '{}' where the player to move has {left}", self.reason));
        }
        if self.winner > 1 {
            return Err(format!("winner {}: expected 0 or 1", self.winner));
        }
        let winner = match self.reason {
            // If the solver of this version proves less, the referee's result stands.
            EndKind::Proven => adjudication::proven(&position).map_or(self.winner, |(side, _)| side.index()),
            _ => (!position.to_move()).index(),
        };
        if self.winner != winner {
            return Err(format!("winner {}: expected {winner}, by its moves", self.winner));
        }
        Ok(())
    }

    /// Whose turn it is after the opening: 0 for the first player, 1 for the second.
    #[must_use]
    pub fn first_mover(&self) -> usize {
        let second_begins = self.start.split_ascii_whitespace().nth(1) == Some("b");
        (usize::from(second_begins) + self.opening.len()) % 2
    }
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
    /// What it calls itself.
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
    serde_json::to_string(game).unwrap_or_default()
}

/// Reads the line of a game, and checks it.
pub(super) fn read_game(line: &[u8]) -> Result<GameRecord, String> {
    let game: GameRecord = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    game.check().map_err(|cause| format!("game {}: {cause}", game.game))?;
    Ok(game)
}
