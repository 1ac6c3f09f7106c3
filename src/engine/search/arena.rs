//! The memory of the tree: one reserved region of 64-bit words, addressed by 32-bit handles.
//!
//! A node has a word for each edge. Statistics take two words an edge and are reserved only where
//! playouts pass: see [`Node`]. Nothing is freed one by one. When the region is three quarters
//! full, leaves get children at their second visit only; when it is full, the tree stops growing.
//! Between turns, if more than half is used, the arena copies the kept subtree to a second region
//! (Cheney 1970).

mod access;
mod atomics;
mod edge;
mod handle;
mod node;
mod proof;
mod statistics;

pub(super) use access::Access;
pub(super) use atomics::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
pub(super) use edge::{Edge, PackedEdge, UNIT, share, short};
// For the kernel of selection that reads packed edges by itself.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(super) use edge::{PROOF, STATIC_VALUE, TO};
pub(super) use handle::NodeId;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(super) use node::EdgeGroup;
pub(super) use node::{GROUP, Node};
pub(super) use proof::Proof;
pub(super) use statistics::{Figures, Statistics};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeId {
    edge: u32,
    statistics: u32,
}

impl Arena {
    /// Words that every arena has room for: a root with all its statistics always fits.
    const LEAST: usize = 3072;

    /// Edges of the largest node: four amazons with 35 squares each.
    const LARGEST: usize = 140;

    /// An arena of at most `bytes`, or of 48 KiB if that is more. Reserves both regions at once;
    /// the system maps their pages at the first touch. If it refuses, asks for half, and so on.
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

    pub(super) fn used(&self) -> usize {
        self.given() * size_of::<AtomicU64>()
    }

    fn given(&self) -> usize {
        // Relaxed: a count that publishes nothing.
        (self.given.load(Ordering::Relaxed) as usize).min(self.words.len())
    }

    pub(super) fn is_half_full(&self) -> bool {
        self.given() > self.words.len() / 2
    }

    /// True if less than a quarter of the region is left, so that it is better kept for what is
    /// visited again.
    pub(super) fn is_short(&self) -> bool {
        self.given() > self.words.len() / 4 * 3
    }

    pub(super) fn has_room(&self) -> bool {
        self.words.len() - self.given() >= Node::words_for(Arena::LARGEST)
    }

    /// Maps the next pages, which the first playouts will write.
    pub(super) fn map_pages(&self) {
        const WORDS: usize = (1 << 20) / size_of::<AtomicU64>();
        const PAGE: usize = 4096 / size_of::<AtomicU64>();
        let next = self.words.iter().skip(self.given()).take(WORDS);
        next.step_by(PAGE).for_each(|word| word.store(0, Ordering::Relaxed));
    }

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
    pub(super) fn push(&self, lease: &mut Lease, edges: &[PackedEdge]) -> Option<NodeId> {
        if edges.is_empty() {
            return None;
        }
        let size = Node::words_for(edges.len());
        let first = self.take(lease, size)?;
        Node::write(&self.words[first as usize..][..size], edges.iter().map(|edge| edge.0));
        NodeId::from_handle(first)
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
        Some(EdgeId { edge: node.edge_handle(index), statistics })
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

    #[inline]
    pub(super) fn node(&self, id: NodeId) -> Node<'_> {
        Node::at(&self.words, id)
    }

    #[inline]
    pub(super) fn edge(&self, id: EdgeId) -> (Edge<'_>, Statistics<'_>) {
        let words = &self.words[id.statistics as usize..];
        let statistics = Statistics(words.first_chunk().expect("a handle leads to all of them"));
        (Edge::read(&self.words[id.edge as usize], Some(statistics)), statistics)
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
mod tests;
