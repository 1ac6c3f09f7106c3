//! The record of a contest: a line of JSON about the contest, then a line of JSON for each game.
//!
//! `record.md` lists the fields. The first line, `{"contest":{...}}`, says what the games depend on
//! ([`Contest::header`](super::Contest::header)). Each other line is a [`GameRecord`], field by
//! field, and ends with `,"crc":"xxxxxxxx"}`: the CRC-32 of zlib, in hexadecimal, of the line up to
//! that comma. Lines of earlier versions have no checksum. A reader checks the checksum, replays
//! the moves, and refuses a record whose lines contradict themselves.
//!
//! Lines are appended whole. A match that is killed loses the games in progress and leaves at most
//! a torn last line, which [`Record::resume`] drops. The record of another contest is refused. A
//! contest that has more players than its record gives the record its own first line.

use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::game_record::{GameRecord, checked_line, read_game};
use crate::files::{self, MAX_LINE, Records, difference, read_line};

/// How long to wait for a record that is locked. A program that a killed match was just starting
/// may hold the lock for a moment longer, until it runs and closes what it inherited.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum RecordError {
    #[error("{path}: {cause}")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path} exists: expected --resume to go on from it, or another name")]
    Exists { path: PathBuf },
    #[error("{path} is being written by another match")]
    Busy { path: PathBuf },
    #[error("{path} is the record of another match: {field} is {got} there and {expected} here")]
    Other { path: PathBuf, field: String, got: String, expected: String },
    #[error("{path}, line {line}: {cause}; expected a line of a match record")]
    Damaged { path: PathBuf, line: usize, cause: String },
}

/// An open record.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    records: Records,
}

/// What a record held when it was opened.
#[derive(Debug, Default)]
pub struct Resumed {
    /// The games that have been played.
    pub games: Vec<GameRecord>,
    /// Whether a torn last line was dropped.
    pub torn: bool,
}

impl Record {
    /// Begins a record with the line about its contest.
    ///
    /// # Errors
    /// If there is a file already, or it cannot be written.
    pub fn create(path: &Path, header: &Value) -> Result<Record, RecordError> {
        let mut record = Record::open(path, true)?;
        record.append(&header.to_string())?;
        Ok(record)
    }

    /// The names of the players in a record, in their order; none if its first line has none.
    #[must_use]
    pub fn players(path: &Path) -> Vec<String> {
        let mut line = Vec::new();
        // `resume` says what is wrong with the file.
        let read =
            files::open(path).and_then(|file| read_line(&mut BufReader::new(file), MAX_LINE, &mut line));
        let header: Value = serde_json::from_slice(&line).ok().filter(|_| read.is_ok()).unwrap_or_default();
        let players = header["contest"]["players"].as_array().into_iter().flatten();
        players.filter_map(|player| player["name"].as_str().map(str::to_owned)).collect()
    }

    /// Goes on from a record of the same contest; begins one where there is none. The contest may
    /// have more players than the record, which is then written anew with the contest's first line.
    ///
    /// # Errors
    /// If it belongs to another contest, is no record, or cannot be read and written.
    pub fn resume(path: &Path, header: &Value) -> Result<(Record, Resumed), RecordError> {
        let io = |cause| RecordError::Io { path: path.into(), cause };
        let mut record = Record::open(path, false)?;
        let RecordContents { games, lines, whole, rest, first_line } =
            read(path, record.records.reader().map_err(io)?, header)?;
        let torn = !rest.is_empty();
        if torn {
            // What is cut off must be the beginning of a line of ours: a stranger's file stays as
            // it is.
            let beginning = if lines == 0 { &b"{\"contest\":"[..] } else { &b"{\"game\":"[..] };
            let common = rest.len().min(beginning.len());
            if rest[..common] != beginning[..common] {
                return Err(RecordError::Damaged {
                    path: path.into(),
                    line: lines + 1,
                    cause: "a last line without an end that no match began".to_owned(),
                });
            }
            record.records.truncate(whole).map_err(io)?;
        }
        if lines == 0 {
            record.append(&header.to_string())?;
        } else if first_line != *header {
            record = record.with_first_line(header)?;
        }
        Ok((record, Resumed { games, torn }))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        self.append(&checked_line(game))
    }

    /// The same games after another first line.
    fn with_first_line(self, header: &Value) -> Result<Record, RecordError> {
        let replaced = || {
            let bytes = self.records.read()?;
            let games = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
            let mut file = files::Replacement::create(&self.path)?;
            writeln!(file, "{header}")?;
            file.write_all(&bytes[games..])?;
            file.finish()
        };
        replaced().map_err(|cause| RecordError::Io { path: self.path.clone(), cause })?;
        // The lock of the old file is held until the new one has its own.
        Record::open(&self.path, false)
    }

