//! The results of the playouts through an edge.

use super::access::Access;
use super::atomics::{AtomicU64, Ordering};
use super::handle::NodeId;

/// The results of the playouts through an edge: two words of the arena.
///
/// The first word is the sum of their values and of the network's corrections, in units of 1 /
/// [`Statistics::ONE`]. The low half of the second counts the playouts, with virtual loss for those
/// under way. Its high half is the handle of the child node, 0 before a worker publishes the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statistics<'a>(pub(crate) &'a [AtomicU64; 2]);

/// A value in the units of the sum; a negative one as its two's complement.
#[inline]
fn in_units(value: f64) -> u64 {
    (value * Statistics::ONE) as i64 as u64
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) visits: u32,
    sum: u64,
}

impl Figures {
    /// The mean of the playouts, of which there is one at least.
    #[inline]
    pub(crate) fn mean(self) -> f64 {
        // Corrections may leave a sum below 0. The search stops before a sum reaches 2^63.
        self.sum as i64 as f64 / (f64::from(self.visits) * Statistics::ONE)
    }

    /// What the network's value adds to the sum of values, when it replaces the results of
    /// `value_visits` visits, or of all where there are fewer.
    ///
    /// At most `value_visits` in either direction, whatever other workers do: the value and the mean
    /// are in [0,1]. The guide of this folder says how far means may leave [0,1] by it.
    #[inline]
    pub(crate) fn correction(self, network_value: f64, value_visits: f64) -> f64 {
        let replaced = value_visits.min(f64::from(self.visits));
        replaced * (network_value - self.mean().clamp(0.0, 1.0))
    }

    /// The mean in the precision of selection.
    #[inline]
    pub(crate) fn mean_for_selection(self) -> f32 {
        self.sum as i64 as f32 / (self.visits as f32 * Statistics::ONE as f32)
    }
}

impl<'a> Statistics<'a> {
    /// One, in the units of the sum of values.
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
    pub(crate) fn figures(self) -> Figures {
        Figures { visits: self.visits(), sum: self.sum().load(Ordering::Relaxed) }
    }

    /// Adds virtual loss: until the worker leaves, as many playouts seem to have been lost. A worker
    /// with exclusive access needs none.
    #[inline]
    pub(crate) fn enter(self, access: Access, virtual_loss: u32) {
        if access == Access::Shared {
            access.add(self.visits_and_child(), virtual_loss.into());
        }
    }

    /// Counts a playout of this value, which a correction may have moved out of [0,1], and takes the
    /// virtual loss back.
    #[inline]
    pub(crate) fn leave(self, access: Access, virtual_loss: u32, value: f64) {
        access.add(self.sum(), in_units(value));
        let counted = if access == Access::Shared { virtual_loss } else { 0 };
        if counted != 1 {
            // Wraps below zero where more was counted in than the one visit that stays. The high
            // half does not change, since at least as much is in the low one.
            access.add(self.visits_and_child(), 1u64.wrapping_sub(counted.into()));
        }
    }

    /// The child node, once it is published.
    #[inline]
    pub(crate) fn child(self) -> Option<NodeId> {
        // Acquire: a worker that sees the handle sees the node that was written before it.
        NodeId::from_handle((self.visits_and_child().load(Ordering::Acquire) >> 32) as u32)
    }

    /// Makes this the child node, where there was none.
    #[inline]
    pub(crate) fn publish(self, node: NodeId) {
        // Release: pairs with the acquire of `child`.
        self.visits_and_child().fetch_add(u64::from(node.handle()) << 32, Ordering::Release);
    }

    /// Makes this the child node in place of another. Only between searches.
    pub(crate) fn set_child(self, node: NodeId) {
        let word = u64::from(self.visits()) | u64::from(node.handle()) << 32;
        self.visits_and_child().store(word, Ordering::Relaxed);
    }

    pub(crate) fn copy_from(self, other: Statistics<'_>) {
        for (word, other) in self.0.iter().zip(other.0) {
            word.store(other.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}
