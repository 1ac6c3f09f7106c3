//! Where the tree lives: blocks of edges in one reserved region, named by 32-bit handles.
//!
//! A node is nothing but the block of its edges; the edge that leads to it holds its handle and its length, so
//! a descent reads one stream of memory a level. Nothing is freed one by one. When the region is full, the
//! search goes on without expanding; between turns the subtree that is kept is copied to the front of a second
//! region (Cheney 1970), in time bounded by what is kept.

use crate::game::Square;

/// A possible move at a node, with everything the search knows about it.
///
/// All values are for the side that chooses at the node.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Edge {
    /// Sum of the values of all playouts through here, each in units of 1 / [`Edge::ONE`].
    pub(super) sum: u64,
    /// Playouts through here.
    pub(super) visits: u32,
    /// Handle of the first edge of the node this leads to; meaningless while `children` is 0.
    first: u32,
    /// Share of attention before any playout, in units of 1 / 65,535.
    prior: u16,
    /// Static value, in units of 1 / 65,535.
    static_value: u16,
    /// Where the queen comes from; unused where arrows are chosen.
    pub(super) from: Square,
    /// Where the queen goes, or the square burnt.
    pub(super) to: Square,
    /// Edges of the node this leads to, 0 before it is expanded. No node has more than 140: four amazons with
    /// 35 squares each.
    children: u8,
    /// What is proven.
    pub(super) proof: Proof,
}

const _: () = assert!(size_of::<Edge>() == 24);

/// What is known for certain about a move, for the side that chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Proof {
    Unknown,
    Win,
    Loss,
}

impl Proof {
    /// The same for the opponent.
    pub(super) fn reversed(self) -> Proof {
        match self {
            Proof::Unknown => Proof::Unknown,
            Proof::Win => Proof::Loss,
            Proof::Loss => Proof::Win,
        }
    }

    /// The value of what is proven.
    #[inline]
    pub(super) fn value(self) -> Option<f64> {
        match self {
            Proof::Unknown => None,
            Proof::Win => Some(1.0),
            Proof::Loss => Some(0.0),
        }
    }
}

impl Edge {
    /// One, in the units of [`Edge::sum`].
    pub(super) const ONE: f64 = (1u64 << 32) as f64;

    const SHORT: f64 = 65_535.0;

    /// An edge nobody has taken yet.
    #[inline]
    pub(super) fn new(from: Square, to: Square, static_value: f64, proof: Proof) -> Edge {
        let static_value = (static_value * Edge::SHORT + 0.5) as u16;
        Edge { sum: 0, visits: 0, first: 0, prior: 0, static_value, from, to, children: 0, proof }
    }

    /// The static value, in [0,1].
    #[inline]
    pub(super) fn static_value(&self) -> f64 {
        f64::from(self.static_value) / Edge::SHORT
    }

    /// The prior, in [0,1].
    #[inline]
    pub(super) fn prior(&self) -> f64 {
        f64::from(self.prior) / Edge::SHORT
    }

    /// Sets the prior, in [0,1]; the least that is kept is above zero, so that no move is forgotten.
    #[inline]
    pub(super) fn set_prior(&mut self, prior: f64) {
        self.prior = ((prior * Edge::SHORT + 0.5) as u16).max(1);
    }

    /// The mean of the playouts through here; `None` before the first.
    #[inline]
    pub(super) fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum as f64 / (f64::from(self.visits) * Edge::ONE))
    }

    /// Counts a playout of this value in. After as many as the counter holds, which takes a day, nothing changes.
    #[inline]
    pub(super) fn add(&mut self, value: f64) {
        if self.visits == u32::MAX {
            return;
        }
        self.sum += (value * Edge::ONE) as u64;
        self.visits += 1;
    }

    /// The node this leads to, if it has been expanded.
    #[inline]
    pub(super) fn child(&self) -> Option<Block> {
        (self.children > 0).then_some(Block { first: self.first, len: self.children })
    }
}

/// A node: a run of edges in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    first: u32,
    len: u8,
}

impl Block {
    #[inline]
    fn range(self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.len)
    }

    /// The handle of the edge at this place in the block.
    #[inline]
    pub(super) fn edge(self, index: usize) -> EdgeId {
        EdgeId(self.first + index as u32)
    }
}

/// The handle of one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeId(u32);

/// Two regions of edges: the tree in use, and room to copy what is kept of it.
#[derive(Debug)]
pub(super) struct Arena {
    edges: Vec<Edge>,
    spare: Vec<Edge>,
    capacity: usize,
}

impl Arena {
    /// An arena that never holds more than `bytes`, or than 48 KiB if that is more: a root always fits. Both regions
    /// are reserved at once, so that no turn of a match can find no memory; the system maps their pages when they are
    /// first touched. Where it refuses as much, it is asked for half of it, and so on.
    pub(super) fn new(bytes: usize) -> Arena {
        const LEAST: usize = 1024;
        let mut capacity = (bytes / (2 * size_of::<Edge>())).clamp(LEAST, u32::MAX as usize);
        loop {
            let mut regions = [Vec::new(), Vec::new()];
            let refused = regions.iter_mut().any(|region| region.try_reserve_exact(capacity).is_err());
            if !refused || capacity == LEAST {
                let [edges, spare] = regions;
                return Arena { edges, spare, capacity };
            }
            capacity = (capacity / 2).max(LEAST);
        }
    }

