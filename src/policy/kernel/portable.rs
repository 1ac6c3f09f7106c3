//! The inner loop for any processor.

use super::{Job, ZERO};

pub(super) fn run(job: Job<'_>) {
    let Job { layer, begin, input, neighbours, sums } = job;
    let (groups, taps) = (layer.groups, layer.taps());
    for (sums, places) in sums.iter_mut().zip(neighbours.chunks_exact(taps)) {
        sums.0 = *begin;
        for (tap, &place) in places.iter().enumerate().filter(|(_, place)| usize::from(**place) != ZERO) {
            let input = &input[usize::from(place) * 4 * groups..][..4 * groups];
            let weights = &layer.weights[tap * groups..][..groups];
            for (input, weights) in input.chunks_exact(4).zip(weights) {
                for (sum, weights) in sums.0.iter_mut().zip(&weights.0) {
                    for (&weight, &input) in weights.iter().zip(input) {
                        *sum += i32::from(weight) * i32::from(input);
                    }
                }
            }
        }
    }
}
