//! The memory of the tree: one reserved region of 64-bit words, addressed by 32-bit handles.
//!
//! A node has a word for each edge. Statistics take two words an edge and are reserved only where
//! playouts pass: see [`Node`]. Nothing is freed one by one. When the region is three quarters full,
//! leaves get children at their second visit only; when it is full, the tree stops growing. Between
//! turns, if more than half is used, the arena copies the kept subtree to a second region (Cheney
//! 1970).

use super::atomics::{AtomicU32, AtomicU64, Ordering};
use super::edge::{Edge, NewEdge, Statistics};
use super::node::{GROUP, Node, NodeId};

/// Two regions of words: the tree in use, and room to copy what is kept of it.
#[derive(Debug)]
pub(super) struct Arena {
    words: Box<[AtomicU64]>,
    spare: Box<[AtomicU64]>,
    /// Words given out so far: those in use, and those of leases that are not used up. Word 0 is
    /// never given out, so that 0 is no handle.
    given: AtomicU32,
    /// Incremented when all handles and leases become void.
    generation: u32,
}

/// A run of words reserved for one worker, so that workers do not contend at every expansion.
#[derive(Debug, Default)]
pub(super) struct Lease {
    next: u32,
    end: u32,
    generation: u32,
    /// Words to ask for at a time, at least.
    at_a_time: u32,
}

impl Lease {
    /// A lease that asks for `at_a_time` words, or with 0 for no more than it needs.
    pub(super) fn of(at_a_time: u32) -> Lease {
        Lease { at_a_time, ..Lease::default() }
    }
}

/// The handle of an edge that has statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeId {
    word: u32,
    statistics: u32,
}

impl Arena {
    /// Words that every arena has room for: a root with all its statistics always fits.
    const LEAST: usize = 3072;

    /// Edges of the largest node: four amazons with 35 squares each.
    const LARGEST: usize = 140;

    /// An arena of at most `bytes`, or of 48 KiB if that is more. Reserves both regions at once; the
    /// system maps their pages at the first touch. If it refuses, asks for half, and so on.
    pub(super) fn new(bytes: usize) -> Arena {
        let most = u32::MAX as usize - usize::from(u16::MAX);
        let mut capacity = (bytes / (2 * size_of::<AtomicU64>())).clamp(Arena::LEAST, most);
        loop {
            if let (Some(words), Some(spare)) = (region(capacity), region(capacity)) {
                return Arena { words, spare, given: AtomicU32::new(1), generation: 1 };
            }
            capacity = (capacity / 2).max(Arena::LEAST);
        }
    }

    /// Bytes of the tree.
    pub(super) fn used(&self) -> usize {
        self.given() * size_of::<AtomicU64>()
    }

    fn given(&self) -> usize {
        // Relaxed: a count that publishes nothing.
        (self.given.load(Ordering::Relaxed) as usize).min(self.words.len())
    }

    /// Whether less than half of the region is left.
    pub(super) fn is_half_full(&self) -> bool {
        self.given() > self.words.len() / 2
    }

    /// Whether less than a quarter of the region is left, so that it is better kept for what is
    /// visited again.
    pub(super) fn is_short(&self) -> bool {
        self.given() > self.words.len() / 4 * 3
    }

    /// Whether the largest node still fits.
    pub(super) fn has_room(&self) -> bool {
        self.words.len() - self.given() >= Node::words(Arena::LARGEST)
    }

    /// Drops every node.
    pub(super) fn clear(&mut self) {
        self.given = AtomicU32::new(1);
        self.generation += 1;
    }

    /// Reserves `len` words; `None` if there are no more.
    fn take(&self, lease: &mut Lease, len: usize) -> Option<u32> {
        let len = len as u32;
        if lease.generation != self.generation {
            (lease.next, lease.end, lease.generation) = (0, 0, self.generation);
        }
        if lease.end - lease.next < len {
            // Relaxed: the addition is one step, so that no two workers get the same words. `fits`
            // refuses to pass the capacity. The last words go one node at a time.
            let capacity = self.words.len() as u32;
            let (next, asked) = [len.max(lease.at_a_time), len].into_iter().find_map(|asked| {
                let fits = |given: u32| given.checked_add(asked).filter(|&end| end <= capacity);
                let next = self.given.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
                Some((next, asked))
            })?;
            (lease.next, lease.end) = (next, next + asked);
        }
        let first = lease.next;
        lease.next += len;
        Some(first)
    }

