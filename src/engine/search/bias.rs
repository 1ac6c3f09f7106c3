//! Corrects the evaluator's bias, which is learned for each pair of consecutive half moves.
//!
//! The evaluator makes similar errors wherever the same two half moves follow each other. The mean
//! error of such a pair in earlier playouts corrects the value of a new leaf. The method is
//! KataGo's subtree value bias correction (D. Wu, "Other Methods Implemented in KataGo", 2020).

use super::arena::Edge;
use super::chooser::Chooser;
use super::mean_table::MeanTable;

/// The binary logarithm of the number of buckets. A bucket is a cell of the table, which takes 1
/// MB. If two pairs of half moves share a bucket by chance, its mean only becomes less exact.
const BUCKET_BITS: u32 = 17;

pub(super) const BUCKETS: usize = 1 << BUCKET_BITS;

/// Each mean error includes this many virtual samples of error 0, so that few samples weigh little.
const PRIOR_SAMPLES: f64 = 4.0;

/// A number above 0 for each half move of each side; 0 means no half move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HalfMoveNumber(u64);

impl HalfMoveNumber {
    #[inline]
    pub(super) fn new(chooser: Chooser, edge: Edge<'_>) -> HalfMoveNumber {
        let kind = 1 + 2 * chooser.side as u64 + u64::from(chooser.shoots);
        let squares = if chooser.shoots { usize::from(edge.to().index()) } else { edge.square_pair_index() };
        HalfMoveNumber(kind << 16 | squares as u64)
    }

    /// The bucket of the pair of half moves `previous` and `self`, in this order.
    #[inline]
    pub(super) fn bucket_after(self, previous: HalfMoveNumber) -> usize {
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
        let pair = previous.0 << 32 | self.0;
        (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BUCKET_BITS)) as usize
    }
}

/// The mean error in a bucket of a worker's table; 0 without samples. An error is a result minus
/// the static value, for the side that made the second half move of the bucket's pair.
#[inline]
pub(super) fn mean_error(bias: &MeanTable, bucket: usize) -> f64 {
    bias.0.get(bucket).map_or(0.0, |cell| cell.shrunk_mean(PRIOR_SAMPLES))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The tests of the module `rave` check that tables are merged exactly and aged.
    #[test]
    fn mean_errors_are_shrunk() {
        let (mut one, mut two) = (MeanTable::default(), MeanTable::default());
        assert_eq!(mean_error(&one, 5), 0.0);
        two.allocate(BUCKETS);
        two.add(5, 0.5);
        two.add(5, -0.25);
        one.merge(&two, &MeanTable::default());
        let means = [5, 6].map(|bucket| mean_error(&one, bucket));
        assert_eq!(means, [0.25 / (2.0 + PRIOR_SAMPLES), 0.0]);
        one.age();
        assert_eq!(mean_error(&one, 5), 0.125 / (1.0 + PRIOR_SAMPLES));
    }

    #[test]
    fn buckets_differ_by_half_move_order() {
        let numbers = [0, 1 << 16 | 700, 2 << 16 | 5, 3 << 16 | 700, 4 << 16 | 5].map(HalfMoveNumber);
        let buckets: std::collections::HashSet<usize> = numbers
            .iter()
            .flat_map(|&previous| numbers[1..].iter().map(move |number| number.bucket_after(previous)))
            .collect();
        assert_eq!(buckets.len(), 20);
        assert!(buckets.iter().all(|&bucket| bucket < BUCKETS));
    }
}
