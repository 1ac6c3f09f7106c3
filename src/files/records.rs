//! The contents of a journal: its kind, and its header and records, sealed lines that are read from
//! the beginning.
//!
//! A sealed line is a JSON object that ends with `,"crc":"xxxxxxxx"}`: the CRC-32 of zlib, in
//! hexadecimal, of the line up to that comma.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::{BYTE_ORDER_MARK, MAX_LINE};
use crate::messages::excerpt;

/// The most characters of a line, or of a header's value, that a message shows.
pub(super) const SHOWN: usize = 60;

/// A kind of journal, and the words that its errors use.
#[derive(Clone, Copy, Debug)]
pub struct JournalKind {
    /// The key of its header.
    pub key: &'static str,
    /// The first key of its records.
    pub record_key: &'static str,
    /// The command whose processes write it.
    pub writer: &'static str,
    pub records: &'static str,
    pub record: &'static str,
    /// Time to wait for a journal that another process has.
    pub patience: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{path}: {cause}")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path} exists: expected --resume to go on from it, or another name")]
    Exists { path: PathBuf },
    #[error("{path} is in use by another process: expected it to end first, or another file")]
    Busy { path: PathBuf },
    #[error(
        "{path} holds {} of another {}: {difference} here; expected the same settings, or another file",
        kind.records, kind.writer
    )]
    Other { path: PathBuf, kind: &'static JournalKind, difference: String },
    /// The line is counted from 1; the byte is its first.
    #[error("{path}, line {line}, byte {byte}: {cause}; expected {}", kind.record)]
    Damaged { path: PathBuf, kind: &'static JournalKind, line: usize, byte: u64, cause: String },
}

impl JournalError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> JournalError {
        |cause| JournalError::Io { path: path.into(), cause }
    }
}

/// The text before the checksum of a line.
const CHECKSUM: &str = ",\"crc\":\"";

/// Bytes of a checksum as text, with what closes the object.
const CHECKSUM_END: usize = "01234567\"}".len();

/// The line of a JSON object, with its checksum and its line break.
pub fn sealed_line(object: &str) -> String {
    let content = object.strip_suffix('}').unwrap_or(object);
    format!("{content}{CHECKSUM}{:08x}\"}}\n", crc32fast::hash(content.as_bytes()))
}

/// Reads a journal that may be in use, and hands its records, JSON objects, to `take`.
pub fn read(
    kind: &'static JournalKind,
    path: &Path,
    take: impl FnMut(&str) -> Result<(), String>,
) -> Result<JournalReader, JournalError> {
    let file = super::open(path).map_err(JournalError::io(path))?;
    read_from(kind, path, BufReader::new(file), take)
}

/// Reads a journal from an input, which messages call `path`.
pub(super) fn read_from(
    kind: &'static JournalKind,
    path: &Path,
    mut input: impl BufRead,
    mut take: impl FnMut(&str) -> Result<(), String>,
) -> Result<JournalReader, JournalError> {
    let (mut reader, mut line) = (JournalReader::new(kind), Vec::new());
    // The rest of a torn tail may be written meanwhile, and would be read as a line of its own.
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
        if let Some(record) = reader.next(&line).map_err(damaged)? {
            take(&record).map_err(damaged)?;
        }
    }
    Ok(reader)
}

/// Reads a journal line by line, and knows what the lines so far were.
#[derive(Debug)]
pub struct JournalReader {
    kind: &'static JournalKind,
    lines: usize,
    /// The last header.
    pub header: Option<Value>,
    /// Bytes of the whole lines.
    pub(super) whole: u64,
    /// True if more follow: the beginning of a record that was never finished, or is being written.
    pub torn: bool,
}

impl JournalReader {
    pub fn new(kind: &'static JournalKind) -> JournalReader {
        JournalReader { kind, lines: 0, header: None, whole: 0, torn: false }
    }

    /// Reads the next line; `None` for a header, and for a torn tail, the beginning of a last line
    /// whose rest was never written.
    pub fn next(&mut self, line: &[u8]) -> Result<Option<String>, String> {
        let (first, length) = (self.lines == 0, line.len() as u64);
        self.lines += 1;
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let header = format!("{{\"{}\":", self.kind.key);
        let Some(content) = line.strip_suffix(b"\n") else {
            // What is cut off must be the beginning of a line of ours: a stranger's file stays as
            // it is.
            let ours = |beginning: &String| {
                let common = line.len().min(beginning.len());
                line[..common] == beginning.as_bytes()[..common]
            };
            let record = format!("{{\"{}\":", self.kind.record_key);
            let expected = [Some(header), (!first).then_some(record)];
            if !expected.iter().flatten().any(ours) {
                return Err("a last line without an end that this program did not begin".to_owned());
            } else if holds_whole_line(line) {
                return Err("a whole line whose line break was changed".to_owned());
            }
            self.torn = true;
            return Ok(None);
        };
        if first && !content.starts_with(header.as_bytes()) {
            let got = excerpt(&String::from_utf8_lossy(content), SHOWN);
            return Err(format!("the file begins with {got}, not with {header}"));
        }
        self.whole += length;
        // An editor may have added carriage returns and blanks.
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

/// The object of a sealed line.
fn unsealed(line: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let Some((content, got)) = text.rsplit_once(CHECKSUM) else {
        return Err("a line without its checksum".to_owned());
    };
    let expected = format!("{:08x}", crc32fast::hash(content.as_bytes()));
    if got.strip_suffix("\"}") != Some(&expected) {
        let got = excerpt(got.trim_end_matches("\"}"), 16);
        return Err(format!("the line was changed: its checksum is {got}, expected {expected}"));
    }
    Ok(format!("{content}}}"))
}

/// True if a whole line stands before the end of these bytes: its line break was changed.
fn holds_whole_line(bytes: &[u8]) -> bool {
    let mark = CHECKSUM.as_bytes();
    let marks = bytes.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark);
    let mut ends = marks.map(|(at, _)| at + mark.len() + CHECKSUM_END);
    ends.any(|end| end < bytes.len() && unsealed(&bytes[..end]).is_ok())
}
