//! A possible move at a node, with everything the search knows about it.
//!
//! The tree holds one word of 64 bits for every move. [`Statistics`], two more words, join it where
//! a playout takes the move or one beside it: most moves are never visited.

use amazons::{HalfMove, QueenMove, Square};

use super::access::Access;
use super::atomics::{AtomicU64, Ordering};
use super::handle::NodeId;
use super::proof::Proof;
use super::statistics::Statistics;

/// A possible move at a node. All values are for the side that chooses at the node.
///
/// Any number of workers read and change an edge at the same time. Every access is relaxed but for
/// those that publish a node or statistics. Sums and counts are each exact. A mean also counts the
/// virtual loss of the playouts under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<'a> {
    /// The packed move when the edge was read. Bits from the lowest: prior and static value, 16
    /// each, in units of 1 / 65,535; the squares `to` and `from`, 7 each; [`HAS_POLICY_PRIORS`];
    /// [`CLAIMED`]. The highest two are the [`Proof`].
    packed: u64,
    place: &'a AtomicU64,
    /// `None` before the first playout takes this edge or another one of its group.
    pub(crate) statistics: Option<Statistics<'a>>,
}

pub(crate) const STATIC_VALUE: u32 = 16;
pub(crate) const TO: u32 = 32;
const FROM: u32 = 39;
pub(crate) const PROOF: u32 = 62;

/// The bit that says that the child node has the priors of the policy network.
const HAS_POLICY_PRIORS: u64 = 1 << 46;

/// The bit that says that the child node exists or that a worker is creating it.
const CLAIMED: u64 = 1 << 47;

const SQUARE: u8 = Square::INDICES as u8 - 1;

const _: () = assert!(Square::INDICES == 1 << (FROM - TO));

/// An edge before it has a place in the arena: its word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PackedEdge(pub(crate) u64);

impl PackedEdge {
    #[cfg(test)]
    pub(crate) fn new(half_move: HalfMove, static_value: f64, prior: f64, proof: Proof) -> PackedEdge {
        let mut edge = PackedEdge::of_values(static_value, prior);
        edge.set_move(half_move, proof);
        edge
    }

    /// An edge without a move, whose value and prior are in [0,1].
    #[inline(always)]
    pub(crate) fn of_values(static_value: f64, prior: f64) -> PackedEdge {
        PackedEdge(u64::from(self::prior(prior)) | u64::from(short(static_value)) << STATIC_VALUE)
    }

    /// Gives the edge its half move. An arrow leaves the bits of `from` at 0.
    #[inline(always)]
    pub(crate) fn set_move(&mut self, half_move: HalfMove, proof: Proof) {
        let squares = match half_move {
            HalfMove::Queen(QueenMove { from, to }) => {
                u64::from(to.index()) << TO | u64::from(from.index()) << FROM
            }
            HalfMove::Arrow(to) => u64::from(to.index()) << TO,
        };
        self.0 |= squares | (proof as u64) << PROOF;
    }
}

/// The unit of priors, static values and RAVE's means. Multiplying by it costs selection less than
/// a division.
pub(crate) const UNIT: f64 = 1.0 / 65_535.0;

#[inline(always)]
pub(crate) fn short(share: f64) -> u16 {
    (share * 65_535.0 + 0.5) as u16
}

#[inline]
pub(crate) fn share(units: u16) -> f64 {
    f64::from(units) * UNIT
}

/// A prior in [0,1] as an edge packs it: above zero, so that every move is selected some time.
#[inline(always)]
fn prior(share: f64) -> u16 {
    short(share).max(1)
}

