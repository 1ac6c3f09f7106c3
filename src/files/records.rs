//! The contents of a journal: its header and its records, read from the beginning.

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use super::journal::{JournalError, JournalKind};
use super::sealing::{holds_whole_line, sealed_line, unsealed};
use super::{MAX_LINE, read_line};
use crate::messages::excerpt;

/// The most characters of a line without a header that a message shows.
const SHOWN: usize = 60;

pub fn header_line(header: &Value) -> String {
    sealed_line(&header.to_string()) + "\n"
}

/// Reads a journal that may be in use, and hands its records, JSON objects, to `take`.
pub fn read(
    kind: &'static JournalKind,
    path: &Path,
    take: impl FnMut(&str) -> Result<(), String>,
) -> Result<JournalReader, JournalError> {
    let file = super::open(path).map_err(|cause| JournalError::Io { path: path.into(), cause })?;
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
        let is_whole = read_line(&mut input, MAX_LINE, &mut line);
        if !is_whole.map_err(|cause| JournalError::Io { path: path.into(), cause })? {
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
    /// True after a header with a checksum.
    pub(super) is_sealed: bool,
    /// Bytes of the whole lines.
    pub(super) whole: u64,
    /// True if more follow: the beginning of a record that was never finished, or is being written.
    pub torn: bool,
}

impl JournalReader {
    pub fn new(kind: &'static JournalKind) -> JournalReader {
        JournalReader { kind, lines: 0, header: None, is_sealed: false, whole: 0, torn: false }
    }

    /// Reads the next line; `None` for a header, and for a torn tail, the beginning of a last line
    /// whose rest was never written.
    pub fn next(&mut self, line: &[u8]) -> Result<Option<String>, String> {
        let first = self.lines == 0;
        self.lines += 1;
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
            if !expected.iter().flatten().any(ours) {
                return Err("a last line without an end that this program did not begin".to_owned());
            } else if holds_whole_line(line) {
                return Err("a whole line whose line break was changed".to_owned());
            }
            self.torn = true;
            return Ok(None);
        };
        let (object, has_checksum) = unsealed(content)?;
        if !has_checksum && self.is_sealed {
            return Err("the line was changed: its checksum is missing".to_owned());
        }
        self.whole += line.len() as u64;
        if !object.starts_with(&header) {
            return if first && !headless {
                Err(format!("the file begins with {}, not with {header}", excerpt(&object, SHOWN)))
            } else {
                Ok(Some(object))
            };
        }
        let value: Value = serde_json::from_str(&object).map_err(|error| error.to_string())?;
        if value.as_object().is_none_or(|fields| fields.len() != 1) {
            return Err("a header with more than one field".to_owned());
        }
        self.header = Some(value);
        self.is_sealed |= has_checksum;
        Ok(None)
    }
}
