//! Networks: the shipped ones, and networks from files.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::file::{self, NetworkWeights};
use crate::files;
use crate::game::{InputError, Size};
use crate::shipped;

/// The largest file of a network, in bytes. The shipped ones have 41 KB.
const MAX_FILE: u64 = 1 << 20;

/// A network. Cloning shares the weights.
///
/// ```
/// use quiver_engine::policy::Inference;
/// use quiver_engine::{Network, Position, Size, View, logistic};
///
/// let size = Size::square(8)?;
/// let network = Network::shipped(size);
/// let log_odds = Inference::default().run(&network, &View::from(&Position::start(size)?));
/// let chance = logistic(log_odds.into());
/// assert!(chance > 0.2 && chance < 0.8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network(pub(super) Arc<NetworkWeights>);

impl Network {
    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// If they are of another format or architecture, too short or too long, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, InputError> {
        file::parse(bytes)
            .map(|weights| Network(Arc::new(weights)))
            .map_err(|error| error.at("policy network"))
    }

    /// Reads a network from a file.
    pub fn read(path: &Path) -> Result<Network, InputError> {
        Network::from_bytes(&files::read(path, MAX_FILE).map_err(|error| InputError(error.to_string()))?)
    }

    /// The shipped network for boards of this size: the 10x10 net for boards larger than 8x8,
    /// otherwise the 8x8 net. A build for one kind of board (features `bot-8`, `bot-10`) has the
    /// network of that kind for all boards.
    pub fn shipped(size: Size) -> Network {
        Network::read_shipped(size).clone()
    }

    fn read_shipped(size: Size) -> &'static Network {
        static READ: [OnceLock<Network>; shipped::SHIPPED.len()] =
            [const { OnceLock::new() }; shipped::SHIPPED.len()];
        let place = shipped::place(size.is_large());
        READ[place].get_or_init(|| {
            Network::from_bytes(shipped::SHIPPED[place].network).expect("tests read the shipped networks")
        })
    }

    /// The CRC-32 of its file, header included.
    pub fn checksum(&self) -> u32 {
        self.0.checksum
    }

    /// The side of the board it was trained on.
    pub fn board(&self) -> u8 {
        self.0.board
    }
}

/// The networks of an engine: one for boards up to 8x8, one for larger boards. By default they are the
/// shipped ones, each read when it is first used.
#[derive(Clone, Debug, Default)]
pub struct Networks([Option<Network>; 2]);

impl Networks {
    /// These networks, with this one in the place of that for its kind of board.
    #[must_use]
    pub fn with(mut self, network: Network) -> Networks {
        let large = network.board() > 8;
        self.0[usize::from(large)] = Some(network);
        self
    }

    /// The network for boards of this size.
    #[inline]
    pub fn on(&self, size: Size) -> &Network {
        self.0[usize::from(size.is_large())].as_ref().unwrap_or_else(|| Network::read_shipped(size))
    }
}
