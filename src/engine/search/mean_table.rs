//! A table of mean values, used for RAVE and for the evaluator's bias.

/// The factor by which each played move reduces the weight of all earlier samples.
const AGING: f32 = 0.5;

/// The count at which a cell ignores new samples, because rounding would make its mean drift.
const MAX_SAMPLES: f32 = (1 << 23) as f32;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MeanCell {
    count: f32,
    sum: f32,
}

impl MeanCell {
    #[inline]
    pub(super) fn add(&mut self, value: f32) {
        if self.count < MAX_SAMPLES {
            self.count += 1.0;
            self.sum += value;
        }
    }

    #[inline]
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| f64::from(self.sum) / f64::from(self.count))
    }

    /// The mean of the values together with `zeros` additional samples of value 0.
    #[inline]
    pub(super) fn shrunk_mean(&self, zeros: f64) -> f64 {
        f64::from(self.sum) / (f64::from(self.count) + zeros)
    }

    /// The mean in units of [`VALUE_UNIT`](super::arena::VALUE_UNIT), at least 1. If the cell has
    /// no samples, returns 0.
    pub(super) fn packed_mean(&self) -> u16 {
        // Rounding may move a mean above 1. The conversion then gives the largest number.
        let units = (self.sum / self.count * 65_535.0 + 0.5) as u16;
        if self.count > 0.0 { units.max(1) } else { 0 }
    }
}

/// A table of means from the playouts of one worker; empty until [`MeanTable::allocate`].
#[derive(Clone, Debug, Default)]
pub(super) struct MeanTable(pub(super) Vec<MeanCell>);

impl MeanTable {
    pub(super) fn allocate(&mut self, count: usize) {
        self.0.resize(count, MeanCell::default());
    }

    pub(super) fn add(&mut self, place: usize, value: f32) {
        self.0[place].add(value);
    }

    /// Prefetches a cell that the caller will soon use. The tables are larger than the L1 cache.
    #[inline]
    pub(super) fn prefetch(&self, place: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(cell) = self.0.get(place) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the instruction has no visible effect, and the cell exists.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(cell).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = place;
    }

    /// Halves the weight of all earlier samples when a move is played. Means do not change, because
    /// the factor is a power of two.
    pub(super) fn age(&mut self) {
        for cell in &mut self.0 {
            cell.count *= AGING;
            cell.sum *= AGING;
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(MeanCell::default());
    }

    /// Adds the samples that `other` has gained since it was copied from `original`.
    pub(super) fn merge(&mut self, other: &MeanTable, original: &MeanTable) {
        self.allocate(self.0.len().max(other.0.len()));
        for (place, (cell, other)) in self.0.iter_mut().zip(&other.0).enumerate() {
            let original = original.0.get(place).copied().unwrap_or_default();
            cell.count += other.count - original.count;
            cell.sum += other.sum - original.sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_is_stable_after_many_samples() {
        let mut cell = MeanCell::default();
        // A third is not a binary fraction, so every addition rounds the sum.
        for _ in 0..30_000_000 {
            cell.add(1.0 / 3.0);
        }
        let mean = cell.mean().unwrap();
        assert!((mean - 1.0 / 3.0).abs() < 0.05, "{mean}");
    }
}
