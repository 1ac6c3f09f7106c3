//! The inner loop for AVX2: chains of groups of input channels, tap by tap.
//!
//! AVX2 multiplies bytes and adds the products in pairs into 16 bits. To widen these sums to 32
//! bits takes another multiplication, so the kernel first adds the sums of a whole chain of groups,
//! whose weights are small enough: see [`ChainedTap`].

use std::arch::x86_64::*;

use super::{Convolution, Layer, Neighbour, Sums};
use crate::policy::layer::{CHANNELS, ChainedTap, SHAPES};

#[target_feature(enable = "avx2")]
pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, begin, input, neighbours, sums } = job;
    sums.fill(Sums(*begin));
    for (tap, neighbours) in layer.chained.iter().zip(neighbours) {
        match tap.shape {
            0 => run_tap::<8, { SHAPES[0] }>(tap, input, neighbours, sums),
            1 => run_tap::<8, { SHAPES[1] }>(tap, input, neighbours, sums),
            2 => run_tap::<8, { SHAPES[2] }>(tap, input, neighbours, sums),
            3 => run_tap::<8, { SHAPES[3] }>(tap, input, neighbours, sums),
            4 => run_tap::<5, { SHAPES[4] }>(tap, input, neighbours, sums),
            _ => run_tap::<5, { SHAPES[5] }>(tap, input, neighbours, sums),
        }
    }
}

#[target_feature(enable = "avx2")]
fn run_tap<const GROUPS: usize, const ENDS: u8>(
    tap: &ChainedTap,
    input: &[u8],
    neighbours: &[Neighbour],
    sums: &mut [Sums],
) {
    let groups: &[u8; GROUPS] = tap.groups.as_array().expect("whole taps");
    let weights: &[_; GROUPS] = tap.weights.as_array().expect("whole taps");
    let places = groups.map(|group| 4 * usize::from(group));
    let ones = _mm256_set1_epi16(1);
    for &[square, neighbour] in neighbours {
        let input = &input[usize::from(neighbour) * 4 * GROUPS..][..4 * GROUPS];
        let sums = sums[usize::from(square)].0.as_mut_ptr();
        // SAFETY: the sums of a square are four registers, aligned as they must be.
        let load = |part: usize| unsafe { _mm256_load_si256(sums.add(8 * part).cast()) };
        let mut totals = [load(0), load(1), load(2), load(3)];
        let mut chain = [_mm256_setzero_si256(); 4];
        for (at, weights) in weights.iter().enumerate() {
            // SAFETY: the slice has four bytes for every group.
            let four = unsafe { input.as_ptr().add(places[at]).cast::<i32>().read_unaligned() };
            let four = _mm256_set1_epi32(four);
            let begins = at == 0 || ENDS >> (at - 1) & 1 == 1;
            for part in 0..4 {
                // SAFETY: a group of weights is four registers, aligned as they must be.
                let weights = unsafe { _mm256_load_si256(weights.0[8 * part..].as_ptr().cast()) };
                let products = _mm256_maddubs_epi16(four, weights);
                chain[part] = if begins { products } else { _mm256_add_epi16(chain[part], products) };
                if ENDS >> at & 1 == 1 {
                    totals[part] = _mm256_add_epi32(totals[part], _mm256_madd_epi16(chain[part], ones));
                }
            }
        }
        for (part, total) in totals.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { _mm256_store_si256(sums.add(8 * part).cast(), total) };
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn activate(layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    super::activate(layer, sums, output)
}
