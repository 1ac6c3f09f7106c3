//! The memory of the tree: blocks of edges in one reserved region, addressed by 32-bit handles.
//!
//! A node is a block of edges; the edge that leads to it holds its handle and its length. Nothing
//! is freed one by one. When the region is full, the search continues without expanding. Between
//! turns the subtree that is kept is copied to the front of a second region (Cheney 1970).

use super::atomics::{AtomicU32, Ordering};
use super::edge::{Block, Edge, NewEdge};

/// Two regions of edges: the tree in use, and room to copy what is kept of it.
#[derive(Debug)]
pub(super) struct Arena {
    edges: Box<[Edge]>,
    spare: Box<[Edge]>,
    /// Edges given out so far: those of nodes, and those of leases that are not used up.
    given: AtomicU32,
    /// Incremented when all handles and leases become void.
    generation: u32,
}

/// A run of places reserved for one worker, so that workers do not contend at every expansion.
#[derive(Debug, Default)]
pub(super) struct Lease {
    next: u32,
    end: u32,
    generation: u32,
    /// Places to ask for at a time, at least.
    at_a_time: u32,
}

impl Lease {
    /// A lease that asks for `at_a_time` places, or with 0 for no more than a node needs.
    pub(super) fn of(at_a_time: u32) -> Lease {
        Lease { at_a_time, ..Lease::default() }
    }
}

/// The handle of one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeId(u32);

impl Block {
    /// The handle of the edge at this place in the block.
    #[inline]
    pub(super) fn edge(self, index: usize) -> EdgeId {
        EdgeId(self.first + index as u32)
    }

    #[inline]
    fn range(self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.len)
    }
}

impl Arena {
    /// Edges that every arena has room for: a root always fits.
    const LEAST: usize = 1024;

    /// Edges of the largest node: see [`Edge`].
    const LARGEST: usize = 140;

    /// An arena of at most `bytes`, or of 48 KiB if that is more. Both regions are reserved at
    /// once, so that no turn can run out of memory; the system maps their pages at the first touch.
    /// If the system refuses, asks for half, and so on.
    pub(super) fn new(bytes: usize) -> Arena {
        let most = u32::MAX as usize - usize::from(u16::MAX);
        let mut capacity = (bytes / (2 * size_of::<Edge>())).clamp(Arena::LEAST, most);
        loop {
            if let (Some(edges), Some(spare)) = (region(capacity), region(capacity)) {
                return Arena { edges, spare, given: AtomicU32::new(0), generation: 1 };
            }
            capacity = (capacity / 2).max(Arena::LEAST);
        }
    }

    /// Bytes of the tree.
    pub(super) fn used(&self) -> usize {
        self.given() * size_of::<Edge>()
    }

    fn given(&self) -> usize {
        // Relaxed: a count that publishes nothing.
        (self.given.load(Ordering::Relaxed) as usize).min(self.edges.len())
    }

    /// Whether less than half of the region is left.
    pub(super) fn is_half_full(&self) -> bool {
        self.given() > self.edges.len() / 2
    }

    /// Whether less than a quarter of the region is left, so that it is better kept for what is
    /// visited again.
    pub(super) fn is_short(&self) -> bool {
        self.given() > self.edges.len() / 4 * 3
    }

    /// Whether the largest node still fits.
    pub(super) fn has_room(&self) -> bool {
        self.edges.len() - self.given() >= Arena::LARGEST
    }

    /// Drops every node.
    pub(super) fn clear(&mut self) {
        self.given = AtomicU32::new(0);
        self.generation += 1;
    }

