//! A finished game, and its line in a record.

use serde::{Deserialize, Serialize};

use super::adjudication;
use super::game_clock::TimeControl;
use crate::game::{Coordinates, EndKind, FullMove, Game, GameEnd, Ply, Position, Side, TurnFacts};

/// A game of a contest.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    pub number: usize,
    pub players: [RecordedPlayer; 2],
    /// The game; without an end while it is played.
    pub game: Game,
    /// Plies of the opening, which precede those of the players.
    pub opening: usize,
    /// For each crash after which a program was started again the ply that it was to make, counted
    /// from 0 after the opening.
    pub restarts: Vec<usize>,
    pub evidence: Option<Evidence>,
}

/// The request to a program at fault, and the end of its standard error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The request, in the form for a fresh process.
    pub input: String,
    pub standard_error: String,
}

/// The fields of a line, which `record.md` describes.
#[derive(Serialize, Deserialize)]
struct RecordLine {
    game: usize,
    pair: usize,
    players: [RecordedPlayer; 2],
    start: Position,
    opening: Vec<FullMove>,
    moves: Vec<FullMove>,
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
    pub(super) fn new(number: usize, players: [RecordedPlayer; 2], mut game: Game) -> GameRecord {
        game.players = players.each_ref().map(|player| Some(player.name.clone()));
        let opening = game.plies().len();
        GameRecord { number, players, game, opening, restarts: Vec::new(), evidence: None }
    }

    /// The number of its pair: two games from one opening, between the same two, with colours
    /// changed.
    pub fn pair(&self) -> usize {
        self.number / 2
    }

    /// The plies of the players, after the opening.
    pub fn played(&self) -> &[Ply] {
        &self.game.plies()[self.opening..]
    }

    /// The end; a game without one counts as lost by the player to move.
    pub fn end(&self) -> GameEnd {
        let to_move = self.game.position().to_move();
        self.game.end.clone().unwrap_or_else(|| GameEnd::new(!to_move, EndKind::NoMove))
    }

    /// True if the player that claimed a proven win did win; `None` without such a claim. Claims of
    /// a proven loss do not count: the opponent may not know it, and lose.
    pub fn proven_win_held(&self) -> Option<bool> {
        let won = |ply: usize| Some(self.mover(ply)) == self.game.winner();
        let claims = self.played().iter().map(|ply| &ply.facts).enumerate();
        let wins = claims.filter(|(_, facts)| facts.proven && facts.value.is_some_and(|value| value > 0.5));
        wins.map(|(ply, _)| won(ply)).reduce(|all, one| all && one)
    }

    /// The side that makes a ply, counted from 0 after the opening.
    pub fn mover(&self, ply: usize) -> Side {
        let begins = self.game.start().to_move();
        if (self.opening + ply).is_multiple_of(2) { begins } else { !begins }
    }

