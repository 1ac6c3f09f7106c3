//! A file of games: a line of JSON about the recipe, then records.
//!
//! The line is the recipe's header (see [`SelfPlayRecipe::header`](super::SelfPlayRecipe::header)):
//! above all the start position and what the games depend on. Each record is a game's bytes in a
//! frame with its length and checksum. Records are appended whole, so that whatever kills a run
//! costs at most the games in flight and a torn last record, which [`GamesFile::resume`] recognises
//! and cuts off. A file of another recipe is refused, and nothing is overwritten.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::frame::{NextRecord, framed, front};
use super::game::{TrainingGame, TrainingGameError};
use crate::files::{self, Records, difference};
use crate::game::{Fen, Position};

/// What every header begins with.
const BEGINNING: &[u8] = b"{\"selfplay\":";

/// The version of the file's form; 2 added the visit shares.
pub(super) const FORMAT: u32 = 2;

/// Longest header.
const LONGEST_HEADER: usize = 1 << 16;

/// Why a file of games cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum FileError {
    #[error("{path}: {cause}")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path} is being written by another selfplay: expected it to end first, or another --out")]
    Busy { path: PathBuf },
    #[error(
        "{path} holds games of another selfplay: {field} is {got} there and {expected} here; expected another --out"
    )]
    Other { path: PathBuf, field: String, got: String, expected: String },
    #[error(
        "{path}: {cause}; expected a file of games, which begins with {{\"selfplay\": and a start position"
    )]
    Header { path: PathBuf, cause: String },
    #[error("{path}, byte {offset}: {cause}; expected a whole game")]
    Damaged { path: PathBuf, offset: usize, cause: String },
}

/// What a file of games holds.
#[derive(Clone, Debug)]
pub struct GamesFileContents {
    /// Its header.
    pub header: Value,
    /// The position that its games begin with.
    pub start: Position,
    /// Its games, as they came; all can be played.
    pub games: Vec<TrainingGame>,
    /// Bytes up to the end of the last whole record.
    whole: usize,
    /// Whether more follow: the beginning of a record that was never finished, or is being written.
    pub(super) torn: bool,
}

impl GamesFileContents {
    /// Reads the bytes of a file of games. A record that is not whole at its end is left out.
    ///
    /// # Errors
    /// If it is damaged. `path` is what the message calls it.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<GamesFileContents, FileError> {
        parse(path, bytes, None)
    }
}

/// An open file of games, to append to. One process at a time has it.
#[derive(Debug)]
pub struct GamesFile {
    path: PathBuf,
    records: Records,
}

impl GamesFile {
    /// Goes on with a file of the same recipe, whose games are handed over; begins one where there
    /// is none. Returns whether a torn record was cut off as well.
    ///
    /// # Errors
    /// If it belongs to another recipe, is damaged or in use, or cannot be read and written.
    pub fn resume(path: &Path, header: &Value) -> Result<(GamesFile, Vec<TrainingGame>, bool), FileError> {
        let io = |cause| FileError::Io { path: path.into(), cause };
        let records = Records::open(path, false, Duration::ZERO).map_err(io)?;
        let records = records.ok_or_else(|| FileError::Busy { path: path.into() })?;
        let bytes = records.read().map_err(io)?;
        let mut games_file = GamesFile { path: path.into(), records };
        if is_beginning(&bytes) {
            games_file.records.truncate(0).map_err(io)?;
            games_file.append(format!("{header}\n").as_bytes())?;
            return Ok((games_file, Vec::new(), !bytes.is_empty()));
        }
        let contents = parse(path, &bytes, Some(header))?;
        if contents.torn {
            games_file.records.truncate(contents.whole as u64).map_err(io)?;
        }
        Ok((games_file, contents.games, contents.torn))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, game: &TrainingGame) -> Result<(), FileError> {
        self.append(&framed(&game.to_bytes()))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.records.append(bytes).map_err(|cause| FileError::Io { path: self.path.clone(), cause })
    }
}

/// Reads a file of games that may be in use. A record that is not whole at its end is left out.
pub(super) fn read(path: &Path) -> Result<GamesFileContents, FileError> {
    let bytes = files::read(path, u64::MAX).map_err(|cause| FileError::Io { path: path.into(), cause })?;
    GamesFileContents::parse(path, &bytes)
}

/// Whether a file was left by a run that ended before its header was written.
pub(super) fn is_unbegun(path: &Path) -> Result<bool, FileError> {
    let mut bytes = Vec::new();
    let opened = files::open(path).and_then(|file| file.take(LONGEST_HEADER as u64).read_to_end(&mut bytes));
    opened.map_err(|cause| FileError::Io { path: path.into(), cause })?;
    Ok(is_beginning(&bytes))
}

/// Whether this is nothing but the beginning of a header of ours.
fn is_beginning(bytes: &[u8]) -> bool {
    let common = bytes.len().min(BEGINNING.len());
    bytes.len() < LONGEST_HEADER && bytes[..common] == BEGINNING[..common] && !bytes.contains(&b'\n')
}

