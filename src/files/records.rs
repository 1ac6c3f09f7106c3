//! Reads the lines of a journal: its header and its records.
//!
//! Each line is a JSON object whose last field is a checksum, `,"crc":"xxxxxxxx"}`. The checksum is
//! the CRC-32 of zlib, in hexadecimal, of the part of the line before this field.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{BYTE_ORDER_MARK, MAX_LINE};
use crate::messages::excerpt;

/// The largest number of characters of a line, or of a header's value, that a message shows.
pub(super) const MAX_SHOWN: usize = 60;

/// A kind of journal: its JSON keys, and the words with which error messages name its contents.
#[derive(Clone, Copy, Debug)]
pub struct JournalKind {
    pub key: &'static str,
    pub record_key: &'static str,
    pub writer: &'static str,
    pub records: &'static str,
    pub record: &'static str,
    /// The time to wait for a journal that another process has locked.
    pub patience: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{path}: {cause}")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path} exists: expected --resume to go on from it, or another name")]
    Exists { path: PathBuf },
    #[error("{path} is in use by another process: expected that process to end first, or another file")]
    Busy { path: PathBuf },
    #[error(
        "{path} holds {} of another {}: {difference} here; expected the same settings, or another file",
        kind.records, kind.writer
    )]
    Other { path: PathBuf, kind: &'static JournalKind, difference: String },
    /// A changed or unreadable line. `line` is its number from 1, and `byte` is where it begins.
    #[error("{path}, line {line}, byte {byte}: {cause}; expected {}", kind.record)]
    Damaged { path: PathBuf, kind: &'static JournalKind, line: usize, byte: u64, cause: String },
}

impl JournalError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> JournalError {
        |cause| JournalError::Io { path: path.into(), cause }
    }
}

const CHECKSUM_KEY: &str = ",\"crc\":\"";

const CHECKSUM_BYTES: usize = "01234567\"}".len();

/// Makes a line from a JSON object: adds the checksum and a line break.
pub fn sealed_line(object: &str) -> String {
    let content = object.strip_suffix('}').unwrap_or(object);
    format!("{content}{CHECKSUM_KEY}{:08x}\"}}\n", crc32fast::hash(content.as_bytes()))
}

/// Reads a journal, which another process may have locked, and passes its records to `take`.
pub fn read(
    kind: &'static JournalKind,
    path: &Path,
    take: impl FnMut(&str) -> Result<(), String>,
) -> Result<JournalReader, JournalError> {
    let file = super::open(path).map_err(JournalError::io(path))?;
    read_from(kind, path, BufReader::new(file), take)
}

pub(super) fn read_from(
    kind: &'static JournalKind,
    path: &Path,
    mut input: impl BufRead,
    mut take: impl FnMut(&str) -> Result<(), String>,
) -> Result<JournalReader, JournalError> {
    let (mut reader, mut line) = (JournalReader::new(kind), Vec::new());
    // Reading stops at a torn tail: another process may be about to write the rest of that line.
    while !reader.torn {
        let (number, byte) = (reader.lines + 1, reader.whole);
        let damaged = |cause| JournalError::Damaged { path: path.into(), kind, line: number, byte, cause };
        line.clear();
        let mut limited = (&mut input).take(MAX_LINE as u64 + 1);
        limited.read_until(b'\n', &mut line).map_err(JournalError::io(path))?;
        if line.len() > MAX_LINE {
            return Err(damaged(format!("more than {MAX_LINE} bytes")));
        }
        if line.is_empty() {
            break;
        }
        if let Some(record) = reader.parse_line(&line).map_err(damaged)? {
            take(&record).map_err(damaged)?;
        }
    }
    Ok(reader)
}

/// Parses the lines of a journal one after the other.
#[derive(Debug)]
pub struct JournalReader {
    kind: &'static JournalKind,
    lines: usize,
    pub header: Option<Value>,
    /// The number of bytes in the complete lines read so far.
    pub(super) whole: u64,
    /// True after a torn tail, which is the beginning of an unfinished line.
    pub torn: bool,
}

impl JournalReader {
    pub fn new(kind: &'static JournalKind) -> JournalReader {
        JournalReader { kind, lines: 0, header: None, whole: 0, torn: false }
    }

    /// Parses the next line. Returns its record; `None` for a header or a blank or unfinished line.
    pub fn parse_line(&mut self, line: &[u8]) -> Result<Option<String>, String> {
        let (first, length) = (self.lines == 0, line.len() as u64);
        self.lines += 1;
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let header = format!("{{\"{}\":", self.kind.key);
        let Some(content) = line.strip_suffix(b"\n") else {
            // A later write cuts off this unfinished line. The line may be text of another program,
            // so the reader accepts it only if it begins like a header or a record.
            let is_own = |beginning: &String| {
                let common = line.len().min(beginning.len());
                line[..common] == beginning.as_bytes()[..common]
            };
            let record = format!("{{\"{}\":", self.kind.record_key);
            let expected = [Some(header), (!first).then_some(record)];
            if !expected.iter().flatten().any(is_own) {
                return Err("an unfinished last line that this program did not write".to_owned());
            } else if holds_whole_line(line) {
                return Err("a complete line whose line break was changed".to_owned());
            }
            self.torn = true;
            return Ok(None);
        };
        if first && !content.starts_with(header.as_bytes()) {
            let got = excerpt(&String::from_utf8_lossy(content), MAX_SHOWN);
            return Err(format!("the file begins with '{got}', not with {header}"));
        }
        self.whole += length;
        // An editor may have added carriage returns and blanks at the end of the line.
        let content = content.trim_ascii_end();
        if content.is_empty() {
            return Ok(None);
        }
        let object = unsealed(content)?;
        if !object.starts_with(&header) {
            return Ok(Some(object));
        }
        let value: Value = serde_json::from_str(&object).map_err(|error| error.to_string())?;
        if value.as_object().is_none_or(|fields| fields.len() != 1) {
            return Err("a header with more than one field".to_owned());
        }
        self.header = Some(value);
        Ok(None)
    }
}

fn unsealed(line: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let Some((content, got)) = text.rsplit_once(CHECKSUM_KEY) else {
        return Err("a line without its checksum".to_owned());
    };
    let expected = format!("{:08x}", crc32fast::hash(content.as_bytes()));
    if got.strip_suffix("\"}") != Some(&expected) {
        let got = excerpt(got.trim_end_matches("\"}"), 16);
        return Err(format!("the line was changed: its checksum is {got}, expected {expected}"));
    }
    Ok(format!("{content}}}"))
}

/// True if a complete line with a valid checksum is followed by a byte other than a line break.
fn holds_whole_line(bytes: &[u8]) -> bool {
    let key = CHECKSUM_KEY.as_bytes();
    let keys = bytes.windows(key.len()).enumerate().filter(|(_, window)| *window == key);
    let mut ends = keys.map(|(at, _)| at + key.len() + CHECKSUM_BYTES);
    ends.any(|end| end < bytes.len() && unsealed(&bytes[..end]).is_ok())
}
