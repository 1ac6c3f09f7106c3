//! Files that grow by whole records.

use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::disk::{Disk, DiskFile, Mode, write_all};

/// Attempts to lock a file that another process has.
const ATTEMPTS: u32 = 20;

/// A regular file that one process at a time appends whole records to.
#[derive(Debug)]
pub(super) struct Records {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    /// Bytes of the whole records.
    length: u64,
}

impl Records {
    /// Opens the file, which `new` says must not exist or may, and locks it, waiting up to
    /// `patience` for another process. `None` if another process keeps it.
    ///
    /// # Errors
    /// If it is no regular file, or the system refuses.
    pub(super) fn open(
        disk: Arc<dyn Disk>,
        path: &Path,
        new: bool,
        patience: Duration,
    ) -> io::Result<Option<Records>> {
        for attempt in 0..=ATTEMPTS {
            let file = disk.open(path, Mode::Append { new: new && attempt == 0 })?;
            if !interruptible(|| file.try_lock())? {
                if patience.is_zero() {
                    return Ok(None);
                }
                disk.wait(patience / ATTEMPTS);
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
            return Ok(Some(Records { disk, path: path.to_owned(), file, length }));
        }
        Ok(None)
    }

    /// A reader from the beginning.
    pub(super) fn reader(&self) -> impl io::BufRead {
        BufReader::new(FromBeginning { file: &*self.file, offset: 0 })
    }

    /// Says where the whole records end; the next record takes the place of what follows.
    pub(super) fn keep(&mut self, length: u64) {
        self.length = length;
    }

    /// Returns once the file, and its name, are on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync()?;
        self.disk.sync_folder(&self.path)
    }

    /// Cuts the file off after `length` bytes.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.truncate(length)?;
        self.length = length;
        Ok(())
    }

    /// Appends a record whole: what a failed write leaves of it is cut off again, now or before the
    /// next.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        if self.file.length()? > self.length {
            self.truncate(self.length)?;
        }
        // One write a record: a process that is killed leaves at most one torn record, the last.
        write_all(&mut *self.file, record).inspect_err(|_| {
            // The next record, or the process that resumes the file, tries again.
            let _ = self.file.truncate(self.length);
        })?;
        self.length += record.len() as u64;
        Ok(())
    }
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
