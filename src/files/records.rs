//! Files that grow by whole records.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{faults, open_to_write, read_all};

/// A regular file that one process at a time appends whole records to.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    file: File,
    /// Bytes of the whole records.
    length: u64,
}

impl Records {
    /// Opens the file, which `new` says must not exist or may, and locks it, waiting up to
    /// `patience` for another process. `None` if another process keeps it.
    ///
    /// # Errors
    /// If it is no regular file, or the system refuses.
    pub fn open(path: &Path, new: bool, patience: Duration) -> io::Result<Option<Records>> {
        let mut options = OpenOptions::new();
        let file = open_to_write(path, options.read(true).append(true).create(true).create_new(new))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => thread::sleep(patience / 20),
            }
        }
        let length = file.metadata()?.len();
        Ok(Some(Records { path: path.to_owned(), file, length }))
    }

    /// Reads everything from the beginning.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        read_all(self.reader()?, u64::MAX)
    }

    /// A reader from the beginning.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn reader(&self) -> io::Result<BufReader<&File>> {
        (&self.file).seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(&self.file))
    }

    /// Cuts the file off after `length` bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn truncate(&mut self, length: u64) -> io::Result<()> {
        faults::check("truncate", &self.path)?;
        self.file.set_len(length)?;
        self.length = length;
        Ok(())
    }

    /// Appends a record whole: what a failed write leaves of it is cut off again, now or before the
    /// next.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn append(&mut self, record: &[u8]) -> io::Result<()> {
        if self.file.metadata()?.len() > self.length {
            self.truncate(self.length)?;
        }
        // One write a record: a process that is killed leaves at most one torn record, the last.
        faults::write(&mut self.file, &self.path, record).inspect_err(|_| {
            // The next record, or the process that resumes the file, tries again.
            let _ = self.file.set_len(self.length);
        })?;
        self.length += record.len() as u64;
        Ok(())
    }
}
