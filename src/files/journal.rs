//! A journal: a file that grows by whole records and survives every way in which its process may
//! end.
//!
//! A line `{"KEY":...}` with a checksum, the header, says what the records depend on. Records
//! follow, JSON objects one a line, each with a checksum. One process at a time has a journal,
//! locks it, and appends each record by one write. A process that is killed leaves at most a torn
//! tail: a beginning of the last record with nothing after it, which [`Journal::resume`] cuts off.
//! Any other difference from what was written is damage, named with its place, and the file is left
//! alone.
//!
//! A journal never takes the name of another: a header that has grown is appended, and the last
//! one counts. A machine that loses its power may lose the records that the system had not yet
//! written, from the last; the header is on the disk when a journal begins.

use std::io::{self, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::disk::{self, DiskFile};
use super::records::{JournalError, JournalKind, JournalReader, SHOWN, read_from, sealed_line};
use crate::messages::{counted, warn};

/// Attempts to lock a file that another process has.
const ATTEMPTS: u32 = 20;

/// An open journal, to append to. One process at a time has it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: DiskFile,
    header: Value,
    needs_header: bool,
    /// Bytes of the whole records. The next record takes the place of what follows.
    whole: u64,
}

impl Journal {
    /// Opens a journal in a file that is new or empty, which its first record begins.
    pub fn create(kind: &'static JournalKind, path: &Path, header: &Value) -> Result<Journal, JournalError> {
        let journal = Journal::open(kind, path, header)?;
        if journal.whole > 0 {
            return Err(JournalError::Exists { path: path.into() });
        }
        Ok(journal)
    }

    /// Opens a journal to go on with it, and hands its records to `take`; begins one where there is
    /// none. A list directly in the object of `header` may be longer than in the journal's own, which
    /// then gets `header` too. Tells the user of a torn tail.
    ///
    /// The file is unchanged until [`Journal::begin`] or a record. It is refused if it belongs to
    /// another header, is damaged or no journal, or `take` refuses a record.
    pub fn resume(
        kind: &'static JournalKind,
        path: &Path,
        header: &Value,
        take: impl FnMut(&str) -> Result<(), String>,
    ) -> Result<Journal, JournalError> {
        let mut journal = Journal::open(kind, path, header)?;
        let reader = BufReader::new(&mut journal.file);
        let JournalReader { header: found, whole, torn, .. } = read_from(kind, path, reader, take)?;
        if let Some(difference) = found.as_ref().and_then(|found| difference("", found, header)) {
            return Err(JournalError::Other { path: path.into(), kind, difference });
        }
        if torn {
            warn(format_args!("{}: its last line was torn and does not count", path.display()));
        }
        journal.whole = whole;
        journal.needs_header = found.as_ref() != Some(header);
        Ok(journal)
    }

    /// Cuts off a torn tail, and appends the header if the last one is another. Returns once the
    /// header is on the disk.
    pub fn begin(&mut self) -> Result<(), JournalError> {
        let header = if self.needs_header { sealed_line(&self.header.to_string()) } else { String::new() };
        self.write(&header)?;
        if std::mem::take(&mut self.needs_header) {
            let synced = self.file.sync().and_then(|()| disk::sync_folder(&self.path));
            synced.map_err(JournalError::io(&self.path))?;
        }
        Ok(())
    }

    /// Appends a record, a JSON object. After an error nothing is left of it.
    pub fn append(&mut self, record: &str) -> Result<(), JournalError> {
        self.begin()?;
        self.write(&sealed_line(record))
    }

    /// Opens and locks the file.
    fn open(kind: &'static JournalKind, path: &Path, header: &Value) -> Result<Journal, JournalError> {
        let locked = lock(kind, path).map_err(|cause| match cause.kind() {
            ErrorKind::NotFound => {
                io::Error::new(cause.kind(), "its folder is missing: expected one that exists")
            }
            _ => cause,
        });
        let busy = || JournalError::Busy { path: path.into() };
        let file = locked.map_err(JournalError::io(path))?.ok_or_else(busy)?;
        let whole = file.length().map_err(JournalError::io(path))?;
        Ok(Journal { path: path.into(), file, header: header.clone(), needs_header: true, whole })
    }

    /// Appends a line whole: what a failed write leaves of it is cut off again, now or before the
    /// next.
    fn write(&mut self, line: &str) -> Result<(), JournalError> {
        let file = &mut self.file;
        let mut written = || {
            if file.length()? > self.whole {
                file.truncate(self.whole)?;
            }
            // One write a record: a process that is killed leaves at most one torn record, the last.
            file.write_all(line.as_bytes()).inspect_err(|_| {
                // The next record, or the process that resumes the file, tries again.
                let _ = file.truncate(self.whole);
            })
        };
        written().map_err(JournalError::io(&self.path))?;
        self.whole += line.len() as u64;
        Ok(())
    }
}

/// Opens and locks the file; `None` if another process keeps it.
fn lock(kind: &JournalKind, path: &Path) -> io::Result<Option<DiskFile>> {
    let attempts = if kind.patience.is_zero() { 1 } else { ATTEMPTS };
    for attempt in 1..=attempts {
        if let Some(file) = DiskFile::lock(path)? {
            return Ok(Some(file));
        }
        if attempt < attempts {
            disk::wait(kind.patience / ATTEMPTS);
        }
    }
    Ok(None)
}

/// The first field in which two headers differ, and its values:
/// `contest.players.1.name is "a" there and "b"`. Of the expected lists those directly in the header's
/// object, as `contest.players`, may be longer.
fn difference(field: &str, got: &Value, expected: &Value) -> Option<String> {
    let join = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    match (got, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let mut names = b.keys().chain(a.keys().filter(|name| !b.contains_key(*name)));
            names.find_map(|name| difference(&join(name), &got[name], &expected[name]))
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b).enumerate();
            let differs = pairs.find_map(|(index, (a, b))| difference(&join(&index.to_string()), a, b));
            let may_grow = field.matches('.').count() == 1;
            let fits = a.len() == b.len() || may_grow && a.len() < b.len();
            differs.or_else(|| {
                let there = counted(a.len(), "entry", "entries");
                (!fits).then(|| format!("{field} has {there} there and {}", b.len()))
            })
        }
        _ => (got != expected).then(|| {
            let shown = |value: &Value| value.to_string().chars().take(SHOWN).collect::<String>();
            format!("{field} is {} there and {}", shown(got), shown(expected))
        }),
    }
}
