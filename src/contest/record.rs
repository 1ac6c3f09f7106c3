//! The record of a contest or of self-play: a journal of a line of JSON about all games, then one for
//! each game.
//!
//! `record.md` lists the fields. The header, `{"contest":{...}}`, says what the games depend on
//! ([`Contest::header`](super::Contest::header)). Each other line is a [`GameRecord`], field by
//! field. A reader checks the checksums, replays the moves, and refuses a record whose lines
//! contradict themselves.
//!
//! A match that is killed loses the games in progress. The record of another contest is refused. A
//! contest that has more players than its record adds its own header.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::game_record::GameRecord;
use crate::files::{Journal, JournalError, JournalKind, read_journal};

/// The journal of a match. A program that a killed match was just starting may hold the lock for a
/// moment longer, until it runs and closes what it inherited.
pub static MATCH: JournalKind = JournalKind {
    key: "contest",
    record_key: "game",
    headless: false,
    writer: "match",
    records: "the record",
    record: "a line of a match record",
    remedy: "--resume to go on from it, or another name",
    patience: Duration::from_secs(1),
};

/// Begins a record with the line about its contest; there must be no file yet.
pub(crate) fn create(path: &Path, header: &Value) -> Result<Journal, JournalError> {
    Journal::create(&MATCH, path, header)
}

/// The names of the players in a record, in their order; none if it has no header.
pub(crate) fn players(path: &Path) -> Vec<String> {
    // `resume` says what is wrong with the file.
    let header = read_journal(&MATCH, path, |_| Ok(())).ok().and_then(|it| it.header).unwrap_or_default();
    let players = header["contest"]["players"].as_array().into_iter().flatten();
    players.filter_map(|player| player["name"].as_str().map(str::to_owned)).collect()
}

/// Goes on from a record of the same contest; begins one where there is none. The contest may
/// have more players than the record, which then gets the contest's header.
///
/// Returns the recorded games too, in the order of their numbers, the first of each number, and
/// true if a torn last line was dropped.
pub fn resume(
    kind: &'static JournalKind,
    path: &Path,
    header: &Value,
) -> Result<(Journal, Vec<GameRecord>, bool), JournalError> {
    let mut games = Vec::new();
    let expected = |found: &Value| without_new_players(header, found);
    let (mut journal, torn) = Journal::resume(kind, path, header, expected, |line| {
        GameRecord::read(line).map(|game| games.push(game))
    })?;
    journal.begin()?;
    Ok((journal, in_order(games), torn))
}

/// The header of a record, which a match may be writing, and its whole games in the order of their
/// numbers, the first of each number; no header if it was not written yet.
pub(crate) fn read(
    kind: &'static JournalKind,
    path: &Path,
) -> Result<(Option<Value>, Vec<GameRecord>), JournalError> {
    let mut games = Vec::new();
    let contents = read_journal(kind, path, |line| GameRecord::read(line).map(|game| games.push(game)))?;
    Ok((contents.header, in_order(games)))
}

fn in_order(mut games: Vec<GameRecord>) -> Vec<GameRecord> {
    games.sort_by_key(|game| game.number);
    games.dedup_by_key(|game| game.number);
    games
}

/// The first line of a contest without the players after those of an earlier first line.
fn without_new_players(header: &Value, earlier: &Value) -> Value {
    let mut header = header.clone();
    let known = earlier["contest"]["players"].as_array().map_or(0, Vec::len);
    // A record that names no players is of another contest, or none.
    if let Some(players) = header["contest"]["players"].as_array_mut().filter(|_| known > 0) {
        players.truncate(known);
    }
    header
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn goes_on_from_a_record_of_an_earlier_version() {
        let scratch = Scratch::new("record-early");
        let path = scratch.join("record.jsonl");
        let early = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/journals/record-1.jsonl");
        let early = fs::read_to_string(early).unwrap();
        let header: Value = serde_json::from_str(early.lines().next().unwrap()).unwrap();
        fs::write(&path, &early).unwrap();
        let (mut record, mut games, _) = resume(&MATCH, &path, &header).unwrap();
        assert_eq!(games.len(), 4);
        games[3].number = 4;
        record.append(&games[3].line()).unwrap();
        drop(record);
        assert!(fs::read_to_string(&path).unwrap().starts_with(&early));
        for _ in 0..2 {
            assert_eq!(resume(&MATCH, &path, &header).unwrap().1.len(), 5);
        }
    }
}
