//! Corrects the evaluator's bias, which is learned for each pair of consecutive half moves.
//!
//! The evaluator makes similar errors wherever the same two half moves follow each other. The mean
//! error of such a pair in earlier playouts corrects the value of a new leaf. The method is
//! KataGo's subtree value bias correction (D. Wu, "Other Methods Implemented in KataGo", 2020).

use super::arena::Edge;
use super::chooser::Chooser;
use super::mean_table::MeanTable;

/// The binary logarithm of the number of buckets. A bucket is a cell of the table, which takes 1
/// MB. Pairs of half moves that share a bucket by chance only make its mean less exact.
const BUCKET_BITS: u32 = 17;

const BUCKETS: usize = 1 << BUCKET_BITS;

/// The number of samples with error 0 that the mean error of a bucket includes.
const PRIOR_SAMPLES: f64 = 4.0;

/// A number above 0 for each half move of each side; 0 means no half move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HalfMoveNumber(u64);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bucket(usize);

impl HalfMoveNumber {
    #[inline]
    pub(super) fn new(chooser: Chooser, edge: Edge<'_>) -> HalfMoveNumber {
        let kind = 1 + 2 * chooser.side as u64 + u64::from(chooser.shoots);
        let squares = if chooser.shoots { usize::from(edge.to().index()) } else { edge.squares() };
        HalfMoveNumber(kind << 16 | squares as u64)
    }

    #[inline]
    pub(super) fn after(self, before: HalfMoveNumber) -> Bucket {
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
        let pair = before.0 << 32 | self.0;
        Bucket((pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BUCKET_BITS)) as usize)
    }
}

/// The errors that one worker has measured, indexed by [`Bucket`]; empty before [`Bias::allocate`].
#[derive(Clone, Debug, Default)]
pub(super) struct Bias(MeanTable);

impl Bias {
    #[inline]
    pub(super) fn allocate(&mut self) {
        self.0.allocate(BUCKETS);
    }

    #[inline]
    pub(super) fn prefetch(&self, bucket: Bucket) {
        self.0.prefetch(bucket.0);
    }

    /// Adds an edge's error: the result minus the static value, for the side that chose the edge.
    #[inline]
    pub(super) fn add(&mut self, bucket: Bucket, error: f32) {
        self.0.add(bucket.0, error);
    }

    /// The mean error in a bucket, for the side that chose the edge; 0 without samples.
    #[inline]
    pub(super) fn mean(&self, bucket: Bucket) -> f64 {
        self.0.0.get(bucket.0).map_or(0.0, |cell| cell.shrunk_mean(PRIOR_SAMPLES))
    }

    pub(super) fn age(&mut self) {
        self.0.age();
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn merge(&mut self, other: &Bias, before: &Bias) {
        self.0.merge(&other.0, &before.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The tests of the module `rave` check that tables are merged exactly and aged.
    #[test]
    fn mean_errors_are_shrunk() {
        let (mut one, mut two) = (Bias::default(), Bias::default());
        assert_eq!(one.mean(Bucket(5)), 0.0);
        two.allocate();
        two.add(Bucket(5), 0.5);
        two.add(Bucket(5), -0.25);
        one.merge(&two, &Bias::default());
        let means = [5, 6].map(|bucket| one.mean(Bucket(bucket)));
        assert_eq!(means, [0.25 / (2.0 + PRIOR_SAMPLES), 0.0]);
        one.age();
        assert_eq!(one.mean(Bucket(5)), 0.125 / (1.0 + PRIOR_SAMPLES));
    }

    #[test]
    fn buckets_differ_by_half_move_order() {
        let numbers = [0, 1 << 16 | 700, 2 << 16 | 5, 3 << 16 | 700, 4 << 16 | 5].map(HalfMoveNumber);
        let buckets: std::collections::HashSet<usize> = numbers
            .iter()
            .flat_map(|&before| numbers[1..].iter().map(move |number| number.after(before).0))
            .collect();
        assert_eq!(buckets.len(), 20);
        assert!(buckets.iter().all(|&bucket| bucket < BUCKETS));
    }
}
