use std::error::Error;
use std::fmt;

/// The reason why bytes cannot be read as a network file.
///
/// ```
/// use quiver_engine::Network;
/// use quiver_engine::policy::NetworkError;
///
/// assert!(matches!(Network::from_bytes(b"[1]\n"), Err(NetworkError::Header(_))));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkError {
    /// The first line is not a header of a network file. The text describes the cause.
    Header(String),
    /// The header has a number that this version does not support.
    Field {
        /// The name of the number.
        name: &'static str,
        /// The number as written in the header; `null` if it is missing.
        got: String,
        /// The smallest and the largest number that is supported.
        expected: [u64; 2],
    },
    /// The number of bytes after the header is wrong.
    Length {
        /// The number of bytes after the header.
        got: usize,
        /// The number of bytes that a network has after the header.
        expected: usize,
    },
    /// The checksum in the file does not match its bytes.
    Checksum {
        /// The checksum computed from the bytes.
        got: u32,
        /// The checksum that the file states.
        expected: u32,
    },
    /// The absolute value of a bias is above 2^30.
    Bias {
        /// The name of the layer.
        layer: &'static str,
        /// The wrong bias.
        got: i32,
    },
    /// A scale is not positive, or is above 2^20.
    Scale {
        /// The name of the layer.
        layer: &'static str,
        /// The wrong scale.
        got: f32,
    },
    /// A weight of the value head's output is NaN, or its absolute value is above 2^20.
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
                write!(f, "{got} bytes after the header: expected {expected} bytes")
            }
            NetworkError::Checksum { got, expected } => {
                write!(f, "checksum {got:08x}: expected {expected:08x}: the file is damaged")
            }
            NetworkError::Bias { layer, got } => {
                write!(f, "a bias of {layer} is {got}: expected -2^30 to 2^30")
            }
            NetworkError::Scale { layer, got } => {
                write!(f, "a scale of {layer} is {got}: expected a positive number up to 2^20")
            }
            NetworkError::OutputWeight(got) => {
                write!(f, "a weight of the value head's output is {got}: expected -2^20 to 2^20")
            }
        }
    }
}

impl Error for NetworkError {}
