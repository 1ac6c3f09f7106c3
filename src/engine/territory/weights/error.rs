//! The error of a text that is not a file of weights.

use std::error::Error;
use std::fmt;

use amazons::Size;

use super::FORMAT;

/// The reason why a text is not a file of weights.
///
/// ```
/// use quiver_engine::Weights;
/// use quiver_engine::territory::WeightsError;
///
/// assert!(matches!("{}".parse::<Weights>(), Err(WeightsError::Field { name: "format", .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightsError {
    /// The text is not a JSON object, with the cause.
    Json(String),
    /// A field is unknown.
    UnknownField(String),
    /// A field is missing or has another type.
    Field {
        /// The field.
        name: &'static str,
        /// Its value.
        got: String,
        /// The expected type.
        expected: &'static str,
    },
    /// The file has another format.
    Format(String),
    /// The weights are for an impossible board size.
    Board(u32),
    /// The columns differ from those of this version.
    Columns {
        /// The first wrong column, or the number of columns.
        got: String,
        /// The expected column or number.
        expected: String,
    },
    /// A table lacks a whole row of weights for each knot.
    Table {
        /// The table, `contest` or `empty`.
        name: &'static str,
        /// The wrong property of the table.
        got: String,
        /// The expected property.
        expected: String,
    },
    /// The field `scale` is 0.
    Scale,
    /// The checksum does not match the numbers.
    Checksum {
        /// The checksum of the numbers.
        got: u64,
        /// The checksum that the file states.
        expected: u64,
    },
    /// A weight overflows 16 bits after derived columns are added.
    Sum {
        /// The column.
        column: &'static str,
        /// The sum.
        got: i32,
    },
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightsError::Json(cause) => write!(f, "no weight file: {cause}"),
            WeightsError::UnknownField(name) => write!(f, "no weight file: unknown field '{name:.40}'"),
            WeightsError::Field { name, got, expected } => {
                write!(f, "no weight file: the field '{name}' has {got:.40}: expected {expected}")
            }
            WeightsError::Format(got) => write!(f, "a file of format '{got:.40}': expected '{FORMAT}'"),
            WeightsError::Board(side) => {
                write!(f, "weights for a board of {side} squares a side: expected 1 to {}", Size::MAX)
            }
            WeightsError::Columns { got, expected } => {
                let names = "as 'quiver features' of this version names them";
                write!(f, "weights for {got}: expected {expected}, {names}")
            }
            WeightsError::Table { name, got, expected } => {
                write!(f, "the table '{name}' is {got}: expected {expected}")
            }
            WeightsError::Scale => {
                f.write_str("no weight file: scale 0: expected the units in one of log-odds")
            }
            WeightsError::Checksum { got, expected } => {
                let changed = "the file was changed or cut after it was written";
                write!(f, "checksum {got:016x}: expected {expected:016x}; {changed}")
            }
            WeightsError::Sum { column, got } => {
                let place = "with those of the columns that follow from it";
                write!(f, "the weight of '{column}' {place} is {got}: expected -32768 to 32767")
            }
        }
    }
}

impl Error for WeightsError {}
