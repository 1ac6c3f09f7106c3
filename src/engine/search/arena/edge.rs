use amazons::{HalfMove, QueenMove, Square};

use super::NodeId;
use super::access::{Access, AtomicU64, Ordering};
use super::proof::Proof;
use super::statistics::Statistics;

/// A possible move at a node. All values are for the side that chooses at the node.
///
/// Any number of workers read and change an edge at the same time, and no change is lost. Visits
/// and means include the virtual loss of unfinished playouts. All accesses are relaxed, except
/// accesses that publish a node or statistics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<'a> {
    /// The value of `word` when the edge was read. From the lowest bit it holds the prior and the
    /// static value in 16 bits each (units of 1 / 65,535), the squares `to` and `from` in 7 bits
    /// each, [`HAS_POLICY_PRIORS`], [`EXPANSION_CLAIMED`] and [`HAD_POLICY_PRIORS`]. The highest
    /// two bits are the [`Proof`].
    packed: u64,
    word: &'a AtomicU64,
    /// `None` until a playout takes one of the eight edges in the group of this edge.
    pub(crate) statistics: Option<Statistics<'a>>,
}

pub(crate) const STATIC_VALUE_SHIFT: u32 = 16;
pub(crate) const TO_SHIFT: u32 = 32;
const FROM_SHIFT: u32 = 39;
pub(crate) const PROOF_SHIFT: u32 = 62;

const HAS_POLICY_PRIORS: u64 = 1 << 46;

const EXPANSION_CLAIMED: u64 = 1 << 47;

/// Like `HAS_POLICY_PRIORS`, but the bit stays when the edge loses its child.
const HAD_POLICY_PRIORS: u64 = 1 << 48;

const SQUARE_MASK: u8 = Square::INDICES as u8 - 1;

const _: () = assert!(Square::INDICES == 1 << (FROM_SHIFT - TO_SHIFT));

/// The word of an edge that is not stored in the arena yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PackedEdge(pub(crate) u64);

impl PackedEdge {
    #[cfg(test)]
    pub(crate) fn new(half_move: HalfMove, static_value: f64, prior: f64, proof: Proof) -> PackedEdge {
        let mut edge = PackedEdge::of_values(static_value, prior);
        edge.set_move(half_move, proof);
        edge
    }

    /// An edge whose move is not set yet. The static value and the prior are in [0,1].
    #[inline(always)]
    pub(crate) fn of_values(static_value: f64, prior: f64) -> PackedEdge {
        PackedEdge(u64::from(pack_prior(prior)) | u64::from(to_units(static_value)) << STATIC_VALUE_SHIFT)
    }

    /// Sets the half move and the proof of the edge. For an arrow, `from` stays 0.
    #[inline(always)]
    pub(crate) fn set_move(&mut self, half_move: HalfMove, proof: Proof) {
        let squares = match half_move {
            HalfMove::Queen(QueenMove { from, to }) => {
                u64::from(to.index()) << TO_SHIFT | u64::from(from.index()) << FROM_SHIFT
            }
            HalfMove::Arrow(to) => u64::from(to.index()) << TO_SHIFT,
        };
        self.0 |= squares | (proof as u64) << PROOF_SHIFT;
    }
}

/// The unit of stored priors, static values and RAVE means, as a factor that saves divisions.
pub(crate) const VALUE_UNIT: f64 = 1.0 / 65_535.0;

#[inline(always)]
pub(crate) fn to_units(fraction: f64) -> u16 {
    (fraction * 65_535.0 + 0.5) as u16
}

#[inline]
pub(crate) fn from_units(units: u16) -> f64 {
    f64::from(units) * VALUE_UNIT
}

/// Converts a prior in [0,1] to units of 1 / 65,535; at least 1, so that any move can be selected.
#[inline(always)]
fn pack_prior(prior: f64) -> u16 {
    to_units(prior).max(1)
}

