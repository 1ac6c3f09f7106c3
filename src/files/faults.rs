//! Failures on demand, for tests: `QUIVER_FILE_FAULT=N` makes the Nth operation on files that this
//! process writes fail as on a full disk, and `N:short` makes a write fail after half of its bytes.
//! Says so on standard error. The tests of this folder simulate more faults (`simulation.rs`).

#[cfg(not(test))]
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The number of the operation with a fault, from 1, and true if a write is to be short.
static FAULT: LazyLock<Option<(u64, bool)>> = LazyLock::new(|| {
    let wanted = std::env::var("QUIVER_FILE_FAULT").ok()?;
    let number = wanted.strip_suffix(":short");
    Some((number.unwrap_or(&wanted).parse().ok()?, number.is_some()))
});

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

/// Fails if it is this operation's turn. A short write writes half of its bytes, and the next operation
/// fails.
/// Returns how many of its bytes an operation may write.
pub(super) fn writable(operation: &'static str, bytes: usize) -> io::Result<usize> {
    /// True while the rest of a short write is to fail.
    static SHORT: AtomicBool = AtomicBool::new(false);
    let bytes = simulated(operation, bytes)?;
    let Some((number, short)) = *FAULT else { return Ok(bytes) };
    // Only a count and a flag: nothing is published with them.
    if COUNT.fetch_add(1, Ordering::Relaxed) + 1 == number {
        let _ = writeln!(io::stderr(), "injected fault: {operation}");
        SHORT.store(short && bytes > 1, Ordering::Relaxed);
        if short && bytes > 1 {
            return Ok(bytes / 2);
        }
    } else if !SHORT.swap(false, Ordering::Relaxed) {
        return Ok(bytes);
    }
    Err(ErrorKind::StorageFull.into())
}