    fn append(&mut self, line: &str) -> Result<(), RecordError> {
        let io = |cause| RecordError::Io { path: self.path.clone(), cause };
        self.records.append(format!("{line}\n").as_bytes()).map_err(io)
    }

    fn open(path: &Path, new: bool) -> Result<Record, RecordError> {
        match Records::open(path, new, LOCK_PATIENCE) {
            Ok(Some(records)) => Ok(Record { path: path.into(), records }),
            Ok(None) => Err(RecordError::Busy { path: path.into() }),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                Err(RecordError::Exists { path: path.into() })
            }
            Err(cause) => Err(RecordError::Io { path: path.into(), cause }),
        }
    }
}

/// What a record holds.
struct RecordContents {
    /// The games in the order of their numbers, the first of each number.
    games: Vec<GameRecord>,
    /// Whole lines, the header included.
    lines: usize,
    /// Bytes of the whole lines.
    whole: u64,
    /// What follows them.
    rest: Vec<u8>,
    /// The line about the contest.
    first_line: Value,
}

/// Reads a record, whose first line must be this contest's but for players that are new here.
fn read(path: &Path, mut input: impl BufRead, header: &Value) -> Result<RecordContents, RecordError> {
    let mut contents =
        RecordContents { games: Vec::new(), lines: 0, whole: 0, rest: Vec::new(), first_line: Value::Null };
    let mut line = Vec::new();
    loop {
        let short = read_line(&mut input, MAX_LINE, &mut line);
        let short = short.map_err(|cause| RecordError::Io { path: path.into(), cause })?;
        let damaged =
            |cause: String| RecordError::Damaged { path: path.into(), line: contents.lines + 1, cause };
        if !short {
            return Err(damaged(format!("more than {MAX_LINE} bytes")));
        }
        let Some(text) = line.strip_suffix(b"\n") else {
            contents.rest = line;
            break;
        };
        if contents.lines == 0 {
            let found: Value = serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?;
            let expected = without_new_players(header, &found);
            if let Some((field, got, expected)) = difference(&found, &expected) {
                return Err(RecordError::Other { path: path.into(), field, got, expected });
            }
            contents.first_line = found;
        } else {
            contents.games.push(read_game(text).map_err(damaged)?);
        }
        contents.lines += 1;
        contents.whole += line.len() as u64;
    }
    contents.games.sort_by_key(|game| game.game);
    contents.games.dedup_by_key(|game| game.game);
    Ok(contents)
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

    use serde_json::json;

    use super::*;
    use crate::contest::game_record::{CHECKSUM, RecordedPlayer};
    use crate::game::EndKind;

    /// A file of its own for a test, gone when the test is over.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("quiver-record-{}-{name}", std::process::id()));
            let _ = fs::remove_file(&path);
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
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
        GameRecord {
            game: number,
            pair: number / 2,
            players: [seat(0), seat(1)],
            start: "Q1/1q w - - 0 1".to_owned(),
            opening: Vec::new(),
            moves: vec!["a2-b2/a2".to_owned()],
            times: vec![Some(0.001_234)],
            values: vec![Some(0.75)],
            proven: Vec::new(),
            playouts: vec![None],
            restarts: Vec::new(),
            winner: 0,
            reason: EndKind::Crash,
            detail: Some("gone".to_owned()),
            answered: None,
            evidence: None,
            last_time: None,
        }
    }

    fn write(path: &Path, games: usize) {
        let mut record = Record::create(path, &header()).unwrap();
        for number in 0..games {
            record.add(&game(number)).unwrap();
        }
    }

    #[test]
    fn a_torn_last_line_is_dropped_wherever_it_was_torn() {
        let scratch = Scratch::new("torn");
        write(&scratch.0, 2);
        let whole = fs::read(&scratch.0).unwrap();
        let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').map(|at| at + 1).collect();
        for length in 0..=whole.len() {
            fs::write(&scratch.0, &whole[..length]).unwrap();
            let (mut record, resumed) = Record::resume(&scratch.0, &header()).unwrap();
            let complete = ends.iter().filter(|&&end| end <= length).count();
            assert_eq!(resumed.games.len(), complete.saturating_sub(1), "cut at {length}");
            assert_eq!(resumed.torn, length > 0 && !ends.contains(&length), "cut at {length}");
            // What is added next stands on a line of its own, under a header.
            for number in resumed.games.len()..2 {
                record.add(&game(number)).unwrap();
            }
            drop(record);
            assert_eq!(fs::read(&scratch.0).unwrap(), whole, "cut at {length}");
        }
        let (_, resumed) = Record::resume(&scratch.0, &header()).unwrap();
        assert_eq!(resumed.games, [game(0), game(1)]);
    }

    #[test]
    fn refuses_a_line_that_was_changed_or_contradicts_itself() {
        let scratch = Scratch::new("changed");
        write(&scratch.0, 1);
        let whole = fs::read_to_string(&scratch.0).unwrap();
        let refusal = |text: &str| {
            fs::write(&scratch.0, text).unwrap();
            let refused = Record::resume(&scratch.0, &header()).err().map(|error| error.to_string());
            assert!(refused.is_none() || fs::read_to_string(&scratch.0).unwrap() == text);
            refused
        };
        for (was, is) in [("\"winner\":0", "\"winner\":1"), ("0.75", "0.74"), ("\"seed\":18", "\"seed\":17")]
        {
            let changed = refusal(&whole.replace(was, is)).unwrap();
            assert!(changed.contains("line 2: the line was changed: its checksum is"), "{is}: {changed}");
        }
        // A line of an earlier version, without a checksum.
        let (content, _) = whole.split_once(CHECKSUM).unwrap();
        let old = format!("{content}}}\n");
        assert_eq!(refusal(&old), None);
        for (was, is, expected) in [
            ("\"winner\":0", "\"winner\":1", "game 0: winner 1: expected 0, by its moves"),
            ("a2-b2/a2", "a2-b2/b2", "ply 1, 'a2-b2/b2': "),
            ("\"crash\"", "\"no-move\"", "ended by 'no move left' where the player to move has some"),
            ("0,\"reason\":\"crash\"", "7,\"reason\":\"proven\"", "winner 7: expected 0 or 1"),
            ("\"playouts\"", "\"restarts\":[2],\"playouts\"", "started again at move 2: expected at most 1"),
            ("[0.75]", "[]", "[1, 0, 1] times, values and playouts: expected 1, one a move"),
            ("\"playouts\"", "\"proven\":[1],\"playouts\"", "proven after move 1: expected at most 0"),
            ("Q1/1q", "Q1/1x", "start: "),
        ] {
            let refused = refusal(&old.replace(was, is)).unwrap();
            assert!(refused.contains(expected), "{is}: {refused}");
        }
    }

    #[test]
    fn strangers_are_refused_and_left_as_they_are() {
        let scratch = Scratch::new("stranger");
        let mut other = header();
        other["contest"]["players"][1]["name"] = json!("c");
        write(&scratch.0, 1);
        let before = fs::read(&scratch.0).unwrap();
        let error = Record::resume(&scratch.0, &other).unwrap_err().to_string();
        assert!(
            error.contains("record of another match: contest.players.1.name is \"b\" there and \"c\""),
            "{error}"
        );
        assert!(matches!(Record::create(&scratch.0, &header()), Err(RecordError::Exists { .. })));
        assert_eq!(fs::read(&scratch.0).unwrap(), before);
        for text in ["my notes", "my notes\n", "{\"contest\"\n", "\u{e9}\n", "{\"contest\":{}}\n{}\n"] {
            fs::write(&scratch.0, text).unwrap();
            Record::resume(&scratch.0, &header()).unwrap_err();
            assert_eq!(fs::read_to_string(&scratch.0).unwrap(), text);
        }
    }

    #[test]
    fn a_contest_with_more_players_goes_on_from_its_record() {
        let scratch = Scratch::new("more-players");
        write(&scratch.0, 2);
        let mut more = header();
        more["contest"]["players"].as_array_mut().unwrap().push(json!({"name": "c"}));
        assert_eq!(Record::players(&scratch.0), ["a", "b"]);
        let (mut record, resumed) = Record::resume(&scratch.0, &more).unwrap();
        assert_eq!(resumed.games, [game(0), game(1)]);
        record.add(&game(2)).unwrap();
        drop(record);
        assert_eq!(Record::players(&scratch.0), ["a", "b", "c"]);
        let (_, resumed) = Record::resume(&scratch.0, &more).unwrap();
        assert_eq!(resumed.games.len(), 3);
        // Fewer players, or another one in the place of one that is known, are another contest.
        assert!(matches!(Record::resume(&scratch.0, &header()), Err(RecordError::Other { .. })));
        more["contest"]["players"][1]["name"] = json!("d");
        assert!(matches!(Record::resume(&scratch.0, &more), Err(RecordError::Other { .. })));
    }

    #[test]
    fn a_number_of_many_digits_is_read_as_it_was_written() {
        let scratch = Scratch::new("digits");
        // A tuned parameter that an imprecise reader of floats rounds to the neighbouring float.
        let header = json!({"contest": {"exploration": 0.369_955_166_548_079_25}});
        Record::create(&scratch.0, &header).unwrap();
        Record::resume(&scratch.0, &header).unwrap();
    }

    #[test]
    fn one_writer_at_a_time() {
        let scratch = Scratch::new("busy");
        let record = Record::create(&scratch.0, &header()).unwrap();
        assert!(matches!(Record::resume(&scratch.0, &header()), Err(RecordError::Busy { .. })));
        drop(record);
        Record::resume(&scratch.0, &header()).unwrap();
    }
}