    /// Creates a node of these edges; `None` if there is no room or no edge. Other workers see it
    /// once it is published.
    pub(super) fn push(&self, lease: &mut Lease, edges: &[NewEdge]) -> Option<NodeId> {
        self.create(lease, edges.iter().map(NewEdge::word))
    }

    fn create(&self, lease: &mut Lease, moves: impl ExactSizeIterator<Item = u64>) -> Option<NodeId> {
        if moves.len() == 0 {
            return None;
        }
        let size = Node::words(moves.len());
        let first = self.take(lease, size)?;
        Node::write(&self.words[first as usize..][..size], moves);
        NodeId::from_handle(first)
    }

    /// Creates a node of those edges of another node that `keep` selects, statistics included;
    /// `None` if there is no room or no such edge.
    pub(super) fn push_some(
        &self,
        lease: &mut Lease,
        node: NodeId,
        keep: impl Fn(&Edge<'_>) -> bool,
    ) -> Option<NodeId> {
        let kept: Vec<Edge<'_>> = self.node(node).edges().filter(keep).collect();
        let id = self.create(lease, kept.iter().copied().map(Edge::word))?;
        for (index, edge) in kept.iter().enumerate() {
            let copy = self.visit(lease, &self.node(id), index)?;
            if let Some(statistics) = edge.statistics {
                self.statistics(copy).copy_from(statistics);
            }
        }
        Some(id)
    }

    /// Gives an edge of a node statistics, unless it has them. `None` if there is no room.
    #[inline]
    pub(super) fn visit(&self, lease: &mut Lease, node: &Node<'_>, index: usize) -> Option<EdgeId> {
        let group = index / GROUP;
        let first = match node.statistics_handle(group) {
            0 => self.push_statistics(lease, node, group)?,
            first => first,
        };
        let statistics = first + (Statistics::WORDS * (index % GROUP)) as u32;
        Some(EdgeId { word: node.word(index), statistics })
    }

    /// Gives a group of edges statistics. Returns their handle, which may be that of another worker
    /// that has done the same meanwhile; `None` if there is no room.
    fn push_statistics(&self, lease: &mut Lease, node: &Node<'_>, group: usize) -> Option<u32> {
        let size = Statistics::WORDS * node.group_len(group);
        let first = self.take(lease, size)?;
        self.words[first as usize..][..size].iter().for_each(|word| word.store(0, Ordering::Relaxed));
        Some(match node.publish_statistics(group, first) {
            Ok(()) => first,
            Err(others) => {
                // The words were the last that the lease gave, so they go back to it.
                lease.next = first;
                others
            }
        })
    }

    /// Gives all edges of a node statistics. Returns false if there is no room.
    pub(super) fn visit_all(&self, lease: &mut Lease, id: NodeId) -> bool {
        let node = self.node(id);
        (0..node.len()).step_by(GROUP).all(|index| self.visit(lease, &node, index).is_some())
    }

    /// A node.
    #[inline]
    pub(super) fn node(&self, id: NodeId) -> Node<'_> {
        Node::at(&self.words, id)
    }

    /// An edge with its statistics.
    #[inline]
    pub(super) fn edge(&self, id: EdgeId) -> (Edge<'_>, Statistics<'_>) {
        let statistics = self.statistics(id);
        (Edge::read(&self.words[id.word as usize], Some(statistics)), statistics)
    }

