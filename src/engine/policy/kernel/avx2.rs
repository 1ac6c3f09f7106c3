//! The inner loop for AVX2: two groups of input channels at a time, tap by tap.
//!
//! AVX2 multiplies bytes and adds the products in pairs into 16 bits. To widen these sums to 32
//! bits takes another multiplication, so the kernel first adds the sums of two groups, where their
//! weights are small enough: see [`GroupPair`].

use std::arch::x86_64::*;

use super::{Convolution, Layer, Sums};
use crate::policy::layer::{CHANNELS, ChannelGroup, GroupPair};

#[target_feature(enable = "avx2")]
pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, begin, input, neighbours, sums } = job;
    let groups = layer.groups;
    let pairs = layer.group_pairs.len() / layer.taps();
    let ones = _mm256_set1_epi16(1);
    sums.fill(Sums(*begin));
    for (weights, neighbours) in layer.group_pairs.chunks_exact(pairs).zip(neighbours) {
        for &[square, neighbour] in *neighbours {
            let input = &input[usize::from(neighbour) * 4 * groups..][..4 * groups];
            let sums = sums[usize::from(square)].0.as_mut_ptr();
            // SAFETY: the sums of a square are four registers, aligned as they must be.
            let load = |part: usize| unsafe { _mm256_load_si256(sums.add(8 * part).cast()) };
            let mut totals = [load(0), load(1), load(2), load(3)];
            for GroupPair { weights, groups } in weights {
                let four = |group: u8| {
                    // SAFETY: the slice has four bytes for every group.
                    let four =
                        unsafe { input.as_ptr().add(4 * usize::from(group)).cast::<i32>().read_unaligned() };
                    _mm256_set1_epi32(four)
                };
                let fours = [four(groups[0]), four(groups[1])];
                for (part, total) in totals.iter_mut().enumerate() {
                    let products = |four: __m256i, weights: &ChannelGroup| {
                        // SAFETY: a group of weights is four registers, aligned as they must be.
                        let weights = unsafe { _mm256_load_si256(weights.0[8 * part..].as_ptr().cast()) };
                        _mm256_maddubs_epi16(four, weights)
                    };
                    let both =
                        _mm256_add_epi16(products(fours[0], &weights[0]), products(fours[1], &weights[1]));
                    *total = _mm256_add_epi32(*total, _mm256_madd_epi16(both, ones));
                }
            }
            for (part, total) in totals.into_iter().enumerate() {
                // SAFETY: as above.
                unsafe { _mm256_store_si256(sums.add(8 * part).cast(), total) };
            }
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn activate(layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    super::activate(layer, sums, output)
}
