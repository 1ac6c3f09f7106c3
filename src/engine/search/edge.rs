//! A possible move at a node, with everything the search knows about it.
//!
//! The tree holds one word of 64 bits for every move. [`Statistics`], two more words, join it where
//! a playout takes the move or one beside it: most moves are never visited.

use std::num::NonZeroU32;

use amazons::{AnyPosition, HalfMove, QueenMove, Side, Square};

use super::atomics::{AtomicU64, Ordering};
use super::proof::Proof;

/// The handle of a node: its first word in the arena, which never is word 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(NonZeroU32);

impl NodeId {
    /// The node of this handle; `None` for 0, which stands for no node.
    #[inline]
    pub(super) fn from_handle(handle: u32) -> Option<NodeId> {
        NonZeroU32::new(handle).map(NodeId)
    }

    #[inline]
    pub(super) fn handle(self) -> u32 {
        self.0.get()
    }
}

/// The side that chooses at a node, and between what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chooser {
    pub(super) side: Side,
    pub(super) shoots: bool,
}

impl Chooser {
    #[inline]
    pub(super) fn of(state: &AnyPosition) -> Chooser {
        Chooser { side: state.side(), shoots: state.is_half_ply() }
    }

    /// The half move that an edge stands for here.
    #[inline]
    pub(super) fn half_move(self, edge: Edge<'_>) -> HalfMove {
        if self.shoots { HalfMove::Arrow(edge.to()) } else { HalfMove::Queen(edge.queen_move()) }
    }
}

/// A possible move at a node. All values are for the side that chooses at the node.
///
/// Any number of workers read and change an edge at the same time. Every access is relaxed but for
/// those that publish a node or statistics. Sums and counts are each exact. A mean also counts the
/// virtual loss of the playouts under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'a> {
    /// The packed move when the edge was read. Bits from the lowest: prior and static value, 16
    /// each, in units of 1 / 65,535; the squares `to` and `from`, 7 each; [`HAS_POLICY_PRIORS`];
    /// [`CLAIMED`]. The highest two are the [`Proof`].
    packed: u64,
    place: &'a AtomicU64,
    /// `None` before the first playout takes this edge or another one of its group.
    pub(super) statistics: Option<Statistics<'a>>,
}

pub(super) const STATIC_VALUE: u32 = 16;
pub(super) const TO: u32 = 32;
const FROM: u32 = 39;
pub(super) const PROOF: u32 = 62;

/// The bit that says that the child node has the priors of the policy network.
const HAS_POLICY_PRIORS: u64 = 1 << 46;

/// The bit that says that the child node exists or that a worker is creating it.
const CLAIMED: u64 = 1 << 47;

const SQUARE: u8 = Square::INDICES as u8 - 1;

const _: () = assert!(Square::INDICES == 1 << (FROM - TO));

/// An edge before it has a place in the arena: its word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PackedEdge(pub(super) u64);

impl PackedEdge {
    #[cfg(test)]
    pub(super) fn new(queen: QueenMove, static_value: f64, prior: f64, proof: Proof) -> PackedEdge {
        let mut edge = PackedEdge::of_values(static_value, prior);
        edge.set_move(queen, proof);
        edge
    }

    /// An edge without a move, whose value and prior are in [0,1].
    #[inline(always)]
    pub(super) fn of_values(static_value: f64, prior: f64) -> PackedEdge {
        PackedEdge(u64::from(self::prior(prior)) | u64::from(short(static_value)) << STATIC_VALUE)
    }

    /// Gives it its move; an arrow's `from` means nothing.
    #[inline(always)]
    pub(super) fn set_move(&mut self, QueenMove { from, to }: QueenMove, proof: Proof) {
        let squares = u64::from(to.index()) << TO | u64::from(from.index()) << FROM;
        self.0 |= squares | (proof as u64) << PROOF;
    }
}

/// The unit of priors, static values and RAVE's means. Multiplying by it costs selection less than
/// a division.
pub(super) const UNIT: f64 = 1.0 / 65_535.0;

#[inline(always)]
pub(super) fn short(share: f64) -> u16 {
    (share * 65_535.0 + 0.5) as u16
}

#[inline]
pub(super) fn share(units: u16) -> f64 {
    f64::from(units) * UNIT
}

/// A prior in [0,1] as an edge packs it: above zero, so that every move is selected some time.
#[inline(always)]
fn prior(share: f64) -> u16 {
    short(share).max(1)
}

