//! A journal: a file that grows by whole records and survives every way in which its process may
//! end.
//!
//! A line `{"KEY":...}` with a checksum, the header, says what the records depend on. Records
//! follow, each with a checksum ([`Framing`]). One process at a time has a journal, locks it, and
//! appends each record by one write. A process that is killed leaves at most a torn tail: a
//! beginning of the last record with nothing after it, which [`Journal::resume`] cuts off. Any
//! other difference from what was written is damage, named with its place, and the file is left
//! alone.
//!
//! A journal never takes the name of another: a header that has grown is appended, and the last
//! one counts. A machine that loses its power may lose the records that the system had not yet
//! written, from the last; the header is on the disk when a journal begins.
//!
//! The first lines of a journal may lack checksums: earlier versions wrote them. From the first
//! line with a checksum in a header on, all have one.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::disk::{self, Disk, DiskFile, Mode};
use super::framing::{NextFrame, framed, holds_whole_line, next_frame, sealed_line, unsealed};
use super::{MAX_LINE, read_line};

/// Attempts to lock a file that another process has.
const ATTEMPTS: u32 = 20;

/// The most characters of a header's value that a message shows.
const SHOWN: usize = 60;

/// The shape of a journal's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// JSON objects, one a line, with this first key. `headless` if earlier versions wrote no header.
    Lines { key: &'static str, headless: bool },
    /// Bytes.
    Frames,
}

/// A kind of journal, and the words that its errors use.
#[derive(Clone, Copy, Debug)]
pub struct JournalKind {
    /// The key of its header.
    pub key: &'static str,
    pub framing: Framing,
    /// The command whose processes write it.
    pub writer: &'static str,
    /// All of its records.
    pub records: &'static str,
    /// One of its records.
    pub record: &'static str,
    /// The remedy for a file that belongs to others.
    pub remedy: &'static str,
    /// How long to wait for a journal that another process has.
    pub patience: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{path}: {cause}")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path} exists: expected {}", kind.remedy)]
    Exists { path: PathBuf, kind: &'static JournalKind },
    #[error("{path} is in use by another process: expected {}", kind.remedy)]
    Busy { path: PathBuf, kind: &'static JournalKind },
    #[error(
        "{path} holds {} of another {}: {difference} here; expected {}",
        kind.records, kind.writer, kind.remedy
    )]
    Other { path: PathBuf, kind: &'static JournalKind, difference: String },
    #[error(
        "{path}: an earlier version wrote it: this one reads it and adds nothing; expected {}",
        kind.remedy
    )]
    Early { path: PathBuf, kind: &'static JournalKind },
    #[error("{path}, {place}: {cause}; expected {}", kind.record)]
    Damaged { path: PathBuf, kind: &'static JournalKind, place: Place, cause: String },
}

/// The place of a record in its file: its line from 1, if it is one, and its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: Option<usize>,
    pub byte: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(f, "byte {}", self.byte)
    }
}

/// A part of a journal.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// The header, or a later one that counts instead.
    Header(&'a Value),
    /// A JSON object, or the content of a frame.
    Record(&'a [u8]),
}

/// The contents of a journal besides its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalContents {
    pub header: Option<Value>,
    is_sealed: bool,
    /// Bytes of the whole records.
    whole: u64,
    /// True if more follow: the beginning of a record that was never finished, or is being written.
    pub torn: bool,
}

/// An open journal, to append to. One process at a time has it.
#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    kind: &'static JournalKind,
    file: Box<dyn DiskFile>,
    header: Value,
    /// True if the header is yet to be written.
    needs_header: bool,
    /// Bytes of the whole records. The next record takes the place of what follows.
    whole: u64,
}

impl Journal {
    /// Begins a journal where there is no file.
    pub fn create(kind: &'static JournalKind, path: &Path, header: &Value) -> Result<Journal, JournalError> {
        let mut journal = Journal::open(kind, path, header, true)?;
        journal.begin()?;
        Ok(journal)
    }

