//! The layers of a network, arranged for the kernels.
//!
//! Four 3x3 convolutions with 32 channels each, then a 1x1 head with 32 outputs. The third
//! convolution also gets the mean of every channel over the squares that are not burnt. Activations
//! are 7-bit integers, weights 8-bit, sums 32-bit: a layer's output is `clamp(round((sum + bias) *
//! scale), 0, 127)`.
//!
//! The value head is in [`ValueHead`](super::value::ValueHead).
//!
//! Of the head's outputs at a square, the first sixteen describe it as the square a move ends on,
//! the others as the square it starts from. A queen move's logit is the bilinear form of its
//! squares: see [`Inference::logit`](super::Inference::logit). An arrow is a move from the shooter.

#[cfg(target_arch = "x86_64")]
use super::chains::ChainedTap;

/// Channels of every layer, and outputs of the head.
pub(super) const CHANNELS: usize = 32;
pub(super) const CONVOLUTIONS: usize = 4;
/// The convolution, from 0, whose sums the means of the channels before it are added to.
pub(super) const POOLED: usize = 2;

/// Weights of one tap and four input channels for all outputs, as `[output][input]`. Two AVX-512
/// registers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct ChannelGroup(pub(super) [[i8; 4]; CHANNELS]);

#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Groups of four input channels.
    pub(super) groups: usize,
    /// The weights, tap by tap (3x3 row by row, or the one of the head), `groups` each.
    pub(super) weights: Vec<ChannelGroup>,
    /// The same weights for the portable kernel, as `[tap][pair of inputs][output]`.
    pub(super) pairs: Vec<[[i16; 2]; CHANNELS]>,
    /// The same weights for the AVX2 kernel, tap by tap.
    #[cfg(target_arch = "x86_64")]
    pub(super) chained: Vec<ChainedTap>,
    /// The begin of every sum.
    pub(super) bias: [i32; CHANNELS],
    /// The worth of one unit of a sum in units of the output.
    pub(super) scale: [f32; CHANNELS],
}

impl Layer {
    /// Arranges weights that come as `[output][input][tap]`.
    pub(super) fn new(
        inputs: usize,
        taps: usize,
        weights: &[i8],
        bias: [i32; 32],
        scale: [f32; 32],
    ) -> Layer {
        let groups = inputs.div_ceil(4);
        let mut arranged = vec![ChannelGroup([[0; 4]; CHANNELS]); taps * groups];
        let mut pairs = vec![[[0; 2]; CHANNELS]; taps * 2 * groups];
        for (at, &weight) in weights.iter().enumerate() {
            let (output, input, tap) = (at / (inputs * taps), at / taps % inputs, at % taps);
            arranged[tap * groups + input / 4].0[output][input % 4] = weight;
            pairs[tap * 2 * groups + input / 2][output][input % 2] = i16::from(weight);
        }
        Layer {
            groups,
            #[cfg(target_arch = "x86_64")]
            chained: arranged.chunks_exact(groups).map(ChainedTap::new).collect(),
            weights: arranged,
            pairs,
            bias,
            scale,
        }
    }

    /// Taps: the squares around an output, itself included, that it is computed from.
    pub(super) fn taps(&self) -> usize {
        self.weights.len() / self.groups
    }
}
