//! A contest's record: a line about the contest, then a line a game.
//!
//! Lines are appended whole and flushed, so that whatever kills a contest costs at most the games in flight and
//! a torn last line, which [`Record::resume`] recognises and drops. The first line says which contest it is; a
//! record of another one is refused, and nothing is ever overwritten.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::{Evidence, Reason};

/// How long a record may be busy before another match must be at it.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// A game that has been played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the contest.
    pub game: usize,
    /// The pair it belongs to.
    pub pair: usize,
    /// Who played, first player first.
    pub players: [Seat; 2],
    /// Where it began: a FEN.
    pub start: String,
    /// The moves of the opening.
    pub opening: Vec<String>,
    /// The moves of the players.
    pub moves: Vec<String>,
    /// Seconds used for each move, on the clock of the contest.
    pub times: Vec<f64>,
    /// What the mover took its chance for, from 0 to 1, after each move.
    pub values: Vec<Option<f64>>,
    /// The plies, counted from 0 in `moves`, after which the mover said that its chance is proven.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proven: Vec<usize>,
    /// Playouts or nodes of each move.
    pub playouts: Vec<Option<u64>>,
    /// 0 if the first player won, 1 if the second.
    pub winner: usize,
    /// Why the game ended.
    pub reason: Reason,
    /// What was seen, where somebody was at fault.
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
    /// Whether whoever called its own win proven did win; `None` if nobody did. A loss that is proven says less: the other
    /// side may not know, and lose all the same.
    #[must_use]
    pub fn proven_win_held(&self) -> Option<bool> {
        let wins = self
            .proven
            .iter()
            .filter(|&&ply| self.values.get(ply).copied().flatten().is_some_and(|value| value > 0.5));
        let held = wins.map(|&ply| (self.first_mover() + ply) % 2 == self.winner);
        held.reduce(|all, one| all && one)
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
pub struct Seat {
    /// The entrant's number in the contest.
    pub entrant: usize,
    /// The entrant's name.
    pub name: String,
    /// Its SPEC, parameters included.
    pub spec: String,
    /// What it calls itself.
    pub version: String,
    /// Its seed in this game.
    pub seed: u64,
}

#[cfg(test)]
impl Seat {
    /// A seat of which a test needs to know no more than whose it is.
    pub(super) fn nameless(entrant: usize) -> Seat {
        Seat { entrant, name: String::new(), spec: String::new(), version: String::new(), seed: 0 }
    }
}

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system said no.
    #[error("{path}: {cause}")]
    Io {
        /// The record.
        path: PathBuf,
        /// What it said.
        cause: io::Error,
    },
    /// There is a record already and nobody said to go on from it.
    #[error("{path} exists: expected --resume to go on from it, or another name")]
    Exists {
        /// The record.
        path: PathBuf,
    },
    /// Another contest writes to it at this moment.
    #[error("{path} is being written by another match")]
    Busy {
        /// The record.
        path: PathBuf,
    },
    /// It belongs to another contest.
    #[error("{path} is the record of another match: {field} is {got} there and {expected} here")]
    Other {
        /// The record.
        path: PathBuf,
        /// What differs.
        field: String,
        /// There.
        got: String,
        /// Here.
        expected: String,
    },
    /// It is no record at all, or damaged in its middle.
    #[error("{path}, line {line}: {cause}; expected a line of a match record")]
    Damaged {
        /// The record.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        cause: String,
    },
}