    /// Opens a journal to go on with it, and hands what it holds to `take`; begins one where there is
    /// none. `expected` says which header the journal must have, given the one that it has; if that
    /// is less than `header`, the journal gets `header` too. Returns true if there is a torn tail.
    ///
    /// The file is unchanged until [`Journal::begin`] or a record. It is refused if it belongs to
    /// another header, is damaged or no journal, or `take` refuses a record.
    pub fn resume(
        kind: &'static JournalKind,
        path: &Path,
        header: &Value,
        expected: impl FnOnce(&Value) -> Value,
        take: impl FnMut(Entry<'_>) -> Result<(), String>,
    ) -> Result<(Journal, bool), JournalError> {
        let mut journal = Journal::open(kind, path, header, false)?;
        let reader = BufReader::new(FromBeginning { file: &*journal.file, offset: 0 });
        let JournalContents { header: found, is_sealed, whole, torn } = read(kind, path, reader, take)?;
        if let Some(found) = &found {
            if !is_sealed && kind.framing == Framing::Frames {
                return Err(JournalError::Early { path: path.into(), kind });
            }
            if let Some(difference) = difference("", found, &expected(found)) {
                return Err(JournalError::Other { path: path.into(), kind, difference });
            }
        }
        journal.whole = whole;
        journal.needs_header = !is_sealed || found.as_ref() != Some(header);
        Ok((journal, torn))
    }

    /// Cuts off a torn tail, and appends the header if the last one is another. Returns once the
    /// header is on the disk.
    pub fn begin(&mut self) -> Result<(), JournalError> {
        let header = if self.needs_header { header_line(&self.header) } else { String::new() };
        self.write(header.as_bytes())?;
        if std::mem::take(&mut self.needs_header) {
            let synced = self.file.sync().and_then(|()| self.disk.sync_folder(&self.path));
            synced.map_err(|cause| self.io(cause))?;
        }
        Ok(())
    }

    /// Appends a record: a JSON object, or the content of a frame. After an error nothing is left of
    /// it.
    pub fn append(&mut self, record: &[u8]) -> Result<(), JournalError> {
        self.append_all(&[record])
    }

    /// Appends records by one write. A process that is killed meanwhile may leave some of the
    /// first.
    pub fn append_all(&mut self, records: &[impl AsRef<[u8]>]) -> Result<(), JournalError> {
        self.begin()?;
        let one = |record: &[u8]| match self.kind.framing {
            Framing::Lines { .. } => (sealed_line(&String::from_utf8_lossy(record)) + "\n").into_bytes(),
            Framing::Frames => framed(record),
        };
        let bytes: Vec<u8> = records.iter().flat_map(|record| one(record.as_ref())).collect();
        self.write(&bytes)
    }

    /// Removes all records. The header comes again with the next.
    pub fn clear(&mut self) -> Result<(), JournalError> {
        (self.needs_header, self.whole) = (true, 0);
        self.file.truncate(0).map_err(|cause| self.io(cause))
    }

    /// Opens and locks the file, which `new` says must not exist or may.
    fn open(
        kind: &'static JournalKind,
        path: &Path,
        header: &Value,
        new: bool,
    ) -> Result<Journal, JournalError> {
        let (disk, path) = (disk::current(), path.to_owned());
        match lock(&*disk, kind, &path, new) {
            Ok(Some((file, whole))) => {
                Ok(Journal { disk, path, kind, file, header: header.clone(), needs_header: true, whole })
            }
            Ok(None) => Err(JournalError::Busy { path, kind }),
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
                Err(JournalError::Exists { path, kind })
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                let cause = io::Error::new(cause.kind(), "its folder is missing: expected one that exists");
                Err(JournalError::Io { path, cause })
            }
            Err(cause) => Err(JournalError::Io { path, cause }),
        }
    }

    /// Appends bytes whole: what a failed write leaves of them is cut off again, now or before the
    /// next.
    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        let file = &mut *self.file;
        let mut written = || {
            if file.length()? > self.whole {
                file.truncate(self.whole)?;
            }
            // One write a record: a process that is killed leaves at most one torn record, the last.
            let mut rest = bytes;
            while !rest.is_empty() {
                match interruptible(|| file.write(rest)) {
                    Ok(0) => return Err(ErrorKind::WriteZero.into()),
                    Ok(written) => rest = &rest[written..],
                    Err(error) => {
                        // The next record, or the process that resumes the file, tries again.
                        let _ = file.truncate(self.whole);
                        return Err(error);
                    }
                }
            }
            Ok(())
        };
        written().map_err(|cause| self.io(cause))?;
        self.whole += bytes.len() as u64;
        Ok(())
    }

    fn io(&self, cause: io::Error) -> JournalError {
        JournalError::Io { path: self.path.clone(), cause }
    }
}

/// The locked file and its length; `None` if another process keeps the file.
fn lock(
    disk: &dyn Disk,
    kind: &JournalKind,
    path: &Path,
    new: bool,
) -> io::Result<Option<(Box<dyn DiskFile>, u64)>> {
    for attempt in 0..=ATTEMPTS {
        let file = disk.open(path, Mode::Append { new: new && attempt == 0 })?;
        if !interruptible(|| file.try_lock())? {
            if kind.patience.is_zero() {
                return Ok(None);
            }
            disk.wait(kind.patience / ATTEMPTS);
            continue;
        }
        // Another process may have given the name to another file before the lock was ours.
        match disk.identity(path) {
            Ok(named) if named == file.identity()? => {}
            Ok(_) => continue,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        }
        let length = file.length()?;
        if new && length > 0 {
            return Err(ErrorKind::AlreadyExists.into());
        }
        return Ok(Some((file, length)));
    }
    Ok(None)
}

/// Calls the system again after each signal that interrupts it.
fn interruptible<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// A file read from its beginning, wherever it is appended to.
struct FromBeginning<'a> {
    file: &'a dyn DiskFile,
    offset: u64,
}

