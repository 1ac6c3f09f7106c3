//! The number of search threads that a user may ask for.

use std::thread::available_parallelism;

use crate::messages::counted;

/// The cores that this process may use.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// The largest number of search threads. More than a few for each core only wait for each other.
pub(crate) fn most_threads() -> usize {
    (8 * cores()).max(64)
}

/// A warning where these search threads outnumber the cores.
pub(crate) fn threads_warning(asked: usize) -> Option<String> {
    let cores = cores();
    (asked > cores).then(|| {
        let cores = counted(cores, "core", "cores");
        format!("{asked} threads on {cores}: a search can end late, since its threads wait for each other")
    })
}
