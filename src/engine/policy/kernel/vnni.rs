//! The inner loop of the network for AVX-512 VNNI.

use std::arch::x86_64::*;

use super::{CHANNELS, ChannelGroup, Convolution, Layer, NeighbourPair, Sums};
use crate::policy::planes::STRIDE;

const PLANE_GROUPS: usize = STRIDE / 4;
const HIDDEN_GROUPS: usize = CHANNELS / 4;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn run(job: Convolution<'_>) {
    let Convolution { layer, initial_sums, input, neighbours, sums } = job;
    sums.fill(Sums(*initial_sums));
    for (weights, neighbours) in layer.weights.chunks_exact(layer.groups).zip(neighbours) {
        match layer.groups {
            PLANE_GROUPS => {
                run_tap::<PLANE_GROUPS>(weights.as_array().expect("whole taps"), input, neighbours, sums)
            }
            HIDDEN_GROUPS => {
                run_tap::<HIDDEN_GROUPS>(weights.as_array().expect("whole taps"), input, neighbours, sums)
            }
            groups => unreachable!("no layer has {groups} groups"),
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn run_tap<const GROUPS: usize>(
    weights: &[ChannelGroup; GROUPS],
    input: &[u8],
    neighbours: &[NeighbourPair],
    sums: &mut [Sums],
) {
    // SAFETY: the weights of a group fill two registers and are aligned to 64 bytes.
    let weights = weights.each_ref().map(|group| unsafe {
        let group = group.0.as_ptr();
        [_mm512_load_si512(group.cast()), _mm512_load_si512(group.add(16).cast())]
    });
    for &[square, neighbour] in neighbours {
        let input = &input[usize::from(neighbour) * 4 * GROUPS..][..4 * GROUPS];
        let sums = sums[usize::from(square)].0.as_mut_ptr();
        // SAFETY: the 32 sums are aligned and fill two registers. `input` has 4 bytes per group.
        unsafe {
            let mut totals = [_mm512_load_si512(sums.cast()), _mm512_load_si512(sums.add(16).cast())];
            for (group, weights) in weights.iter().enumerate() {
                let four = _mm512_set1_epi32(input.as_ptr().add(4 * group).cast::<i32>().read_unaligned());
                totals[0] = _mm512_dpbusd_epi32(totals[0], four, weights[0]);
                totals[1] = _mm512_dpbusd_epi32(totals[1], four, weights[1]);
            }
            _mm512_store_si512(sums.cast(), totals[0]);
            _mm512_store_si512(sums.add(16).cast(), totals[1]);
        }
    }
}

/// Computes the same as [`super::activate_scalar`]. The sums of a square fill two registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn activate(layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    // SAFETY: the 32 scales fill two registers.
    let scale =
        unsafe { [_mm512_loadu_ps(layer.scale.as_ptr()), _mm512_loadu_ps(layer.scale[16..].as_ptr())] };
    let mut totals = _mm512_setzero_si512();
    for (sums, output) in sums.iter().zip(output.chunks_exact_mut(CHANNELS)) {
        let half = |half: usize| {
            // SAFETY: the sums of a square fill two registers and are aligned to 64 bytes.
            let sums = unsafe { _mm512_load_si512(sums.0[16 * half..].as_ptr().cast()) };
            let scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale[half]);
            let clamped = _mm512_min_ps(_mm512_max_ps(scaled, _mm512_setzero_ps()), _mm512_set1_ps(127.0));
            _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(clamped))
        };
        let active = _mm256_set_m128i(half(1), half(0));
        // SAFETY: the slice has 32 bytes, as many as the register.
        unsafe { _mm256_storeu_si256(output.as_mut_ptr().cast(), active) };
        totals = _mm512_add_epi16(totals, _mm512_cvtepu8_epi16(active));
    }
    let mut array = [0; CHANNELS];
    // SAFETY: the array has 64 bytes, as many as the register.
    unsafe { _mm512_storeu_si512(array.as_mut_ptr().cast(), totals) };
    array
}

/// Computes the same as [`super::portable::add_pair_products`]. Each output has four partial sums
/// that are used in turn, because additions to a single sum would wait for one another.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn add_pair_products(sums: &mut [i32; CHANNELS], input: &[u16], pairs: &[[[i16; 2]; CHANNELS]]) {
    // SAFETY: `numbers` points to 32 numbers, which fill two registers.
    let load = |numbers: *const i32| unsafe {
        [_mm512_loadu_si512(numbers.cast()), _mm512_loadu_si512(numbers.add(16).cast())]
    };
    let mut totals = [[_mm512_setzero_si512(); 2]; 4];
    for (input, pairs) in input.chunks(8).zip(pairs.chunks(4)) {
        for ((totals, two), weights) in totals.iter_mut().zip(input.chunks_exact(2)).zip(pairs) {
            let both = _mm512_set1_epi32(i32::from(two[0]) | i32::from(two[1]) << 16);
            let [low, high] = load(weights.as_ptr().cast());
            *totals = [_mm512_dpwssd_epi32(totals[0], both, low), _mm512_dpwssd_epi32(totals[1], both, high)];
        }
    }
    let [mut low, mut high] = load(sums.as_ptr());
    for [a, b] in totals {
        (low, high) = (_mm512_add_epi32(low, a), _mm512_add_epi32(high, b));
    }
    // SAFETY: the 32 sums fill two registers.
    unsafe {
        _mm512_storeu_si512(sums.as_mut_ptr().cast(), low);
        _mm512_storeu_si512(sums[16..].as_mut_ptr().cast(), high);
    }
}
