//! What the terms are worth, by phase: tables fitted to the engine's own games, and the files they stand in.
//!
//! A weight of a term is the sum of two functions, one of how much is contested and one of the number of empty squares;
//! each is linear between knots and constant beyond the last. All arithmetic is in whole numbers, so every machine
//! gets the same log-odds. The files are written by `fit-weights` (see `tuning/`); the shipped ones are embedded.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::terms::{COLUMNS, Terms};
use crate::game::Size;

/// The shipped weights for boards up to 8x8. A bot for larger boards only has none and uses the
/// others.
#[cfg(any(feature = "bot-8", not(feature = "bot-10")))]
const SMALL: &str = include_str!("weights/8.json");
#[cfg(all(feature = "bot-10", not(feature = "bot-8")))]
const SMALL: &str = LARGE;

/// The shipped weights for larger boards. A bot for boards up to 8x8 only has none and uses the
/// others.
#[cfg(any(feature = "bot-10", not(feature = "bot-8")))]
const LARGE: &str = include_str!("weights/10.json");
#[cfg(all(feature = "bot-8", not(feature = "bot-10")))]
const LARGE: &str = SMALL;

/// Weights for boards of one size.
#[derive(Clone, PartialEq)]
pub struct Weights {
    board: u8,
    checksum: u64,
    provenance: String,
    contest: Phase,
    empty: Phase,
    /// Units of the weighted sum in one of log-odds.
    unit: f64,
}

/// Why a weight file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The text is no weight file at all, or a number in it is none.
    #[error("no weight file: {0}")]
    Form(String),
    /// The file is of another kind or version.
    #[error("a file of format '{got}': expected '{}'", Weights::FORMAT)]
    Format {
        /// What the file says.
        got: String,
    },
    /// The file cannot be read.
    #[error("{0}")]
    Read(String),
    /// No board has this size.
    #[error("weights for a board of {got} squares a side: expected 1 to {}", Size::MAX)]
    Board {
        /// What the file says.
        got: u32,
    },
    /// The file is for other terms than this program counts.
    #[error("weights for {got}: expected {expected}, as 'quiver features' of this version names them")]
    Columns {
        /// The first name that differs, or the number of names.
        got: String,
        /// What this program has there.
        expected: String,
    },
    /// A table does not have the size that its knots and columns ask for.
    #[error("the table '{table}' is {got}: expected {expected}")]
    Shape {
        /// Which table.
        table: &'static str,
        /// What was found.
        got: String,
        /// What belongs there.
        expected: String,
    },
    /// The numbers are not those that the file was written with.
    #[error(
        "checksum {got:016x}: expected {expected:016x}; the file was changed or cut after it was written"
    )]
    Checksum {
        /// Of the numbers in the file.
        got: u64,
        /// As the file says.
        expected: u64,
    },
}

/// Weights as a function of one measure of the phase.
#[derive(Clone, PartialEq, Eq)]
struct Phase {
    /// A row a knot.
    rows: Vec<Row>,
    /// For each value of the measure the row below it and the share of the next, in parts of [`Phase::PARTS`].
    places: Vec<(u16, u16)>,
}

#[derive(Clone, PartialEq, Eq)]
#[repr(C, align(32))]
struct Row([i16; Terms::PADDED]);

impl Phase {
    const PARTS: u16 = 256;

    /// Rows at knots, which are in squares; the measure goes up to `most` squares, in parts of `unit`.
    fn new(knots: &[u16], rows: &[Vec<i16>], most: u16, unit: u16) -> Phase {
        let rows =
            rows.iter().map(|row| Row(std::array::from_fn(|index| row.get(index).copied().unwrap_or(0))));
        let place = |value: u16| {
            let above = knots.iter().position(|&knot| value < knot * unit);
            let below = above.unwrap_or(knots.len() - 1).saturating_sub(1);
            let (from, to) = (knots[below] * unit, knots[below + 1] * unit);
            let inside = u32::from(value.clamp(from, to) - from);
            let (parts, span) = (u32::from(Phase::PARTS), u32::from(to - from));
            (below as u16, ((inside * parts + span / 2) / span) as u16)
        };
        Phase { rows: rows.collect(), places: (0..=most * unit).map(place).collect() }
    }

