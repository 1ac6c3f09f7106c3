//! A possible move at a node, with everything the search knows about it.

use super::atomics::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use crate::game::Square;

/// A possible move at a node. All values are for the side that chooses at the node.
///
/// Any number of workers read and change an edge at the same time. Every access is relaxed but for
/// the one that publishes a node. Sums and counts are each exact; a mean read between the two is
/// off by one playout, which is within the noise of a sampling search. Fields that never change
/// after creation are atomic too, because the arena reuses memory.
#[derive(Debug)]
#[cfg_attr(not(loom), derive(bytemuck::Zeroable))]
#[repr(C)]
pub(super) struct Edge {
    /// Sum of the values of all playouts through here, each in units of 1 / [`Edge::ONE`].
    sum: AtomicU64,
    /// Playouts through here, those under way included as far as virtual loss counts them.
    visits: AtomicU32,
    /// Handle of the child node's first edge; meaningless while `children` is 0 or [`CLAIMED`].
    first: AtomicU32,
    /// In units of 1 / 65,535.
    prior: AtomicU16,
    /// In units of 1 / 65,535.
    static_value: AtomicU16,
    /// Where the queen comes from; unused where arrows are chosen.
    from: AtomicU8,
    /// Where the queen goes, or the square burnt.
    to: AtomicU8,
    /// Edges of the child node: 0 before expansion, [`CLAIMED`] while a worker creates it. No node
    /// has more than 140: four amazons with 35 squares each.
    children: AtomicU8,
    /// What is proven, as a [`Proof`], and the bit [`HAS_POLICY_PRIORS`].
    proof: AtomicU8,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Edge>() == 24);

/// The `children` of an edge whose child node a worker is creating.
const CLAIMED: u8 = u8::MAX;

/// The bit of `proof` that says that the child node has the priors of the policy network.
const HAS_POLICY_PRIORS: u8 = 0x80;

/// What is known for certain about a move, for the side that chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Proof {
    Unknown,
    Win,
    Loss,
}

impl From<u8> for Proof {
    #[inline]
    fn from(held: u8) -> Proof {
        match held & !HAS_POLICY_PRIORS {
            1 => Proof::Win,
            2 => Proof::Loss,
            _ => Proof::Unknown,
        }
    }
}

impl Proof {
    /// The proof for the opponent.
    pub(super) fn reversed(self) -> Proof {
        match self {
            Proof::Unknown => Proof::Unknown,
            Proof::Win => Proof::Loss,
            Proof::Loss => Proof::Win,
        }
    }

    /// 1 for a win, 0 for a loss.
    #[inline]
    pub(super) fn value(self) -> Option<f64> {
        match self {
            Proof::Unknown => None,
            Proof::Win => Some(1.0),
            Proof::Loss => Some(0.0),
        }
    }
}

/// A node: a run of edges in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) first: u32,
    pub(super) len: u8,
}

/// An edge before it has a place in the arena.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewEdge {
    pub(super) from: Square,
    pub(super) to: Square,
    /// In [0,1].
    pub(super) static_value: f64,
    /// In [0,1].
    pub(super) prior: f64,
    pub(super) proof: Proof,
}

impl NewEdge {
    /// An edge that has no prior yet. Its static value is rounded as an [`Edge`] rounds it.
    #[inline]
    pub(super) fn new(from: Square, to: Square, static_value: f64, proof: Proof) -> NewEdge {
        NewEdge { from, to, static_value: Edge::share(Edge::short(static_value)), prior: 0.0, proof }
    }
}

/// Visits and the sum of values, read at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) visits: u32,
    pub(super) sum: u64,
}

impl Figures {
    /// The mean of the playouts; `None` before the first.
    #[inline]
    pub(super) fn mean(self) -> Option<f64> {
        // A sum is below 2^63, and signed numbers convert faster.
        (self.visits > 0).then(|| self.sum as i64 as f64 / (f64::from(self.visits) * Edge::ONE))
    }
}

impl Edge {
    /// One, in the units of the sum of values.
    const ONE: f64 = (1u64 << 32) as f64;

    const SHORT: f64 = 65_535.0;

    /// An uninitialised edge.
    #[cfg(loom)]
    pub(super) fn blank() -> Edge {
        Edge {
            sum: AtomicU64::new(0),
            visits: AtomicU32::new(0),
            first: AtomicU32::new(0),
            prior: AtomicU16::new(0),
            static_value: AtomicU16::new(0),
            from: AtomicU8::new(0),
            to: AtomicU8::new(0),
            children: AtomicU8::new(0),
            proof: AtomicU8::new(0),
        }
    }

    /// Converts a share in [0,1] to units of 1 / 65,535.
    #[inline]
    fn short(share: f64) -> u16 {
        (share * Edge::SHORT + 0.5) as u16
    }

    /// Converts units of 1 / 65,535 to a share in [0,1].
    #[inline]
    fn share(held: u16) -> f64 {
        // A division would cost more than all else that selection does with it.
        f64::from(held) * (1.0 / Edge::SHORT)
    }

