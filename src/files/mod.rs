//! Files that the commands read and write, and lines of bounded length.
//!
//! - Readers ([`open`], [`read`], [`read_text`]) take regular files and pipes, and refuse devices
//!   and directories.
//! - [`Replacement`] writes a whole file: the name holds the old content or the new, never a part.
//! - [`Journal`] grows by whole records, with a header and checksums, and goes on after a crash.
//! - [`append`] opens a log, which several processes may share.
//! - [`read_line`] reads lines up to a length.
//!
//! Writers take regular files only, and follow symbolic links.

mod disk;
mod journal;
mod records;
mod replacement;

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

pub use journal::Journal;
pub(crate) use quiver_bot::files::BYTE_ORDER_MARK;
use quiver_bot::files::expect_regular;
pub use quiver_bot::files::{MAX_LINE, MAX_TEXT, open, read, read_all, read_line, read_text};
pub use records::{JournalError, JournalKind, JournalReader, read as read_journal, sealed_line};
pub use replacement::{Replacement, replace};

/// Opens a regular file to append to, and creates it where there is none.
pub fn append(path: &Path) -> io::Result<File> {
    disk::open_to_write(path, OpenOptions::new().append(true).create(true))
}

// Simulated disks tell files by the numbers of their inodes.
#[cfg(all(test, unix))]
mod crashes;
#[cfg(all(test, unix))]
mod simulation;
