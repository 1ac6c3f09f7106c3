//! The inner loop of the network: 8-bit products added up in 32 bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod vnni;

use super::layer::{CHANNELS, Layer};
use crate::territory;

/// A square and its neighbour at one tap, as places in the list of squares that are not burnt.
pub(super) type Neighbour = [u8; 2];

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Sums(pub(super) [i32; CHANNELS]);

#[derive(Debug)]
pub(super) struct Convolution<'a> {
    pub(super) layer: &'a Layer,
    /// The begin of the sums.
    pub(super) begin: &'a [i32; CHANNELS],
    /// Activations from 0 to 127, `4 * groups` bytes a place.
    pub(super) input: &'a [u8],
    /// For each tap the squares that have a neighbour there.
    pub(super) neighbours: &'a [&'a [Neighbour]],
    pub(super) sums: &'a mut [Sums],
}

/// Turns sums into activations: `round(sum * scale)` from 0 to 127, ties to even. Returns each
/// channel's total. The portable and the AVX2 kernel use this, each compiled for its own
/// instructions. VNNI has its own; all give the same bits.
#[inline(always)]
fn activate(layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
    /// Added to a number below 2^22, this leaves its nearest whole number in the lowest bits.
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

/// An implementation of the inner loop; all give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvolutionKernel {
    /// Plain loops, for any processor.
    Portable,
    /// 256-bit registers. Only [`ConvolutionKernel::available`] makes it.
    #[cfg(target_arch = "x86_64")]
    #[non_exhaustive]
    Avx2,
    /// 512-bit registers and their dot product of bytes. Only [`ConvolutionKernel::available`] makes
    /// it.
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    #[non_exhaustive]
    Vnni,
}

impl ConvolutionKernel {
    /// The fastest kernel that this processor runs and that the environment allows, as
    /// [`territory::Kernel::allowed`] says.
    pub fn best() -> ConvolutionKernel {
        let allowed = territory::Kernel::allowed().map_or(territory::Kernel::NAMES.len(), <[_]>::len);
        let mut available = ConvolutionKernel::available();
        available.find(|&kernel| (kernel as usize) < allowed).unwrap_or(ConvolutionKernel::Portable)
    }

    /// Those that this processor can run, the fastest first.
    pub fn available() -> impl Iterator<Item = ConvolutionKernel> {
        let detected = [
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            (is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni"))
            .then_some(ConvolutionKernel::Vnni),
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx2").then_some(ConvolutionKernel::Avx2),
            Some(ConvolutionKernel::Portable),
        ];
        detected.into_iter().flatten()
    }

    /// Its name: `portable`, `avx2` or `vnni`.
    pub fn name(self) -> &'static str {
        ["portable", "avx2", "vnni"][self as usize]
    }

    pub(super) fn run(self, job: Convolution<'_>) {
        debug_assert_eq!(job.neighbours.len(), job.layer.taps(), "a list for each tap");
        match self {
            ConvolutionKernel::Portable => portable::run(job),
            // SAFETY: only `available` makes this kernel, after it found the instructions.
            #[cfg(target_arch = "x86_64")]
            ConvolutionKernel::Avx2 => unsafe { avx2::run(job) },
            // SAFETY: only `available` makes this kernel, after it found the instructions.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            ConvolutionKernel::Vnni => unsafe { vnni::run(job) },
        }
    }

    /// Turns the sums of a layer into activations. Returns each channel's total.
    pub(super) fn activate(self, layer: &Layer, sums: &[Sums], output: &mut [u8]) -> [u16; CHANNELS] {
        match self {
            ConvolutionKernel::Portable => activate(layer, sums, output),
            // SAFETY: only `available` makes this kernel, after it found the instructions.
            #[cfg(target_arch = "x86_64")]
            ConvolutionKernel::Avx2 => unsafe { avx2::activate(layer, sums, output) },
            // SAFETY: only `available` makes this kernel, after it found the instructions.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            ConvolutionKernel::Vnni => unsafe { vnni::activate(layer, sums, output) },
        }
    }