impl Read for FromBeginning<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// The first field in which two headers differ, and its values: `players.1.name is "a" there and "b"`.
fn difference(field: &str, got: &Value, expected: &Value) -> Option<String> {
    let join = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    match (got, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let mut names = b.keys().chain(a.keys().filter(|name| !b.contains_key(*name)));
            names.find_map(|name| difference(&join(name), &got[name], &expected[name]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (a, b))| difference(&join(&index.to_string()), a, b))
        }
        _ => (got != expected).then(|| {
            let shown = |value: &Value| value.to_string().chars().take(SHOWN).collect::<String>();
            format!("{field} is {} there and {}", shown(got), shown(expected))
        }),
    }
}

#[must_use]
pub fn header_line(header: &Value) -> String {
    sealed_line(&header.to_string()) + "\n"
}

/// Reads a journal that may be in use, and hands what it holds to `take`. `path` is what messages
/// call it.
pub fn read(
    kind: &'static JournalKind,
    path: &Path,
    mut input: impl BufRead,
    mut take: impl FnMut(Entry<'_>) -> Result<(), String>,
) -> Result<JournalContents, JournalError> {
    let io = |cause| JournalError::Io { path: path.into(), cause };
    let mut lines = LineReader::new(kind);
    let mut contents = JournalContents::default();
    let mut line = Vec::new();
    loop {
        let is_framed = kind.framing == Framing::Frames && lines.number > 0;
        let place = Place { line: (!is_framed).then_some(lines.number + 1), byte: contents.whole };
        let damaged = |cause| JournalError::Damaged { path: path.into(), kind, place, cause };
        if is_framed {
            match next_frame(&mut input, !contents.is_sealed).map_err(io)? {
                NextFrame::Whole(content, length) => {
                    take(Entry::Record(&content)).map_err(damaged)?;
                    contents.whole += length as u64;
                }
                NextFrame::End => return Ok(contents),
                NextFrame::Torn => return Ok(JournalContents { torn: true, ..contents }),
                NextFrame::Damaged(cause) => return Err(damaged(cause.to_owned())),
            }
            continue;
        }
        if !read_line(&mut input, MAX_LINE, &mut line).map_err(io)? {
            return Err(damaged(format!("more than {MAX_LINE} bytes")));
        }
        if line.is_empty() {
            return Ok(contents);
        }
        match lines.next(&line).map_err(damaged)? {
            JournalLine::Header(header) => {
                take(Entry::Header(&header)).map_err(damaged)?;
                contents.header = Some(header);
            }
            JournalLine::Record(record) => take(Entry::Record(record.as_bytes())).map_err(damaged)?,
            JournalLine::Torn => return Ok(JournalContents { torn: true, ..contents }),
        }
        contents.is_sealed = lines.is_sealed;
        contents.whole += line.len() as u64;
    }
}

/// The last header of a journal; `None` if it cannot be read.
#[must_use]
pub fn last_header(kind: &'static JournalKind, path: &Path) -> Option<Value> {
    let file = super::open(path).ok()?;
    read(kind, path, BufReader::new(file), |_| Ok(())).ok()?.header
}

/// Reads the lines of a journal one by one.
#[derive(Debug)]
pub struct LineReader {
    kind: &'static JournalKind,
    /// Lines so far.
    number: usize,
    /// True after a header with a checksum.
    is_sealed: bool,
}

/// A line of a journal.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalLine {
    Header(Value),
    /// The JSON object of a record.
    Record(String),
    /// The beginning of a last line whose rest was never written.
    Torn,
}

impl LineReader {
    #[must_use]
    pub fn new(kind: &'static JournalKind) -> LineReader {
        LineReader { kind, number: 0, is_sealed: false }
    }

    /// Reads the next line, which has its line break unless it is a torn tail.
    pub fn next(&mut self, line: &[u8]) -> Result<JournalLine, String> {
        let first = self.number == 0;
        self.number += 1;
        let header = format!("{{\"{}\":", self.kind.key);
        let (record, headless) = match self.kind.framing {
            Framing::Lines { key, headless } => (Some(format!("{{\"{key}\":")), headless),
            Framing::Frames => (None, false),
        };
        let Some(content) = line.strip_suffix(b"\n") else {
            // What is cut off must be the beginning of a line of ours: a stranger's file stays as
            // it is.
            let ours = |beginning: &String| {
                let common = line.len().min(beginning.len());
                line[..common] == beginning.as_bytes()[..common]
            };
            let expected = [Some(header), record.filter(|_| !first || headless)];
            return if !expected.iter().flatten().any(ours) {
                Err("a last line without an end that this program did not begin".to_owned())
            } else if holds_whole_line(line) {
                Err("a whole line whose line break was changed".to_owned())
            } else {
                Ok(JournalLine::Torn)
            };
        };
        let (object, has_checksum) = unsealed(content)?;
        if !has_checksum && self.is_sealed {
            return Err("the line was changed: its checksum is missing".to_owned());
        }
        if !object.starts_with(&header) {
            return if first && !headless {
                Err(format!("no header, which begins with {header}"))
            } else {
                Ok(JournalLine::Record(object))
            };
        }
        let value: Value = serde_json::from_str(&object).map_err(|error| error.to_string())?;
        if value.as_object().is_none_or(|fields| fields.len() != 1) {
            return Err("a header with more than one field".to_owned());
        }
        self.is_sealed |= has_checksum;
        Ok(JournalLine::Header(value))
    }
}
