//! The inner loop for any processor: two inputs at a time, all outputs side by side, so that compilers vectorise it.
//!
//! The products of two inputs are added in 16 bits. They fit: see `avx2`. Pairs of zeros, which are common after the
//! clamp, are skipped.

use super::{Job, ZERO};

pub(super) fn run(job: Job<'_>) {
    let Job { layer, begin, input, neighbours, sums } = job;
    let (inputs, taps) = (4 * layer.groups, layer.taps());
    for (sums, places) in sums.iter_mut().zip(neighbours.chunks_exact(taps)) {
        sums.0 = *begin;
        for (tap, &place) in places.iter().enumerate().filter(|(_, place)| usize::from(**place) != ZERO) {
            let input = &input[usize::from(place) * inputs..][..inputs];
            let columns = &layer.columns[tap * inputs..][..inputs];
            for (input, columns) in input.chunks_exact(2).zip(columns.chunks_exact(2)) {
                let (a, b) = (i16::from(input[0]), i16::from(input[1]));
                if a | b != 0 {
                    for ((sum, of_a), of_b) in sums.0.iter_mut().zip(&columns[0]).zip(&columns[1]) {
                        *sum += i32::from(a * of_a + b * of_b);
                    }
                }
            }
        }
    }
}
