//! The operations on a disk below files that must survive a crash. [`System`] does them; the tests
//! simulate them, with a fault at each (`simulation.rs`).

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{faults, open_to_write};

/// Device and inode: names come and go, a file keeps these.
pub(super) type Identity = (u64, u64);

#[derive(Clone, Copy, Debug)]
pub(super) enum Mode<'a> {
    /// A file that grows: it may exist, or must not.
    Append { new: bool },
    /// A new file that will take the place of this one, and has its permissions.
    Part { of: &'a Path },
}

pub(super) trait Disk: Debug + Send + Sync {
    fn open(&self, path: &Path, mode: Mode<'_>) -> io::Result<Box<dyn DiskFile>>;
    /// The file that has this name now.
    fn identity(&self, path: &Path) -> io::Result<Identity>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Returns once the names in the folder of this file are on the disk.
    fn sync_folder(&self, of: &Path) -> io::Result<()>;
    fn wait(&self, time: Duration);
}

/// A file that is read and written from its beginning on, or appended to.
pub(super) trait DiskFile: Read + Write + Debug + Send {
    fn identity(&self) -> io::Result<Identity>;
    fn length(&self) -> io::Result<u64>;
    /// Locks the file until it is closed. Returns false if another process has the lock.
    fn try_lock(&self) -> io::Result<bool>;
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    /// Returns once all bytes are on the disk.
    fn sync(&self) -> io::Result<()>;
}

/// The disk of this thread: the machine's, or one that a test simulates.
pub(super) fn current() -> Arc<dyn Disk> {
    #[cfg(test)]
    if let Some(disk) = super::simulation::current() {
        return disk;
    }
    Arc::new(System)
}

#[derive(Debug)]
struct System;

impl Disk for System {
    fn open(&self, path: &Path, mode: Mode<'_>) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        let file = match mode {
            Mode::Append { new } => {
                open_to_write(path, options.read(true).append(true).create(true).create_new(new))?
            }
            Mode::Part { of } => {
                let file = open_to_write(path, options.write(true).create_new(true))?;
                if let Ok(replaced) = fs::metadata(of) {
                    file.set_permissions(replaced.permissions())?;
                }
                file
            }
        };
        Ok(Box::new(SystemFile(file)))
    }

    fn identity(&self, path: &Path) -> io::Result<Identity> {
        fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        faults::check("rename")?;
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, of: &Path) -> io::Result<()> {
        faults::check("sync the folder")?;
        let folder = of.parent().filter(|folder| !folder.as_os_str().is_empty());
        let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        // Not every file system can, and a folder may be closed to readers.
        let spared =
            |error: &io::Error| matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied);
        synced.or_else(|error| if spared(&error) { Ok(()) } else { Err(error) })
    }

    fn wait(&self, time: Duration) {
        thread::sleep(time);
    }
}

#[derive(Debug)]
struct SystemFile(File);

impl Read for SystemFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for SystemFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        faults::check_write("write", bytes, |half| self.0.write_all(half))?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for SystemFile {
    fn identity(&self) -> io::Result<Identity> {
        self.0.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn try_lock(&self) -> io::Result<bool> {
        faults::check("lock")?;
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        faults::check("truncate")?;
        self.0.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        faults::check("sync")?;
        self.0.sync_all()
    }
}
