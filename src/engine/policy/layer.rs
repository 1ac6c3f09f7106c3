//! The layers of a network, arranged for the kernels.
//!
//! Four 3x3 convolutions with 32 channels each, then a 1x1 head with 32 outputs. The third
//! convolution also gets the mean of every channel over the squares that are not burnt. Activations
//! are 7-bit integers, weights 8-bit, sums 32-bit: a layer's output is `clamp(round((sum + bias) *
//! scale), 0, 127)`.
//!
//! [`Inference::logit`](super::Inference::logit) makes logits of the head's outputs;
//! [`ValueHead`](super::value::ValueHead) is a head of its own.

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

/// The lengths of chains that the kernel is compiled for, for channels and then for planes, the
/// fewest chains first: a bit for each group, from the lowest, set for the last one of a chain.
#[cfg(target_arch = "x86_64")]
pub(super) const SHAPES: [u8; 6] = [0b1000_1000, 0b1010_0100, 0b1010_1010, 0b1111_1111, 0b1_0100, 0b1_1111];

/// A tap whose groups stand in chains. The products of a chain can be added in 16 bits, whatever
/// the activations are.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Debug)]
pub(super) struct ChainedTap {
    /// The index of its shape in [`SHAPES`].
    pub(super) shape: usize,
    /// The groups, chain by chain.
    pub(super) groups: Vec<u8>,
    /// Their weights.
    pub(super) weights: Vec<ChannelGroup>,
}

#[cfg(target_arch = "x86_64")]
impl ChainedTap {
    fn new(tap: &[ChannelGroup]) -> ChainedTap {
        let sums: Vec<ExtremeSums> = tap.iter().map(ExtremeSums::of).collect();
        let mut groups = Vec::new();
        let shape = SHAPES.iter().position(|&ends| {
            ends.ilog2() as usize + 1 == tap.len()
                && fill_chains(&sums, ends, &ExtremeSums::NONE, &mut groups)
        });
        let shape = shape.expect("8 groups of channels or 5 of planes, of which each fits alone");
        let weights = groups.iter().map(|&group| tap[usize::from(group)]).collect();
        ChainedTap { shape, groups, weights }
    }
}

/// Adds the groups that are not in `order` to it, so that every chain fits; the last group stands in
/// `chain`. Returns false, with `order` as it was, if there is no such order.
#[cfg(target_arch = "x86_64")]
fn fill_chains(groups: &[ExtremeSums], ends: u8, chain: &ExtremeSums, order: &mut Vec<u8>) -> bool {
    let (chain, first) = match order.last() {
        _ if order.len() == groups.len() => return true,
        // In ascending order, since the order within a chain does not matter.
        Some(&last) if ends >> (order.len() - 1) & 1 == 0 => (chain, last + 1),
        _ => (&ExtremeSums::NONE, 0),
    };
    (first..groups.len() as u8).any(|group| {
        let longer = chain.plus(&groups[usize::from(group)]);
        if order.contains(&group) || !longer.fit() {
            return false;
        }
        order.push(group);
        let is_filled = fill_chains(groups, ends, &longer, order);
        if !is_filled {
            order.pop();
        }
        is_filled
    })
}

/// The largest and the smallest value of each 16-bit sum of a chain, over the largest activation.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct ExtremeSums {
    most: [i16; 2 * CHANNELS],
    least: [i16; 2 * CHANNELS],
}

#[cfg(target_arch = "x86_64")]
impl ExtremeSums {
    const NONE: ExtremeSums = ExtremeSums { most: [0; 2 * CHANNELS], least: [0; 2 * CHANNELS] };

    fn of(group: &ChannelGroup) -> ExtremeSums {
        let mut sums = ExtremeSums::NONE;
        for (at, &weight) in group.0.as_flattened().iter().enumerate() {
            sums.most[at / 2] += i16::from(weight.max(0));
            sums.least[at / 2] += i16::from(weight.min(0));
        }
        sums
    }

    fn plus(&self, other: &ExtremeSums) -> ExtremeSums {
        let mut sums = *self;
        sums.most.iter_mut().zip(other.most).for_each(|(sum, more)| *sum += more);
        sums.least.iter_mut().zip(other.least).for_each(|(sum, more)| *sum += more);
        sums
    }

    /// True if no sum leaves 16 bits.
    fn fit(&self) -> bool {
        const MOST_ACTIVE: i16 = 127;
        self.most.iter().all(|&most| most <= i16::MAX / MOST_ACTIVE)
            && self.least.iter().all(|&least| least >= i16::MIN / MOST_ACTIVE)
    }
}
