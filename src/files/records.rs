//! The contents of a journal: its header and its records, read from the beginning.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use super::journal::{JournalError, JournalKind};
use super::sealing::{holds_whole_line, sealed_line, unsealed};
use super::{MAX_LINE, read_line};
use crate::messages::excerpt;

/// The most characters of a line without a header that a message shows.
const SHOWN: usize = 60;

/// The place of a record in its file: its line from 1, and its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub byte: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, byte {}", self.line, self.byte)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// The header, or a later one that counts instead.
    Header(Value),
    /// A JSON object.
    Record(Vec<u8>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalContents {
    pub header: Option<Value>,
    pub(super) is_sealed: bool,
    /// Bytes of the whole records.
    pub(super) whole: u64,
    /// True if more follow: the beginning of a record that was never finished, or is being written.
    pub torn: bool,
}

pub fn header_line(header: &Value) -> String {
    sealed_line(&header.to_string()) + "\n"
}

/// Reads a journal that may be in use, and hands what it holds to `take`. `path` is what messages
/// call it.
pub fn read(
    kind: &'static JournalKind,
    path: &Path,
    mut input: impl BufRead,
    mut take: impl FnMut(Entry) -> Result<(), String>,
) -> Result<JournalContents, JournalError> {
    let io = |cause| JournalError::Io { path: path.into(), cause };
    let mut lines = LineReader::new(kind);
    let mut contents = JournalContents::default();
    let mut bytes = Vec::new();
    loop {
        let place = Place { line: lines.number + 1, byte: contents.whole };
        let damaged = |cause| JournalError::Damaged { path: path.into(), kind, place, cause };
        if !read_line(&mut input, MAX_LINE, &mut bytes).map_err(io)? {
            return Err(damaged(format!("more than {MAX_LINE} bytes")));
        }
        if bytes.is_empty() {
            return Ok(contents);
        }
        let Some(entry) = lines.next(&bytes).map_err(damaged)? else {
            return Ok(JournalContents { torn: true, ..contents });
        };
        if let Entry::Header(header) = &entry {
            contents.header = Some(header.clone());
        }
        take(entry).map_err(damaged)?;
        contents.is_sealed = lines.is_sealed;
        contents.whole += bytes.len() as u64;
    }
}

/// The last header of a journal; `None` if it cannot be read.
pub fn last_header(kind: &'static JournalKind, path: &Path) -> Option<Value> {
    let file = super::open(path).ok()?;
    read(kind, path, BufReader::new(file), |_| Ok(())).ok()?.header
}

#[derive(Debug)]
pub struct LineReader {
    kind: &'static JournalKind,
    number: usize,
    /// True after a header with a checksum.
    is_sealed: bool,
}

impl LineReader {
    pub fn new(kind: &'static JournalKind) -> LineReader {
        LineReader { kind, number: 0, is_sealed: false }
    }

    /// Reads the next line; `None` for a torn tail, the beginning of a last line whose rest was never
    /// written.
    pub fn next(&mut self, line: &[u8]) -> Result<Option<Entry>, String> {
        let first = self.number == 0;
        self.number += 1;
        let header = format!("{{\"{}\":", self.kind.key);
        let headless = self.kind.headless;
        let Some(content) = line.strip_suffix(b"\n") else {
            // What is cut off must be the beginning of a line of ours: a stranger's file stays as
            // it is.
            let ours = |beginning: &String| {
                let common = line.len().min(beginning.len());
                line[..common] == beginning.as_bytes()[..common]
            };
            let record = format!("{{\"{}\":", self.kind.record_key);
            let expected = [Some(header), (!first || headless).then_some(record)];
            return if !expected.iter().flatten().any(ours) {
                Err("a last line without an end that this program did not begin".to_owned())
            } else if holds_whole_line(line) {
                Err("a whole line whose line break was changed".to_owned())
            } else {
                Ok(None)
            };
        };
        let (object, has_checksum) = unsealed(content)?;
        if !has_checksum && self.is_sealed {
            return Err("the line was changed: its checksum is missing".to_owned());
        }
        if !object.starts_with(&header) {
            return if first && !headless {
                Err(format!("the file begins with {}, not with {header}", excerpt(&object, SHOWN)))
            } else {
                Ok(Some(Entry::Record(object.into_bytes())))
            };
        }
        let value: Value = serde_json::from_str(&object).map_err(|error| error.to_string())?;
        if value.as_object().is_none_or(|fields| fields.len() != 1) {
            return Err("a header with more than one field".to_owned());
        }
        self.is_sealed |= has_checksum;
        Ok(Some(Entry::Header(value)))
    }
}
