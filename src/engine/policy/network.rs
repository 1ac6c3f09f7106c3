//! Policy networks: the shipped networks, and networks read from files.
//!
//! A network has four 3x3 convolutions with 32 channels each, and a 1x1 head with 32 outputs. All
//! convolutions but the first also get the mean of every input channel over the unburnt squares.
//! Activations are integers of 7 bits, weights of 8 bits and sums of 32 bits. The output of a
//! convolution is `clamp(round((sum + bias) * scale), 0, 127)`. The output of the head is
//! `(sum + bias) * scale`.
//!
//! The value head has a hidden layer, without rounding and without the clamp at 127, and then one
//! output. Its inputs are the channels of the four convolutions, each summed over the unburnt
//! squares, and then 127 times the number of unburnt squares.
//!
//! A network file is a line of JSON, followed by binary data in little endian. Each layer (four
//! convolutions, three layers of means, head, value) has 32 biases (i32), 32 scales (f32), and
//! weights (i8) as `[output][input][tap]`. Then come the 32 weights of the value head's output and
//! its bias (f32), and the CRC-32 (u32, the polynomial of zlib) of all bytes before the CRC-32. A
//! layer of means has biases 0 and scales 1. The reader checks only their range, and inference
//! ignores them. The line of JSON is
//! `{"policy":{"format":3,"board":8,"channels":32,"convolutions":4,...}}`. Other fields say how the
//! network was trained. `tuning/tuning/policy/net_file.py` writes the files.

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use amazons::Size;
use serde_json::Value;
use thiserror::Error;

use super::kernel::{CHANNELS, Layer};
use super::planes;
use crate::shipped;

pub(super) const CONVOLUTIONS: usize = 4;
pub(super) const VALUE_INPUTS: usize = CONVOLUTIONS * CHANNELS + 1;

/// The largest allowed scale of a layer, and the largest allowed weight of the value head's output.
const MAX_SCALE: f32 = (1 << 20) as f32;

/// The layers of a network file, with [`CHANNELS`] outputs each: (name, inputs, taps).
pub(super) const LAYERS: [(&str, usize, usize); 9] = [
    ("convolution 1", planes::COUNT, 9),
    ("convolution 2", CHANNELS, 9),
    ("convolution 3", CHANNELS, 9),
    ("convolution 4", CHANNELS, 9),
    ("means 2", CHANNELS, 1),
    ("means 3", CHANNELS, 1),
    ("means 4", CHANNELS, 1),
    ("head", CHANNELS, 1),
    ("value", VALUE_INPUTS, 1),
];

/// A policy network. Clones share the same weights.
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

#[derive(Debug)]
pub(super) struct NetworkWeights {
    pub(super) checksum: u32,
    pub(super) board: u8,
    pub(super) convolutions: [Layer; CONVOLUTIONS],
    /// The layer of means of each convolution but the first: a linear map of the means of the
    /// convolution's input channels. Its outputs are added to those of the convolution.
    pub(super) means: [Layer; CONVOLUTIONS - 1],
    pub(super) head: Layer,
    /// The hidden layer of the value head, with [`VALUE_INPUTS`] inputs.
    pub(super) value: Layer,
    /// The weights of the value head's output, and then its bias.
    pub(super) output: [f32; CHANNELS + 1],
}

impl Network {
    /// The version of the file format.
    pub const FORMAT: u64 = 3;

    /// Reads a network from the bytes of a network file.
    ///
    /// # Errors
    /// If the format is not supported, if the architecture differs, or if the bytes are too few,
    /// too many or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        parse(bytes).map(|weights| Network(Arc::new(weights)))
    }

    /// The shipped network for boards of this size. A build with only one of the features
    /// `boards-8` and `boards-10` uses the network of that feature for all boards.
    pub fn shipped(size: Size) -> Network {
        Network::read_shipped(size).clone()
    }

    fn read_shipped(size: Size) -> &'static Network {
        static SHIPPED_NETWORKS: [OnceLock<Network>; shipped::SHIPPED.len()] =
            [const { OnceLock::new() }; shipped::SHIPPED.len()];
        let place = shipped::index(size.is_large());
        SHIPPED_NETWORKS[place].get_or_init(|| {
            Network::from_bytes(shipped::SHIPPED[place].network).expect("tests read the shipped networks")
        })
    }

    /// The CRC-32 of the network file, including its header.
    pub fn checksum(&self) -> u32 {
        self.0.checksum
    }

    /// The side length of the board for which the network was trained.
    pub fn board(&self) -> u8 {
        self.0.board
    }
}