    /// Initialises the edge. Called only by the worker that owns the place, before it publishes the
    /// node.
    #[inline]
    pub(super) fn initialise(&self, new: &NewEdge) {
        self.sum.store(0, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
        self.first.store(0, Ordering::Relaxed);
        self.set_prior(new.prior);
        self.static_value.store(Edge::short(new.static_value), Ordering::Relaxed);
        self.from.store(new.from.index(), Ordering::Relaxed);
        self.to.store(new.to.index(), Ordering::Relaxed);
        self.children.store(0, Ordering::Relaxed);
        self.proof.store(new.proof as u8, Ordering::Relaxed);
    }

    /// Copies another edge. Only between searches.
    pub(super) fn copy_from(&self, other: &Edge) {
        macro_rules! copy {
            ($($field:ident)+) => { $(self.$field.store(other.$field.load(Ordering::Relaxed), Ordering::Relaxed);)+ };
        }
        copy!(sum visits first prior static_value from to children proof);
    }

    /// Where the queen comes from; meaningless for an arrow.
    #[inline]
    pub(super) fn from(&self) -> Square {
        Square::from_index(self.from.load(Ordering::Relaxed))
    }

    /// Where the queen goes, or the square burnt.
    #[inline]
    pub(super) fn to(&self) -> Square {
        Square::from_index(self.to.load(Ordering::Relaxed))
    }

    /// The static value, in [0,1].
    #[inline]
    pub(super) fn static_value(&self) -> f64 {
        Edge::share(self.static_value.load(Ordering::Relaxed))
    }

    /// Replaces the static value, in [0,1].
    #[inline]
    pub(super) fn set_static_value(&self, value: f64) {
        self.static_value.store(Edge::short(value), Ordering::Relaxed);
    }

    /// The prior, in [0,1].
    #[inline]
    pub(super) fn prior(&self) -> f64 {
        Edge::share(self.prior.load(Ordering::Relaxed))
    }

    /// Stores another prior, in [0,1].
    #[inline]
    pub(super) fn set_prior(&self, prior: f64) {
        // Above zero, so that every move is selected some time.
        self.prior.store(Edge::short(prior).max(1), Ordering::Relaxed);
    }

    /// Whether a worker has given the child node the priors of the policy network, or is about to.
    #[inline]
    pub(super) fn has_policy_priors(&self) -> bool {
        self.proof.load(Ordering::Relaxed) & HAS_POLICY_PRIORS != 0
    }

    /// Claims the right to give the child node the priors of the policy network. Returns false if
    /// a worker has claimed it before.
    #[inline]
    pub(super) fn claim_policy_priors(&self) -> bool {
        // Relaxed: the claim publishes nothing. Selection reads each prior by itself, and an old
        // one among new ones does no harm.
        !self.has_policy_priors()
            && self.proof.fetch_or(HAS_POLICY_PRIORS, Ordering::Relaxed) & HAS_POLICY_PRIORS == 0
    }

    #[inline]
    pub(super) fn proof(&self) -> Proof {
        Proof::from(self.proof.load(Ordering::Relaxed))
    }

    /// Stores a proof. It holds for the position for ever, so that a worker that sees it late loses
    /// only time.
    #[inline]
    pub(super) fn set_proof(&self, proof: Proof) {
        // Joins the bit beside it. A proof never turns into another, so adding its bits is enough.
        let before = Proof::from(self.proof.fetch_or(proof as u8, Ordering::Relaxed));
        debug_assert!(before == Proof::Unknown || before == proof, "a proof contradicts another");
    }

    /// Playouts through here.
    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn figures(&self) -> Figures {
        Figures { visits: self.visits(), sum: self.sum.load(Ordering::Relaxed) }
    }

    /// The mean of the playouts through here; `None` before the first.
    #[inline]
    pub(super) fn mean(&self) -> Option<f64> {
        self.figures().mean()
    }

    /// Counts a playout of this value, where there is one worker only.
    #[inline]
    pub(super) fn add_alone(&self, value: f64) {
        let Figures { visits, sum } = self.figures();
        self.sum.store(sum + (value * Edge::ONE) as u64, Ordering::Relaxed);
        self.visits.store(visits + 1, Ordering::Relaxed);
    }

    /// Adds virtual loss: until the worker leaves, as many playouts seem to have been lost.
    #[inline]
    pub(super) fn enter(&self, virtual_loss: u32) {
        self.visits.fetch_add(virtual_loss, Ordering::Relaxed);
    }

    /// Replaces the virtual loss by a playout of this value.
    #[inline]
    pub(super) fn leave(&self, virtual_loss: u32, value: f64) {
        self.sum.fetch_add((value * Edge::ONE) as u64, Ordering::Relaxed);
        if virtual_loss != 1 {
            // Wraps below zero where more was counted in than the one visit that stays.
            self.visits.fetch_add(1u32.wrapping_sub(virtual_loss), Ordering::Relaxed);
        }
    }

    /// The child node, once it is published.
    #[inline]
    pub(super) fn child(&self) -> Option<Block> {
        // Acquire: a worker that sees the length sees the handle and the edges that were written
        // before it.
        match self.children.load(Ordering::Acquire) {
            0 | CLAIMED => None,
            len => Some(Block { first: self.first.load(Ordering::Relaxed), len }),
        }
    }

    /// Claims the right to create the child node. Returns false if the node exists or another
    /// worker is creating it. The worker that holds the claim must [publish](Edge::publish) the
    /// node or [give it up](Edge::give_up).
    #[inline]
    pub(super) fn claim(&self) -> bool {
        // Relaxed: the claim carries nothing, and what it leads to is published by a release of its
        // own.
        self.children.compare_exchange(0, CLAIMED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Gives the claim up: another worker may create the node.
    #[inline]
    pub(super) fn give_up(&self) {
        self.children.store(0, Ordering::Relaxed);
    }

    /// Makes this the child node.
    #[inline]
    pub(super) fn publish(&self, node: Block) {
        self.first.store(node.first, Ordering::Relaxed);
        // Release: pairs with the acquire of `child`.
        self.children.store(node.len, Ordering::Release);
    }
}
