//! The memory of the search tree: a reserved region of 64-bit words, addressed by 32-bit handles.
//!
//! A node has one word for each edge. The statistics of an edge take two more words and exist only
//! where playouts pass: see [`Node`]. Nodes are never freed one by one. When the region is full,
//! the search pauses, and the arena copies the most visited nodes to a second region (Cheney 1970).
//! The copies fill at most half of the second region. Between turns, if more than half of the
//! region is used, the arena copies the subtree that is still needed.

mod access;
mod edge;
mod node;
mod proof;
mod statistics;

use std::num::NonZeroU32;
use std::time::Duration;

pub(super) use access::{Access, AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
pub(super) use edge::{Edge, PackedEdge, VALUE_UNIT, from_units, to_units};
// The AVX-512 code of selection reads the fields of an edge without the type [`Edge`].
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(super) use edge::{PROOF_SHIFT, STATIC_VALUE_SHIFT, TO_SHIFT};
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(super) use node::EdgeGroup;
pub(super) use node::{GROUP_LEN, Node};
pub(super) use proof::Proof;
pub(super) use statistics::{Statistics, Totals};

#[derive(Debug)]
pub(super) struct Arena {
    words: Box<[AtomicU64]>,
    spare: Box<[AtomicU64]>,
    /// The number of words allocated so far, including words that workers reserved but do not use
    /// yet. Word 0 is never allocated, so that handle 0 can mean no node or no statistics.
    allocated: AtomicU32,
    /// Counts how often all nodes were dropped or moved, which makes handles and leases invalid.
    generation: u32,
}

/// Consecutive words that one worker has reserved, so that workers rarely contend for words.
#[derive(Debug, Default)]
pub(super) struct Lease {
    next: u32,
    end: u32,
    generation: u32,
    min_request: u32,
}

impl Lease {
    /// A lease without words. It will reserve `min_request` words at a time, or more if necessary.
    pub(super) fn of(min_request: u32) -> Lease {
        Lease { min_request, ..Lease::default() }
    }
}

/// The index of a node's first word in the arena. It is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(NonZeroU32);

impl NodeId {
    /// The node with this handle; `None` for 0, which stands for no node.
    #[inline]
    pub(super) fn from_handle(handle: u32) -> Option<NodeId> {
        NonZeroU32::new(handle).map(NodeId)
    }

    #[inline]
    pub(super) fn handle(self) -> u32 {
        self.0.get()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EdgeId {
    edge: u32,
    statistics: u32,
}

impl Arena {
    /// The smallest number of words in a region. A root with all its statistics always fits.
    const MIN_WORDS: usize = 3072;

    /// The largest number of edges of a node: four amazons with 35 reachable squares each.
    const MAX_EDGES: usize = 140;

    /// Creates an arena of at most `bytes`, but at least 48 KiB.
    pub(super) fn new(bytes: usize) -> Arena {
        let most = u32::MAX as usize - usize::from(u16::MAX);
        let mut capacity = (bytes / (2 * size_of::<AtomicU64>())).clamp(Arena::MIN_WORDS, most);
        loop {
            if let (Some(words), Some(spare)) = (allocate_region(capacity), allocate_region(capacity)) {
                return Arena { words, spare, allocated: AtomicU32::new(1), generation: 1 };
            }
            capacity = (capacity / 2).max(Arena::MIN_WORDS);
        }
    }

    pub(super) fn used_bytes(&self) -> usize {
        self.allocated_words() * size_of::<AtomicU64>()
    }

    fn allocated_words(&self) -> usize {
        // Relaxed, because no other data is published through this count.
        (self.allocated.load(Ordering::Relaxed) as usize).min(self.words.len())
    }

    pub(super) fn is_half_full(&self) -> bool {
        self.allocated_words() > self.words.len() / 2
    }

    pub(super) fn is_nearly_full(&self) -> bool {
        self.allocated_words() > self.words.len() / 4 * 3
    }

    pub(super) fn is_full(&self) -> bool {
        self.words.len() - self.allocated_words() < Node::words_for(Arena::MAX_EDGES)
    }

    /// An upper bound of the time of [`Arena::keep_most_visited`]: 20 ns per word of the region.
    pub(super) fn longest_prune(&self) -> Duration {
        Duration::from_nanos(20 * self.words.len() as u64)
    }

    /// Touches the memory that the first playouts will write, so that the system maps its pages.
    pub(super) fn map_pages(&self) {
        const MAPPED_WORDS: usize = (1 << 20) / size_of::<AtomicU64>();
        const WORDS_PER_PAGE: usize = 4096 / size_of::<AtomicU64>();
        let next = self.words.iter().skip(self.allocated_words()).take(MAPPED_WORDS);
        next.step_by(WORDS_PER_PAGE).for_each(|word| word.store(0, Ordering::Relaxed));
    }

    pub(super) fn clear(&mut self) {
        self.allocated = AtomicU32::new(1);
        self.generation += 1;
    }

    fn allocate(&self, lease: &mut Lease, len: usize) -> Option<u32> {
        let len = len as u32;
        if lease.generation != self.generation {
            (lease.next, lease.end, lease.generation) = (0, 0, self.generation);
        }
        if lease.end - lease.next < len {
            // Relaxed, because an atomic update always gives two workers different words. The lease
            // asks for `min_request` words, but at most 1/64 of the region, so that unused words do
            // not fill a small region. If this request is less than `len` or does not fit, the
            // lease asks for `len` words.
            let capacity = self.words.len() as u32;
            let request = len.max(lease.min_request.min(capacity / 64));
            let (next, asked) = [request, len].into_iter().find_map(|asked| {
                let fits = |allocated: u32| allocated.checked_add(asked).filter(|&end| end <= capacity);
                let next = self.allocated.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
                Some((next, asked))
            })?;
            (lease.next, lease.end) = (next, next + asked);
        }
        let first = lease.next;
        lease.next += len;
        Some(first)
    }

    /// Creates a node with `edges`, which must not be empty; `None` if there is no space. Other
    /// workers see the node only after the caller publishes it.
    pub(super) fn push(&self, lease: &mut Lease, edges: &[PackedEdge]) -> Option<NodeId> {
        let size = Node::words_for(edges.len());
        let first = self.allocate(lease, size)?;
        Node::write(&self.words[first as usize..][..size], edges.iter().map(|edge| edge.0));
        NodeId::from_handle(first)
    }

    /// Ensures that an edge has statistics. Returns the handles of the edge and of its statistics;
    /// `None` if there is no space.
    #[inline]
    pub(super) fn ensure_statistics(
        &self,
        lease: &mut Lease,
        node: &Node<'_>,
        index: usize,
    ) -> Option<EdgeId> {
        let group = index / GROUP_LEN;
        let first = match node.statistics_handle(group) {
            0 => self.publish_new_statistics(lease, node, group)?,
            first => first,
        };
        let statistics = first + (Statistics::WORDS * (index % GROUP_LEN)) as u32;
        Some(EdgeId { edge: node.edge_handle(index), statistics })
    }

    /// Creates the statistics of a group of edges and returns their handle. If another worker
    /// created them meanwhile, returns that worker's handle. `None` if there is no space.
    fn publish_new_statistics(&self, lease: &mut Lease, node: &Node<'_>, group: usize) -> Option<u32> {
        let size = Statistics::WORDS * node.group_len(group);
        let first = self.allocate(lease, size)?;
        self.words[first as usize..][..size].iter().for_each(|word| word.store(0, Ordering::Relaxed));
        Some(match node.publish_statistics(group, first) {
            Ok(()) => first,
            Err(others) => {
                // The lease can use the words at `first` again, because it allocated them last.
                lease.next = first;
                others
            }
        })
    }

    /// Creates the statistics of all edges of a node. Returns false if there is not enough space.
    pub(super) fn ensure_all_statistics(&self, lease: &mut Lease, id: NodeId) -> bool {
        let node = self.node(id);
        (0..node.len()).step_by(GROUP_LEN).all(|edge| self.ensure_statistics(lease, &node, edge).is_some())
    }

    #[inline]
    pub(super) fn node(&self, id: NodeId) -> Node<'_> {
        Node::at(&self.words, id)
    }

    #[inline]
    pub(super) fn edge(&self, id: EdgeId) -> (Edge<'_>, Statistics<'_>) {
        let words = &self.words[id.statistics as usize..];
        let statistics = Statistics(words.first_chunk().expect("statistics are two words"));
        (Edge::read(&self.words[id.edge as usize], Some(statistics)), statistics)
    }

    /// Keeps `root` and the most visited nodes below it, which fill at most half of the region.
    /// Returns the new handle of `root`. Calls `gives_up` now and then; if `gives_up` returns true,
    /// the arena stays unchanged, and the result is `None`.
    pub(super) fn keep_most_visited(&mut self, root: NodeId, gives_up: &dyn Fn() -> bool) -> Option<NodeId> {
        let mut words = [0; VISIT_CLASSES];
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            for edge in self.node(id).edges() {
                if let Some(child) = edge.child() {
                    words[visit_class(edge.visits())] += self.node(child).total_words();
                    open.push(child);
                }
            }
        }
        let mut kept = self.node(root).total_words();
        let fits = |&class: &usize| {
            kept += words[class];
            kept <= self.words.len() / 2
        };
        let min_visit_class = (0..VISIT_CLASSES).rev().take_while(fits).last().unwrap_or(VISIT_CLASSES);
        self.keep_subtree(root, min_visit_class, gives_up)
    }

    /// Keeps `root`, and each node below it if the visits of the edge to the node are in the class
    /// `min_visit_class` or a higher class (see [`visit_class`]). Drops all other nodes. The result
    /// and `gives_up` have the same meaning as in [`Arena::keep_most_visited`].
    pub(super) fn keep_subtree(
        &mut self,
        root: NodeId,
        min_visit_class: usize,
        gives_up: &dyn Fn() -> bool,
    ) -> Option<NodeId> {
        const NODES_PER_QUESTION: usize = 1024;
        let Arena { words, spare, .. } = self;
        let copy = |id, first: u32| Node::at(words, id).copy(spare, first);
        let mut next = 1;
        let (root, mut end) = copy(root, next);
        let mut nodes = 0;
        // In the copy, edges before word `next` lead to copied nodes, later edges to the originals.
        while let Some(id) = NodeId::from_handle(next).filter(|_| next < end) {
            let node = Node::at(spare, id);
            for edge in node.edges() {
                match edge.child() {
                    Some(child) if visit_class(edge.visits()) >= min_visit_class => {
                        let (copied, after) = copy(child, end);
                        edge.set_child(Some(copied));
                        end = after;
                    }
                    Some(_) => edge.set_child(None),
                    None => (),
                }
            }
            next += node.total_words() as u32;
            nodes += 1;
            if nodes % NODES_PER_QUESTION == 0 && gives_up() {
                return None;
            }
        }
        std::mem::swap(words, spare);
        self.allocated = AtomicU32::new(end);
        self.generation += 1;
        Some(root)
    }
}

const VISIT_CLASSES: usize = 1 << 11;

/// The class of a number of visits: its binary exponent, and the three binary digits after the
/// leading 1. So each number up to 15 has a class of its own.
pub(super) fn visit_class(visits: u32) -> usize {
    ((visits as f32).to_bits() >> 20) as usize
}

/// Zeroed memory of `capacity` words, not mapped by the system yet; `None` if the system refuses.
#[cfg(not(loom))]
fn allocate_region(capacity: usize) -> Option<Box<[AtomicU64]>> {
    bytemuck::allocation::try_zeroed_slice_box(capacity).ok()
}

/// A region of a few words, because the model checker loom tracks every atomic.
#[cfg(loom)]
fn allocate_region(capacity: usize) -> Option<Box<[AtomicU64]>> {
    Some((0..capacity.min(40)).map(|_| AtomicU64::new(0)).collect())
}

#[cfg(all(test, not(loom)))]
mod tests;
