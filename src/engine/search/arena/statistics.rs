use super::NodeId;
use super::access::{Access, AtomicU64, Ordering};

/// The results of the playouts through an edge, in two words of the arena.
///
/// The first word is the sum of the playouts' values and of the network's corrections, in units of
/// 1 / [`Statistics::ONE`]. The low half of the second word counts the playouts, including the
/// virtual loss of unfinished playouts. Its high half is the handle of the child node, or 0 before
/// a worker publishes the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statistics<'a>(pub(crate) &'a [AtomicU64; 2]);

/// Converts a value to units of 1 / [`Statistics::ONE`], as a number in two's complement.
#[inline]
fn in_units(value: f64) -> u64 {
    (value * Statistics::ONE) as i64 as u64
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Totals {
    pub(crate) visits: u32,
    sum: u64,
}

impl Totals {
    /// The mean result of the playouts. There must be at least one playout.
    #[inline]
    pub(crate) fn mean(self) -> f64 {
        // A correction by the network may make the sum negative. The search stops before a sum
        // reaches 2^63.
        self.sum as i64 as f64 / (f64::from(self.visits) * Statistics::ONE)
    }

    /// The amount to add to the sum of results so that the network's value replaces the results of
    /// `value_visits` visits, or of all visits if there are fewer.
    ///
    /// The amount is at most `value_visits` in either direction, because the network's value and
    /// the clamped mean are in [0,1]. The guide of `search` says how far corrections may move an
    /// unclamped mean out of [0,1].
    #[inline]
    pub(crate) fn correction(self, network_value: f64, value_visits: f64) -> f64 {
        let replaced = value_visits.min(f64::from(self.visits));
        replaced * (network_value - self.mean().clamp(0.0, 1.0))
    }

    #[inline]
    pub(crate) fn mean_for_selection(self) -> f32 {
        self.sum as i64 as f32 / (self.visits as f32 * Statistics::ONE as f32)
    }
}

impl<'a> Statistics<'a> {
    /// The number that stands for the value 1.0 in the sum of results.
    pub(crate) const ONE: f64 = (1u64 << 32) as f64;

    pub(crate) const WORDS: usize = 2;

    #[inline]
    fn sum(self) -> &'a AtomicU64 {
        &self.0[0]
    }

    #[inline]
    fn visits_and_child(self) -> &'a AtomicU64 {
        &self.0[1]
    }

    #[inline]
    pub(crate) fn visits(self) -> u32 {
        self.visits_and_child().load(Ordering::Relaxed) as u32
    }

    #[inline]
    pub(crate) fn totals(self) -> Totals {
        Totals { visits: self.visits(), sum: self.sum().load(Ordering::Relaxed) }
    }

    /// Adds virtual loss: until [`Statistics::add_result`], the edge looks as if `virtual_loss`
    /// more playouts had been lost. A worker with exclusive access adds none.
    #[inline]
    pub(crate) fn add_virtual_loss(self, access: Access, virtual_loss: u32) {
        if access == Access::Shared {
            access.add(self.visits_and_child(), virtual_loss.into());
        }
    }

    /// Adds the result of a playout and removes its virtual loss. The network's corrections may
    /// have moved `value` out of [0,1].
    #[inline]
    pub(crate) fn add_result(self, access: Access, virtual_loss: u32, value: f64) {
        access.add(self.sum(), in_units(value));
        let counted = if access == Access::Shared { virtual_loss } else { 0 };
        if counted != 1 {
            // The number to add is negative if `counted` is above 1. The low half of the word is at
            // least `counted`, so the addition borrows nothing from the high half.
            access.add(self.visits_and_child(), 1u64.wrapping_sub(counted.into()));
        }
    }

    #[inline]
    pub(crate) fn child(self) -> Option<NodeId> {
        // Acquire: a worker that sees the handle also sees the node, which was written earlier.
        NodeId::from_handle((self.visits_and_child().load(Ordering::Acquire) >> 32) as u32)
    }

    /// Publishes the child node. No child may have been published before.
    #[inline]
    pub(crate) fn publish_child(self, node: NodeId) {
        // Release: pairs with the acquire of `child`.
        self.visits_and_child().fetch_add(u64::from(node.handle()) << 32, Ordering::Release);
    }

    /// Replaces the child node. Only for use while no worker searches.
    pub(super) fn set_child(self, node: Option<NodeId>) {
        let word = u64::from(self.visits()) | u64::from(node.map_or(0, NodeId::handle)) << 32;
        self.visits_and_child().store(word, Ordering::Relaxed);
    }

    pub(crate) fn copy_from(self, other: Statistics<'_>) {
        for (word, other) in self.0.iter().zip(other.0) {
            word.store(other.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}
