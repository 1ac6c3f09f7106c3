//! The record of a contest: a line of JSON about the contest, then a line of JSON for each game.
//!
//! `record.md` lists the fields. The first line, `{"contest":{...}}`, says what the games depend on ([`Contest::header`](super::Contest::header)).
//! Each other line is a [`GameRecord`], field by field, and ends with `,"crc":"xxxxxxxx"}`: the CRC-32 of zlib, in
//! hexadecimal, of the line up to that comma. Lines of earlier versions have no checksum. A reader checks the checksum,
//! replays the moves, and refuses a record whose lines contradict themselves.
//!
//! Lines are appended whole. A match that is killed loses the games in progress and leaves at most a torn last line,
//! which [`Record::resume`] drops. The record of another contest is refused, and nothing is overwritten.

use std::fmt::Display;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::{Evidence, Reason};
use crate::files::{MAX_LINE, Records, difference, read_line};
use crate::game::{Fen, FullMove};

/// How long to wait for a record that is locked. A program that a killed match was just starting may hold the lock
/// for a moment longer, until it runs and closes what it inherited.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// What stands before the checksum of a line.
const CHECKSUM: &str = ",\"crc\":\"";

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
    /// 0 if the first player won, 1 if the second.
    pub winner: usize,
    /// Why the game ended.
    pub reason: Reason,
    /// What was seen of the fault, if there was one.
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
    /// Whether the player that claimed a proven win did win; `None` without such a claim. Claims of a proven loss do
    /// not count: the opponent may not know it, and lose.
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
        // A player with moves left loses by a fault only, and one without by having none.
        if self.reason.is_fault() == position.winner().is_some() {
            let left = if self.reason.is_fault() { "none" } else { "some" };
            return Err(format!("ended by '{}' where the player to move has {left}", self.reason));
        }
        let winner = (!position.to_move()).index();
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
    /// Its seed in this game.
    pub seed: u64,
}

#[cfg(test)]
impl RecordedPlayer {
    /// A seat of which a test needs to know no more than whose it is.
    pub(super) fn nameless(entrant: usize) -> RecordedPlayer {
        RecordedPlayer { entrant, name: String::new(), spec: String::new(), version: String::new(), seed: 0 }
    }
}

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

    /// Goes on from a record of the same contest; begins one where there is none.
    ///
    /// # Errors
    /// If it belongs to another contest, is no record, or cannot be read and written.
    pub fn resume(path: &Path, header: &Value) -> Result<(Record, Resumed), RecordError> {
        let io = |cause| RecordError::Io { path: path.into(), cause };
        let mut record = Record::open(path, false)?;
        let Contents { games, lines, whole, rest } =
            read(path, record.records.reader().map_err(io)?, header)?;
        let torn = !rest.is_empty();
        if torn {
            // What is cut off must be the beginning of a line of ours: a stranger's file stays as it is.
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
struct Contents {
    /// The games in the order of their numbers, the first of each number.
    games: Vec<GameRecord>,
    /// Whole lines, the header included.
    lines: usize,
    /// Bytes of the whole lines.
    whole: u64,
    /// What follows them.
    rest: Vec<u8>,
}

/// Reads a record, whose header must be this contest's.
fn read(path: &Path, mut input: impl BufRead, header: &Value) -> Result<Contents, RecordError> {
    let mut contents = Contents { games: Vec::new(), lines: 0, whole: 0, rest: Vec::new() };
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
            if let Some((field, got, expected)) = difference(&found, header) {
                return Err(RecordError::Other { path: path.into(), field, got, expected });
            }
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

/// The line of a game, with its checksum.
pub(super) fn checked_line(game: &GameRecord) -> String {
    // Its names are texts and its numbers finite or null: nothing in it can fail to be written.
    let line = serde_json::to_string(game).unwrap_or_default();
    let content = line.strip_suffix('}').unwrap_or(&line);
    let checksum = crc32fast::hash(content.as_bytes());
    format!("{content}{CHECKSUM}{checksum:08x}\"}}")
}

/// Reads the line of a game, and checks it.
pub(super) fn read_game(line: &[u8]) -> Result<GameRecord, String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    if let Some((content, got)) = text.rsplit_once(CHECKSUM) {
        let expected = format!("{:08x}", crc32fast::hash(content.as_bytes()));
        if got.strip_suffix("\"}") != Some(&expected) {
            return Err(format!("the line was changed: its checksum is {got}, expected {expected}"));
        }
    }
    let game: GameRecord = serde_json::from_str(text).map_err(|error| error.to_string())?;
    game.check().map_err(|cause| format!("game {}: {cause}", game.game))?;
    Ok(game)
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
        let seat = |entrant| RecordedPlayer {
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
            times: vec![Some(0.001_234)],
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