fn parse(bytes: &[u8]) -> Result<NetworkWeights, NetworkError> {
    let bad_header = |cause: &str| NetworkError::Header(cause.to_owned());
    let length = bytes.iter().take(1 << 16).position(|&byte| byte == b'\n');
    let length = length.ok_or_else(|| bad_header("no header line"))?;
    let header: Value =
        serde_json::from_slice(&bytes[..length]).map_err(|error| bad_header(&error.to_string()))?;
    let about = header.get("policy").ok_or_else(|| bad_header("no field 'policy'"))?;
    let constants =
        [("format", Network::FORMAT), ("channels", CHANNELS as u64), ("convolutions", CONVOLUTIONS as u64)];
    if let Some((name, expected)) = constants.into_iter().find(|&(name, expected)| about[name] != expected) {
        return Err(value_error(name, &about[name], expected));
    }
    let board = about["board"].as_u64().filter(|side| (4..=10).contains(side));
    let board = board.ok_or_else(|| value_error("board", &about["board"], "4 to 10"))?;
    let blob = &bytes[length + 1..];
    let layers = LAYERS.iter().map(|(_, inputs, taps)| CHANNELS * (8 + inputs * taps)).sum::<usize>();
    let expected = layers + size_of::<[f32; CHANNELS + 1]>() + size_of::<u32>();
    let Some((blob, &stated)) = blob.split_last_chunk::<4>().filter(|_| blob.len() == expected) else {
        return Err(value_error("the number of bytes after the header", blob.len(), expected));
    };
    let (got, expected) = (crc32(&bytes[..bytes.len() - stated.len()]), u32::from_le_bytes(stated));
    if got != expected {
        return Err(NetworkError::Checksum { got, expected });
    }
    let (mut rest, output) = blob.split_at(layers);
    let [first, second, third, fourth, means_2, means_3, means_4, head, value] =
        LAYERS.map(|shape| read_layer(shape, &mut rest));
    let convolutions = [first?, second?, third?, fourth?];
    let (means, head, value) = ([means_2?, means_3?, means_4?], head?, value?);
    let output: [f32; CHANNELS + 1] = four_byte_chunks(output).map(f32::from_le_bytes);
    if let Some(&got) = output.iter().find(|weight| weight.is_nan() || weight.abs() > MAX_SCALE) {
        return Err(value_error("a weight of the value head's output", got, "-2^20 to 2^20"));
    }
    let (checksum, board) = (expected, board as u8);
    Ok(NetworkWeights { checksum, board, convolutions, means, head, value, output })
}

fn read_layer((layer, inputs, taps): (&str, usize, usize), bytes: &mut &[u8]) -> Result<Layer, NetworkError> {
    let (biases, rest) = bytes.split_at(4 * CHANNELS);
    let (scales, rest) = rest.split_at(4 * CHANNELS);
    let (weights, rest) = rest.split_at(CHANNELS * inputs * taps);
    *bytes = rest;
    let bias: [i32; CHANNELS] = four_byte_chunks(biases).map(i32::from_le_bytes);
    if let Some(&got) = bias.iter().find(|bias| bias.unsigned_abs() > 1 << 30) {
        return Err(value_error(&format!("a bias of {layer}"), got, "-2^30 to 2^30"));
    }
    let scale: [f32; CHANNELS] = four_byte_chunks(scales).map(f32::from_le_bytes);
    if let Some(&got) = scale.iter().find(|scale| !(**scale > 0.0 && **scale <= MAX_SCALE)) {
        return Err(value_error(&format!("a scale of {layer}"), got, "a positive number up to 2^20"));
    }
    Ok(Layer::new(inputs, taps, weights, bias, scale))
}

fn value_error(what: &str, got: impl Display, expected: impl Display) -> NetworkError {
    NetworkError::Value { what: what.to_owned(), got: got.to_string(), expected: expected.to_string() }
}

fn four_byte_chunks<const N: usize>(bytes: &[u8]) -> [[u8; 4]; N] {
    std::array::from_fn(|at| bytes.as_chunks().0[at])
}

/// Computes the CRC-32 of zlib bit by bit, which is fast enough for the 44 KB of a network.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, step)
}

