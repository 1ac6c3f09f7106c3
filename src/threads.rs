//! Limits the number of search threads that a user may choose.

use std::thread::available_parallelism;

use crate::messages::counted;

pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

pub(crate) fn most_threads() -> usize {
    (8 * cores()).max(64)
}

pub(crate) fn threads_warning(threads: usize) -> Option<String> {
    let cores = cores();
    (threads > cores).then(|| {
        let cores = counted(cores, "core", "cores");
        format!("{threads} threads on {cores}: a search can end late, since its threads wait for each other")
    })
}
