//! Failures on demand, for tests: `QUIVER_FILE_FAULT=N` makes the Nth operation on files that this
//! process writes fail as on a full disk, and `N:short` makes a write fail after half of its bytes.
//! Says so on standard error.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The operation that fails, and whether it is done by half.
static FAULT: LazyLock<Option<(u64, bool)>> = LazyLock::new(|| {
    let wanted = std::env::var("QUIVER_FILE_FAULT").ok()?;
    let (number, short) = wanted.strip_suffix(":short").map_or((&*wanted, false), |number| (number, true));
    Some((number.parse().ok()?, short))
});

/// Operations so far.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Whether this operation fails: `Some(true)` if by half.
fn fault(operation: &str, path: &Path) -> Option<bool> {
    let (number, short) = (*FAULT)?;
    // Only a count: nothing is published with it.
    let fails = COUNT.fetch_add(1, Ordering::Relaxed) + 1 == number;
    fails.then(|| {
        let _ = writeln!(io::stderr(), "injected fault: {operation} {}", path.display());
        short
    })
}

/// Fails if it is this operation's turn.
pub(super) fn check(operation: &str, path: &Path) -> io::Result<()> {
    fault(operation, path).map_or(Ok(()), |_| Err(ErrorKind::StorageFull.into()))
}

/// Writes all bytes, or some and an error.
pub(super) fn write(file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(short) = fault("write", path) else { return file.write_all(bytes) };
    if short {
        file.write_all(&bytes[..bytes.len() / 2])?;
    }
    Err(ErrorKind::StorageFull.into())
}
