//! The inner loop of the network for any processor. It multiplies two inputs at a time, for all
//! outputs at once. It skips pairs of zeros, which are common because activations are clamped at 0.

use super::{CHANNELS, Convolution, Sums};
use crate::policy::planes::MAX_SQUARES;

type PairWeights = [[i16; 2]; CHANNELS];

pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, initial_sums, input, neighbours, sums } = job;
    let inputs = 4 * layer.groups;
    // First finds all input pairs other than [0, 0], because a branch at each product is slower.
    let mut active = [0; MAX_SQUARES];
    for (active, input) in active.iter_mut().zip(input.chunks_exact(inputs)) {
        *active = (0..)
            .zip(input.as_chunks().0)
            .fold(0, |bits, (index, pair)| bits | u32::from(*pair != [0; 2]) << index);
    }
    sums.fill(Sums(*initial_sums));
    for (pairs, neighbours) in layer.pairs.chunks_exact(inputs / 2).zip(neighbours) {
        for &[square, neighbour] in *neighbours {
            let input = input[usize::from(neighbour) * inputs..][..inputs].as_chunks().0;
            let mut left = active[usize::from(neighbour)];
            let next = || {
                let index = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                input.get(index).zip(pairs.get(index))
            };
            add_products(&mut sums[usize::from(square)].0, std::iter::from_fn(next));
        }
    }
}

pub(super) fn add_pair_products(sums: &mut [i32; CHANNELS], input: &[u16], pairs: &[PairWeights]) {
    add_products(sums, input.as_chunks().0.iter().zip(pairs));
}

#[cfg(not(any(target_arch = "x86_64", simd128)))]
#[inline(always)]
fn add_products<'a, T: Copy + Into<i32> + 'a>(
    sums: &mut [i32; CHANNELS],
    pairs: impl Iterator<Item = (&'a [T; 2], &'a PairWeights)>,
) {
    for (&[a, b], weights) in pairs {
        for (sum, &[of_a, of_b]) in sums.iter_mut().zip(weights) {
            *sum += a.into() * i32::from(of_a) + b.into() * i32::from(of_b);
        }
    }
}

#[cfg(any(target_arch = "x86_64", simd128))]
#[inline(always)]
fn add_products<'a, T: Copy + Into<i32> + 'a>(
    sums: &mut [i32; CHANNELS],
    pairs: impl Iterator<Item = (&'a [T; 2], &'a PairWeights)>,
) {
    #[cfg(simd128)]
    use std::arch::wasm32::{
        i32x4_add as add, i32x4_dot_i16x8 as dot, i32x4_splat as splat, v128_load as load,
        v128_store as store,
    };
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::{
        _mm_add_epi32 as add, _mm_loadu_si128 as load, _mm_madd_epi16 as dot, _mm_set1_epi32 as splat,
        _mm_storeu_si128 as store,
    };

    // SAFETY: the load reads four of the 32 sums. The build target includes this instruction.
    let of_sums = |part: usize| unsafe { load(sums[4 * part..][..4].as_ptr().cast()) };
    let mut totals: [_; CHANNELS / 4] =
        [of_sums(0), of_sums(1), of_sums(2), of_sums(3), of_sums(4), of_sums(5), of_sums(6), of_sums(7)];
    for (&[a, b], weights) in pairs {
        // SAFETY: a load reads the weights of two inputs for four of the 32 outputs. The build
        // target includes the instructions used here.
        unsafe {
            let both = splat(a.into() | b.into() << 16);
            for (part, total) in totals.iter_mut().enumerate() {
                let weights = load(weights.as_ptr().add(4 * part).cast());
                *total = add(*total, dot(weights, both));
            }
        }
    }
    for (part, total) in totals.into_iter().enumerate() {
        // SAFETY: the store writes four of the 32 sums. The build target includes this instruction.
        unsafe { store(sums[4 * part..][..4].as_mut_ptr().cast(), total) };
    }
}
