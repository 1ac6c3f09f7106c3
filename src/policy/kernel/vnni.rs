//! The inner loop for AVX-512 with its dot product of bytes: four squares at a time share each load
//! of weights.

use std::arch::x86_64::*;

use super::{BLOCK, Convolution, Layer, Sums};
use crate::policy::network::CHANNELS;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, begin, input, neighbours, sums } = job;
    let (groups, taps) = (layer.groups, layer.taps());
    // SAFETY: 32 numbers are two registers.
    let begin = unsafe {
        [_mm512_loadu_si512(begin.as_ptr().cast()), _mm512_loadu_si512(begin[16..].as_ptr().cast())]
    };
    for (sums, places) in sums.chunks_exact_mut(BLOCK).zip(neighbours.chunks_exact(BLOCK * taps)) {
        let mut totals = [begin; BLOCK];
        for tap in 0..taps {
            // Written out: `from_fn` would be a call, which saves all registers.
            let of =
                |square: usize| &input[usize::from(places[square * taps + tap]) * 4 * groups..][..4 * groups];
            let inputs: [&[u8]; BLOCK] = [of(0), of(1), of(2), of(3)];
            for (group, weights) in layer.weights[tap * groups..][..groups].iter().enumerate() {
                let weights = weights.0.as_ptr();
                // SAFETY: a group of weights is two registers, aligned as they must be.
                let weights =
                    unsafe { [_mm512_load_si512(weights.cast()), _mm512_load_si512(weights.add(16).cast())] };
                for (totals, input) in totals.iter_mut().zip(inputs) {
                    // SAFETY: the slice has four bytes for every group.
                    let four = unsafe { input.as_ptr().add(4 * group).cast::<i32>().read_unaligned() };
                    let four = _mm512_set1_epi32(four);
                    totals[0] = _mm512_dpbusd_epi32(totals[0], four, weights[0]);
                    totals[1] = _mm512_dpbusd_epi32(totals[1], four, weights[1]);
                }
            }
        }
        for (sums, totals) in sums.iter_mut().zip(totals) {
            let sums = sums.0.as_mut_ptr();
            // SAFETY: the sums of a square are two registers, aligned as they must be.
            unsafe {
                _mm512_store_si512(sums.cast(), totals[0]);
                _mm512_store_si512(sums.add(16).cast(), totals[1]);
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn activate(layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    super::activate(layer, sums, output)
}
