//! A game of a contest, and the JSON line that stores this game in a record file.

use std::fmt::Display;
use std::str::FromStr;

use amazons::{Annotation, Move, Position, Side};
use quiver_bot::Coordinates;
use serde::{Deserialize, Serialize};

use super::{ProgramExit, TimeControl, adjudication};
use crate::InputError;
use crate::games::{EndKind, Game, GameEnd, MatchGame, PlayedMove, TurnFacts};

pub(crate) const BLUNDER_COMMENT: &str = "a deliberate blunder";

/// A game of a contest or of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    pub number: usize,
    /// The number that users see for this game, from 1. A record file does not store this number.
    pub place: usize,
    pub players: [RecordedPlayer; 2],
    /// The moves so far, and the end of the game, which is missing while the game is in progress.
    pub game: Game,
    /// The number of plies of the opening, before the players' first move.
    pub opening: usize,
    /// The plies at which a program crashed and was restarted, counted from 0 after the opening.
    pub restarts: Vec<usize>,
    pub evidence: Option<Evidence>,
}

/// Data for finding the cause of a program's fault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The request that the program failed to answer, in a form that a new process understands.
    pub input: String,
    /// The last part of the program's standard error.
    pub standard_error: String,
    /// How a crashed program ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ProgramExit>,
}

/// The JSON object that stores a game in a record. `record.md` describes the fields.
#[derive(Serialize, Deserialize)]
struct RecordLine {
    game: usize,
    pair: usize,
    players: [RecordedPlayer; 2],
    start: Position,
    opening: Vec<Move>,
    moves: Vec<Move>,
    #[serde(default, skip_serializing_if = "is_blank")]
    times: Vec<Option<f64>>,
    #[serde(default, skip_serializing_if = "is_blank")]
    values: Vec<Option<f64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    proven: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blunders: Vec<usize>,
    #[serde(default, skip_serializing_if = "is_blank")]
    playouts: Vec<Option<u64>>,
    #[serde(default, skip_serializing_if = "is_blank")]
    queen_shares: Vec<String>,
    #[serde(default, skip_serializing_if = "is_blank")]
    arrow_shares: Vec<String>,
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

fn is_blank<T: Default + PartialEq>(facts: &[T]) -> bool {
    facts.iter().all(|fact| *fact == T::default())
}

/// True if self-play deliberately played a random move in place of the search's choice.
pub fn is_blunder(ply: &PlayedMove) -> bool {
    ply.facts.comment == BLUNDER_COMMENT
}

impl GameRecord {
    /// A game before the players' first turn. All plies of `game` count as the opening.
    pub(crate) fn new(number: usize, players: [RecordedPlayer; 2], mut game: Game) -> GameRecord {
        game.players = players.each_ref().map(|player| Some(player.name.clone()));
        let opening = game.plies().len();
        let place = number.saturating_add(1);
        GameRecord { number, place, players, game, opening, restarts: Vec::new(), evidence: None }
    }

    /// The number of the game's pair. The two games of a pair have the same players and opening,
    /// with colours exchanged.
    pub fn pair(&self) -> usize {
        self.number / 2
    }

    /// The plies that the players chose themselves: all plies after the opening.
    pub fn plies_after_opening(&self) -> &[PlayedMove] {
        &self.game.plies()[self.opening..]
    }

    /// The end of the game. If the end is missing, the player to move counts as the loser.
    pub fn end(&self) -> GameEnd {
        let to_move = self.game.position().to_move();
        self.game.end.clone().unwrap_or_else(|| GameEnd::new(!to_move, EndKind::NoMove))
    }

    /// True if every player that reported a proven win has won. `None` if no player reported a
    /// proven win. Reports of a proven loss do not count, because the opponent may miss the win.
    pub fn proven_win_held(&self) -> Option<bool> {
        let won = |ply: usize| Some(self.mover(ply)) == self.game.winner();
        let claims = self.plies_after_opening().iter().map(|ply| &ply.facts).enumerate();
        let wins = claims.filter(|(_, facts)| facts.proven && facts.value.is_some_and(|value| value > 0.5));
        wins.map(|(ply, _)| won(ply)).reduce(|all, one| all && one)
    }

    /// The side that played the ply with this index, which counts from 0 after the opening.
    pub fn mover(&self, ply: usize) -> Side {
        self.game.positions()[self.opening + ply].to_move()
    }