/// The reason why bytes cannot be read as a network file.
///
/// ```
/// use quiver_engine::Network;
/// use quiver_engine::policy::NetworkError;
///
/// assert!(matches!(Network::from_bytes(b"[1]\n"), Err(NetworkError::Header(_))));
/// ```
#[derive(Clone, Debug, Error, PartialEq)]
pub enum NetworkError {
    /// The first line is not a header of a network file. The text describes the cause.
    #[error("policy network: {0}: expected a file that begins with {{\"policy\":")]
    Header(String),
    /// The number of bytes, a number in the header, or a bias, scale or weight has a value that
    /// this version does not support.
    #[error("policy network: {what} is {got:.40}: expected {expected}")]
    Value {
        /// The name of the number.
        what: String,
        /// The number in the file; `null` if the header lacks the number.
        got: String,
        /// A description of the expected number.
        expected: String,
    },
    /// The checksum in the file does not match the bytes of the file.
    #[error("policy network: checksum {got:08x}: expected {expected:08x}: the file is damaged")]
    Checksum {
        /// The checksum computed from the bytes.
        got: u32,
        /// The checksum that the file states.
        expected: u32,
    },
}

/// The networks of an engine: one for boards up to 8x8 and one for larger boards. By default these
/// are the shipped networks, which are read when they are first used.
#[derive(Clone, Debug, Default)]
pub struct Networks([Option<Network>; 2]);

impl Networks {
    /// Replaces the network for boards up to 8x8, or for larger boards if `network.board() > 8`.
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

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &[u8] = include_bytes!("nets/8.net");

    #[test]
    fn layers_have_each_weight_of_the_file() {
        let (inputs, taps) = (18, 9);
        let weight = |output, input, tap| (101 * output + 13 * input + tap) as i8;
        let mut bytes = [[0; 4], 1f32.to_le_bytes()].map(|number| [number; CHANNELS]).as_flattened().concat();
        for output in 0..CHANNELS {
            for input in 0..inputs {
                bytes.extend((0..taps).map(|tap| weight(output, input, tap) as u8));
            }
        }
        let layer = read_layer(("", inputs, taps), &mut &bytes[..]).unwrap();
        for output in 0..CHANNELS {
            for (tap, input) in (0..taps).flat_map(|tap| (0..20).map(move |input| (tap, input))) {
                let expected = if input < inputs { weight(output, input, tap) } else { 0 };
                assert_eq!(layer.weights[5 * tap + input / 4].0[output][input % 4], expected);
                assert_eq!(layer.pairs[10 * tap + input / 2][output][input % 2], i16::from(expected));
            }
        }
    }

    #[test]
    fn rejects_other_and_damaged_networks() {
        let line = NET.iter().position(|&byte| byte == b'\n').unwrap();
        let with = |at: usize, bytes: &[u8]| [&NET[..at], bytes, &NET[at + bytes.len()..]].concat();
        let header = |from: &str, to: &str| {
            let header = std::str::from_utf8(&NET[..line]).unwrap();
            assert!(header.contains(from), "{from}");
            [header.replace(from, to).as_bytes(), &NET[line..]].concat()
        };
        let number = |at: usize, number: [u8; 4]| {
            let mut bytes = with(at, &number);
            let (content, checksum) = bytes.split_last_chunk_mut::<4>().unwrap();
            *checksum = crc32(content).to_le_bytes();
            bytes
        };
        let middle = NET.len() / 2;
        let cases = [
            (b"".into(), "no header line"),
            (b"[1]\n".into(), "no field 'policy'"),
            (b"{\n".into(), "expected a file that begins with"),
            (header("\"channels\":32", "\"channels\":64"), "channels is 64: expected 32"),
            (header("\"format\":3", "\"format\":2"), "format is 2: expected 3"),
            (header("\"board\":8", "\"board\":12"), "board is 12: expected 4 to 10"),
            (header("\"board\":8", "\"board\":9"), "the file is damaged"),
            (NET[..NET.len() - 1].into(), "the number of bytes after the header is"),
            ([NET, &[0]].concat(), "the number of bytes after the header is"),
            (with(middle, &[!NET[middle]]), "checksum"),
            (number(line + 1, i32::MAX.to_le_bytes()), "a bias of convolution 1 is 2147483647: expected"),
            (
                number(line + 1 + 4 * CHANNELS, 0f32.to_le_bytes()),
                "a scale of convolution 1 is 0: expected a positive number",
            ),
            (
                number(NET.len() - 8, f32::NAN.to_le_bytes()),
                "a weight of the value head's output is NaN: expected",
            ),
        ];
        for (bytes, message) in cases {
            let error = Network::from_bytes(&bytes).unwrap_err().to_string();
            assert!(error.contains(message), "{error}: expected {message}");
        }
    }
}
