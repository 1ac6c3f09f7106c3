//! How workers change the counters and edges of the tree.

use super::atomics::{AtomicU64, Ordering};

/// The access of a worker to the tree.
///
/// Relaxed in both cases: nothing is published with a counter or with a packed move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// No other worker changes the tree meanwhile: plain loads and stores, without virtual loss.
    Exclusive,
    /// Other workers may change the tree at the same time: each change is one atomic step.
    Shared,
}

impl Access {
    /// The access of each of so many workers.
    pub(crate) fn of_workers(workers: usize) -> Access {
        if workers == 1 { Access::Exclusive } else { Access::Shared }
    }

    /// Adds to a counter, modulo 2^64. Returns the counter as it was before.
    #[inline]
    pub(crate) fn add(self, counter: &AtomicU64, more: u64) -> u64 {
        match self {
            Access::Exclusive => {
                let before = counter.load(Ordering::Relaxed);
                counter.store(before.wrapping_add(more), Ordering::Relaxed);
                before
            }
            Access::Shared => counter.fetch_add(more, Ordering::Relaxed),
        }
    }

    /// Changes a word. Returns the word as it was before.
    #[inline]
    pub(crate) fn update(self, word: &AtomicU64, changed: impl Fn(u64) -> u64) -> u64 {
        match self {
            Access::Exclusive => {
                let before = word.load(Ordering::Relaxed);
                word.store(changed(before), Ordering::Relaxed);
                before
            }
            Access::Shared => {
                let changed = |packed| Some(changed(packed));
                let (Ok(before) | Err(before)) =
                    word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, changed);
                before
            }
        }
    }
}
