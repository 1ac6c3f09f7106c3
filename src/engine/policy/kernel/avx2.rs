//! The inner loop of the network for AVX2.
//!
//! AVX2 multiplies bytes and adds pairs of products in 16 bits. Widening 16-bit sums to 32 bits
//! takes another multiplication. So the kernel first adds the 16-bit sums of a chain of several
//! groups of four channels, and then widens the total. The chains are so short that no 16-bit sum
//! overflows.

use std::arch::x86_64::*;

use super::{CHANNELS, ChannelGroup, Convolution, Layer, MAX_ACTIVATION, NeighbourPair, Sums};

/// The ways to divide groups of four channels into chains, whose products are added in 16 bits.
/// Bit n is set if the group at place n is the last of its chain. The first four ways are for the 8
/// groups of a hidden layer, the last two for the 5 groups of input planes. In both cases, the way
/// with the fewest chains comes first.
const CHAIN_SHAPES: [u8; 6] = [0b1000_1000, 0b1010_0100, 0b1010_1010, 0b1111_1111, 0b1_0100, 0b1_1111];

/// The weights of one tap (one offset of a convolution), for groups of four input channels.
#[derive(Clone, Debug)]
pub(super) struct ChainedTap {
    /// The index in [`CHAIN_SHAPES`] of the way in which the groups are divided into chains.
    shape: usize,
    /// The indexes of the groups of channels, in the order of the chains.
    groups: Vec<u8>,
    /// The weights of each group of channels, in the order of `groups`.
    weights: Vec<ChannelGroup>,
}

impl ChainedTap {
    /// Divides the tap's groups into chains whose 16-bit sums do not overflow. Returns `None` if
    /// there are neither 8 groups (a hidden layer) nor 5 (the input), as in the value head.
    pub(super) fn new(tap: &[ChannelGroup]) -> Option<ChainedTap> {
        let extremes: Vec<Extremes> = tap.iter().map(extremes).collect();
        let mut groups = Vec::new();
        let shape = CHAIN_SHAPES.iter().position(|&chain_ends| {
            chain_ends.ilog2() as usize + 1 == tap.len()
                && fill_chains(&extremes, chain_ends, &NO_GROUP, &mut groups)
        })?;
        let weights = groups.iter().map(|&group| tap[usize::from(group)]).collect();
        Some(ChainedTap { shape, groups, weights })
    }
}

/// Appends all missing groups to `order`, so that no chain overflows. `chain_ends` is an item of
/// [`CHAIN_SHAPES`]. `chain` has the extreme sums of the newest chain in `order`, which may be
/// incomplete. If every order would overflow, returns false and leaves `order` unchanged.
fn fill_chains(groups: &[Extremes], chain_ends: u8, chain: &Extremes, order: &mut Vec<u8>) -> bool {
    let (chain, first) = match order.last() {
        _ if order.len() == groups.len() => return true,
        // The order of groups within a chain does not matter, so it is always ascending.
        Some(&last) if chain_ends >> (order.len() - 1) & 1 == 0 => (chain, last + 1),
        _ => (&NO_GROUP, 0),
    };
    (first..groups.len() as u8).any(|group| {
        if order.contains(&group) {
            return false;
        }
        let mut longer = *chain;
        let sums = longer.as_flattened_mut();
        sums.iter_mut().zip(groups[usize::from(group)].as_flattened()).for_each(|(sum, more)| *sum += more);
        if sums.iter().any(|&sum| sum > i16::MAX / MAX_ACTIVATION) {
            return false;
        }
        order.push(group);
        let is_filled = fill_chains(groups, chain_ends, &longer, order);
        if !is_filled {
            order.pop();
        }
        is_filled
    })
}

/// The largest possible 16-bit sums of a chain of channel groups, and the negated smallest possible
/// sums. All values are divided by [`MAX_ACTIVATION`].
type Extremes = [[i16; 2 * CHANNELS]; 2];
const NO_GROUP: Extremes = [[0; 2 * CHANNELS]; 2];

fn extremes(group: &ChannelGroup) -> Extremes {
    let mut sums = NO_GROUP;
    for (at, &weight) in group.0.as_flattened().iter().enumerate() {
        sums[usize::from(weight < 0)][at / 2] += i16::from(weight).abs();
    }
    sums
}

#[target_feature(enable = "avx2")]
pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, initial_sums, input, neighbours, sums } = job;
    debug_assert_eq!(layer.chained.len(), neighbours.len(), "chains for each tap");
    sums.fill(Sums(*initial_sums));
    for (tap, neighbours) in layer.chained.iter().zip(neighbours) {
        match tap.shape {
            0 => run_tap::<8, { CHAIN_SHAPES[0] }>(tap, input, neighbours, sums),
            1 => run_tap::<8, { CHAIN_SHAPES[1] }>(tap, input, neighbours, sums),
            2 => run_tap::<8, { CHAIN_SHAPES[2] }>(tap, input, neighbours, sums),
            3 => run_tap::<8, { CHAIN_SHAPES[3] }>(tap, input, neighbours, sums),
            4 => run_tap::<5, { CHAIN_SHAPES[4] }>(tap, input, neighbours, sums),
            _ => run_tap::<5, { CHAIN_SHAPES[5] }>(tap, input, neighbours, sums),
        }
    }
}

#[target_feature(enable = "avx2")]
fn run_tap<const GROUPS: usize, const CHAIN_ENDS: u8>(
    tap: &ChainedTap,
    input: &[u8],
    neighbours: &[NeighbourPair],
    sums: &mut [Sums],
) {
    let groups: &[u8; GROUPS] = tap.groups.as_array().expect("whole taps");
    let weights: &[_; GROUPS] = tap.weights.as_array().expect("whole taps");
    let byte_offsets = groups.map(|group| 4 * usize::from(group));
    let ones = _mm256_set1_epi16(1);
    for &[square, neighbour] in neighbours {
        let input = &input[usize::from(neighbour) * 4 * GROUPS..][..4 * GROUPS];
        let sums = sums[usize::from(square)].0.as_mut_ptr();
        // SAFETY: the 32 sums of a square fill four registers and are aligned to 64 bytes.
        let load = |part: usize| unsafe { _mm256_load_si256(sums.add(8 * part).cast()) };
        let mut totals = [load(0), load(1), load(2), load(3)];
        let mut chain = [_mm256_setzero_si256(); 4];
        for (at, weights) in weights.iter().enumerate() {
            // SAFETY: `input` has 4 bytes for each group, from the byte offset of the group on.
            let four = unsafe { input.as_ptr().add(byte_offsets[at]).cast::<i32>().read_unaligned() };
            let four = _mm256_set1_epi32(four);
            let starts_chain = at == 0 || CHAIN_ENDS >> (at - 1) & 1 == 1;
            for part in 0..4 {
                // SAFETY: the weights of a group fill four registers, aligned to 64 bytes.
                let weights = unsafe { _mm256_load_si256(weights.0[8 * part..].as_ptr().cast()) };
                let products = _mm256_maddubs_epi16(four, weights);
                chain[part] = if starts_chain { products } else { _mm256_add_epi16(chain[part], products) };
                if CHAIN_ENDS >> at & 1 == 1 {
                    totals[part] = _mm256_add_epi32(totals[part], _mm256_madd_epi16(chain[part], ones));
                }
            }
        }
        for (part, total) in totals.into_iter().enumerate() {
            // SAFETY: the 32 sums of a square fill four registers and are aligned to 64 bytes.
            unsafe { _mm256_store_si256(sums.add(8 * part).cast(), total) };
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn activate(layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    super::activate_scalar(layer, sums, output)
}
