//! The record of a contest: a journal of a line of JSON about the contest, then one for each game.
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
use crate::files::{Entry, Framing, Journal, JournalError, JournalKind, last_header};

/// The journal of a match. A program that a killed match was just starting may hold the lock for a
/// moment longer, until it runs and closes what it inherited.
pub(super) static KIND: JournalKind = JournalKind {
    key: "contest",
    framing: Framing::Lines { key: "game", headless: false },
    writer: "match",
    records: "the record",
    record: "a line of a match record",
    remedy: "--resume to go on from it, or another name",
    patience: Duration::from_secs(1),
};

#[derive(Debug)]
pub struct Record(Journal);

/// The games of a record that is resumed.
#[derive(Debug)]
pub struct RecordedGames {
    /// In the order of their numbers, the first of each number.
    pub games: Vec<GameRecord>,
    /// True if a torn last line was dropped.
    pub torn: bool,
}

impl Record {
    /// Begins a record with the line about its contest; there must be no file yet.
    pub fn create(path: &Path, header: &Value) -> Result<Record, JournalError> {
        Journal::create(&KIND, path, header).map(Record)
    }

    /// The names of the players in a record, in their order; none if it has no header.
    pub fn players(path: &Path) -> Vec<String> {
        // `resume` says what is wrong with the file.
        let header = last_header(&KIND, path).unwrap_or_default();
        let players = header["contest"]["players"].as_array().into_iter().flatten();
        players.filter_map(|player| player["name"].as_str().map(str::to_owned)).collect()
    }

    /// Goes on from a record of the same contest; begins one where there is none. The contest may
    /// have more players than the record, which then gets the contest's header.
    pub fn resume(path: &Path, header: &Value) -> Result<(Record, RecordedGames), JournalError> {
        let mut games: Vec<GameRecord> = Vec::new();
        let expected = |found: &Value| without_new_players(header, found);
        let (mut journal, torn) = Journal::resume(&KIND, path, header, expected, |entry| {
            if let Entry::Record(line) = entry {
                games.push(GameRecord::read(&line)?);
            }
            Ok(())
        })?;
        journal.begin()?;
        games.sort_by_key(|game| game.number);
        games.dedup_by_key(|game| game.number);
        Ok((Record(journal), RecordedGames { games, torn }))
    }

    pub fn add(&mut self, game: &GameRecord) -> Result<(), JournalError> {
        self.0.append(game.line().as_bytes())
    }
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
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::contest::game_record::RecordedPlayer;
    use crate::game::{EndKind, Fen, Game, GameEnd, Ply, Side, TurnFacts};
    use crate::scratch::Scratch;

    /// A record in a folder of its own.
    fn scratch(name: &str) -> (Scratch, PathBuf) {
        let scratch = Scratch::new(&format!("record-{name}"));
        let path = scratch.join("record.jsonl");
        (scratch, path)
    }

    fn header() -> Value {
        json!({"contest": {"seed": 1, "players": [{"name": "a"}, {"name": "b"}]}})
    }

    fn game(number: usize) -> GameRecord {
        let seat = |entrant| RecordedPlayer {
            entrant,
            name: "a".to_owned(),
            spec: "random".to_owned(),
            version: "random 1".to_owned(),
            tc: None,
            seed: u64::MAX - number as u64,
        };
        let Fen(start) = "Q1/1q w - - 0 1".parse().unwrap();
        let value = Some(0.75);
        let facts = TurnFacts { seconds: Some(0.001_234), value, ..TurnFacts::default() };
        let mut record = GameRecord::new(number, [seat(0), seat(1)], Game::new(start));
        record.game.extend([Ply { full: "a2-b2/a2".parse().unwrap(), facts }]).unwrap();
        let end = GameEnd::new(Side::First, EndKind::Crash);
        record.game.end = Some(GameEnd { detail: Some("gone".to_owned()), ..end });
        record
    }

    fn recorded(path: &Path, header: &Value) -> Vec<GameRecord> {
        Record::resume(path, header).unwrap().1.games
    }

    fn write(path: &Path, games: usize) {
        let mut record = Record::create(path, &header()).unwrap();
        for number in 0..games {
            record.add(&game(number)).unwrap();
        }
    }