    /// Adds the products of inputs below 2^15; `pairs` holds the weights of two inputs each.
    pub(super) fn add_pairs(self, sums: &mut [i32; CHANNELS], input: &[u16], pairs: &[[[i16; 2]; CHANNELS]]) {
        match self {
            // SAFETY: only `available` makes this kernel, after it found the instructions.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            ConvolutionKernel::Vnni => unsafe { vnni::add_pairs(sums, input, pairs) },
            _ => portable::add_pairs(sums, input, pairs),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// The sums of squares by the weights as a file has them, `[output][input][tap]`.
    fn plain(
        weights: &[i8],
        inputs: usize,
        input: &[u8],
        neighbours: &[Vec<Neighbour>],
    ) -> Vec<[i32; CHANNELS]> {
        let (stride, taps) = (inputs.next_multiple_of(4), neighbours.len());
        let mut sums = vec![[0; CHANNELS]; input.len() / stride];
        for (at, &weight) in weights.iter().enumerate() {
            let (row, tap) = (at / taps, at % taps);
            for &[square, neighbour] in &neighbours[tap] {
                let active = input[usize::from(neighbour) * stride + row % inputs];
                sums[usize::from(square)][row / inputs] += i32::from(weight) * i32::from(active);
            }
        }
        sums
    }

    #[test]
    fn kernels_are_exact_with_the_largest_weights_and_activations() {
        const SQUARES: usize = 8;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for (inputs, taps) in [(32, 9), (18, 9), (32, 1)] {
            // Each round draws this percentage of extreme weights: no group then fits another one,
            // or some groups do, or most do.
            for extreme in [100, 50, 2] {
                let weights: Vec<i8> = (0..CHANNELS * inputs * taps)
                    .map(|_| match rng.next_u64() {
                        n if n % 100 < extreme => [-128, 127][(n / 100 % 2) as usize],
                        n => (n / 100 % 61) as i8 - 30,
                    })
                    .collect();
                let layer = Layer::new(inputs, taps, &weights, [0; CHANNELS], [1.0; CHANNELS]);
                let stride = 4 * layer.groups;
                // The largest activations in one place, smaller ones in the others.
                let input: Vec<u8> = (0..SQUARES * stride)
                    .map(|at| if at / stride == 7 { 127 } else { at as u8 % 128 })
                    .collect();
                let mut neighbours = vec![Vec::new(); taps];
                for neighbours in &mut neighbours {
                    for square in 0..SQUARES as u8 {
                        match rng.next_u64() % 12 {
                            0..4 => {}
                            4..8 => neighbours.push([square, 7]),
                            n => neighbours.push([square, n as u8 - 8]),
                        }
                    }
                }
                let expected = plain(&weights, inputs, &input, &neighbours);
                for kernel in ConvolutionKernel::available() {
                    let mut sums = vec![Sums([1; CHANNELS]); SQUARES];
                    kernel.run(Convolution {
                        layer: &layer,
                        begin: &layer.bias,
                        input: &input,
                        neighbours: &neighbours.iter().map(Vec::as_slice).collect::<Vec<_>>(),
                        sums: &mut sums,
                    });
                    let got: Vec<_> = sums.iter().map(|sums| sums.0).collect();
                    assert_eq!(got, expected, "{kernel:?}: {inputs} inputs, {taps} taps, {extreme} %");
                }
            }
        }
    }

    #[test]
    fn activations_are_rounded_to_even_and_added_up() {
        let numbers = [i32::MIN, -1, 0, 1, 3, 5, 7, 200, 252, 253, 254, 255, i32::MAX];
        let scales: [f32; CHANNELS] = std::array::from_fn(|channel| [0.5, 1.0, 0.3, 1e6][channel % 4]);
        let layer = Layer::new(32, 1, &[0; CHANNELS * 32], [0; CHANNELS], scales);
        let sums: Vec<Sums> = (0..50)
            .map(|square| Sums(std::array::from_fn(|channel| numbers[(square + channel) % numbers.len()])))
            .collect();
        let expected: Vec<u8> = sums
            .iter()
            .flat_map(|sums| sums.0.iter().zip(scales))
            .map(|(&sum, scale)| (sum as f32 * scale).clamp(0.0, 127.0).round_ties_even() as u8)
            .collect();
        let totals: [u16; CHANNELS] = std::array::from_fn(|channel| {
            expected.iter().skip(channel).step_by(CHANNELS).map(|&active| u16::from(active)).sum()
        });
        for kernel in ConvolutionKernel::available() {
            let mut output = vec![1; expected.len()];
            assert_eq!(kernel.activate(&layer, &sums, &mut output), totals, "{kernel:?}");
            assert_eq!(output, expected, "{kernel:?}");
        }
    }
}