impl<'a> Edge<'a> {
    #[inline]
    pub(super) fn read(place: &'a AtomicU64, statistics: Option<Statistics<'a>>) -> Edge<'a> {
        Edge { packed: place.load(Ordering::Relaxed), place, statistics }
    }

    /// The square that the queen leaves; meaningless for an arrow.
    #[inline]
    pub(super) fn from(self) -> Square {
        Square::from_index((self.packed >> FROM) as u8 & SQUARE)
    }

    /// The square that the queen reaches, or the square burnt.
    #[inline]
    pub(super) fn to(self) -> Square {
        Square::from_index((self.packed >> TO) as u8 & SQUARE)
    }

    #[inline]
    pub(super) fn queen_move(self) -> QueenMove {
        QueenMove { from: self.from(), to: self.to() }
    }

    /// Both squares as one number: [`Square::INDICES`] times `from`, plus `to`.
    #[inline]
    pub(super) fn squares(self) -> usize {
        (self.packed >> TO) as usize & (Square::INDICES * Square::INDICES - 1)
    }

    #[inline]
    pub(super) fn static_value(self) -> f64 {
        share((self.packed >> STATIC_VALUE) as u16)
    }

    /// Replaces the static value, in [0,1]. Returns it as the edge rounds it.
    #[inline]
    pub(super) fn set_static_value(self, value: f64, alone: bool) -> f64 {
        self.replace(short(value), STATIC_VALUE, alone);
        share(short(value))
    }

    #[inline]
    pub(super) fn prior(self) -> f64 {
        share(self.packed as u16)
    }

    /// The prior and the static value in the precision of selection.
    #[inline]
    pub(super) fn prior_and_static_value(self) -> [f32; 2] {
        let fraction = |units: u16| f32::from(units) * UNIT as f32;
        [fraction(self.packed as u16), fraction((self.packed >> STATIC_VALUE) as u16)]
    }

    #[inline]
    pub(super) fn set_prior(self, share: f64, alone: bool) {
        self.replace(prior(share), 0, alone);
    }

    #[inline]
    fn replace(self, bits: u16, shift: u32, alone: bool) {
        self.change(alone, |packed| packed & !(0xffff << shift) | u64::from(bits) << shift);
    }

    /// Changes the packed move and returns it as it was before; in one step, unless one worker is
    /// `alone` with the tree.
    #[inline]
    fn change(self, alone: bool, changed: impl Fn(u64) -> u64) -> u64 {
        if alone {
            let before = self.place.load(Ordering::Relaxed);
            self.place.store(changed(before), Ordering::Relaxed);
            return before;
        }
        let changed = |packed| Some(changed(packed));
        let (Ok(before) | Err(before)) =
            self.place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, changed);
        before
    }

    /// True if a worker has given the child node the priors of the policy network, or is about to.
    #[inline]
    pub(super) fn has_policy_priors(self) -> bool {
        self.packed & HAS_POLICY_PRIORS != 0
    }

    /// Claims the right to give the child node the priors of the policy network. Returns false if
    /// a worker has claimed it before.
    #[inline]
    pub(super) fn claim_policy_priors(self, alone: bool) -> bool {
        // Relaxed: the claim publishes nothing. Selection reads each prior by itself, and an old
        // one among new ones does no harm.
        !self.has_policy_priors() && self.set(HAS_POLICY_PRIORS, alone) & HAS_POLICY_PRIORS == 0
    }

    #[inline]
    pub(super) fn proof(self) -> Proof {
        Proof::from((self.packed >> PROOF) as u8)
    }

    /// Stores a proof. It holds for the position permanently, so that a worker that sees it late
    /// loses only time.
    #[inline]
    pub(super) fn set_proof(self, proof: Proof) {
        // A proof never turns into another, so adding its bits is enough.
        let before = Proof::from((self.set((proof as u64) << PROOF, false) >> PROOF) as u8);
        debug_assert!(before == Proof::Unknown || before == proof, "a proof contradicts another");
    }

    /// Claims the right to create the child node. Returns false if the node exists or another
    /// worker is creating it. The worker that holds the claim must
    /// [publish](Statistics::publish) the node or [give the claim up](Edge::give_up).
    #[inline]
    pub(super) fn claim(self, alone: bool) -> bool {
        // Relaxed: the claim carries nothing, and what it leads to is published by a release of its
        // own.
        self.set(CLAIMED, alone) & CLAIMED == 0
    }

    /// Gives the claim up: another worker may create the node.
    #[inline]
    pub(super) fn give_up(self) {
        self.place.fetch_and(!CLAIMED, Ordering::Relaxed);
    }

    #[inline]
    fn set(self, bits: u64, alone: bool) -> u64 {
        self.change(alone, |packed| packed | bits)
    }

    /// Playouts through here, with the virtual loss of those under way.
    #[inline]
    pub(super) fn visits(self) -> u32 {
        self.statistics.map_or(0, Statistics::visits)
    }

    /// The mean of the playouts through here; `None` before the first.
    #[inline]
    pub(super) fn mean(self) -> Option<f64> {
        let figures = self.statistics?.figures();
        // With several workers the network's value may replace more results than there are, because
        // playouts under way count as visits.
        (figures.visits > 0).then(|| figures.mean().clamp(0.0, 1.0))
    }

    /// Its proof, else the mean of its playouts, else its static value.
    pub(super) fn value(self) -> f64 {
        self.proof().value().or(self.mean()).unwrap_or(self.static_value())
    }

    /// The child node, once it is published.
    #[inline]
    pub(super) fn child(self) -> Option<NodeId> {
        self.statistics?.child()
    }
}

