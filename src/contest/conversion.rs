//! Games of a record as [`Game`]s, and back.

use serde_json::json;

use super::adjudication;
use super::game_record::{GameRecord, RecordedPlayer, game_line, read_game};
use super::record::KIND;
use crate::files::{JournalLine, LineReader, header_line, sealed_line};
use crate::game::{Coordinates, EndKind, Fen, FoundGame, FullMove, Game, GameEnd, Ply, Side, TurnFacts};

/// Why a game cannot be a line of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {number} {state}: expected a game that was played out, or lost by a fault or on time")]
pub struct ConversionError {
    /// The game, from 1.
    pub number: usize,
    /// How it ends, as the rest of a sentence.
    pub state: &'static str,
}

/// Reads the games of a record. A line that is no game is an entry of the list; a last line
/// without its end is passed over unless it is a whole game, since a match may be writing it.
#[must_use]
pub fn games(record: &str) -> Vec<FoundGame<String>> {
    let convert = |(line, game): (usize, Result<GameRecord, String>)| FoundGame {
        line,
        game: game.and_then(|game| game.to_game()),
    };
    lines(record).map(convert).collect()
}

/// The lines of a record as [`games`] reads them, each with its number from 1.
pub fn lines(record: &str) -> impl Iterator<Item = (usize, Result<GameRecord, String>)> + '_ {
    let mut reader = LineReader::new(&KIND);
    (1..).zip(record.split_inclusive('\n')).filter_map(move |(line, text)| {
        let whole = if text.ends_with('\n') { text } else { &format!("{text}\n") };
        let read = match reader.next(whole.as_bytes()) {
            Ok(JournalLine::Record(game)) => read_game(game.as_bytes()),
            Ok(JournalLine::Header(_) | JournalLine::Torn) => return None,
            Err(cause) => Err(cause),
        };
        (text.ends_with('\n') || read.is_ok()).then_some((line, read))
    })
}

/// Writes a record of games that were played elsewhere.
///
/// # Errors
/// If one of them did not end as a match ends a game.
pub fn record(games: &[Game], source: &str) -> Result<String, ConversionError> {
    let mut out = header_line(&json!({"contest": {"converted": source}}));
    for (number, game) in games.iter().enumerate() {
        out += &sealed_line(&game_line(&GameRecord::from_game(number, game)?));
        out.push('\n');
    }
    Ok(out)
}

impl GameRecord {
    /// The game without what only a match knows of it (seeds, playouts, evidence of a fault).
    ///
    /// # Errors
    /// If its start or a move cannot be read, or a move is illegal.
    pub fn to_game(&self) -> Result<Game, String> {
        let mut game = Game::new(self.start.parse::<Fen>().map_err(|error| error.to_string())?.0);
        let parse =
            |text: &String| text.parse::<FullMove>().map(Ply::from).map_err(|error| format!("{error}"));
        let opening = self.opening.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut played = self.moves.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        for (index, ply) in played.iter_mut().enumerate() {
            ply.facts.seconds = self.times.get(index).copied().flatten();
            ply.facts.value = self.values.get(index).copied().flatten();
            ply.facts.playouts = self.playouts.get(index).copied().flatten();
            ply.facts.proven = self.proven.contains(&index);
        }
        game.extend(opening.into_iter().chain(played)).map_err(|error| error.to_string())?;
        game.players = [0, 1].map(|slot: usize| Some(self.players[slot].name.clone()));
        let winner = if self.winner == 0 { Side::First } else { Side::Second };
        game.end = Some(GameEnd {
            detail: self.detail.clone(),
            answered: self.answered.map(Coordinates),
            turn: TurnFacts { seconds: self.last_time, ..TurnFacts::default() },
            ..GameEnd::new(winner, self.reason)
        });
        Ok(game)
    }

    fn from_game(number: usize, game: &Game) -> Result<GameRecord, ConversionError> {
        let error = |state| ConversionError { number: number + 1, state };
        let position = game.position();
        let proven = |winner| adjudication::proven(position).is_some_and(|(side, _)| side == winner);
        let reason = match (position.winner(), &game.end) {
            (Some(_), _) => EndKind::NoMove,
            (None, None) => return Err(error("is unfinished")),
            (None, Some(end)) => match end.kind {
                EndKind::Proven | EndKind::Unstated if proven(end.winner) => EndKind::Proven,
                _ if end.winner == position.to_move() => return Err(error("was won by the player to move")),
                EndKind::Resignation => return Err(error("ends by resignation")),
                EndKind::Forfeit => EndKind::IllegalMove,
                kind if kind.is_fault() => kind,
                _ => return Err(error("ends while the loser has moves left")),
            },
        };
        let player = |slot: usize| RecordedPlayer {
            entrant: slot,
            name: game.players[slot].clone().unwrap_or_else(|| ["first", "second"][slot].to_owned()),
            spec: String::new(),
            version: String::new(),
            tc: None,
            seed: 0,
        };
        let plies = game.plies();
        Ok(GameRecord {
            game: number,
            pair: number / 2,
            players: [player(0), player(1)],
            start: Fen(*game.start()).to_string(),
            opening: Vec::new(),
            moves: plies.iter().map(|ply| ply.full.to_string()).collect(),
            times: plies.iter().map(|ply| ply.facts.seconds).collect(),
            values: plies.iter().map(|ply| ply.facts.value).collect(),
            proven: (0..plies.len()).filter(|&index| plies[index].facts.proven).collect(),
            playouts: plies.iter().map(|ply| ply.facts.playouts).collect(),
            restarts: Vec::new(),
            winner: game.winner().unwrap_or(!position.to_move()).index(),
            reason,
            detail: reason.is_fault().then(|| "as the source of this game says".to_owned()),
            answered: None,
            evidence: None,
            last_time: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_times_stay_unknown_and_a_whole_last_line_is_read() {
        let start: Fen = "Q1/1q w - - 0 1".parse().unwrap();
        let mut game = Game::of(start.0, &["a2-b2/a2".parse().unwrap()]).unwrap();
        game.end = Some(GameEnd::new(Side::First, EndKind::Time));
        let text = record(&[game], "a test").unwrap();
        assert!(text.contains("\"times\":[null]"), "{text}");
        for whole in [text.as_str(), text.trim_end()] {
            let found = games(whole);
            assert_eq!(found.len(), 1, "{whole}");
            assert_eq!(found[0].game.as_ref().unwrap().plies()[0].facts.seconds, None);
        }
        assert!(games(&text[..text.len() - 2]).is_empty(), "a line that was cut is passed over");
    }
}
