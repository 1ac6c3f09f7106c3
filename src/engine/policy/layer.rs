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
    /// The same weights for the AVX2 kernel, the same number for each tap.
    #[cfg(target_arch = "x86_64")]
    pub(super) group_pairs: Vec<GroupPair>,
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
            group_pairs: pair_groups(&arranged, groups),
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

#[cfg(target_arch = "x86_64")]
const MOST_ACTIVE: i32 = 127;

/// Two groups of a tap's input channels whose products can be added in 16 bits, whatever the
/// activations are.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Debug)]
pub(super) struct GroupPair {
    pub(super) weights: [ChannelGroup; 2],
    pub(super) groups: [u8; 2],
}

/// Pairs the groups of every tap, for each tap as many pairs. A group that fits no other one is
/// paired with weights of 0.
#[cfg(target_arch = "x86_64")]
pub(super) fn pair_groups(weights: &[ChannelGroup], groups: usize) -> Vec<GroupPair> {
    let all = (1 << groups) - 1;
    let taps: Vec<_> = weights.chunks_exact(groups).map(|tap| (tap, matching(&fitting(tap), all))).collect();
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
#[cfg(target_arch = "x86_64")]
fn matching(fitting: &[u32], left: u32) -> Vec<[usize; 2]> {
    if left == 0 {
        return Vec::new();
    }
    let first = left.trailing_zeros() as usize;
    let left = left & (left - 1);
    let with = |second: usize| {
        let mut pairs = matching(fitting, left & !(1 << second));
        pairs.push([first, second]);
        pairs
    };
    // If `first` fits another group, a smallest set pairs it with one that it fits: from a set that
    // leaves `first` alone and pairs `second` with a third group, take `first` with `second`, and the
    // third alone.
    let partners = (0..fitting.len()).filter(|&second| (left & fitting[first]) >> second & 1 == 1);
    partners.map(with).min_by_key(Vec::len).unwrap_or_else(|| with(fitting.len()))
}

/// For each group of a tap the set of those that fit it.
#[cfg(target_arch = "x86_64")]
fn fitting(tap: &[ChannelGroup]) -> Vec<u32> {
    let fits = |one| tap.iter().map(move |other| u32::from(fit(one, other)));
    tap.iter().map(|one| fits(one).rev().fold(0, |set, fits| set << 1 | fits)).collect()
}

/// True if the products of two groups can be added in 16 bits: two of each group meet in a sum.
#[cfg(target_arch = "x86_64")]
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