impl<'a> Edge<'a> {
    #[inline]
    pub(crate) fn read(place: &'a AtomicU64, statistics: Option<Statistics<'a>>) -> Edge<'a> {
        Edge { packed: place.load(Ordering::Relaxed), place, statistics }
    }

    /// The square that the queen leaves; meaningless for an arrow.
    #[inline]
    pub(crate) fn from(self) -> Square {
        Square::from_index_unchecked((self.packed >> FROM) as u8 & SQUARE)
    }

    /// The square that the queen reaches, or the square burnt.
    #[inline]
    pub(crate) fn to(self) -> Square {
        Square::from_index_unchecked((self.packed >> TO) as u8 & SQUARE)
    }

    #[inline]
    pub(crate) fn queen_move(self) -> QueenMove {
        QueenMove { from: self.from(), to: self.to() }
    }

    /// Both squares as one number: [`Square::INDICES`] times `from`, plus `to`.
    #[inline]
    pub(crate) fn squares(self) -> usize {
        (self.packed >> TO) as usize & (Square::INDICES * Square::INDICES - 1)
    }

    #[inline]
    pub(crate) fn static_value(self) -> f64 {
        share((self.packed >> STATIC_VALUE) as u16)
    }

    /// Replaces the static value, in [0,1]. Returns it as the edge rounds it.
    #[inline]
    pub(crate) fn set_static_value(self, value: f64, access: Access) -> f64 {
        self.replace(short(value), STATIC_VALUE, access);
        share(short(value))
    }

    #[inline]
    pub(crate) fn prior(self) -> f64 {
        share(self.packed as u16)
    }

    /// The prior and the static value in the precision of selection.
    #[inline]
    pub(crate) fn prior_and_static_value(self) -> [f32; 2] {
        let fraction = |units: u16| f32::from(units) * UNIT as f32;
        [fraction(self.packed as u16), fraction((self.packed >> STATIC_VALUE) as u16)]
    }

    #[inline]
    pub(crate) fn set_prior(self, share: f64, access: Access) {
        self.replace(prior(share), 0, access);
    }

    #[inline]
    fn replace(self, bits: u16, shift: u32, access: Access) {
        self.change(access, |packed| packed & !(0xffff << shift) | u64::from(bits) << shift);
    }

    /// Changes the packed move in one step and returns it as it was before.
    #[inline]
    fn change(self, access: Access, changed: impl Fn(u64) -> u64) -> u64 {
        access.update(self.place, changed)
    }

    /// True if a worker has given the child node the priors of the policy network, or is about to.
    #[inline]
    pub(crate) fn has_policy_priors(self) -> bool {
        self.packed & HAS_POLICY_PRIORS != 0
    }

    /// Claims the right to give the child node the priors of the policy network. Returns false if
    /// a worker has claimed it before.
    #[inline]
    pub(crate) fn claim_policy_priors(self, access: Access) -> bool {
        // Relaxed: the claim publishes nothing. Selection reads each prior by itself, and an old
        // one among new ones does no harm.
        !self.has_policy_priors() && self.set(HAS_POLICY_PRIORS, access) & HAS_POLICY_PRIORS == 0
    }

    #[inline]
    pub(crate) fn proof(self) -> Proof {
        Proof::from((self.packed >> PROOF) as u8)
    }

    /// Stores a proof. It holds for the position permanently, so that a worker that sees it late
    /// loses only time.
    #[inline]
    pub(crate) fn set_proof(self, proof: Proof) {
        // A proof never turns into another, so adding its bits is enough.
        let before = Proof::from((self.set((proof as u64) << PROOF, Access::Shared) >> PROOF) as u8);
        debug_assert!(before == Proof::Unknown || before == proof, "a proof contradicts another");
    }

    /// Claims the right to create the child node. Returns false if the node exists or another
    /// worker is creating it. The worker that holds the claim must
    /// [publish](Statistics::publish) the node or [give the claim up](Edge::give_up).
    #[inline]
    pub(crate) fn claim(self, access: Access) -> bool {
        // Relaxed: the claim carries nothing, and what it leads to is published by a release of its
        // own.
        self.set(CLAIMED, access) & CLAIMED == 0
    }

    /// Gives the claim up: another worker may create the node.
    #[inline]
    pub(crate) fn give_up(self) {
        self.place.fetch_and(!CLAIMED, Ordering::Relaxed);
    }

    #[inline]
    fn set(self, bits: u64, access: Access) -> u64 {
        self.change(access, |packed| packed | bits)
    }

    /// Playouts through here, with the virtual loss of those under way.
    #[inline]
    pub(crate) fn visits(self) -> u32 {
        self.statistics.map_or(0, Statistics::visits)
    }

    /// The mean of the playouts through here; `None` before the first.
    #[inline]
    pub(crate) fn mean(self) -> Option<f64> {
        let figures = self.statistics?.figures();
        // Corrections by the network may take a sum out of its bounds: see the guide.
        (figures.visits > 0).then(|| figures.mean().clamp(0.0, 1.0))
    }

    /// Its proof, else the mean of its playouts, else its static value.
    pub(crate) fn value(self) -> f64 {
        self.proof().value().or(self.mean()).unwrap_or(self.static_value())
    }

    /// The child node, once it is published.
    #[inline]
    pub(crate) fn child(self) -> Option<NodeId> {
        self.statistics?.child()
    }
}
