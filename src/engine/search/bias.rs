//! Bias of subtrees: the mean error of static values by half move and the half move before it.
//!
//! The evaluator errs alike wherever a half move answers the same half move. The mean error of the
//! edges that playouts have passed corrects the value of a new leaf: the subtree value bias
//! correction of KataGo (D. Wu, "Other Methods Implemented in KataGo", 2020). Each worker has one
//! table for the whole tree, which the engine merges and ages as it does RAVE's.

use super::cells::Cells;
use super::edge::{Chooser, Edge};

/// The logarithm of the number of buckets (1 MB). Pairs of half moves that share a bucket by chance
/// only blur it.
const BITS: u32 = 17;

pub(super) const BUCKETS: usize = 1 << BITS;

/// Samples without an error that each bucket begins with.
const PRIOR_SAMPLES: f64 = 4.0;

/// A half move as a number above 0, by side and kind.
pub(super) fn half_move(chooser: Chooser, edge: Edge<'_>) -> u64 {
    let kind = 1 + 2 * chooser.side as u64 + u64::from(chooser.shoots);
    let squares = if chooser.shoots { usize::from(edge.to().index()) } else { edge.squares() };
    kind << 16 | squares as u64
}

/// The bucket of a half move after another one; `before` is 0 at the root.
pub(super) fn bucket(before: u64, half_move: u64) -> usize {
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    ((before << 32 | half_move).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BITS)) as usize
}

/// The mean result less static value in a bucket, for the side that chose the edge.
pub(super) fn mean(table: &Cells, bucket: usize) -> f64 {
    table.0.get(bucket).map_or(0.0, |cell| cell.shrunk_mean(PRIOR_SAMPLES))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The tests of RAVE show that tables merge exactly, and forget.
    #[test]
    fn mean_errors_are_shrunk() {
        let (mut one, mut two) = (Cells::default(), Cells::default());
        assert_eq!(mean(&one, 5), 0.0);
        two.open(BUCKETS);
        two.add(5, 0.5);
        two.add(5, -0.25);
        one.merge(&two, &Cells::default());
        assert_eq!((mean(&one, 5), mean(&one, 6)), (0.25 / (2.0 + PRIOR_SAMPLES), 0.0));
        one.age();
        assert_eq!(mean(&one, 5), 0.125 / (1.0 + PRIOR_SAMPLES));
    }

    #[test]
    fn buckets_tell_half_moves_and_their_order_apart() {
        let numbers = [0, 1 << 16 | 700, 2 << 16 | 5, 3 << 16 | 700, 4 << 16 | 5];
        let buckets: std::collections::HashSet<usize> = numbers
            .iter()
            .flat_map(|&before| numbers[1..].iter().map(move |&number| bucket(before, number)))
            .collect();
        assert_eq!(buckets.len(), 20);
        assert!(buckets.iter().all(|&bucket| bucket < BUCKETS));
    }
}