/// Reads a header, which must be this one if one is given, and records.
fn parse(path: &Path, bytes: &[u8], expected: Option<&Value>) -> Result<GamesFileContents, FileError> {
    let bad_header = |cause: String| FileError::Header { path: path.into(), cause };
    let length = bytes.iter().take(LONGEST_HEADER).position(|&byte| byte == b'\n');
    let length = length.ok_or_else(|| bad_header("no line in its first bytes".to_owned()))?;
    let header: Value =
        serde_json::from_slice(&bytes[..length]).map_err(|error| bad_header(error.to_string()))?;
    if let Some((field, got, expected)) = expected.and_then(|expected| difference(&header, expected)) {
        return Err(FileError::Other { path: path.into(), field, got, expected });
    }
    let about = &header["selfplay"];
    if about["format"] != FORMAT {
        let got = &about["format"];
        return Err(bad_header(format!("self-play format {got}, where this version reads {FORMAT}")));
    }
    let start = about["start"].as_str().unwrap_or_default().parse::<Fen>();
    let start = start.map_err(|error| bad_header(format!("start: {error}")))?.0;
    let mut contents = GamesFileContents { header, start, games: Vec::new(), whole: length + 1, torn: false };
    loop {
        let rest = &bytes[contents.whole..];
        let offset = contents.whole;
        let damaged = |cause: String| FileError::Damaged { path: path.into(), offset, cause };
        match front(rest) {
            NextRecord::Record(content, rest) => {
                let game = TrainingGame::from_bytes(content);
                let checked = game.and_then(|game| game.check(&start).map(|()| game));
                contents.games.push(checked.map_err(|error: TrainingGameError| damaged(error.to_string()))?);
                contents.whole = bytes.len() - rest.len();
            }
            NextRecord::End => return Ok(contents),
            NextRecord::Torn => return Ok(GamesFileContents { torn: true, ..contents }),
            NextRecord::Damaged(cause) => return Err(damaged(cause.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::training::folder::tests::Scratch;

    #[test]
    fn a_torn_last_record_is_cut_off_wherever_it_was_torn() {
        let scratch = Scratch::new("torn");
        let path = scratch.0.join("games");
        let recipe = quick();
        let header = recipe.header();
        let played = [recipe.play(0), recipe.play(1)];
        let (mut file, ..) = GamesFile::resume(&path, &header).unwrap();
        let mut ends = vec![0, fs::metadata(&path).unwrap().len() as usize];
        for game in &played {
            file.add(game).unwrap();
            ends.push(fs::metadata(&path).unwrap().len() as usize);
        }
        drop(file);
        let whole = fs::read(&path).unwrap();
        for length in (0..=whole.len()).rev().step_by(7).chain([ends[1], ends[2]]) {
            fs::write(&path, &whole[..length]).unwrap();
            let (mut file, games, torn) = GamesFile::resume(&path, &header).unwrap();
            let complete = ends.iter().filter(|&&end| end <= length).count();
            assert_eq!(games, played[..complete.saturating_sub(2)], "cut at {length}");
            assert_eq!(torn, !ends.contains(&length), "cut at {length}");
            for game in &played[games.len()..] {
                file.add(game).unwrap();
            }
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        // A reader takes what is there and leaves the rest to the writer.
        fs::write(&path, &whole[..ends[2] + 20]).unwrap();
        let contents = read(&path).unwrap();
        assert_eq!((&contents.games[..], contents.torn), (&played[..1], true));
        assert_eq!((contents.start, &contents.header), (recipe.start, &header));
    }

    #[test]
    fn strangers_are_refused_and_left_as_they_are() {
        let scratch = Scratch::new("strangers");
        let path = scratch.0.join("games");
        let recipe = quick();
        let mut other = recipe.clone();
        other.engine.set_pair("exploration=0.9").unwrap();
        let (mut file, ..) = GamesFile::resume(&path, &other.header()).unwrap();
        assert!(matches!(GamesFile::resume(&path, &other.header()), Err(FileError::Busy { .. })));
        file.add(&other.play(0)).unwrap();
        drop(file);
        let before = fs::read(&path).unwrap();
        let error = GamesFile::resume(&path, &recipe.header()).unwrap_err().to_string();
        assert!(error.contains("selfplay.parameters.exploration is 0.9 there and 0."), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        let damaged = [&before[..before.len() - 9], b"123456789", &before[before.len() - 50..]].concat();
        for bytes in [
            &b"my notes"[..],
            b"my notes\n",
            b"{}\n",
            b"{\"selfplay\":{}}\n",
            b"{\"selfplay\":1}\nx",
            &damaged,
        ] {
            fs::write(&path, bytes).unwrap();
            read(&path).unwrap_err();
            GamesFile::resume(&path, &other.header()).unwrap_err();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn a_number_of_many_digits_is_read_as_it_was_written() {
        let scratch = Scratch::new("digits");
        let path = scratch.0.join("games");
        let mut recipe = quick();
        // A tuned parameter that an imprecise reader of floats rounds to the neighbouring float.
        recipe.engine.parameters.set("exploration", "0.36995516654807925").unwrap();
        GamesFile::resume(&path, &recipe.header()).unwrap();
        GamesFile::resume(&path, &recipe.header()).unwrap();
    }
}
