//! The error of bytes that are no network.

use std::error::Error;
use std::fmt;

/// The reason why bytes are no file of a network.
///
/// ```
/// use quiver_engine::Network;
/// use quiver_engine::policy::NetworkError;
///
/// assert!(matches!(Network::from_bytes(b"[1]\n"), Err(NetworkError::Header(_))));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkError {
    /// The first line is no header: the cause.
    Header(String),
    /// A number of the header that this version cannot read.
    Field {
        /// The field.
        name: &'static str,
        /// Its value.
        got: String,
        /// The least and the largest value.
        expected: [u64; 2],
    },
    /// More or fewer bytes after the header than its layers have.
    Length {
        /// The number of bytes.
        got: usize,
        /// The number of bytes that the layers have.
        expected: usize,
    },
    /// Bytes that the checksum of the file does not stand for.
    Checksum {
        /// The checksum of the bytes.
        got: u32,
        /// The checksum that the file states.
        expected: u32,
    },
    /// A bias of this layer above 2^30 in size.
    Bias {
        /// The layer.
        layer: &'static str,
        /// The bias.
        got: i32,
    },
    /// A scale of this layer that is not positive, or above 2^20.
    Scale {
        /// The layer.
        layer: &'static str,
        /// The scale.
        got: f32,
    },
    /// A weight of the value's output above 2^20 in size.
    OutputWeight(f32),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("policy network: ")?;
        match self {
            NetworkError::Header(cause) => {
                write!(f, "{cause}: expected a file that begins with {{\"policy\":")
            }
            NetworkError::Field { name, got, expected: [least, most] } if least == most => {
                write!(f, "{name} is {got:.40}: expected {least}")
            }
            NetworkError::Field { name, got, expected: [least, most] } => {
                write!(f, "{name} is {got:.40}: expected {least} to {most}")
            }
            NetworkError::Length { got, expected } => {
                write!(f, "{got} bytes after its header: expected {expected}")
            }
            NetworkError::Checksum { got, expected } => {
                write!(f, "checksum {got:08x}: expected {expected:08x}: the file is damaged")
            }
            NetworkError::Bias { layer, got } => {
                write!(f, "a bias of {layer} is {got}: expected at most 2^30 in size")
            }
            NetworkError::Scale { layer, got } => {
                write!(f, "a scale of {layer} is {got}: expected a positive number up to 2^20")
            }
            NetworkError::OutputWeight(got) => {
                write!(f, "a weight of the value's output is {got}: expected at most 2^20 in size")
            }
        }
    }
}

impl Error for NetworkError {}