    /// Reserves `len` places; `None` if there are no more.
    fn take(&self, lease: &mut Lease, len: u32) -> Option<u32> {
        if lease.generation != self.generation {
            (lease.next, lease.end, lease.generation) = (0, 0, self.generation);
        }
        if lease.end - lease.next < len {
            // Relaxed: the addition is one step, so that no two workers get the same places. `fits`
            // refuses to pass the capacity. The last places go one node at a time.
            let capacity = self.edges.len() as u32;
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
    pub(super) fn push(&self, lease: &mut Lease, edges: &[NewEdge]) -> Option<Block> {
        let len = u8::try_from(edges.len()).ok().filter(|&len| len > 0)?;
        let block = Block { first: self.take(lease, u32::from(len))?, len };
        for (place, edge) in self.node(block).iter().zip(edges) {
            place.initialise(edge);
        }
        Some(block)
    }

    /// Creates a node of those edges of another node that `keep` selects, statistics included.
    pub(super) fn push_some(
        &self,
        lease: &mut Lease,
        node: Block,
        keep: impl Fn(&Edge) -> bool,
    ) -> Option<Block> {
        let kept = || self.node(node).iter().filter(|edge| keep(edge));
        let len = kept().count() as u8;
        let block = Block { first: self.take(lease, u32::from(len).max(1))?, len };
        for (place, edge) in self.node(block).iter().zip(kept()) {
            place.copy_from(edge);
        }
        (len > 0).then_some(block)
    }

    /// The edges of a node.
    #[inline]
    pub(super) fn node(&self, block: Block) -> &[Edge] {
        &self.edges[block.range()]
    }

    /// One edge.
    #[inline]
    pub(super) fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    /// Keeps the subtree of one node and drops everything else. Returns the node's new handle.
    pub(super) fn keep(&mut self, root: Block) -> Block {
        let Arena { edges, spare, .. } = self;
        let mut end = 0;
        let mut copy = |block: Block| {
            let first = end;
            for edge in &edges[block.range()] {
                spare[end].copy_from(edge);
                end += 1;
            }
            (Block { first: first as u32, len: block.len }, end)
        };
        let (root, mut copied) = copy(root);
        // Edges before `next` lead into the spare region already, those from it on still into the
        // old one.
        let mut next = 0;
        while next < copied {
            if let Some(child) = spare[next].child() {
                let (child, end) = copy(child);
                spare[next].publish(child);
                copied = end;
            }
            next += 1;
        }
        std::mem::swap(edges, spare);
        self.given = AtomicU32::new(copied as u32);
        self.generation += 1;
        root
    }
}

/// Zeroed memory for `capacity` edges, not mapped yet; `None` if the system refuses.
#[cfg(not(loom))]
fn region(capacity: usize) -> Option<Box<[Edge]>> {
    bytemuck::allocation::try_zeroed_slice_box(capacity).ok()
}

/// A few edges, since the model checker tracks every atomic.
#[cfg(loom)]
fn region(capacity: usize) -> Option<Box<[Edge]>> {
    Some((0..capacity.min(16)).map(|_| Edge::blank()).collect())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::edge::Proof;
    use super::*;
    use crate::game::Square;

    fn edges(count: u8) -> Vec<NewEdge> {
        let square = |n: u8| Square::new(n % 10, n / 10).unwrap();
        let edge = |n| NewEdge {
            from: square(n),
            to: square(n),
            static_value: 0.5,
            prior: 0.1,
            proof: Proof::Unknown,
        };
        (0..count).map(edge).collect()
    }

    #[test]
    fn keep_copies_the_subtree_and_drops_the_rest() {
        let mut arena = Arena::new(1 << 20);
        let lease = &mut Lease::default();
        let [root, dropped, kept, below] = [3, 50, 4, 2].map(|len| arena.push(lease, &edges(len)).unwrap());
        arena.edge(root.edge(0)).publish(dropped);
        arena.edge(root.edge(2)).publish(kept);
        arena.edge(kept.edge(3)).publish(below);
        arena.edge(below.edge(1)).add_alone(0.75);

        let root = arena.keep(kept);
        assert_eq!(arena.used(), 6 * size_of::<Edge>());
        let children: Vec<_> = arena.node(root).iter().map(|edge| edge.child().is_some()).collect();
        assert_eq!(children, [false, false, false, true]);
        let below = arena.edge(root.edge(3)).child().unwrap();
        assert_eq!(arena.node(below)[1].mean(), Some(0.75));
        assert_eq!(arena.node(below)[0].mean(), None);
        // The old lease is void: its places would lie in what was kept.
        let next = arena.push(lease, &edges(1)).unwrap();
        assert_eq!(next.edge(0), EdgeId(6));
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
            let reserved = (arena.edges.len() + arena.spare.len()) * size_of::<Edge>();
            assert!(reserved <= bytes, "{reserved} bytes of {bytes}");
        }
    }

    #[test]
    fn full_arena_refuses_nodes() {
        let arena = Arena::new(0);
        let lease = &mut Lease::default();
        for _ in 0..10 {
            assert!(arena.push(lease, &edges(100)).is_some());
        }
        assert!(arena.push(lease, &edges(25)).is_none());
        assert!(arena.push(lease, &edges(24)).is_some());
        assert!(arena.push(lease, &edges(1)).is_none());
        assert!(arena.is_half_full());
        assert_eq!(arena.used(), 1024 * size_of::<Edge>());
    }

    #[test]
    fn leases_never_overlap() {
        let arena = Arena::new(0);
        let mut leases = [300, 200].map(Lease::of);
        let mut taken = vec![false; 1024];
        let mut full = 0;
        for turn in 0.. {
            let Some(block) = arena.push(&mut leases[turn % 2], &edges(70)) else {
                full += 1;
                if full == 2 {
                    break;
                }
                continue;
            };
            for place in block.range() {
                assert!(!std::mem::replace(&mut taken[place], true), "{place} given twice");
            }
        }
        // At most a lease's rest and what no lease fits into are lost.
        assert!(taken.iter().filter(|&&taken| taken).count() > 600);
    }

    #[test]
    fn reserves_less_where_the_system_refuses() {
        // More than any machine maps, so that only a part of it can be reserved.
        let arena = Arena::new(usize::MAX);
        assert!(arena.edges.len() >= 1024 && arena.spare.len() >= arena.edges.len());
    }

    #[test]
    fn edges_round_shares_and_sum_values() {
        let arena = Arena::new(0);
        let mut new = edges(2);
        (new[0].static_value, new[0].prior, new[1].prior) = (0.3, 0.25, 0.0);
        let node = arena.push(&mut Lease::default(), &new).unwrap();
        let [edge, other] = arena.node(node) else { panic!("two edges") };
        assert!(other.prior() > 0.0);
        assert!((edge.prior() - 0.25).abs() < 1e-5 && (edge.static_value() - 0.3).abs() < 1e-5);
        for value in [1.0, 0.0, 0.5] {
            edge.add_alone(value);
            other.enter(3);
            other.leave(3, value);
        }
        assert_eq!((edge.mean(), edge.visits()), (Some(0.5), 3));
        assert_eq!((other.mean(), other.visits()), (Some(0.5), 3));
    }
}
