//! A journal is a file of records that stays readable if its process is killed at any time.
//!
//! The first line is the header `{"KEY":...}` with the settings on which the records depend. Each
//! further line is a record, which is a JSON object. Every line has a checksum. One process at a
//! time locks a journal, and appends each record by a single write. A process that is killed leaves
//! at most a torn tail, which is the beginning of its last record. The next process cuts the torn
//! tail off. Any other change is damage: the error names its place, and the file stays as it is.
//!
//! A process may resume a journal with longer lists of settings, such as more players. It then
//! appends its own header, and readers use the last header of the file. Only headers are synced, so
//! a loss of power may remove the last records.

use std::io::{self, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::disk::{self, DiskFile};
use super::records::{JournalError, JournalKind, JournalReader, MAX_SHOWN, read_from, sealed_line};
use crate::messages::{counted, warn};

/// The number of attempts to lock a file that another process has locked.
const LOCK_ATTEMPTS: u32 = 20;

/// A journal that this process has locked, and to which it appends records.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: DiskFile,
    header: Value,
    needs_header: bool,
    /// The number of bytes in complete lines. The next record overwrites any bytes after them.
    whole: u64,
}

impl Journal {
    /// Opens a journal in a new or empty file. The header is written before the first record.
    pub fn create(kind: &'static JournalKind, path: &Path, header: &Value) -> Result<Journal, JournalError> {
        let journal = Journal::open(kind, path, header)?;
        if journal.whole > 0 {
            return Err(JournalError::Exists { path: path.into() });
        }
        Ok(journal)
    }

    /// Opens a journal and passes its records to `take`, or begins a new one if there is no file.
    /// Lists in `header` may be longer than in the file. Warns of an unfinished last line. The file
    /// stays unchanged until [`Journal::ensure_header`] or the first new record.
    ///
    /// # Errors
    /// If the journal has another header or is damaged, or if `take` rejects a record.
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
            warn(format_args!("{}: its last line is incomplete and does not count", path.display()));
        }
        journal.whole = whole;
        journal.needs_header = found.as_ref() != Some(header);
        Ok(journal)
    }

    /// Cuts off an unfinished last line. Appends the header if the file's last header differs.
    pub fn ensure_header(&mut self) -> Result<(), JournalError> {
        let header = if self.needs_header { sealed_line(&self.header.to_string()) } else { String::new() };
        self.write(&header)?;
        if std::mem::take(&mut self.needs_header) {
            let synced = self.file.sync().and_then(|()| disk::sync_folder(&self.path));
            synced.map_err(JournalError::io(&self.path))?;
        }
        Ok(())
    }

    /// Appends a record, which is a JSON object. If this fails, the record is not in the journal.
    pub fn append(&mut self, record: &str) -> Result<(), JournalError> {
        self.ensure_header()?;
        self.write(&sealed_line(record))
    }

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

    /// Appends a line. If the write fails, cuts off the written bytes, now or before the next line.
    fn write(&mut self, line: &str) -> Result<(), JournalError> {
        let file = &mut self.file;
        let mut written = || {
            if file.length()? > self.whole {
                file.truncate(self.whole)?;
            }
            // Each line is a single write, so that a killed process leaves at most one torn line.
            file.write_all(line.as_bytes()).inspect_err(|_| {
                // If `truncate` fails too, the next write or process cuts off the incomplete line.
                let _ = file.truncate(self.whole);
            })
        };
        written().map_err(JournalError::io(&self.path))?;
        self.whole += line.len() as u64;
        Ok(())
    }
}

fn lock(kind: &JournalKind, path: &Path) -> io::Result<Option<DiskFile>> {
    let attempts = if kind.patience.is_zero() { 1 } else { LOCK_ATTEMPTS };
    for attempt in 1..=attempts {
        if let Some(file) = DiskFile::lock(path)? {
            return Ok(Some(file));
        }
        if attempt < attempts {
            disk::wait(kind.patience / LOCK_ATTEMPTS);
        }
    }
    Ok(None)
}

/// Describes the first difference between two headers, as in `contest.name is "a" there and "b"`.
/// The error message adds ` here` to this text. A list at the second level, such as
/// `contest.players`, may be longer in `expected`.
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
            let shown = |value: &Value| value.to_string().chars().take(MAX_SHOWN).collect::<String>();
            format!("{field} is {} there and {}", shown(got), shown(expected))
        }),
    }
}