    /// The statistics of an edge.
    #[inline]
    fn statistics(&self, id: EdgeId) -> Statistics<'_> {
        let words = &self.words[id.statistics as usize..];
        Statistics::at(words.first_chunk().expect("a handle leads to all of them"))
    }

    /// Keeps the subtree of one node and drops everything else. Returns the node's new handle.
    pub(super) fn keep(&mut self, root: NodeId) -> NodeId {
        let Arena { words, spare, .. } = self;
        let copy = |id, first: u32| Node::at(words, id).copy(spare, first);
        let mut next = 1;
        let (root, mut end) = copy(root, next);
        // The children of nodes before `next` are copied already, those of nodes from it on are
        // still in the old region.
        while let Some(id) = NodeId::from_handle(next).filter(|_| next < end) {
            let node = Node::at(spare, id);
            for statistics in node.edges().filter_map(|edge| edge.statistics) {
                if let Some(child) = statistics.child() {
                    let (copied, after) = copy(child, end);
                    statistics.set_child(copied);
                    end = after;
                }
            }
            next += node.size() as u32;
        }
        std::mem::swap(words, spare);
        self.given = AtomicU32::new(end);
        self.generation += 1;
        root
    }
}

/// Zeroed memory of `capacity` words, not mapped yet; `None` if the system refuses.
#[cfg(not(loom))]
fn region(capacity: usize) -> Option<Box<[AtomicU64]>> {
    bytemuck::allocation::try_zeroed_slice_box(capacity).ok()
}

