//! The value head: from the totals of all channels over the board to the log-odds of winning.
//!
//! Its inputs are the totals of the 128 channels of the four convolutions over the squares that are
//! not burnt, and 127 times the number of these squares. A layer of 32 follows, in integers up to
//! its sums, and one output.

use super::kernel::ConvolutionKernel;
use super::layer::{CHANNELS, CONVOLUTIONS};

pub(super) const INPUTS: usize = CONVOLUTIONS * CHANNELS + 1;
/// The activation that every live square has in the last input.
const LIVE: u16 = 127;

#[derive(Clone, Debug)]
pub(super) struct ValueHead {
    /// The weights of the hidden layer, as `[pair of inputs][output]`.
    pairs: Vec<[[i16; 2]; CHANNELS]>,
    bias: [i32; CHANNELS],
    scale: [f32; CHANNELS],
    output: [f32; CHANNELS + 1],
}

impl ValueHead {
    /// Arranges weights that come as `[output][input]`.
    pub(super) fn new(
        weights: &[i8],
        bias: [i32; CHANNELS],
        scale: [f32; CHANNELS],
        output: [f32; CHANNELS + 1],
    ) -> ValueHead {
        let mut pairs = vec![[[0; 2]; CHANNELS]; INPUTS.div_ceil(2)];
        for (at, &weight) in weights.iter().enumerate() {
            pairs[at % INPUTS / 2][at / INPUTS][at % INPUTS % 2] = i16::from(weight);
        }
        ValueHead { pairs, bias, scale, output }
    }

    /// The log-odds that the acting side wins, from the totals of the channels and the number of
    /// squares that are not burnt.
    pub(super) fn logit(
        &self,
        kernel: ConvolutionKernel,
        totals: &[[u16; CHANNELS]; CONVOLUTIONS],
        live: usize,
    ) -> f32 {
        let mut inputs = [0; INPUTS.next_multiple_of(2)];
        inputs[..INPUTS - 1].copy_from_slice(totals.as_flattened());
        inputs[INPUTS - 1] = LIVE * live as u16;
        let mut sums = self.bias;
        kernel.add_pairs(&mut sums, &inputs, &self.pairs);
        let hidden = sums.iter().zip(self.scale).map(|(&sum, scale)| (sum as f32 * scale).max(0.0));
        // The order of this sum is fixed, so that every machine gets the same bits.
        hidden.zip(self.output).fold(self.output[CHANNELS], |sum, (hidden, weight)| sum + hidden * weight)
    }

    /// A plain version of [`ValueHead::logit`], for tests and `quiver bench`.
    pub(super) fn reference(&self, totals: &[i32], live: usize) -> f32 {
        let inputs: Vec<i32> = totals.iter().copied().chain([i32::from(LIVE) * live as i32]).collect();
        let mut logit = self.output[CHANNELS];
        for output in 0..CHANNELS {
            let weight = |input: usize| i32::from(self.pairs[input / 2][output][input % 2]);
            let sum: i32 = (0..INPUTS).map(|input| weight(input) * inputs[input]).sum();
            logit += ((self.bias[output] + sum) as f32 * self.scale[output]).max(0.0) * self.output[output];
        }
        logit
    }
}
