//! The inner loop of the network, and the layers in the memory layout that this loop reads. The
//! loop adds products of 8-bit numbers in 32 bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod vnni;

use crate::simd::Kernel;
#[cfg(target_arch = "x86_64")]
use avx2::ChainedTap;

/// The number of channels of every hidden layer, and the number of outputs of the head.
pub(super) const CHANNELS: usize = 32;
pub(super) const MAX_ACTIVATION: i16 = 127;

/// The weights from four input channels at one tap (one offset of a convolution) to all outputs, as
/// `[output][input]`. They fill two AVX-512 registers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct ChannelGroup(pub(super) [[i8; 4]; CHANNELS]);

/// A layer of the network, with its weights arranged for the kernels.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// The number of groups of four input channels.
    pub(super) groups: usize,
    /// The weights: `groups` items for each tap (offset). A 3x3 layer lists its taps row by row.
    pub(super) weights: Vec<ChannelGroup>,
    /// A copy of `weights` for the portable kernel and value head: `[tap][pair of inputs][output]`.
    pub(super) pairs: Vec<[[i16; 2]; CHANNELS]>,
    /// A copy of `weights` for the AVX2 kernel, tap by tap; empty in the value head.
    #[cfg(target_arch = "x86_64")]
    chained: Vec<ChainedTap>,
    pub(super) bias: [i32; CHANNELS],
    pub(super) scale: [f32; CHANNELS],
}

impl Layer {
    /// Creates a layer from one-byte weights in the order `[output][input][tap]`.
    pub(super) fn new(
        inputs: usize,
        taps: usize,
        bytes: &[u8],
        bias: [i32; CHANNELS],
        scale: [f32; CHANNELS],
    ) -> Layer {
        let groups = inputs.div_ceil(4);
        let mut weights = vec![ChannelGroup([[0; 4]; CHANNELS]); taps * groups];
        let mut pairs = vec![[[0; 2]; CHANNELS]; taps * 2 * groups];
        for (at, &byte) in bytes.iter().enumerate() {
            let (output, input, tap) = (at / (inputs * taps), at / taps % inputs, at % taps);
            weights[tap * groups + input / 4].0[output][input % 4] = byte as i8;
            pairs[tap * 2 * groups + input / 2][output][input % 2] = i16::from(byte as i8);
        }
        Layer {
            groups,
            #[cfg(target_arch = "x86_64")]
            chained: weights.chunks_exact(groups).filter_map(ChainedTap::new).collect(),
            weights,
            pairs,
            bias,
            scale,
        }
    }
}

/// A square and its neighbour at one tap (offset), as indexes into the list of unburnt squares.
pub(super) type NeighbourPair = [u8; 2];

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Sums(pub(super) [i32; CHANNELS]);

#[derive(Debug)]
pub(super) struct Convolution<'a> {
    pub(super) layer: &'a Layer,
    /// The initial sum of each output, which is equal at all squares.
    pub(super) initial_sums: &'a [i32; CHANNELS],
    /// The activations from 0 to 127, in `4 * groups` bytes for each square.
    pub(super) input: &'a [u8],
    /// For each tap (offset), all pairs of a square and its neighbour at this offset.
    pub(super) neighbours: &'a [&'a [NeighbourPair]],
    pub(super) sums: &'a mut [Sums],
}

/// Turns sums into activations: `round(sum * scale)`, ties to even, clamped to 0 to 127. Returns
/// the total of each channel over all squares.
#[inline(always)]
fn activate_scalar(layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    /// 2^23. Adding it to a number below 2^22 leaves the nearest integer in the lowest bits.
    const ROUND: f32 = (1u32 << 23) as f32;
    let mut totals = [0; CHANNELS];
    for (sums, output) in sums.iter().zip(output.chunks_exact_mut(CHANNELS)) {
        for ((output, sum), scale) in output.iter_mut().zip(sums.0).zip(layer.scale) {
            *output = ((sum as f32 * scale).clamp(0.0, 127.0) + ROUND).to_bits() as u8;
        }
        totals.iter_mut().zip(output).for_each(|(total, &mut value)| *total += u16::from(value));
    }
    totals
}

pub(super) fn run(kernel: Kernel, job: Convolution<'_>) {
    let layer = job.layer;
    debug_assert_eq!(job.neighbours.len(), layer.weights.len() / layer.groups, "a list for each tap");
    match kernel {
        Kernel::Portable => portable::run(job),
        // SAFETY: a value of the variant `Avx2` proves that the processor has AVX2.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2(_) => unsafe { avx2::run(job) },
        // SAFETY: a value of either variant proves that the processor has AVX-512 F, BW and VNNI.
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        Kernel::Vnni(_) | Kernel::Avx512(_) => unsafe { vnni::run(job) },
    }
}

pub(super) fn activate(kernel: Kernel, layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    match kernel {
        Kernel::Portable => activate_scalar(layer, sums, output),
        // SAFETY: a value of the variant `Avx2` proves that the processor has AVX2.
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2(_) => unsafe { avx2::activate(layer, sums, output) },
        // SAFETY: a value of either variant proves that the processor has AVX-512 F, BW and VNNI.
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        Kernel::Vnni(_) | Kernel::Avx512(_) => unsafe { vnni::activate(layer, sums, output) },
    }
}

/// Multiplies inputs (below 2^15) by their weights, two at a time, and adds the products to `sums`.
pub(super) fn add_pair_products(
    kernel: Kernel,
    sums: &mut [i32; CHANNELS],
    input: &[u16],
    pairs: &[[[i16; 2]; CHANNELS]],
) {
    match kernel {
        // SAFETY: a value of either variant proves that the processor has AVX-512 F, BW and VNNI.
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        Kernel::Vnni(_) | Kernel::Avx512(_) => unsafe { vnni::add_pair_products(sums, input, pairs) },
        _ => portable::add_pair_products(sums, input, pairs),
    }
}
