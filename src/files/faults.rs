//! Failures on demand, for tests: `QUIVER_FILE_FAULT=N` makes the Nth operation on files that this
//! process writes fail as on a full disk, and says so on standard error. The tests of this folder
//! simulate more faults, such as writes that are cut short (`simulation.rs`).

#[cfg(not(test))]
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the operation that fails, from 1.
static FAULT: LazyLock<Option<u64>> = LazyLock::new(|| std::env::var("QUIVER_FILE_FAULT").ok()?.parse().ok());

static COUNT: AtomicU64 = AtomicU64::new(0);

#[cfg(test)]
pub(super) use super::simulation::{simulated, sync};

/// Returns how many of its bytes an operation may write.
#[cfg(not(test))]
pub(super) fn simulated(_operation: &'static str, bytes: usize) -> io::Result<usize> {
    Ok(bytes)
}

/// Returns once a file, or the names in a folder, are on the disk.
#[cfg(not(test))]
pub(super) fn sync(file: &File) -> io::Result<()> {
    file.sync_all()
}

pub(super) fn check(operation: &'static str) -> io::Result<()> {
    writable(operation, 0).map(drop)
}

/// Fails if it is this operation's turn. Returns how many of its bytes an operation may write.
pub(super) fn writable(operation: &'static str, bytes: usize) -> io::Result<usize> {
    // Only a count: nothing is published with it.
    if FAULT.is_some_and(|number| COUNT.fetch_add(1, Ordering::Relaxed) + 1 == number) {
        let _ = writeln!(io::stderr(), "injected fault: {operation}");
        return Err(ErrorKind::StorageFull.into());
    }
    simulated(operation, bytes)
}
