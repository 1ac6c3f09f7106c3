//! The search tree of one position, which all workers share, and its changes between searches.
//!
//! The tree has two levels for each ply. The edges of a position are queen moves; the edges of a
//! half ply (the state after a queen move) are arrows. The values of an edge are for the side that
//! acts at its node.

use amazons::{Move, Position, QueenMove};
use crossbeam_utils::CachePadded;

use super::arena::{Access, Arena, AtomicU8, AtomicU64, Edge, Lease, NodeId, Ordering, Proof};
use super::selection::index_to_play;

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) arena: Arena,
    pub(super) position: Position,
    /// The node of `position`; `None` before its expansion, or if the side to move has no move.
    pub(super) root: Option<NodeId>,
    /// The number of playouts from the root, including those kept from earlier turns. It has its
    /// own cache line, because every playout writes this counter, but only reads the other fields.
    visits: CachePadded<AtomicU64>,
    /// The proof of the root for the side to move, as a [`Proof`].
    proven: AtomicU8,
    /// The network's value of the root for the side to move, in [0,1]; `None` before the network
    /// has given the root its priors.
    pub(super) network_value: Option<f64>,
}

impl Tree {
    pub(super) fn new(memory: usize, position: Position) -> Tree {
        Tree {
            arena: Arena::new(memory),
            position,
            root: None,
            visits: CachePadded::new(AtomicU64::new(0)),
            proven: AtomicU8::new(Proof::Unknown as u8),
            network_value: None,
        }
    }

    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed) as u32
    }

    #[inline]
    pub(super) fn add_root_visit(&self, access: Access) {
        access.add(&self.visits, 1);
    }

    #[inline]
    pub(super) fn root_proof(&self) -> Proof {
        Proof::from(self.proven.load(Ordering::Relaxed))
    }

    /// Stores the proof that follows from the edges of the root. A proof is never removed: a worker
    /// that does not see the last proven edge yet must not undo the proof of another worker.
    pub(super) fn update_root_proof(&self) {
        let proven = self.root.map_or(Proof::Unknown, |root| self.proof_of(root));
        if proven != Proof::Unknown {
            self.proven.store(proven as u8, Ordering::Relaxed);
        }
    }

    pub(super) fn proof_of(&self, node: NodeId) -> Proof {
        Proof::of_node(self.arena.node(node).edges().map(Edge::proof))
    }

    pub(super) fn set_position(&mut self, position: Position) {
        self.arena.clear();
        self.set_root(position, None, 0, Proof::Unknown);
    }

    fn set_root(&mut self, position: Position, root: Option<NodeId>, visits: u32, proof: Proof) {
        self.position = position;
        self.root = root;
        self.network_value = None;
        self.visits = CachePadded::new(AtomicU64::new(visits.into()));
        self.proven = AtomicU8::new(proof as u8);
    }

    pub(super) fn queen_edge(&self, queen: QueenMove) -> Option<Edge<'_>> {
        self.arena.node(self.root?).edges().find(|edge| edge.queen_move() == queen)
    }

    /// Plays a legal move. The node after the move becomes the root, unless it is proven won and
    /// the tree has no winning move. Other nodes stay in memory until [`Tree::compact`].
    pub(super) fn advance(&mut self, played: Move) {
        let arrows = self.queen_edge(played.queen()).and_then(Edge::child);
        let arrow =
            arrows.and_then(|node| self.arena.node(node).edges().find(|edge| edge.to() == played.arrow));
        let next = self.position.play_unchecked(played);
        match arrow.map(|edge| (edge.child(), edge.visits(), edge.proof().reversed())) {
            Some((Some(node), visits, proof)) if proof != Proof::Win || self.has_winning_move(node) => {
                self.set_root(next, Some(node), visits, proof);
            }
            _ => self.set_position(next),
        }
    }

    /// True if the full move to play from `node` is a winning move of the tree. Pruning may have
    /// dropped the arrows after a winning queen move, whose edge stays proven.
    fn has_winning_move(&self, node: NodeId) -> bool {
        let win = |node| {
            let node = self.arena.node(node);
            let best = index_to_play(&node, 0.0).map(|index| node.edge(index));
            best.filter(|edge| edge.proof() == Proof::Win)
        };
        win(node).and_then(Edge::child).and_then(win).is_some()
    }

    pub(super) fn compact(&mut self) {
        // If the root is the first node of the arena, all nodes are needed: a copy frees nothing.
        if self.arena.is_half_full() && self.root != NodeId::from_handle(1) {
            self.root = self.root.and_then(|root| self.arena.keep_subtree(root, 0, &|| false));
        }
    }

    /// Drops the least visited nodes, so that at least half of the arena is free, unless `gives_up`
    /// returns true meanwhile.
    pub(super) fn prune(&mut self, gives_up: &dyn Fn() -> bool) {
        self.root = self.root.and_then(|root| self.arena.keep_most_visited(root, gives_up)).or(self.root);
    }

    /// Creates statistics for every edge of the root, so that no playout ends at the root. Returns
    /// false if there is not enough space.
    pub(super) fn ensure_root_statistics(&self) -> bool {
        self.root.is_none_or(|root| self.arena.ensure_all_statistics(&mut Lease::default(), root))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;

    use amazons::Size;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::super::arena::visit_class;
    use super::super::engine::Engine;
    use super::super::limits::Limits;
    use super::super::options::EngineOptions;
    use super::*;

    /// Plays moves that lead to a node that is proven won, from a whole tree and from a tree
    /// without the nodes that have fewer visits. Counts the moves after which the root is and is
    /// not proven.
    #[test]
    fn proof_without_winning_move_is_dropped() {
        let mut options = EngineOptions { memory: 16 << 20, ..EngineOptions::default() };
        options.parameters.endgame = Some(false);
        let mut counts = [0; 2];
        for seed in 0..8 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut position = Position::start(Size::square(6).unwrap()).unwrap();
            (0..14).for_each(|_| position = position.play_unchecked(position.random_move(&mut rng).unwrap()));
            let search = || {
                let mut engine = Engine::new(&options, &position);
                engine.ponder(&Limits::playouts(5_000)).unwrap();
                engine
            };
            let searched = search();
            let Tree { arena, root, .. } = &*searched.tree;
            for queen in arena.node(root.unwrap()).edges() {
                let Some(arrows) = queen.child() else { continue };
                for arrow in arena.node(arrows).edges() {
                    if arrow.proof() != Proof::Loss || arrow.child().is_none() {
                        continue;
                    }
                    for min_visit_class in [0, visit_class(arrow.visits())] {
                        let mut engine = search();
                        let tree = Arc::get_mut(&mut engine.tree).unwrap();
                        tree.root = tree.arena.keep_subtree(root.unwrap(), min_visit_class, &|| false);
                        engine.advance(Move::new(queen.queen_move(), arrow.to())).unwrap();
                        counts[usize::from(engine.tree.root_proof() == Proof::Win)] += 1;
                        let report = engine.search(&Limits::playouts(1)).unwrap();
                        let best = report.candidates.iter().find(|it| it.played == report.best);
                        assert!(!report.proven || best.is_some_and(|best| best.proven), "{report:?}");
                    }
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    }
}