    /// The weighted sum, in parts of [`Phase::PARTS`].
    #[inline(always)]
    fn sum(&self, value: i16, terms: &Terms) -> i64 {
        let place = (value.max(0) as usize).min(self.places.len() - 1);
        let (below, share) = self.places[place];
        let dot = |row: &Row| -> i64 {
            let products = row.0.iter().zip(&terms.counts).map(|(&a, &b)| i32::from(a) * i32::from(b));
            i64::from(products.sum::<i32>())
        };
        let [low, high] = [below, below + 1].map(|row| dot(&self.rows[usize::from(row)]));
        low * i64::from(Phase::PARTS - share) + high * i64::from(share)
    }
}

/// A weight file as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    board: u32,
    columns: Vec<String>,
    scale: u16,
    contest_knots: Vec<u16>,
    empty_knots: Vec<u16>,
    contest: Vec<Vec<i16>>,
    empty: Vec<Vec<i16>>,
    provenance: serde_json::Value,
    checksum: String,
}

impl Weights {
    /// What the `format` of a file says.
    pub const FORMAT: &'static str = "quiver weights 1";

    /// The weights shipped for large boards or for others: those for 8x8 serve all boards up to
    /// that. A build for one kind of board (features `bot-8`, `bot-10`) has the weights of that
    /// kind for all boards.
    fn shipped(large: bool) -> &'static Arc<Weights> {
        static SHIPPED: LazyLock<[Arc<Weights>; 2]> = LazyLock::new(|| {
            [SMALL, LARGE].map(|text| {
                // A test reads both, so what is built cannot fail here.
                Arc::new(text.parse().unwrap_or_else(|error| panic!("embedded weights: {error}")))
            })
        });
        &SHIPPED[usize::from(large)]
    }

    /// Reads a weight file.
    ///
    /// # Errors
    /// If there is no such file, or it holds no weights for this program.
    pub fn read(path: &Path) -> Result<Weights, WeightsError> {
        std::fs::read_to_string(path).map_err(|error| WeightsError::Read(error.to_string()))?.parse()
    }

    /// The shipped weights, for boards up to 8x8 and for larger ones.
    pub(super) fn all_shipped() -> [Arc<Weights>; 2] {
        [false, true].map(|large| Arc::clone(Weights::shipped(large)))
    }

    /// The side of the board that the weights were fitted on.
    #[must_use]
    pub fn board(&self) -> u8 {
        self.board
    }

    /// The checksum of the numbers: which weights these are.
    #[must_use]
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Where the weights come from, as one JSON object.
    #[must_use]
    pub fn provenance(&self) -> &str {
        &self.provenance
    }

    /// The log-odds that the side that acts next wins; minus infinity if it can do nothing.
    #[inline(always)]
    pub(super) fn log_odds(&self, terms: &Terms) -> f64 {
        if terms.stuck {
            return f64::NEG_INFINITY;
        }
        let sum = self.contest.sum(terms.contest, terms) + self.empty.sum(terms.empty, terms);
        sum as f64 / self.unit
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Weights({}x{}, {:016x})", self.board, self.board, self.checksum)
    }
}

impl std::str::FromStr for Weights {
    type Err = WeightsError;

    /// Reads a weight file.
    fn from_str(text: &str) -> Result<Weights, WeightsError> {
        let file: File = serde_json::from_str(text).map_err(|error| WeightsError::Form(error.to_string()))?;
        if file.format != Weights::FORMAT {
            return Err(WeightsError::Format { got: file.format.chars().take(40).collect() });
        }
        let board = u8::try_from(file.board).ok().filter(|board| (1..=Size::MAX).contains(board));
        let board = board.ok_or(WeightsError::Board { got: file.board })?;
        check_columns(&file.columns)?;
        check_table("contest", &file.contest_knots, &file.contest)?;
        check_table("empty", &file.empty_knots, &file.empty)?;
        let expected = u64::from_str_radix(&file.checksum, 16)
            .map_err(|error| WeightsError::Form(format!("checksum '{:.20}': {error}", file.checksum)))?;
        let got = checksum(&file);
        if got != expected {
            return Err(WeightsError::Checksum { got, expected });
        }
        if file.scale == 0 {
            return Err(WeightsError::Form("scale 0: expected the units in one of log-odds".into()));
        }
        let squares = u16::from(Size::MAX) * u16::from(Size::MAX);
        Ok(Weights {
            board,
            checksum: got,
            provenance: file.provenance.to_string(),
            contest: Phase::new(&file.contest_knots, &file.contest, squares, Terms::CONTEST_UNIT as u16),
            empty: Phase::new(&file.empty_knots, &file.empty, squares, 1),
            unit: f64::from(file.scale) * f64::from(Phase::PARTS),
        })
    }
}

