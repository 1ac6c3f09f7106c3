//! The weights of a network, arranged for the kernels.
//!
//! Four 3x3 convolutions with 32 channels each, then a 1x1 head with 32 outputs. The third
//! convolution also gets the mean of every channel over the squares that are not burnt. Activations
//! are 7-bit integers, weights 8-bit, sums 32-bit: a layer's output is `clamp(round((sum + bias) *
//! scale), 0, 127)`.
//!
//! The value head is in [`ValueHead`].
//!
//! Of the head's outputs at a square, the first sixteen describe it as the square a move ends on,
//! the others as the square it starts from. A queen move's logit is the bilinear form of its
//! squares: see [`Inference::logit`](super::Inference::logit). An arrow is a move from the shooter.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::file::{self, NetworkError};
#[cfg(target_arch = "x86_64")]
use super::kernel;
use super::planes;
use super::value::{self, ValueHead};
use crate::files;
use crate::game::Size;

/// The largest file of a network, in bytes. The shipped ones have 41 KB.
const MAX_FILE: u64 = 1 << 20;

/// Channels of every layer, and outputs of the head.
pub(super) const CHANNELS: usize = 32;
/// Convolutions of 3x3 squares.
pub(super) const CONVOLUTIONS: usize = 4;
/// The convolution, from 0, whose sums the means of the channels before it are added to.
pub(super) const POOLED: usize = 2;

/// Weights of one tap and four input channels for all outputs, as `[output][input]`. Two AVX-512
/// registers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct ChannelGroup(pub(super) [[i8; 4]; CHANNELS]);

/// One layer: what is added up, and how its sums become outputs.
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
    pub(super) group_pairs: Vec<kernel::GroupPair>,
    /// What every sum begins with.
    pub(super) bias: [i32; CHANNELS],
    /// What one unit of a sum is worth in units of the output.
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
            group_pairs: kernel::pair_groups(&arranged, groups),
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

/// The files of the shipped networks: for boards up to 8x8, and for larger boards. A bot for one kind
/// of board (features `bot-8`, `bot-10`) carries the network of that kind alone.
const FILES: &[&[u8]] = &[
    #[cfg(any(feature = "bot-8", not(feature = "bot-10")))]
    include_bytes!("nets/8.net"),
    #[cfg(any(feature = "bot-10", not(feature = "bot-8")))]
    include_bytes!("nets/10.net"),
];

/// A network. Cloning shares the weights.
///
/// ```
/// use quiver_engine::policy::Inference;
/// use quiver_engine::{Network, Position, Size, View, logistic};
///
/// let size = Size::square(8)?;
/// let network = Network::shipped(size);
/// let mut inference = Inference::default();
/// inference.run(&network, &View::from(&Position::start(size)?), None);
/// let chance = logistic(inference.value(&network).into());
/// assert!(chance > 0.2 && chance < 0.8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network(Arc<NetworkWeights>);

/// What a network holds.
#[derive(Debug)]
pub(super) struct NetworkWeights {
    /// The checksum of its file.
    pub(super) checksum: u32,
    /// The side of the board it was trained on.
    pub(super) board: u8,
    /// The convolutions.
    pub(super) convolutions: [Layer; CONVOLUTIONS],
    /// From the channels' means to the sums of convolution [`POOLED`]: it has no bias and no scale.
    pub(super) pooled: Layer,
    /// The head.
    pub(super) head: Layer,
    /// The value head.
    pub(super) value: ValueHead,
}

impl Network {
    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// If they are of another format or architecture, too short or too long, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        Ok(Network(Arc::new(file::parse(bytes)?)))
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    /// As [`Network::from_bytes`], and if the file cannot be read.
    pub fn read(path: &Path) -> Result<Network, NetworkError> {
        let bytes =
            files::read(path, MAX_FILE).map_err(|cause| NetworkError::Io { cause: cause.to_string() })?;
        Network::from_bytes(&bytes)
    }

    /// The shipped network for boards of this size: the 10x10 net for boards larger than 8x8,
    /// otherwise the 8x8 net. A build for one kind of board (features `bot-8`, `bot-10`) has the
    /// network of that kind for all boards.
    #[must_use]
    pub fn shipped(size: Size) -> Network {
        static SHIPPED: LazyLock<Vec<Network>> = LazyLock::new(|| {
            let read = |file: &&[u8]| Network::from_bytes(file).expect("tests read the shipped networks");
            FILES.iter().map(read).collect()
        });
        SHIPPED[usize::from(size.is_large()).min(FILES.len() - 1)].clone()
    }

    /// The CRC-32 of its file, header included.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.0.checksum
    }

    /// The side of the board it was trained on.
    #[must_use]
    pub fn board(&self) -> u8 {
        self.0.board
    }

    pub(super) fn weights(&self) -> &NetworkWeights {
        &self.0
    }
}

/// The networks of an engine: one for boards up to 8x8, one for larger boards.
#[derive(Clone, Debug)]
pub struct Networks([Network; 2]);

impl Default for Networks {
    /// The shipped networks.
    fn default() -> Networks {
        Networks([8, 10].map(|side| Network::shipped(Size::square(side).expect("boards of 8 and 10 exist"))))
    }
}

impl Networks {
    /// The shipped networks, with this one in the place of that for its kind of board.
    #[must_use]
    pub fn with(mut self, network: Network) -> Networks {
        let size = Size::square(usize::from(network.board())).expect("files of other boards are refused");
        self.0[usize::from(size.is_large())] = network;
        self
    }

    /// The network for boards of this size.
    #[inline]
    #[must_use]
    pub fn on(&self, size: Size) -> &Network {
        &self.0[usize::from(size.is_large())]
    }
}

/// The layers of a file in its order: name, inputs, taps. Each has [`CHANNELS`] outputs.
pub(super) const LAYERS: [(&str, usize, usize); 7] = [
    ("convolution 1", planes::COUNT, 9),
    ("convolution 2", CHANNELS, 9),
    ("convolution 3", CHANNELS, 9),
    ("convolution 4", CHANNELS, 9),
    ("means", CHANNELS, 1),
    ("head", CHANNELS, 1),
    ("value", value::INPUTS, 1),
];
