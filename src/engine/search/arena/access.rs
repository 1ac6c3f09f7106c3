//! The atomic types of the shared tree, and how workers change them. With `--cfg loom` the types
//! come from the model checker loom.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// How a worker changes the tree: alone, or together with other workers.
///
/// `add` and `update` use relaxed ordering, because their changes publish no other data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// No other worker changes the tree at the same time. Plain loads and stores are enough, and
    /// virtual loss is not needed.
    Exclusive,
    /// Other workers may change the tree at the same time. Each change is one atomic step.
    Shared,
}

impl Access {
    /// Adds to a counter, modulo 2^64. Returns the counter's earlier value.
    #[inline]
    pub(crate) fn add(self, counter: &AtomicU64, more: u64) -> u64 {
        match self {
            Access::Exclusive => self.update(counter, |before| before.wrapping_add(more)),
            Access::Shared => counter.fetch_add(more, Ordering::Relaxed),
        }
    }

    /// Replaces the value `v` of a word by `changed(v)`. Returns `v`.
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
