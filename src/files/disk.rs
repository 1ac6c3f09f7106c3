//! The operations on a disk below files that must survive a crash, each with a place for a fault
//! (`faults.rs`).

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{faults, open_to_write};

/// A file that is read and written from its beginning on, or appended to.
#[derive(Debug)]
pub(super) struct DiskFile(File);

impl DiskFile {
    /// Opens a file that grows, and creates it where there is none.
    pub(super) fn append(path: &Path) -> io::Result<DiskFile> {
        open_to_write(path, OpenOptions::new().read(true).append(true).create(true)).map(DiskFile)
    }

    /// Creates a file that will take the place of `target`, and has its permissions.
    pub(super) fn part(path: &Path, target: &Path) -> io::Result<DiskFile> {
        let file = open_to_write(path, OpenOptions::new().write(true).create_new(true))?;
        if let Ok(replaced) = fs::metadata(target) {
            file.set_permissions(replaced.permissions())?;
        }
        Ok(DiskFile(file))
    }

    /// True if `path` is the name of this file now.
    pub(super) fn is_named(&self, path: &Path) -> io::Result<bool> {
        let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
        match fs::metadata(path) {
            Ok(named) => Ok(identity(named) == identity(self.0.metadata()?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// Locks the file until it is closed. Returns false if another process has the lock.
    pub(super) fn try_lock(&self) -> io::Result<bool> {
        faults::check("lock")?;
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub(super) fn truncate(&self, length: u64) -> io::Result<()> {
        faults::check("truncate")?;
        self.0.set_len(length)
    }

    /// Returns once all bytes are on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        faults::check("sync")?;
        faults::sync(&self.0)
    }
}

impl Read for DiskFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        faults::simulated("read", 0)?;
        self.0.read(buffer)
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&bytes[..faults::writable("write", bytes.len())?])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    faults::check("rename")?;
    fs::rename(from, to)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    faults::simulated("remove", 0)?;
    fs::remove_file(path)
}

/// Returns once the names in the folder of this file are on the disk.
pub(super) fn sync_folder(of: &Path) -> io::Result<()> {
    faults::check("sync the folder")?;
    let folder = of.parent().filter(|folder| !folder.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| faults::sync(&folder));
    // Not every file system can, and a folder may be closed to readers.
    let spared =
        |error: &io::Error| matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied);
    synced.or_else(|error| if spared(&error) { Ok(()) } else { Err(error) })
}

/// Waits for another process.
pub(super) fn wait(time: Duration) {
    // Only the tests' processes can end here, and their next operation says so.
    let _ = faults::simulated("wait", 0);
    thread::sleep(time);
}
