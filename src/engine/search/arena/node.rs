//! The layout of a node in the arena: a header, then one word for each of its edges.
//!
//! The header is a list of 32-bit numbers, two in each word. The first number counts the edges.
//! Then each group of [`GROUP_LEN`] edges has a number: the handle of its statistics, or 0 before
//! they exist.

use std::cmp::Reverse;

use super::NodeId;
use super::access::{AtomicU64, Ordering};
use super::edge::Edge;
use super::statistics::Statistics;

/// The number of edges in a group. The statistics of a group are created together, when a playout
/// first takes one of its edges. The words of eight edges fill a cache line.
pub(crate) const GROUP_LEN: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'a> {
    id: NodeId,
    arena_words: &'a [AtomicU64],
    header: &'a [AtomicU64],
    moves: &'a [AtomicU64],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeGroup<'a> {
    pub(crate) moves: &'a [AtomicU64],
    /// The statistics of the edges; empty if they do not exist yet.
    pub(crate) statistics: &'a [[AtomicU64; Statistics::WORDS]],
}

impl<'a> EdgeGroup<'a> {
    #[inline]
    pub(crate) fn edges(self) -> impl Iterator<Item = Edge<'a>> + use<'a> {
        let statistics = move |place| self.statistics.get(place).map(Statistics);
        self.moves.iter().enumerate().map(move |(place, word)| Edge::read(word, statistics(place)))
    }
}

fn header_words(edges: usize) -> usize {
    (1 + edges.div_ceil(GROUP_LEN)).div_ceil(2)
}

impl<'a> Node<'a> {
    /// The number of words of a node with this many edges, without statistics.
    pub(crate) fn words_for(edges: usize) -> usize {
        header_words(edges) + edges
    }

    /// Writes a node with the edges `moves` to `words`, without statistics. Only the worker that
    /// reserved the words calls this, before it publishes the node.
    pub(crate) fn write(words: &[AtomicU64], moves: impl ExactSizeIterator<Item = u64>) {
        let header = header_words(moves.len());
        words[0].store(moves.len() as u64, Ordering::Relaxed);
        words[1..header].iter().for_each(|word| word.store(0, Ordering::Relaxed));
        words[header..].iter().zip(moves).for_each(|(word, packed)| word.store(packed, Ordering::Relaxed));
    }

    #[inline]
    pub(crate) fn at(arena_words: &'a [AtomicU64], id: NodeId) -> Node<'a> {
        let node = &arena_words[id.handle() as usize..];
        // Relaxed, because the worker has read the node's handle with acquire ordering.
        let len = node[0].load(Ordering::Relaxed) as u32 as usize;
        let (header, moves) = node.split_at(header_words(len));
        Node { id, arena_words, header, moves: &moves[..len] }
    }

    /// The number of edges, at least one.
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// The edges, sorted by their static values at expansion, best first.
    #[inline]
    pub(crate) fn edges(&self) -> impl Iterator<Item = Edge<'a>> + use<'a> {
        self.groups().flat_map(EdgeGroup::edges)
    }

    /// The value of `property` and the visits of each edge, most visited first. The sort is stable.
    pub(crate) fn by_visits<T>(&self, property: impl Fn(Edge<'a>) -> T) -> Vec<(T, u32)> {
        let mut counts: Vec<(T, u32)> = self.edges().map(|edge| (property(edge), edge.visits())).collect();
        counts.sort_by_key(|&(_, visits)| Reverse(visits));
        counts
    }

    #[inline]
    pub(crate) fn groups(&self) -> impl Iterator<Item = EdgeGroup<'a>> + use<'a> {
        let node = *self;
        let groups = self.moves.chunks(GROUP_LEN).enumerate();
        groups.map(move |(group, moves)| EdgeGroup { moves, statistics: node.statistics(group) })
    }

    #[inline]
    pub(crate) fn edge(&self, index: usize) -> Edge<'a> {
        let statistics = self.statistics(index / GROUP_LEN).get(index % GROUP_LEN);
        Edge::read(&self.moves[index], statistics.map(Statistics))
    }

    #[inline]
    pub(crate) fn edge_handle(&self, index: usize) -> u32 {
        self.id.handle() + (self.header.len() + index) as u32
    }

    /// Copies the node with its statistics to another region, from word `first` > 0 on. Returns the
    /// new handle and the index of the word after the copy. Only for use while no worker searches.
    pub(crate) fn copy(&self, region: &[AtomicU64], first: u32) -> (NodeId, u32) {
        let id = NodeId::from_handle(first).expect("word 0 is never allocated");
        Node::write(&region[first as usize..], self.moves.iter().map(|word| word.load(Ordering::Relaxed)));
        let mut end = first + Node::words_for(self.len()) as u32;
        let copy = Node::at(region, id);
        for (group, EdgeGroup { statistics, .. }) in self.groups().enumerate() {
            if !statistics.is_empty() && copy.publish_statistics(group, end).is_ok() {
                for (copy, original) in copy.statistics(group).iter().zip(statistics) {
                    Statistics(copy).copy_from(Statistics(original));
                }
                end += (Statistics::WORDS * statistics.len()) as u32;
            }
        }
        (id, end)
    }

    pub(crate) fn total_words(&self) -> usize {
        let statistics = self.groups().map(|group| group.statistics.len());
        Node::words_for(self.len()) + Statistics::WORDS * statistics.sum::<usize>()
    }

    pub(crate) fn group_len(&self, group: usize) -> usize {
        GROUP_LEN.min(self.moves.len() - GROUP_LEN * group)
    }

    #[inline]
    fn statistics(&self, group: usize) -> &'a [[AtomicU64; Statistics::WORDS]] {
        match self.statistics_handle(group) {
            0 => &[],
            first => {
                let words = &self.arena_words[first as usize..][..Statistics::WORDS * self.group_len(group)];
                words.as_chunks().0
            }
        }
    }

    /// The handle of a group's statistics; 0 if they do not exist yet.
    #[inline]
    pub(crate) fn statistics_handle(&self, group: usize) -> u32 {
        let number = 1 + group;
        // Acquire: a worker that sees the handle also sees that the statistics were set to zero.
        let word = self.header[number / 2].load(Ordering::Acquire);
        (word >> (32 * (number % 2))) as u32
    }

    /// Publishes the first statistics of a group. If another worker has already published some, the
    /// error holds the handle of that worker's statistics.
    pub(crate) fn publish_statistics(&self, group: usize, handle: u32) -> Result<(), u32> {
        let number = 1 + group;
        let shift = 32 * (number % 2);
        let free = |word: u64| (word >> shift) as u32 == 0;
        let publish = |word| free(word).then_some(word | u64::from(handle) << shift);
        // Release: pairs with the acquire of `statistics_handle`. Acquire on failure: the caller
        // reads the statistics of the other worker.
        self.header[number / 2]
            .fetch_update(Ordering::Release, Ordering::Acquire, publish)
            .map_err(|word| (word >> shift) as u32)?;
        Ok(())
    }
}
