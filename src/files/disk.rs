//! Disk operations for files that must survive a crash. Tests can make each operation fail.
//!
//! In programs built with debug assertions, such as those of the tests, `QUIVER_FILE_FAULT=N` makes
//! the process's Nth operation fail as on a full disk, with a message on standard error. These
//! operations are counted: opening for writing, locking, writing, truncating, renaming and syncing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

#[cfg(all(test, unix))]
use super::simulation::{simulate_operation, sync};

#[cfg(not(all(test, unix)))]
fn simulate_operation(_operation: &'static str, bytes: usize) -> io::Result<usize> {
    Ok(bytes)
}

#[cfg(not(all(test, unix)))]
fn sync(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Returns how many of its `bytes` an operation may write. Fails if a test injects a fault into it.
fn fault_point(operation: &'static str, bytes: usize) -> io::Result<usize> {
    #[cfg(debug_assertions)]
    fail_if_chosen(operation)?;
    simulate_operation(operation, bytes)
}

#[cfg(debug_assertions)]
fn fail_if_chosen(operation: &str) -> io::Result<()> {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static FAULT: LazyLock<Option<u64>> =
        LazyLock::new(|| std::env::var("QUIVER_FILE_FAULT").ok()?.parse().ok());
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // `Relaxed` is enough, because no other data depend on the counter.
    if FAULT.is_some_and(|number| COUNT.fetch_add(1, Ordering::Relaxed) + 1 == number) {
        let _ = writeln!(io::stderr(), "injected fault: {operation}");
        return Err(ErrorKind::StorageFull.into());
    }
    Ok(())
}

pub(super) fn open_to_write(path: &Path, options: &OpenOptions) -> io::Result<File> {
    fault_point("open", 0)?;
    quiver_bot::files::open_to_write(path, options)
}

/// A file that is read and written sequentially. Tests can make operations on this file fail.
#[derive(Debug)]
pub(super) struct DiskFile(File);

impl DiskFile {
    /// Opens or creates a file, and locks it until it is closed. Other processes can still read it.
    /// Returns `None` if another process has the lock.
    pub(super) fn lock(path: &Path) -> io::Result<Option<DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        open_locked(path, &options).map(|file| file.map(DiskFile))
    }

    /// Creates a file that will replace `target`, with the same permissions.
    pub(super) fn create_part(path: &Path, target: &Path) -> io::Result<DiskFile> {
        let file = open_to_write(path, OpenOptions::new().write(true).create_new(true))?;
        if let Ok(replaced) = fs::metadata(target) {
            file.set_permissions(replaced.permissions())?;
        }
        Ok(DiskFile(file))
    }

    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    pub(super) fn truncate(&mut self, length: u64) -> io::Result<()> {
        fault_point("truncate", 0)?;
        self.0.seek(SeekFrom::Start(length))?;
        self.0.set_len(length)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        fault_point("sync", 0)?;
        sync(&self.0)
    }
}

#[cfg(not(windows))]
fn open_locked(path: &Path, options: &OpenOptions) -> io::Result<Option<File>> {
    use std::fs::TryLockError;

    let file = open_to_write(path, options)?;
    fault_point("lock", 0)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens and locks a file in a mode that excludes only writers, because a file lock of Windows
/// would also exclude readers.
#[cfg(windows)]
fn open_locked(path: &Path, options: &OpenOptions) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;

    /// The Windows flag `FILE_SHARE_READ`: other processes may open the file to read it.
    const SHARED_WITH_READERS: u32 = 1;
    /// The Windows error code `ERROR_SHARING_VIOLATION`: another process has opened the file.
    const IN_USE: i32 = 32;
    match open_to_write(path, options.clone().share_mode(SHARED_WITH_READERS)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(IN_USE) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Read for DiskFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        simulate_operation("read", 0)?;
        self.0.read(buffer)
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&bytes[..fault_point("write", bytes.len())?])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault_point("rename", 0)?;
    fs::rename(from, to)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    simulate_operation("remove", 0)?;
    fs::remove_file(path)
}

pub(super) fn sync_folder(file: &Path) -> io::Result<()> {
    fault_point("sync the folder", 0)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| sync(&folder));
    // Ignores the errors of file systems that cannot sync folders, and of unreadable folders.
    let is_ignored =
        |error: &io::Error| matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied);
    synced.or_else(|error| if is_ignored(&error) { Ok(()) } else { Err(error) })
}

pub(super) fn wait(time: Duration) {
    // Ignores the error, which only says that a test's simulated process has crashed.
    let _ = simulate_operation("wait", 0);
    thread::sleep(time);
}
