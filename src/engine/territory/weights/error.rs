use std::error::Error;
use std::fmt;

use amazons::Size;

use super::FORMAT;

/// The reason why a text cannot be read as a file of weights.
///
/// ```
/// use quiver_engine::Weights;
/// use quiver_engine::territory::WeightsError;
///
/// assert!(matches!("{}".parse::<Weights>(), Err(WeightsError::Field { name: "format", .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightsError {
    /// The text is not a JSON object. The message is that of the JSON parser.
    Json(String),
    /// The file has a field that this version does not know.
    UnknownField(String),
    /// A field is missing or has a value of the wrong type.
    Field {
        /// The name of the field.
        name: &'static str,
        /// The value of the field in JSON, or "no value".
        got: String,
        /// A description of the expected value.
        expected: &'static str,
    },
    /// The field `format` names another format.
    Format(String),
    /// The field `board` is not a possible side of a board.
    Board(u32),
    /// The columns differ from the columns of this version.
    Columns {
        /// The first wrong column, or the number of columns.
        got: String,
        /// The expected column, or the expected number of columns.
        expected: String,
    },
    /// The knots or rows of a table are wrong. It must have one row of weights for each knot.
    Table {
        /// The name of the table, `contest` or `empty`.
        name: &'static str,
        /// A description of the wrong knots or rows.
        got: String,
        /// A description of the expected knots or rows.
        expected: String,
    },
    /// The field `scale` is 0.
    Scale,
    /// The checksum in the file does not match its numbers.
    Checksum {
        /// The checksum computed from the numbers.
        got: u64,
        /// The checksum that the file states.
        expected: u64,
    },
    /// The sum of a weight and the weights of derived columns does not fit in 16 bits.
    Sum {
        /// The name of the column.
        column: &'static str,
        /// The weight after the addition.
        got: i32,
    },
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightsError::Json(cause) => write!(f, "not a file of weights: {cause}"),
            WeightsError::UnknownField(name) => {
                write!(f, "not a file of weights: unknown field '{name:.40}'")
            }
            WeightsError::Field { name, got, expected } => {
                write!(f, "not a file of weights: the field '{name}' has {got:.40}: expected {expected}")
            }
            WeightsError::Format(got) => write!(f, "a file of format '{got:.40}': expected '{FORMAT}'"),
            WeightsError::Board(side) => {
                write!(f, "weights for a board of {side} squares a side: expected 1 to {}", Size::MAX)
            }
            WeightsError::Columns { got, expected } => {
                write!(f, "weights for {got}: expected {expected}: see the terms of 'quiver features'")
            }
            WeightsError::Table { name, got, expected } => {
                write!(f, "the table '{name}' has {got}: expected {expected}")
            }
            WeightsError::Scale => f.write_str("scale 0: expected the number of units in log-odds of 1.0"),
            WeightsError::Checksum { got, expected } => {
                let changed = "the file was changed or cut after it was written";
                write!(f, "checksum {got:016x}: expected {expected:016x}: {changed}")
            }
            WeightsError::Sum { column, got } => {
                write!(f, "'{column}' with derived columns has the weight {got}: expected -32768 to 32767")
            }
        }
    }
}

impl Error for WeightsError {}
