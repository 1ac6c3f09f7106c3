//! Failures on demand, for tests: `QUIVER_FILE_FAULT=N` makes the Nth operation on files that this
//! process writes fail as on a full disk, `N:short` makes a write fail after half of its bytes, and
//! `N:wait` makes the operation wait for a moment, in which another process works on the same
//! files. Says so on standard error.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The operation with a fault, counted from 1, and the fault.
static FAULT: LazyLock<Option<(u64, Fault)>> = LazyLock::new(|| {
    let wanted = std::env::var("QUIVER_FILE_FAULT").ok()?;
    let (number, kind) = wanted.split_once(':').unwrap_or((&wanted, ""));
    let fault = match kind {
        "" => Fault::Full,
        "short" => Fault::Short,
        "wait" => Fault::Wait,
        _ => return None,
    };
    Some((number.parse().ok()?, fault))
});

/// Operations so far.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// How long an operation waits.
const WAIT: Duration = Duration::from_millis(250);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Full,
    Short,
    Wait,
}

/// The fault that makes this operation fail, if any.
fn fault(operation: &str, path: &Path) -> Option<Fault> {
    let (number, fault) = (*FAULT)?;
    // Only a count: nothing is published with it.
    if COUNT.fetch_add(1, Ordering::Relaxed) + 1 != number {
        return None;
    }
    let _ = writeln!(io::stderr(), "injected fault: {operation} {}", path.display());
    if fault == Fault::Wait {
        thread::sleep(WAIT);
        return None;
    }
    Some(fault)
}

/// Fails if it is this operation's turn.
pub(super) fn check(operation: &str, path: &Path) -> io::Result<()> {
    fault(operation, path).map_or(Ok(()), |_| Err(ErrorKind::StorageFull.into()))
}

/// Fails if it is this write's turn, after some of its bytes.
pub(super) fn write(file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(fault) = fault("write", path) else { return Ok(()) };
    if fault == Fault::Short {
        file.write_all(&bytes[..bytes.len() / 2])?;
    }
    Err(ErrorKind::StorageFull.into())
}