impl<'a> Edge<'a> {
    #[inline]
    pub(crate) fn read(word: &'a AtomicU64, statistics: Option<Statistics<'a>>) -> Edge<'a> {
        Edge { packed: word.load(Ordering::Relaxed), word, statistics }
    }

    /// The square that the amazon leaves; meaningless if the edge is an arrow.
    #[inline]
    pub(crate) fn from(self) -> Square {
        Square::from_index_unchecked((self.packed >> FROM_SHIFT) as u8 & SQUARE_MASK)
    }

    #[inline]
    pub(crate) fn to(self) -> Square {
        Square::from_index_unchecked((self.packed >> TO_SHIFT) as u8 & SQUARE_MASK)
    }

    #[inline]
    pub(crate) fn queen_move(self) -> QueenMove {
        QueenMove { from: self.from(), to: self.to() }
    }

    /// Both squares as one number: [`Square::INDICES`] times `from`, plus `to`.
    #[inline]
    pub(crate) fn square_pair_index(self) -> usize {
        (self.packed >> TO_SHIFT) as usize & (Square::INDICES * Square::INDICES - 1)
    }

    #[inline]
    pub(crate) fn static_value(self) -> f64 {
        from_units((self.packed >> STATIC_VALUE_SHIFT) as u16)
    }

    /// Replaces the static value, which is in [0,1]. Returns the value as the edge has rounded it.
    #[inline]
    pub(crate) fn set_static_value(self, value: f64, access: Access) -> f64 {
        self.replace_field(to_units(value), STATIC_VALUE_SHIFT, access);
        from_units(to_units(value))
    }

    #[inline]
    pub(crate) fn prior(self) -> f64 {
        from_units(self.packed as u16)
    }

    #[inline]
    pub(crate) fn prior_and_static_value(self) -> [f32; 2] {
        let fraction = |units: u16| f32::from(units) * VALUE_UNIT as f32;
        [fraction(self.packed as u16), fraction((self.packed >> STATIC_VALUE_SHIFT) as u16)]
    }

    #[inline]
    pub(crate) fn set_prior(self, prior: f64, access: Access) {
        self.replace_field(pack_prior(prior), 0, access);
    }

    #[inline]
    fn replace_field(self, bits: u16, shift: u32, access: Access) {
        access.update(self.word, |packed| packed & !(0xffff << shift) | u64::from(bits) << shift);
    }

    /// True if a worker has claimed the right to give the child node the network's priors.
    #[inline]
    pub(crate) fn has_policy_priors(self) -> bool {
        self.packed & HAS_POLICY_PRIORS != 0
    }

    /// Claims the right to give the child node the priors of the policy network. Returns false if
    /// this right has already been claimed.
    #[inline]
    pub(crate) fn claim_policy_priors(self, access: Access) -> bool {
        // Relaxed, because the claim publishes no data. Selection reads each prior separately, and
        // a mixture of old and new priors does no harm.
        !self.has_policy_priors()
            && self.set_bits(HAS_POLICY_PRIORS | HAD_POLICY_PRIORS, access) & HAS_POLICY_PRIORS == 0
    }

    /// True if the child node, or an earlier child node of the edge, got the network's priors
    /// before this edge was read. The network's value of a child corrects the edge's results only
    /// the first time that a child gets priors.
    #[inline]
    pub(crate) fn had_policy_priors(self) -> bool {
        self.packed & HAD_POLICY_PRIORS != 0
    }

    #[inline]
    pub(crate) fn proof(self) -> Proof {
        Proof::from((self.packed >> PROOF_SHIFT) as u8)
    }

    /// Stores a proof. A proof never changes, so a worker that sees it late loses only time.
    #[inline]
    pub(crate) fn set_proof(self, proof: Proof) {
        let before =
            Proof::from((self.set_bits((proof as u64) << PROOF_SHIFT, Access::Shared) >> PROOF_SHIFT) as u8);
        debug_assert!(before == Proof::Unknown || before == proof, "a proof contradicts another");
    }

    /// Claims the right to create the child node. Returns false if the node exists or another
    /// worker is creating it. The worker with the claim must
    /// [publish](Statistics::publish_child) the node or
    /// [release the claim](Edge::release_expansion_claim).
    #[inline]
    pub(crate) fn claim_expansion(self, access: Access) -> bool {
        // Relaxed, because the claim publishes no data. The child node is published separately.
        self.set_bits(EXPANSION_CLAIMED, access) & EXPANSION_CLAIMED == 0
    }

    #[inline]
    pub(crate) fn release_expansion_claim(self) {
        self.word.fetch_and(!EXPANSION_CLAIMED, Ordering::Relaxed);
    }

    /// Replaces the child node. An edge that loses its child can be expanded again, and its next
    /// child can get the network's priors. Only for use while no worker searches.
    pub(crate) fn set_child(self, node: Option<NodeId>) {
        if let Some(statistics) = self.statistics {
            statistics.set_child(node);
        }
        if node.is_none() {
            self.word.fetch_and(!(EXPANSION_CLAIMED | HAS_POLICY_PRIORS), Ordering::Relaxed);
        }
    }

    /// Sets bits of the edge's word. Returns the previous value of the word.
    #[inline]
    fn set_bits(self, bits: u64, access: Access) -> u64 {
        access.update(self.word, |packed| packed | bits)
    }

    /// The number of playouts through this edge, plus the virtual loss of unfinished playouts.
    #[inline]
    pub(crate) fn visits(self) -> u32 {
        self.statistics.map_or(0, Statistics::visits)
    }

    #[inline]
    pub(crate) fn mean(self) -> Option<f64> {
        let totals = self.statistics?.totals();
        // Corrections by the network may move a mean out of [0,1]: see the guide of `search`.
        (totals.visits > 0).then(|| totals.mean().clamp(0.0, 1.0))
    }

    pub(crate) fn value(self) -> f64 {
        self.proof().value().or(self.mean()).unwrap_or(self.static_value())
    }

    #[inline]
    pub(crate) fn child(self) -> Option<NodeId> {
        self.statistics?.child()
    }
}
