//! The operations on a disk below files that must survive a crash, each with a place for a fault.
//!
//! Faults on demand, in programs that are built with debug assertions, as those of the tests are:
//! `QUIVER_FILE_FAULT=N` makes the Nth operation on files that this process writes fail as on a full
//! disk, and says so on standard error. The tests of this folder simulate more faults, such as writes
//! that are cut short (`simulation.rs`).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

#[cfg(test)]
use super::simulation::{simulated, sync};

/// Returns how many of its bytes an operation may write.
#[cfg(not(test))]
fn simulated(_operation: &'static str, bytes: usize) -> io::Result<usize> {
    Ok(bytes)
}

/// Returns once a file, or the names in a folder, are on the disk.
#[cfg(not(test))]
fn sync(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Fails if it is this operation's turn. Returns how many of its bytes an operation may write.
fn fallible(operation: &'static str, bytes: usize) -> io::Result<usize> {
    #[cfg(debug_assertions)]
    injected(operation)?;
    simulated(operation, bytes)
}

/// Fails in the operation that `QUIVER_FILE_FAULT` numbers, from 1.
#[cfg(debug_assertions)]
fn injected(operation: &str) -> io::Result<()> {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static FAULT: LazyLock<Option<u64>> =
        LazyLock::new(|| std::env::var("QUIVER_FILE_FAULT").ok()?.parse().ok());
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Relaxed: only a count, nothing is published with it.
    if FAULT.is_some_and(|number| COUNT.fetch_add(1, Ordering::Relaxed) + 1 == number) {
        let _ = writeln!(io::stderr(), "injected fault: {operation}");
        return Err(ErrorKind::StorageFull.into());
    }
    Ok(())
}

/// Opens a regular file to write.
pub(super) fn open_to_write(path: &Path, options: &OpenOptions) -> io::Result<File> {
    fallible("open", 0)?;
    quiver_bot::files::open_to_write(path, options)
}

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

    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// Locks the file until it is closed. Returns false if another process has the lock.
    pub(super) fn try_lock(&self) -> io::Result<bool> {
        fallible("lock", 0)?;
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub(super) fn truncate(&self, length: u64) -> io::Result<()> {
        fallible("truncate", 0)?;
        self.0.set_len(length)
    }

    /// Returns once all bytes are on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        fallible("sync", 0)?;
        sync(&self.0)
    }
}

impl Read for DiskFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        simulated("read", 0)?;
        self.0.read(buffer)
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&bytes[..fallible("write", bytes.len())?])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fallible("rename", 0)?;
    fs::rename(from, to)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    simulated("remove", 0)?;
    fs::remove_file(path)
}

/// Returns once the names in the folder of this file are on the disk.
pub(super) fn sync_folder(of: &Path) -> io::Result<()> {
    fallible("sync the folder", 0)?;
    let folder = of.parent().filter(|folder| !folder.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| sync(&folder));
    // Not every file system can, and a folder may be closed to readers.
    let spared =
        |error: &io::Error| matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied);
    synced.or_else(|error| if spared(&error) { Ok(()) } else { Err(error) })
}

/// Waits for another process.
pub(super) fn wait(time: Duration) {
    // Only the tests' processes can end here, and their next operation says so.
    let _ = simulated("wait", 0);
    thread::sleep(time);
}