    #[test]
    fn a_torn_last_line_is_dropped() {
        let (_scratch, path) = scratch("torn");
        write(&path, 2);
        let whole = fs::read(&path).unwrap();
        for (cut, kept) in [(0, 2), (7, 1)] {
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let (mut record, RecordedGames { games, torn }) = Record::resume(&path, &header()).unwrap();
            assert_eq!((&games[..], torn), (&[game(0), game(1)][..kept], cut > 0));
            for number in kept..2 {
                record.add(&game(number)).unwrap();
            }
            drop(record);
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn refuses_a_line_that_contradicts_itself() {
        let (_scratch, path) = scratch("changed");
        let refusal = |text: &str| {
            fs::write(&path, text).unwrap();
            let refused = Record::resume(&path, &header()).err().map(|error| error.to_string());
            assert!(refused.is_none() || fs::read_to_string(&path).unwrap() == text);
            refused
        };
        // Lines of an earlier version, without checksums.
        let old = format!("{}\n{}\n", header(), game(0).line());
        assert_eq!(refusal(&old), None);
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
            let refused = refusal(&old.replace(was, is)).unwrap();
            assert!(refused.contains(expected), "{is}: {refused}");
        }
    }

    #[test]
    fn goes_on_from_a_record_of_an_earlier_version() {
        let (_scratch, path) = scratch("early");
        let early = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/journals/record-1.jsonl");
        let early = fs::read_to_string(early).unwrap();
        let header: Value = serde_json::from_str(early.lines().next().unwrap()).unwrap();
        fs::write(&path, &early).unwrap();
        let (mut record, RecordedGames { games, .. }) = Record::resume(&path, &header).unwrap();
        assert_eq!(games.len(), 4);
        record.add(&game(4)).unwrap();
        drop(record);
        assert!(fs::read_to_string(&path).unwrap().starts_with(&early));
        for _ in 0..2 {
            assert_eq!(recorded(&path, &header).len(), 5);
        }
    }

    #[test]
    fn strangers_are_refused_and_left_as_they_are() {
        let (_scratch, path) = scratch("stranger");
        let mut other = header();
        other["contest"]["players"][1]["name"] = json!("c");
        write(&path, 1);
        let before = fs::read(&path).unwrap();
        let error = Record::resume(&path, &other).unwrap_err().to_string();
        assert!(
            error.contains("record of another match: contest.players.1.name is \"b\" there and \"c\""),
            "{error}"
        );
        assert!(matches!(Record::create(&path, &header()), Err(JournalError::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), before);
        for (text, place) in [
            ("my notes", "line 1, byte 0: "),
            ("my notes\n", "line 1, byte 0: "),
            ("{\"contest\"\n", "line 1, byte 0: "),
            ("\u{e9}\n", "line 1, byte 0: "),
            ("{\"contest\":{}}\n{}\n", "line 2, byte 15: "),
            (
                "{\"contest\":{}}\n{\"game\":0,\"crc\":\"00000000\"}\n",
                "line 2, byte 15: the line was changed: its checksum is",
            ),
        ] {
            fs::write(&path, text).unwrap();
            let error = Record::resume(&path, &header()).unwrap_err().to_string();
            assert!(error.contains(place), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_contest_with_more_players_goes_on_from_its_record() {
        let (_scratch, path) = scratch("more-players");
        write(&path, 2);
        let mut more = header();
        more["contest"]["players"].as_array_mut().unwrap().push(json!({"name": "c"}));
        assert_eq!(Record::players(&path), ["a", "b"]);
        let (mut record, RecordedGames { games, .. }) = Record::resume(&path, &more).unwrap();
        assert_eq!(games, [game(0), game(1)]);
        record.add(&game(2)).unwrap();
        drop(record);
        assert_eq!(Record::players(&path), ["a", "b", "c"]);
        assert_eq!(recorded(&path, &more).len(), 3);
        // Fewer players, or another one in the place of one that is known, are another contest.
        assert!(matches!(Record::resume(&path, &header()), Err(JournalError::Other { .. })));
        more["contest"]["players"][1]["name"] = json!("d");
        assert!(matches!(Record::resume(&path, &more), Err(JournalError::Other { .. })));
    }
}