/// An open record.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    file: File,
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
        let file = OpenOptions::new().append(true).create_new(true).open(path);
        let file = file.map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => RecordError::Exists { path: path.into() },
            _ => RecordError::Io { path: path.into(), cause },
        })?;
        let mut record = Record { path: path.into(), file };
        record.lock()?;
        record.append(header)?;
        Ok(record)
    }

    /// Goes on from a record of the same contest; begins one where there is none.
    ///
    /// # Errors
    /// If it belongs to another contest, is no record, or cannot be read and written.
    pub fn resume(path: &Path, header: &Value) -> Result<(Record, Resumed), RecordError> {
        let io = |cause| RecordError::Io { path: path.into(), cause };
        let file = match OpenOptions::new().read(true).append(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((Record::create(path, header)?, Resumed::default()));
            }
            Err(error) => return Err(io(error)),
        };
        let mut record = Record { path: path.into(), file };
        record.lock()?;
        let mut bytes = Vec::new();
        record.file.seek(SeekFrom::Start(0)).and_then(|_| record.file.read_to_end(&mut bytes)).map_err(io)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let text = std::str::from_utf8(&bytes[..whole]).map_err(|error| RecordError::Damaged {
            path: path.into(),
            line: bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1,
            cause: error.to_string(),
        })?;
        let games = read_lines(path, text, header)?;
        let torn = whole < bytes.len();
        if torn {
            // What is cut off must be the beginning of a line of ours: a stranger's file stays as it is.
            let beginning = if text.is_empty() { &b"{\"contest\":"[..] } else { &b"{\"game\":"[..] };
            let rest = &bytes[whole..];
            let common = rest.len().min(beginning.len());
            if rest[..common] != beginning[..common] {
                return Err(RecordError::Damaged {
                    path: path.into(),
                    line: text.lines().count() + 1,
                    cause: "a last line without an end that no match began".to_owned(),
                });
            }
            record.file.set_len(whole as u64).map_err(io)?;
        }
        if text.is_empty() {
            record.append(header)?;
        }
        Ok((record, Resumed { games, torn }))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        self.append(game)
    }

    fn append(&mut self, line: &impl Serialize) -> Result<(), RecordError> {
        let io = |cause| RecordError::Io { path: self.path.clone(), cause };
        let mut text = serde_json::to_string(line).map_err(|error| io(error.into()))?;
        text.push('\n');
        // One write for the whole line, and no buffer of ours behind which it could stay.
        self.file.write_all(text.as_bytes()).map_err(io)
    }

    /// Keeps others away. A program that a killed match was just starting may hold the lock for a moment longer, until
    /// it runs and lets go of what it inherited: so a busy record is asked for again.
    fn lock(&self) -> Result<(), RecordError> {
        let begun = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(cause)) => {
                    return Err(RecordError::Io { path: self.path.clone(), cause });
                }
                Err(TryLockError::WouldBlock) if begun.elapsed() >= LOCK_PATIENCE => {
                    return Err(RecordError::Busy { path: self.path.clone() });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PATIENCE / 20),
            }
        }
    }
}

/// Reads whole lines: the header, which must be this contest's, and games, the first of a number counting.
fn read_lines(path: &Path, text: &str, header: &Value) -> Result<Vec<GameRecord>, RecordError> {
    let damaged = |line: usize, cause: serde_json::Error| RecordError::Damaged {
        path: path.into(),
        line: line + 1,
        cause: cause.to_string(),
    };
    let mut games: Vec<GameRecord> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if index == 0 {
            let found: Value = serde_json::from_str(line).map_err(|cause| damaged(index, cause))?;
            if let Some((field, got, expected)) = difference("", &found, header) {
                return Err(RecordError::Other { path: path.into(), field, got, expected });
            }
        } else {
            games.push(serde_json::from_str(line).map_err(|cause| damaged(index, cause))?);
        }
    }
    games.sort_by_key(|game| game.game);
    games.dedup_by_key(|game| game.game);
    Ok(games)
}

/// The first field in which two values differ, and what it is in either.
fn difference(field: &str, got: &Value, expected: &Value) -> Option<(String, String, String)> {
    let short = |value: &Value| value.to_string().chars().take(60).collect::<String>();
    let join = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    match (got, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let names = b.keys().chain(a.keys().filter(|name| !b.contains_key(*name)));
            names.map(|name| (name, a.get(name), b.get(name))).find_map(|(name, a, b)| {
                difference(&join(name), a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(index, (a, b))| difference(&join(&index.to_string()), a, b)),
        _ if got == expected => None,
        _ => Some((field.to_owned(), short(got), short(expected))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

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
        let seat = |entrant| Seat {
            entrant,
            name: "a".to_owned(),
            spec: "random".to_owned(),
            version: "random 1".to_owned(),
            seed: u64::MAX - number as u64,
        };
        GameRecord {
            game: number,
            pair: number / 2,
            players: [seat(0), seat(1)],
            start: "Q1/1q w - - 0 1".to_owned(),
            opening: Vec::new(),
            moves: vec!["a2-b2/a2".to_owned()],
            times: vec![0.001_234],
            values: vec![Some(0.75)],
            proven: Vec::new(),
            playouts: vec![None],
            winner: 0,
            reason: Reason::Crash,
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
    fn a_number_of_many_digits_is_read_as_it_was_written() {
        let scratch = Scratch::new("digits");
        // A tuned parameter that a reader of floats in a hurry takes for its neighbour.
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