    /// The JSON line that stores this game in a record, without the checksum.
    pub(crate) fn line(&self) -> String {
        let end = self.end();
        let moves = self.game.moves();
        let facts = || self.plies_after_opening().iter().map(|ply| &ply.facts);
        let indices = |is_one: &dyn Fn(&PlayedMove) -> bool| {
            (0..)
                .zip(self.plies_after_opening())
                .filter(|(_, ply)| is_one(ply))
                .map(|(index, _)| index)
                .collect()
        };
        let line = RecordLine {
            game: self.number,
            pair: self.pair(),
            players: self.players.clone(),
            start: *self.game.start(),
            opening: moves[..self.opening].to_vec(),
            moves: moves[self.opening..].to_vec(),
            times: facts().map(|facts| facts.seconds).collect(),
            values: facts().map(|facts| facts.value).collect(),
            proven: indices(&|ply| ply.facts.proven),
            blunders: indices(&is_blunder),
            playouts: facts().map(|facts| facts.playouts).collect(),
            queen_shares: facts()
                .map(|facts| visit_shares_text(&facts.queen_shares, |it| format!("{}{}", it.from, it.to)))
                .collect(),
            arrow_shares: facts().map(|facts| visit_shares_text(&facts.arrow_shares, |it| it)).collect(),
            restarts: self.restarts.clone(),
            winner: end.winner.index(),
            reason: end.kind,
            detail: end.detail,
            answered: end.answered.map(|answered| answered.0),
            evidence: self.evidence.clone(),
            last_time: end.turn.seconds,
        };
        // Serialisation cannot fail here, because all keys are strings and all numbers are finite.
        serde_json::to_string(&line).unwrap_or_default()
    }

    pub(super) fn read(line: &str) -> Result<GameRecord, String> {
        let line: RecordLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
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
        let shares = [&self.queen_shares, &self.arrow_shares].map(Vec::len);
        let counts = [self.times.len(), self.values.len(), self.playouts.len()];
        if let Some(count) = counts.into_iter().chain(shares).find(|&count| count != 0 && count != moves) {
            return Err(format!("a list with {count} entries: expected {moves}, one for each move"));
        }
        if let Some(ply) = self.proven.iter().chain(&self.blunders).find(|&&ply| ply >= moves) {
            let most = moves.saturating_sub(1);
            return Err(format!("move {ply} in proven or blunders: expected an index of at most {most}"));
        }
        if let Some(ply) = self.restarts.iter().find(|&&ply| ply > moves) {
            return Err(format!("move {ply} in restarts: expected an index of at most {moves}"));
        }
        let times = self.times.iter().chain([&self.last_time]).flatten();
        if let Some(time) = times.into_iter().find(|time| !TurnFacts::RESOURCE_AMOUNTS.contains(time)) {
            return Err(format!("a time of {time:?}: expected seconds from 0 to 1e9"));
        }
        if let Some(value) = self.values.iter().flatten().find(|value| !Annotation::CHANCES.contains(value)) {
            return Err(format!("a value of {value:?}: expected a probability from 0 to 1"));
        }
        let winner =
            *Side::BOTH.get(self.winner).ok_or_else(|| format!("winner {}: expected 0 or 1", self.winner))?;
        let begun = self.opening.iter().map(|&played| (played, Ok(TurnFacts::default())));
        let played = self.moves.iter().enumerate().map(|(index, &played)| (played, self.facts(index)));
        let mut game = Game::new(self.start);
        for (ply, (played, facts)) in (1..).zip(begun.chain(played)) {
            let added = facts.and_then(|facts| play(&mut game, PlayedMove { played, facts }));
            added.map_err(|why| format!("ply {ply}, '{played}': {why}"))?;
        }
        game.end = Some(GameEnd {
            detail: self.detail,
            answered: self.answered.map(Coordinates),
            turn: TurnFacts { seconds: self.last_time, ..TurnFacts::default() },
            ..GameEnd::new(winner, self.reason)
        });
        check_end(&game)?;
        let record = GameRecord::new(self.game, self.players, game);
        Ok(GameRecord { opening, restarts: self.restarts, evidence: self.evidence, ..record })
    }