/// The results of the playouts through an edge: two words of the arena.
///
/// The first word is the sum of their values and of the network's corrections, in units of 1 /
/// [`Statistics::ONE`]. The low half of the second counts the playouts, with virtual loss for those
/// under way. Its high half is the handle of the child node, 0 before a worker publishes the node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statistics<'a>(pub(super) &'a [AtomicU64; 2]);

/// A value in the units of the sum; a negative one as its two's complement.
#[inline]
fn in_units(value: f64) -> u64 {
    (value * Statistics::ONE) as i64 as u64
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) visits: u32,
    sum: u64,
}

impl Figures {
    /// The mean of the playouts, of which there is one at least.
    #[inline]
    pub(super) fn mean(self) -> f64 {
        // Corrections by several workers may leave a sum just below 0. The search stops before a sum
        // reaches 2^63.
        self.sum as i64 as f64 / (f64::from(self.visits) * Statistics::ONE)
    }

    /// The mean in the precision of selection.
    #[inline]
    pub(super) fn mean_for_selection(self) -> f32 {
        self.sum as i64 as f32 / (self.visits as f32 * Statistics::ONE as f32)
    }
}

impl<'a> Statistics<'a> {
    /// One, in the units of the sum of values.
    pub(super) const ONE: f64 = (1u64 << 32) as f64;

    pub(super) const WORDS: usize = 2;

    #[inline]
    fn sum(self) -> &'a AtomicU64 {
        &self.0[0]
    }

    #[inline]
    fn visits_and_child(self) -> &'a AtomicU64 {
        &self.0[1]
    }

    #[inline]
    pub(super) fn visits(self) -> u32 {
        self.visits_and_child().load(Ordering::Relaxed) as u32
    }

    #[inline]
    pub(super) fn figures(self) -> Figures {
        Figures { visits: self.visits(), sum: self.sum().load(Ordering::Relaxed) }
    }

    /// Counts a playout of this value, which a correction may have moved out of [0,1], where there
    /// is one worker only.
    #[inline]
    pub(super) fn add_alone(self, value: f64) {
        let add = |word: &AtomicU64, more| {
            word.store(word.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        };
        add(self.sum(), in_units(value));
        add(self.visits_and_child(), 1);
    }

    /// Adds virtual loss: until the worker leaves, as many playouts seem to have been lost.
    #[inline]
    pub(super) fn enter(self, virtual_loss: u32) {
        self.visits_and_child().fetch_add(u64::from(virtual_loss), Ordering::Relaxed);
    }

    /// Replaces the virtual loss by a playout of this value, which a correction may have moved out
    /// of [0,1].
    #[inline]
    pub(super) fn leave(self, virtual_loss: u32, value: f64) {
        self.sum().fetch_add(in_units(value), Ordering::Relaxed);
        if virtual_loss != 1 {
            // Wraps below zero where more was counted in than the one visit that stays. The high
            // half does not change, since at least as much is in the low one.
            self.visits_and_child().fetch_add(1u64.wrapping_sub(u64::from(virtual_loss)), Ordering::Relaxed);
        }
    }

    /// The child node, once it is published.
    #[inline]
    pub(super) fn child(self) -> Option<NodeId> {
        // Acquire: a worker that sees the handle sees the node that was written before it.
        NodeId::from_handle((self.visits_and_child().load(Ordering::Acquire) >> 32) as u32)
    }

    /// Makes this the child node, where there was none.
    #[inline]
    pub(super) fn publish(self, node: NodeId) {
        // Release: pairs with the acquire of `child`.
        self.visits_and_child().fetch_add(u64::from(node.handle()) << 32, Ordering::Release);
    }

    /// Makes this the child node in place of another. Only between searches.
    pub(super) fn set_child(self, node: NodeId) {
        let word = u64::from(self.visits()) | u64::from(node.handle()) << 32;
        self.visits_and_child().store(word, Ordering::Relaxed);
    }

    pub(super) fn copy_from(self, other: Statistics<'_>) {
        for (word, other) in self.0.iter().zip(other.0) {
            word.store(other.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}