    /// Bytes of the tree.
    pub(super) fn used(&self) -> usize {
        self.edges.len() * size_of::<Edge>()
    }

    /// Whether less than half of the region is left.
    pub(super) fn is_half_full(&self) -> bool {
        self.edges.len() > self.capacity / 2
    }

    /// Drops every node.
    pub(super) fn clear(&mut self) {
        self.edges.clear();
    }

    /// Makes a node of these edges; `None` if there is no room for them, or none to hold.
    pub(super) fn push(&mut self, edges: &[Edge]) -> Option<Block> {
        let len = u8::try_from(edges.len()).ok().filter(|&len| len > 0)?;
        if self.capacity - self.edges.len() < edges.len() {
            return None;
        }
        let first = self.edges.len() as u32;
        self.edges.extend_from_slice(edges);
        Some(Block { first, len })
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

    /// One edge, to change.
    #[inline]
    pub(super) fn edge_mut(&mut self, id: EdgeId) -> &mut Edge {
        &mut self.edges[id.0 as usize]
    }

    /// Makes an edge lead to a node.
    #[inline]
    pub(super) fn link(&mut self, id: EdgeId, child: Block) {
        let edge = self.edge_mut(id);
        (edge.first, edge.children) = (child.first, child.len);
    }

    /// Keeps the subtree of one node and drops everything else; the node's new name is returned.
    pub(super) fn keep(&mut self, root: Block) -> Block {
        let Arena { edges, spare, .. } = self;
        spare.clear();
        spare.extend_from_slice(&edges[root.range()]);
        // Edges before `next` lead into the spare region already, those from it on still into the old one.
        let mut next = 0;
        while next < spare.len() {
            if let Some(child) = spare[next].child() {
                spare[next].first = spare.len() as u32;
                spare.extend_from_slice(&edges[child.range()]);
            }
            next += 1;
        }
        std::mem::swap(edges, spare);
        Block { first: 0, len: root.len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(count: u8) -> Vec<Edge> {
        let square = |n: u8| Square::new(n % 10, n / 10).unwrap();
        (0..count).map(|n| Edge::new(square(n), square(n), 0.5, Proof::Unknown)).collect()
    }

    #[test]
    fn what_is_kept_keeps_its_shape_and_the_rest_is_gone() {
        let mut arena = Arena::new(1 << 20);
        let root = arena.push(&edges(3)).unwrap();
        let dropped = arena.push(&edges(50)).unwrap();
        let kept = arena.push(&edges(4)).unwrap();
        let below = arena.push(&edges(2)).unwrap();
        arena.link(root.edge(0), dropped);
        arena.link(root.edge(2), kept);
        arena.link(kept.edge(3), below);
        arena.edge_mut(below.edge(1)).add(0.75);

        let root = arena.keep(kept);
        assert_eq!(arena.used(), 6 * size_of::<Edge>());
        let children: Vec<_> = arena.node(root).iter().map(|edge| edge.child().is_some()).collect();
        assert_eq!(children, [false, false, false, true]);
        let below = arena.edge(root.edge(3)).child().unwrap();
        assert_eq!(arena.node(below)[1].mean(), Some(0.75));
        assert_eq!(arena.node(below)[0].mean(), None);
    }

    #[test]
    fn copies_never_take_more_than_two_regions() {
        let bytes = 1 << 20;
        let mut arena = Arena::new(bytes);
        for _ in 0..5 {
            let root = arena.push(&edges(100)).unwrap();
            while arena.push(&edges(100)).is_some() {}
            arena.keep(root);
            let reserved = (arena.edges.capacity() + arena.spare.capacity()) * size_of::<Edge>();
            assert!(reserved <= bytes, "{reserved} bytes of {bytes}");
        }
    }

    #[test]
    fn a_full_arena_says_so_and_stays_as_it_is() {
        let mut arena = Arena::new(0);
        for _ in 0..10 {
            assert!(arena.push(&edges(100)).is_some());
        }
        assert!(arena.push(&edges(25)).is_none());
        assert!(arena.push(&edges(24)).is_some());
        assert!(arena.push(&edges(1)).is_none());
        assert!(arena.is_half_full());
        assert_eq!(arena.used(), 1024 * size_of::<Edge>());
    }

    #[test]
    fn memory_that_cannot_be_had_is_not_insisted_on() {
        // More than any machine maps, so that only a part of it can be reserved.
        let arena = Arena::new(usize::MAX);
        assert!(arena.capacity >= 1024 && arena.edges.capacity() >= arena.capacity);
        assert!(arena.spare.capacity() >= arena.capacity);
    }

    #[test]
    fn shares_and_values_survive_their_compact_form() {
        let mut edge = Edge::new(Square::default(), Square::default(), 0.3, Proof::Unknown);
        edge.set_prior(0.0);
        assert!(edge.prior() > 0.0);
        edge.set_prior(0.25);
        assert!((edge.prior() - 0.25).abs() < 1e-5 && (edge.static_value() - 0.3).abs() < 1e-5);
        edge.add(1.0);
        edge.add(0.0);
        edge.add(0.5);
        assert_eq!(edge.mean(), Some(0.5));
    }
}
