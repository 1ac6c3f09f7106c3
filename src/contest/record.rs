//! The record of a contest or of self-play: JSON lines, first a header and then the games.
//!
//! `record.md` lists the fields. The header, `{"contest":{...}}`, has the settings that decide the
//! games ([`Contest::header`](super::Contest::header)). Each other line is one [`GameRecord`]. A
//! reader verifies the checksums, replays the moves, and refuses a line that contradicts itself.
//!
//! If a match is killed, only the games in progress are lost. A contest can continue only a record
//! whose settings equal its own. If the contest has additional players, it appends a new header.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::game_record::check_end;
use super::{ContestError, ContestResults, GameRecord, GameSink, RecordedPlayer, adjudication};
use crate::InputError;
use crate::files::{Journal, JournalError, JournalKind, JournalReader, read_journal, sealed_line};
use crate::games::{EndKind, FoundGame, Game, GameEnd};

/// The file format of match records. A match waits for the lock of its file for up to a second,
/// because a program that was started by a killed match may still hold this lock.
pub static MATCH: JournalKind = JournalKind {
    key: "contest",
    record_key: "game",
    writer: "match",
    records: "the record",
    record: "a line of a match record",
    patience: Duration::from_secs(1),
};

/// The names of the players in a record's header, in the order of their numbers. Empty if the
/// record cannot be read or has no header.
pub(crate) fn players(path: &Path) -> Vec<String> {
    // Errors are ignored, because a later call of `resume` reports them.
    let header = read_journal(&MATCH, path, |_| Ok(())).ok().and_then(|it| it.header).unwrap_or_default();
    let players = header["contest"]["players"].as_array().into_iter().flatten();
    players.filter_map(|player| player["name"].as_str().map(str::to_owned)).collect()
}

/// Opens the record of a contest to append games, or creates a new record. If the contest has more
/// players than the record, the contest's header is appended before the next game.
///
/// The returned games are sorted by number. Of games with the same number, the first is returned.
///
/// # Errors
/// If the file cannot be read or belongs to another contest.
pub fn resume(
    kind: &'static JournalKind,
    path: &Path,
    header: &Value,
) -> Result<(Journal, Vec<GameRecord>), JournalError> {
    let mut games = Vec::new();
    let journal =
        Journal::resume(kind, path, header, |line| GameRecord::read(line).map(|game| games.push(game)))?;
    Ok((journal, sorted_by_number(games)))
}

/// Reads the header of a record and its complete games, sorted by number. A match may still be
/// writing the file, so the header is `None` if it is not written yet.
pub(crate) fn read(
    kind: &'static JournalKind,
    path: &Path,
) -> Result<(Option<Value>, Vec<GameRecord>), JournalError> {
    let mut games = Vec::new();
    let contents = read_journal(kind, path, |line| GameRecord::read(line).map(|game| games.push(game)))?;
    Ok((contents.header, sorted_by_number(games)))
}

impl GameSink for Journal {
    fn take(&mut self, game: &GameRecord, _results: &mut ContestResults) -> Result<(), ContestError> {
        Ok(self.append(&game.line())?)
    }
}

fn sorted_by_number(mut games: Vec<GameRecord>) -> Vec<GameRecord> {
    games.sort_by_key(|game| game.number);
    games.dedup_by_key(|game| game.number);
    games
}

/// Reads the games of a record. A line that is not a valid game yields an error. An incomplete last
/// line is skipped, because a match may be writing it.
pub fn games(record: &str) -> impl Iterator<Item = FoundGame<GameRecord>> + '_ {
    let mut reader = JournalReader::new(&MATCH);
    (1..).zip(record.split_inclusive('\n')).filter_map(move |(line, text)| {
        let whole = if text.ends_with('\n') { text } else { &format!("{text}\n") };
        let game = reader.parse_line(whole.as_bytes()).transpose()?.and_then(|game| GameRecord::read(&game));
        let game = game.map_err(InputError);
        (text.ends_with('\n') || game.is_ok()).then_some(FoundGame { line, game })
    })
}

/// Formats games as the text of a record. The header stores `source`, the games' origin.
///
/// # Errors
/// If a game is unfinished or its end contradicts its last position.
pub fn text_of_games(games: &[Game], source: &str) -> Result<String, InputError> {
    let mut out = sealed_line(&json!({"contest": {"converted": source}}).to_string());
    for (number, game) in games.iter().enumerate() {
        let players = [(0, "first"), (1, "second")].map(|(entrant, side): (usize, &str)| RecordedPlayer {
            entrant,
            name: game.players[entrant].clone().unwrap_or_else(|| side.to_owned()),
            ..RecordedPlayer::default()
        });
        let mut game = game.clone();
        game.end = end_with_reason(&game);
        check_end(&game).map_err(|cause| InputError(format!("game {}: {cause}", number + 1)))?;
        let record = GameRecord { opening: 0, ..GameRecord::new(number, players, game) };
        out += &sealed_line(&record.line());
    }
    Ok(out)
}

/// The end of a game, with the reason that a record must state. If the game's source states no
/// reason, the reason is found from the last position: no legal move, or a proven win.
fn end_with_reason(game: &Game) -> Option<GameEnd> {
    let position = game.position();
    if let Some(winner) = position.winner() {
        return Some(GameEnd::new(winner, EndKind::NoMove));
    }
    let mut end = game.end.clone()?;
    if end.kind == EndKind::Unstated
        && adjudication::proven_winner(position).is_some_and(|(side, _)| side == end.winner)
    {
        end.kind = EndKind::Proven;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use amazons::{Position, Side};

    use super::*;

    #[test]
    fn unknown_times_stay_unknown_and_a_whole_last_line_is_read() {
        let start: Position = "Q1/1q w - - 0 1".parse().unwrap();
        let mut game = Game::of(start, &["a2-b2/a2".parse().unwrap()]).unwrap();
        game.end = Some(GameEnd::new(Side::First, EndKind::Time));
        let text = text_of_games(&[game], "a test").unwrap();
        assert!(!text.contains("\"times\""), "{text}");
        for whole in [text.as_str(), text.trim_end()] {
            let found: Vec<_> = games(whole).map(|found| found.game.unwrap()).collect();
            assert_eq!(found.len(), 1, "{whole}");
            assert_eq!(found[0].plies_after_opening()[0].facts.seconds, None);
        }
        assert!(games(&text[..text.len() - 2]).next().is_none(), "a line that was cut is passed over");
    }
}