    /// Its line in a record, without the checksum that the journal adds.
    pub(crate) fn line(&self) -> String {
        let end = self.end();
        let moves = self.game.moves();
        let facts = || self.played().iter().map(|ply| &ply.facts);
        let line = RecordLine {
            game: self.number,
            pair: self.pair(),
            players: self.players.clone(),
            start: *self.game.start(),
            opening: moves[..self.opening].to_vec(),
            moves: moves[self.opening..].to_vec(),
            times: facts().map(|facts| facts.seconds).collect(),
            values: facts().map(|facts| facts.value).collect(),
            proven: (0..).zip(facts()).filter(|(_, facts)| facts.proven).map(|(ply, _)| ply).collect(),
            playouts: facts().map(|facts| facts.playouts).collect(),
            restarts: self.restarts.clone(),
            winner: end.winner.index(),
            reason: end.kind,
            detail: end.detail,
            answered: end.answered.map(|answered| answered.0),
            evidence: self.evidence.clone(),
            last_time: end.turn.seconds,
        };
        // Its names are texts and its numbers finite or null: nothing in it can fail to be written.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// Reads the line of a game, replays the game and checks its end.
    pub(super) fn read(line: &[u8]) -> Result<GameRecord, String> {
        let line: RecordLine = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let number = line.game;
        line.replay().map_err(|cause| format!("game {number}: {cause}"))
    }
}

impl RecordLine {
    fn replay(self) -> Result<GameRecord, String> {
        if self.pair != self.game / 2 {
            return Err(format!("pair {}: expected {}, half the game's number", self.pair, self.game / 2));
        }
        let (opening, moves) = (self.opening.len(), self.moves.len());
        let counts = [self.times.len(), self.values.len(), self.playouts.len()];
        if counts != [moves; 3] {
            return Err(format!("{counts:?} times, values and playouts: expected {moves}, one a move"));
        }
        if let Some(ply) = self.proven.iter().find(|&&ply| ply >= moves) {
            return Err(format!("proven after move {ply}: expected at most {}", moves.saturating_sub(1)));
        }
        if let Some(ply) = self.restarts.iter().find(|&&ply| ply > moves) {
            return Err(format!("started again at move {ply}: expected at most {moves}"));
        }
        let winner =
            *Side::BOTH.get(self.winner).ok_or_else(|| format!("winner {}: expected 0 or 1", self.winner))?;
        let facts = (0..moves).map(|index| TurnFacts {
            seconds: self.times[index],
            value: self.values[index],
            playouts: self.playouts[index],
            proven: self.proven.contains(&index),
            ..TurnFacts::default()
        });
        let facts = std::iter::repeat_n(TurnFacts::default(), opening).chain(facts);
        let plies = self.opening.iter().chain(&self.moves).zip(facts);
        let mut game = Game::new(self.start);
        for (ply, (&full, facts)) in (1..).zip(plies) {
            game.play(Ply { full, facts }).map_err(|why| format!("ply {ply}, '{full}': {why}"))?;
        }
        game.end = Some(GameEnd {
            detail: self.detail,
            answered: self.answered.map(Coordinates),
            turn: TurnFacts { seconds: self.last_time, ..TurnFacts::default() },
            ..GameEnd::new(winner, self.reason)
        });
        check_end(&game, winner, self.reason)?;
        let record = GameRecord::new(self.game, self.players, game);
        Ok(GameRecord { opening, restarts: self.restarts, evidence: self.evidence, ..record })
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

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPlayer {
    /// The entrant's number in the contest.
    pub entrant: usize,
    pub name: String,
    /// Its SPEC, parameters included.
    pub spec: String,
    /// Its own name and version.
    pub version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<TimeControl>,
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Fen;

    #[test]
    fn refuses_a_line_that_contradicts_itself() {
        let Fen(start) = "Q1/1q w - - 0 1".parse().unwrap();
        let mut record = GameRecord::new(0, Default::default(), Game::new(start));
        let facts = TurnFacts { seconds: Some(0.001_234), value: Some(0.75), ..TurnFacts::default() };
        record.game.extend([Ply { full: "a2-b2/a2".parse().unwrap(), facts }]).unwrap();
        let end = GameEnd::new(Side::First, EndKind::Crash);
        record.game.end = Some(GameEnd { detail: Some("gone".to_owned()), ..end });
        let line = record.line();
        assert_eq!(GameRecord::read(line.as_bytes()), Ok(record));
        for (was, is, expected) in [
            ("\"winner\":0", "\"winner\":1", "game 0: winner 1: expected 0, by its moves"),
            ("a2-b2/a2", "a2-b2/b2", "ply 1, 'a2-b2/b2': "),
            ("\"pair\":0", "\"pair\":1", "game 0: pair 1: expected 0, half the game's number"),
            ("\"crash\"", "\"no-move\"", "ended by 'no move left' where the player to move has some"),
            ("0,\"reason\":\"crash\"", "7,\"reason\":\"proven\"", "winner 7: expected 0 or 1"),
            ("\"playouts\"", "\"restarts\":[2],\"playouts\"", "started again at move 2: expected at most 1"),
            ("[0.75]", "[]", "[1, 0, 1] times, values and playouts: expected 1, one a move"),
            ("\"playouts\"", "\"proven\":[1],\"playouts\"", "proven after move 1: expected at most 0"),
            ("Q1/1q", "Q1/1x", "'x' in row 1 of the FEN: expected Q"),
        ] {
            let refused = GameRecord::read(line.replace(was, is).as_bytes()).unwrap_err();
            assert!(refused.contains(expected), "{is}: {refused}");
        }
    }
}
