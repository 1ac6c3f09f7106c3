//! The inner loop for AVX2: two groups of input channels at a time, tap by tap.
//!
//! AVX2 multiplies bytes and adds the products in pairs into 16 bits. To widen these sums to 32
//! bits takes another multiplication, so the kernel first adds the sums of two groups, where their
//! weights are small enough: see [`GroupPair`].

use std::arch::x86_64::*;

use super::{Convolution, Layer, Sums};
use crate::policy::network::{CHANNELS, ChannelGroup};

/// The greatest activation.
const MOST_ACTIVE: i32 = 127;

/// Two groups of a tap's input channels whose products can be added in 16 bits, whatever the
/// activations are.
#[derive(Clone, Debug)]
pub(in crate::policy) struct GroupPair {
    weights: [ChannelGroup; 2],
    groups: [u8; 2],
}

/// Pairs the groups of every tap, for each tap as many pairs. A group that fits no other one is
/// paired with weights of 0.
pub(in crate::policy) fn pair_groups(weights: &[ChannelGroup], groups: usize) -> Vec<GroupPair> {
    let all = (1 << groups) - 1;
    let taps: Vec<_> = weights.chunks_exact(groups).map(|tap| (tap, matching(tap, all))).collect();
    let most = taps.iter().map(|(_, pairs)| pairs.len()).max().unwrap_or(0);
    let of_tap = |(tap, mut pairs): (&[ChannelGroup], Vec<[usize; 2]>)| {
        pairs.resize(most, [groups; 2]);
        let zero = ChannelGroup([[0; 4]; CHANNELS]);
        let pair = |pair: [usize; 2]| GroupPair {
            weights: pair.map(|group| tap.get(group).copied().unwrap_or(zero)),
            groups: pair.map(|group| if group < groups { group as u8 } else { 0 }),
        };
        pairs.into_iter().map(pair).collect::<Vec<_>>()
    };
    taps.into_iter().flat_map(of_tap).collect()
}

/// The fewest pairs of a tap's groups that hold all in the set `left`. The index after the last
/// group stands for weights of 0.
fn matching(tap: &[ChannelGroup], left: u32) -> Vec<[usize; 2]> {
    if left == 0 {
        return Vec::new();
    }
    let first = left.trailing_zeros() as usize;
    let left = left & (left - 1);
    let with = |second: usize| {
        let mut pairs = matching(tap, left & !(1 << second));
        pairs.push([first, second]);
        pairs
    };
    // If `first` fits another group, a smallest set pairs it with one that it fits: from a set that
    // leaves `first` alone and pairs `second` with a third group, take `first` with `second`, and the
    // third alone.
    let partners = (first + 1..tap.len()).filter(|&second| left >> second & 1 == 1);
    let fitting = partners.filter(|&second| fit(&tap[first], &tap[second]));
    fitting.map(with).min_by_key(Vec::len).unwrap_or_else(|| with(tap.len()))
}

/// Whether the products of two groups can be added in 16 bits: two of each group meet in a sum.
fn fit(one: &ChannelGroup, other: &ChannelGroup) -> bool {
    one.0.iter().zip(&other.0).all(|(one, other)| {
        [0, 2].iter().all(|&at| {
            let weights = [one[at], one[at + 1], other[at], other[at + 1]].map(i32::from);
            let most = MOST_ACTIVE * weights.map(|weight| weight.max(0)).iter().sum::<i32>();
            let least = MOST_ACTIVE * weights.map(|weight| weight.min(0)).iter().sum::<i32>();
            most <= i32::from(i16::MAX) && least >= i32::from(i16::MIN)
        })
    })
}

#[target_feature(enable = "avx2")]
pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, begin, input, neighbours, sums } = job;
    let groups = layer.groups;
    let pairs = layer.group_pairs.len() / layer.taps();
    let ones = _mm256_set1_epi16(1);
    sums.fill(Sums(*begin));
    for (weights, neighbours) in layer.group_pairs.chunks_exact(pairs).zip(neighbours) {
        for &[square, neighbour] in neighbours {
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