/// A few words, since the model checker tracks every atomic.
#[cfg(loom)]
fn region(capacity: usize) -> Option<Box<[AtomicU64]>> {
    Some((0..capacity.min(40)).map(|_| AtomicU64::new(0)).collect())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::edge::Proof;
    use super::*;
    use crate::game::Square;

    fn edges(count: u8) -> Vec<NewEdge> {
        let square = |n: u8| Square::new(n % 10, n / 10 % 10).unwrap();
        let edge = |n| NewEdge {
            from: square(n),
            to: square(n),
            static_value: 0.5,
            prior: 0.1,
            proof: Proof::Unknown,
        };
        (0..count).map(edge).collect()
    }

    /// The statistics of an edge, made where there are none.
    fn visited<'a>(arena: &'a Arena, lease: &mut Lease, node: NodeId, index: usize) -> Statistics<'a> {
        arena.edge(arena.visit(lease, &arena.node(node), index).unwrap()).1
    }

    #[test]
    fn keep_copies_the_subtree_and_drops_the_rest() {
        let mut arena = Arena::new(1 << 20);
        let lease = &mut Lease::default();
        let [root, dropped, kept, below] = [3, 50, 20, 10].map(|len| arena.push(lease, &edges(len)).unwrap());
        visited(&arena, lease, root, 0).publish(dropped);
        visited(&arena, lease, root, 2).publish(kept);
        visited(&arena, lease, kept, 19).publish(below);
        visited(&arena, lease, kept, 3).add_alone(0.25);
        visited(&arena, lease, below, 1).add_alone(0.75);

        let root = arena.keep(kept);
        // Of 20 edges the second group of 8 has no statistics, of 10 the second of 2.
        let words = 1 + Node::words(20) + 2 * (8 + 4) + Node::words(10) + 2 * 8;
        assert_eq!(arena.used(), words * size_of::<AtomicU64>());
        for (index, edge) in arena.node(root).edges().enumerate() {
            assert_eq!(edge.child().is_some(), index == 19);
            assert_eq!(edge.statistics.is_some(), !(8..16).contains(&index));
            assert_eq!(edge.mean(), (index == 3).then_some(0.25));
            assert_eq!(usize::from(edge.to().x() + 10 * edge.to().y()), index);
        }
        let below = arena.node(arena.node(root).edge(19).child().unwrap());
        assert_eq!((below.len(), below.edge(1).mean(), below.edge(0).mean()), (10, Some(0.75), None));
        // The old lease is void: its words would lie in what was kept.
        let next = arena.push(lease, &edges(1)).unwrap();
        assert_eq!(next.handle() as usize, words);
    }

    #[test]
    fn keep_never_exceeds_the_memory() {
        let bytes = 1 << 20;
        let mut arena = Arena::new(bytes);
        for _ in 0..5 {
            let lease = &mut Lease::default();
            let root = arena.push(lease, &edges(100)).unwrap();
            while arena.push(lease, &edges(100)).is_some() {}
            arena.keep(root);
            let reserved = (arena.words.len() + arena.spare.len()) * size_of::<AtomicU64>();
            assert!(reserved <= bytes, "{reserved} bytes of {bytes}");
        }
    }

    #[test]
    fn full_arena_refuses_nodes_and_statistics() {
        let arena = Arena::new(0);
        let lease = &mut Lease::default();
        let node = arena.push(lease, &edges(100)).unwrap();
        while arena.push(lease, &edges(100)).is_some() {}
        assert!(!arena.has_room() && arena.is_half_full() && arena.is_short());
        while arena.push(lease, &edges(1)).is_some() {}
        assert!(arena.visit(lease, &arena.node(node), 0).is_none());
        assert!(!arena.visit_all(lease, node));
        assert!(arena.node(node).edges().all(|edge| edge.statistics.is_none()));
        assert!(arena.used() > (Arena::LEAST - 3) * size_of::<AtomicU64>());
    }

    #[test]
    fn smallest_arena_has_room_for_any_root_twice() {
        let arena = Arena::new(0);
        let lease = &mut Lease::default();
        let root = arena.push(lease, &edges(Arena::LARGEST as u8)).unwrap();
        assert!(arena.visit_all(lease, root));
        let restricted = arena.push_some(lease, root, |_| true).unwrap();
        assert!(arena.node(restricted).edges().all(|edge| edge.statistics.is_some()));
    }

    #[test]
    fn leases_never_overlap() {
        let arena = Arena::new(0);
        let mut leases = [900, 600].map(Lease::of);
        let mut taken = vec![false; Arena::LEAST];
        let mut full = 0;
        for turn in 0.. {
            let Some(node) = arena.push(&mut leases[turn % 2], &edges(70)) else {
                full += 1;
                if full == 2 {
                    break;
                }
                continue;
            };
            for word in (node.handle() as usize..).take(Node::words(70)) {
                assert!(!std::mem::replace(&mut taken[word], true), "{word} given twice");
            }
        }
        // At most a lease's rest and what no lease fits into are lost.
        assert!(taken.iter().filter(|&&taken| taken).count() > 1800);
    }

    #[test]
    fn reserves_less_where_the_system_refuses() {
        // More than any machine maps, so that only a part of it can be reserved.
        let arena = Arena::new(usize::MAX);
        assert!(arena.words.len() >= Arena::LEAST && arena.spare.len() >= arena.words.len());
    }

    #[test]
    fn edges_round_shares_and_sum_values() {
        let arena = Arena::new(0);
        let mut new = edges(2);
        (new[0].static_value, new[0].prior, new[1].prior) = (0.3, 0.25, 0.0);
        let lease = &mut Lease::default();
        let id = arena.push(lease, &new).unwrap();
        let node = arena.node(id);
        assert!(node.edge(1).prior() > 0.0);
        let edge = node.edge(0);
        assert!((edge.prior() - 0.25).abs() < 1e-5 && (edge.static_value() - 0.3).abs() < 1e-5);
        let [one, other] = [0, 1].map(|index| visited(&arena, lease, id, index));
        for value in [1.0, 0.0, 0.5] {
            one.add_alone(value);
            other.enter(3);
            other.leave(3, value);
        }
        for edge in node.edges() {
            assert_eq!((edge.mean(), edge.visits()), (Some(0.5), 3));
        }
    }

    #[test]
    fn words_of_an_edge_change_one_by_one() {
        let arena = Arena::new(0);
        let id = arena.push(&mut Lease::default(), &edges(12)).unwrap();
        let read = || arena.node(id).edge(11);
        assert!(read().claim() && !read().claim());
        assert!(read().claim_policy_priors() && !read().claim_policy_priors());
        read().set_prior(0.75);
        read().set_proof(Proof::Loss);
        assert_eq!(read().set_static_value(0.2), read().static_value());
        read().give_up();
        assert!(read().claim() && read().has_policy_priors());
        assert_eq!((read().proof(), read().to().x(), read().from().y()), (Proof::Loss, 1, 1));
        assert!((read().prior() - 0.75).abs() < 1e-5 && (read().static_value() - 0.2).abs() < 1e-5);
    }
}
