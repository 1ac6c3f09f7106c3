//! The tree below one position: what all workers share, and what happens to it between searches.
//!
//! The tree has two levels a ply: edges of a position are queen moves, edges of a half ply are
//! arrows. All values are for the side that chooses, which changes below an arrow only.

use crossbeam_utils::CachePadded;

use super::arena::Arena;
use super::atomics::{AtomicU8, AtomicU32, Ordering};
use super::edge::{Edge, NodeId, Proof};
use super::selection::proof;
use crate::game::{FullMove, Position};

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) arena: Arena,
    pub(super) position: Position,
    /// The node of `position`; none before its expansion, or if its side has no move.
    pub(super) root: Option<NodeId>,
    /// Playouts from the root, those kept from earlier turns included. Every playout writes it, so
    /// it has a cache line of its own: every level reads the other fields.
    visits: CachePadded<AtomicU32>,
    /// The proof for the side to move at the root, as a [`Proof`].
    proven: AtomicU8,
    /// The network's value of the root for the side to move, in [0,1]; `None` before it gave the
    /// root its priors.
    pub(super) network_value: Option<f64>,
}

impl Tree {
    pub(super) fn new(memory: usize, position: Position) -> Tree {
        Tree {
            arena: Arena::new(memory),
            position,
            root: None,
            visits: CachePadded::new(AtomicU32::new(0)),
            proven: AtomicU8::new(Proof::Unknown as u8),
            network_value: None,
        }
    }

    #[inline]
    pub(super) fn visits(&self) -> u32 {
        // Relaxed, as all statistics: see `Edge`.
        self.visits.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn add_visit(&self, alone: bool) {
        if alone {
            self.visits.store(self.visits() + 1, Ordering::Relaxed);
        } else {
            self.visits.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(super) fn proof(&self) -> Proof {
        Proof::from(self.proven.load(Ordering::Relaxed))
    }

    /// Stores what the edges of the root prove. A proof is never taken back: a worker that has not
    /// seen the last edge proven must not undo what another worker has stored.
    pub(super) fn prove_root(&self) {
        let proven = self.root.map_or(Proof::Unknown, |root| self.proof_of(root));
        if proven != Proof::Unknown {
            self.proven.store(proven as u8, Ordering::Relaxed);
        }
    }

    /// The proof that a node's edges give for the side that chooses there.
    pub(super) fn proof_of(&self, node: NodeId) -> Proof {
        proof(self.arena.node(node).edges().map(Edge::proof))
    }

    pub(super) fn set_position(&mut self, position: Position) {
        self.arena.clear();
        self.position = position;
        self.network_value = None;
        self.set_root(None, 0, Proof::Unknown);
    }

    fn set_root(&mut self, root: Option<NodeId>, visits: u32, proof: Proof) {
        self.root = root;
        self.visits = CachePadded::new(AtomicU32::new(visits));
        self.proven = AtomicU8::new(proof as u8);
    }

    /// Plays a legal move. The root moves to its node; the rest stays in memory until
    /// [`Tree::compact`].
    pub(super) fn advance(&mut self, full: FullMove) {
        let find = |node: Option<NodeId>, wanted: &dyn Fn(&Edge<'_>) -> bool| {
            self.arena.node(node?).edges().find(wanted)
        };
        let queen = find(self.root, &|edge| edge.from() == full.from && edge.to() == full.to);
        let arrow = find(queen.and_then(Edge::child), &|edge| edge.to() == full.arrow);
        let next = self.position.play_unchecked(full);
        match arrow.and_then(|edge| Some((edge.child()?, edge))) {
            Some((node, edge)) => {
                let (visits, proof) = (edge.visits(), edge.proof());
                self.position = next;
                self.network_value = None;
                self.set_root(Some(node), visits, proof.reversed());
            }
            None => self.set_position(next),
        }
    }

    /// Drops what the moves played have cut off, if the free part of the arena is getting short.
    pub(super) fn compact(&mut self) {
        match self.root {
            Some(root) if self.arena.is_half_full() => self.root = Some(self.arena.keep(root)),
            _ => {}
        }
    }
}
