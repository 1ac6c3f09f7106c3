//! The inner loop for AVX2: two squares at a time share each load of weights.
//!
//! Bytes are multiplied and added in pairs into 16 bits. That never saturates: activations are at
//! most 127 and weights at least -128, so a pair lies between -32,512 and 32,258.

use std::arch::x86_64::*;

use super::{Convolution, Layer, Sums};

/// Squares at a time: their sums take eight of the sixteen registers.
const SQUARES: usize = 2;

#[target_feature(enable = "avx2")]
pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, begin, input, neighbours, sums } = job;
    let (groups, taps) = (layer.groups, layer.taps());
    let ones = _mm256_set1_epi16(1);
    // SAFETY: 32 numbers are four registers.
    let load = |part: usize| unsafe { _mm256_loadu_si256(begin[8 * part..].as_ptr().cast()) };
    let begin = [load(0), load(1), load(2), load(3)];
    for (sums, places) in sums.chunks_exact_mut(SQUARES).zip(neighbours.chunks_exact(SQUARES * taps)) {
        let mut totals = [begin; SQUARES];
        for tap in 0..taps {
            // Written out: `from_fn` would be a call, which saves all registers.
            let of =
                |square: usize| &input[usize::from(places[square * taps + tap]) * 4 * groups..][..4 * groups];
            let inputs: [&[u8]; SQUARES] = [of(0), of(1)];
            for (group, weights) in layer.weights[tap * groups..][..groups].iter().enumerate() {
                let four = |square: usize| {
                    // SAFETY: the slice has four bytes for every group.
                    let four =
                        unsafe { inputs[square].as_ptr().add(4 * group).cast::<i32>().read_unaligned() };
                    _mm256_set1_epi32(four)
                };
                let fours = [four(0), four(1)];
                for part in 0..4 {
                    // SAFETY: a group of weights is four registers, aligned as they must be.
                    let weights = unsafe { _mm256_load_si256(weights.0[8 * part..].as_ptr().cast()) };
                    for (totals, four) in totals.iter_mut().zip(fours) {
                        let pairs = _mm256_maddubs_epi16(four, weights);
                        totals[part] = _mm256_add_epi32(totals[part], _mm256_madd_epi16(pairs, ones));
                    }
                }
            }
        }
        for (sums, totals) in sums.iter_mut().zip(totals) {
            for (part, total) in totals.into_iter().enumerate() {
                // SAFETY: the sums of a square are four registers, aligned as they must be.
                unsafe { _mm256_store_si256(sums.0[8 * part..].as_mut_ptr().cast(), total) };
            }
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn activate(layer: &Layer, sums: &[Sums], output: &mut [u8]) {
    super::activate(layer, sums, output);
}