    /// The recorded data of a player's move. `index` counts the moves after the opening from 0.
    fn facts(&self, index: usize) -> Result<TurnFacts, InputError> {
        let comment = if self.blunders.contains(&index) { BLUNDER_COMMENT } else { "" };
        Ok(TurnFacts {
            comment: comment.to_owned(),
            seconds: self.times.get(index).copied().flatten(),
            value: self.values.get(index).copied().flatten(),
            proven: self.proven.contains(&index),
            playouts: self.playouts.get(index).copied().flatten(),
            queen_shares: parse_visit_shares(self.queen_shares.get(index))?,
            arrow_shares: parse_visit_shares(self.arrow_shares.get(index))?,
            ..TurnFacts::default()
        })
    }
}

/// Formats queen moves or arrows with their visit shares, as in `39321d1d7 16384c1c4`. The number
/// before a move is the move's share of the search's visits, in units of 1 / 65,535.
fn visit_shares_text<T: Copy, N: Display>(shares: &[(T, u16)], name: impl Fn(T) -> N) -> String {
    let texts: Vec<String> = shares.iter().map(|&(it, share)| format!("{share}{}", name(it))).collect();
    texts.join(" ")
}

fn parse_visit_shares<T: FromStr<Err: Into<InputError>>>(
    text: Option<&String>,
) -> Result<Vec<(T, u16)>, InputError> {
    let one = |text: &str| {
        let (share, name) = text.split_at(text.find(char::is_alphabetic).unwrap_or(text.len()));
        let expected = || InputError(format!("'{text:.40}': expected a number from 0 to 65535 and a move"));
        Ok((name.parse().map_err(T::Err::into)?, share.parse().map_err(|_| expected())?))
    };
    text.into_iter().flat_map(|text| text.split_terminator(' ')).map(one).collect()
}

/// Plays a ply. Returns an error if this ply or a move in its visit shares is illegal.
fn play(game: &mut Game, ply: PlayedMove) -> Result<(), InputError> {
    let position = game.position();
    let half = position.move_queen(ply.played.queen())?;
    ply.facts.queen_shares.iter().try_for_each(|&(queen, _)| position.move_queen(queen).map(drop))?;
    ply.facts.arrow_shares.iter().try_for_each(|&(arrow, _)| half.shoot(arrow).map(drop))?;
    Ok(game.play(ply)?)
}

/// Checks that the end of a game fits its last position. A player without a legal move has lost,
/// and a player with legal moves can only lose by a proof, a fault or a resignation.
pub(super) fn check_end(game: &Game) -> Result<(), String> {
    const EXPECTED_END: &str = "expected a game that was played out, resigned, or lost by a fault or on time";
    let position = game.position();
    let Some(&GameEnd { winner, kind: reason, .. }) = game.end.as_ref() else {
        return Err(format!("it is unfinished: {EXPECTED_END}"));
    };
    if (reason == EndKind::NoMove) != position.winner().is_some() {
        let left = if reason == EndKind::NoMove { "a legal move" } else { "no legal move" };
        return Err(format!("ended by '{reason}', but the player to move has {left}"));
    }
    let expected = match reason {
        EndKind::Unstated | EndKind::Disputed => {
            return Err(format!("ended by '{reason}': {EXPECTED_END}"));
        }
        // The solver repeats the proof. If it finds no proof, the recorded winner is accepted.
        EndKind::Proven => adjudication::proven_winner(position).map_or(winner, |(side, _)| side),
        _ => !position.to_move(),
    };
    if winner != expected {
        let (loser, expected) = (!winner, !expected);
        let loss = format!("ended by '{reason}' of the {loser} player");
        return Err(format!("{loss}: expected a loss of the {expected}, who is to move or proven to lose"));
    }
    Ok(())
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPlayer {
    /// The index of the player in the contest's list of players.
    pub entrant: usize,
    pub name: String,
    /// The user's description of the player, as in `quiver:exploration=0.4`.
    pub spec: String,
    /// The name and version that the player's program reports.
    pub version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<TimeControl>,
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use amazons::Position;

    use super::*;

    #[test]
    fn refuses_a_line_that_contradicts_itself() {
        let start: Position = "Q1/1q w - - 0 1".parse().unwrap();
        let mut record = GameRecord::new(0, Default::default(), Game::new(start));
        let played: Move = "a2-b2/a2".parse().unwrap();
        let facts = TurnFacts {
            comment: BLUNDER_COMMENT.to_owned(),
            seconds: Some(0.001_234),
            value: Some(0.75),
            queen_shares: vec![(played.queen(), 65_000), ("a2-a1".parse().unwrap(), 535)],
            arrow_shares: vec![(played.arrow, 9)],
            ..TurnFacts::default()
        };
        record.game.extend([PlayedMove { played, facts }]).unwrap();
        let end = GameEnd::new(Side::First, EndKind::Crash);
        record.game.end = Some(GameEnd { detail: Some("gone".to_owned()), ..end });
        let line = record.line();
        assert_eq!(GameRecord::read(&line), Ok(record));
        for (was, is, expected) in [
            ("\"winner\":0", "\"winner\":1", "'crash' of the first player: expected a loss of"),
            ("a2-b2/a2", "a2-b2/b2", "ply 1, 'a2-b2/b2': "),
            ("\"pair\":0", "\"pair\":1", "game 0: pair 1: expected 0, half the game's number"),
            ("\"crash\"", "\"no-move\"", "ended by 'no move left', but the player to move has a legal move"),
            ("0,\"reason\":\"crash\"", "7,\"reason\":\"proven\"", "winner 7: expected 0 or 1"),
            ("\"winner\"", "\"restarts\":[2],\"winner\"", "move 2 in restarts: expected an index"),
            ("[0.75]", "[7.0]", "a value of 7.0: expected a probability from 0 to 1"),
            ("[0.001234]", "[1e308]", "a time of 1e308: expected seconds from 0 to 1e9"),
            ("\"winner\"", "\"last_time\":-1,\"winner\"", "a time of -1.0: expected seconds"),
            ("[0.75]", "[0.75,null]", "a list with 2 entries: expected 1, one for each move"),
            ("\"blunders\":[0]", "\"blunders\":[1]", "move 1 in proven or blunders: expected an index of"),
            ("65000a2b2", "65536a2b2", "'65536a2b2': expected a number from 0 to 65535"),
            ("535a2a1", "535a2", "'a2' is no queen move: expected from-to"),
            ("535a2a1", "535a2a3", "ply 1, 'a2-b2/a2': "),
            ("\"9a2\"", "\"9b2\"", "ply 1, 'a2-b2/a2': "),
            ("Q1/1q", "Q1/1x", "'x' in row 1 of the FEN: expected Q"),
        ] {
            let refused = GameRecord::read(&line.replace(was, is)).unwrap_err();
            assert!(refused.contains(expected), "{is}: {refused}");
        }
    }
}