fn check_columns(columns: &[String]) -> Result<(), WeightsError> {
    if let Some((got, expected)) = columns.iter().zip(COLUMNS).find(|(got, expected)| got != expected) {
        let got = format!("the term '{:.20}'", got);
        return Err(WeightsError::Columns { got, expected: format!("'{expected}'") });
    }
    if columns.len() != COLUMNS.len() {
        let (got, expected) = (format!("{} terms", columns.len()), COLUMNS.len().to_string());
        return Err(WeightsError::Columns { got, expected });
    }
    Ok(())
}

fn check_table(table: &'static str, knots: &[u16], rows: &[Vec<i16>]) -> Result<(), WeightsError> {
    let error = |got: String, expected: String| Err(WeightsError::Shape { table, got, expected });
    let most = u16::from(Size::MAX) * u16::from(Size::MAX);
    if knots.len() < 2
        || knots.windows(2).any(|pair| pair[0] >= pair[1])
        || knots.iter().any(|&knot| knot > most)
    {
        return error(format!("by the knots {knots:?}"), format!("two or more, rising, up to {most}"));
    }
    if rows.len() != knots.len() {
        return error(format!("{} rows", rows.len()), format!("a row for each of its {} knots", knots.len()));
    }
    match rows.iter().find(|row| row.len() != COLUMNS.len()) {
        Some(row) => error(format!("of rows of {} weights", row.len()), COLUMNS.len().to_string()),
        None => Ok(()),
    }
}

/// FNV-1a (Fowler, Noll and Vo) over the numbers of the file in its order, each as two bytes, the low one first.
fn checksum(file: &File) -> u64 {
    let whole = [file.board as u16, file.scale].into_iter();
    let knots = file.contest_knots.iter().chain(&file.empty_knots).copied();
    let weights = file.contest.iter().chain(&file.empty).flatten().map(|&weight| weight as u16);
    whole.chain(knots).chain(weights).flat_map(u16::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: [&str; 2] = [include_str!("weights/8.json"), include_str!("weights/10.json")];

    #[test]
    fn the_shipped_weights_are_whole() {
        for (text, board) in SHIPPED.into_iter().zip([8, 10]) {
            let weights: Weights = text.parse().unwrap();
            assert_eq!(weights.board(), board);
            assert!(weights.provenance().contains("playouts"), "{}", weights.provenance());
        }
    }

    #[test]
    fn files_that_are_wrong_say_how() {
        let text = SHIPPED[0];
        let knots = text.find("\"contest_knots\": [").unwrap() + "\"contest_knots\": [".len();
        let first = text.find("\"contest\": [\n    [").unwrap() + "\"contest\": [\n    [".len();
        let put = |place: usize, more: &str| format!("{}{more}{}", &text[..place], &text[place..]);
        let cases = [
            (text[..text.len() / 2].to_owned(), "no weight file: EOF"),
            (put(first, "NaN, "), "no weight file: expected value"),
            (put(first, "40000, "), "no weight file: invalid value: integer `40000`, expected i16"),
            (put(first, "7, "), "is of rows of 73 weights: expected 72"),
            (put(first, "1"), "checksum "),
            (put(knots, "99, "), "by the knots [99, 0, "),
            (
                text.replace("weights 1\"", "weights 2\""),
                "format 'quiver weights 2': expected 'quiver weights 1'",
            ),
            (text.replace("\"board\": 8", "\"board\": 11"), "a board of 11 squares a side: expected 1 to 10"),
            (text.replace("\"q13\"", "\"q31\""), "the term 'q31': expected 'q13'"),
            (text.replace(", \"waste\"", ""), "71 terms: expected 72"),
            (text.replace("\"scale\"", "\"size\""), "unknown field `size`"),
        ];
        for (text, message) in cases {
            let error = text.parse::<Weights>().unwrap_err().to_string();
            assert!(error.contains(message), "{error}: expected {message}");
        }
        let error = Weights::read(Path::new("no such file")).unwrap_err().to_string();
        assert!(error.contains("No such file"), "{error}");
    }

    /// Weights are linear between knots, and constant beyond.
    #[test]
    fn phases_are_interpolated() {
        let rows = [vec![100, 7], vec![300, 7], vec![400, 7]];
        let phase = Phase::new(&[2, 4, 14], &rows, 100, 16);
        let mut terms = Terms::ZERO;
        terms.counts[0] = 1;
        for (value, weight) in
            [(0, 100), (32, 100), (48, 200), (64, 300), (144, 350), (224, 400), (1600, 400)]
        {
            assert_eq!(phase.sum(value, &terms), weight * i64::from(Phase::PARTS), "{value}");
        }
    }
}
