//! The error of bytes that are not a network file.

use std::error::Error;
use std::fmt;

/// The reason why bytes are not a network file.
///
/// ```
/// use quiver_engine::Network;
/// use quiver_engine::policy::NetworkError;
///
/// assert!(matches!(Network::from_bytes(b"[1]\n"), Err(NetworkError::Header(_))));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkError {
    /// The first line is not a header, with the cause.
    Header(String),
    /// A number in the header is not supported.
    Field {
        /// The field.
        name: &'static str,
        /// Its value.
        got: String,
        /// The least and the largest value.
        expected: [u64; 2],
    },
    /// The number of bytes after the header is wrong.
    Length {
        /// The number of bytes.
        got: usize,
        /// The number of bytes that the layers need.
        expected: usize,
    },
    /// The checksum does not match the bytes.
    Checksum {
        /// The checksum of the bytes.
        got: u32,
        /// The checksum that the file states.
        expected: u32,
    },
    /// The absolute value of a bias is above 2^30.
    Bias {
        /// The layer.
        layer: &'static str,
        /// The bias.
        got: i32,
    },
    /// A scale is not positive, or is above 2^20.
    Scale {
        /// The layer.
        layer: &'static str,
        /// The scale.
        got: f32,
    },
    /// The absolute value of a weight of the value's output is above 2^20.
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
