//! Reads and writes the files of the commands.
//!
//! Writers reject everything except regular files, and follow symbolic links.

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
pub use quiver_bot::files::{MAX_LINE, MAX_TEXT, open, read, read_all, read_line_within, read_text};
pub use records::{JournalError, JournalKind, JournalReader, read as read_journal, sealed_line};
pub use replacement::{Replacement, replace};

pub fn open_to_append(path: &Path) -> io::Result<File> {
    disk::open_to_write(path, OpenOptions::new().append(true).create(true))
}

// The simulation of disks needs Unix, because it identifies files by their inode numbers.
#[cfg(all(test, unix))]
mod crashes;
#[cfg(all(test, unix))]
mod simulation;
