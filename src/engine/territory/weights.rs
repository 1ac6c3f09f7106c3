//! The weights of the evaluator's terms by phase, which were fitted to games of the engine.
//!
//! The weight of a term is the sum of two functions: one of how contested the board is (Lieberum's
//! w), and one of the number of empty squares. A file of weights has the values of each function at
//! certain arguments, called knots. The function is linear between knots and constant beyond the
//! last knot. All arithmetic is in whole numbers, so every machine computes the same log-odds.
//! `fit-weights` (see `tuning/`) writes files of weights, two of which are in the crate.

mod phase;

use std::sync::{Arc, LazyLock};

use amazons::{Size, Square};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use thiserror::Error;

use super::counts::Counts;
use super::pair::{SidePair, SixteenNumbers};
use super::terms::{COLUMNS, Terms};
use crate::shipped;
use crate::simd::{MAX_LANES, Words};
use phase::{
    KNOT_INDEX_MASK, PhaseWeights, Row, SHARE_UNITS, check_knots, check_table, far_freedom_column,
    near_freedom_column,
};

const FORMAT: &str = "quiver weights 1";

/// The weights of the evaluator for boards of one size.
///
/// ```
/// use quiver_engine::{Evaluator, Weights};
///
/// let [small, large] = Evaluator::default().weights().map(Weights::board);
/// assert_eq!((small, large), (8, 10));
/// ```
#[derive(Clone, PartialEq)]
pub struct Weights {
    board: u8,
    checksum: u64,
    contest: PhaseWeights,
    empty: PhaseWeights,
    /// The number of units of the weighted sum that make up 1.0 of log-odds.
    unit: f64,
}

impl Weights {
    /// The shipped weights for boards up to 8x8 and for larger boards. A build with only one of the
    /// features `boards-8` and `boards-10` uses the weights of that feature for all boards.
    pub(super) fn all_shipped() -> [Arc<Weights>; 2] {
        static SHIPPED: LazyLock<Vec<Arc<Weights>>> = LazyLock::new(|| {
            let read = |text: &str| {
                // Parsing cannot fail, because tests parse both shipped files.
                Arc::new(text.parse().unwrap_or_else(|error| panic!("embedded weights: {error}")))
            };
            shipped::SHIPPED.iter().map(|files| read(files.weights)).collect()
        });
        [false, true].map(|large| Arc::clone(&SHIPPED[shipped::index(large)]))
    }

    /// The side length of the board for which the weights were fitted.
    pub fn board(&self) -> u8 {
        self.board
    }

    /// The checksum of all numbers in the file, which identifies the weights.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    #[inline(always)]
    pub(super) fn at(&self, empty: u32, half: bool, amazons: [&[Square]; 2]) -> WeightsAt<'_> {
        let (knot, knot_shares) = self.empty.knot_and_shares(empty as usize);
        let more_amazons = amazons[0].len() as i32 - amazons[1].len() as i32;
        WeightsAt { weights: self, rows: self.empty.rows(knot, half), knot_shares, half, more_amazons }
    }
}

/// The weights for positions, or for half plies, with given numbers of empty squares and amazons.
#[derive(Clone, Copy)]
pub(super) struct WeightsAt<'a> {
    weights: &'a Weights,
    rows: [&'a Row; 2],
    knot_shares: [u64; 2],
    half: bool,
    more_amazons: i32,
}

impl WeightsAt<'_> {
    /// For each position, the weighted sum of its counts, interpolated between two knots. `rows`
    /// has the weights at each knot, and `knot_shares` each knot's factor. `freedom_columns` says
    /// which column of `NEAR_FREEDOM` and which column of `FAR_FREEDOM` counts each amazon.
    #[inline(always)]
    fn interpolated_sums<P: SidePair>(
        &self,
        rows: [&Row; 2],
        knot_shares: [P::Words; 2],
        counts: &Counts<P>,
        freedom_columns: SixteenNumbers<P::Words>,
    ) -> P::Words {
        let mut total = P::Words::splat(counts.contest.cpu(), 0);
        for (row, share) in rows.into_iter().zip(knot_shares) {
            let sums = row.weighted_sums([counts.queens, counts.kings], freedom_columns, self.more_amazons);
            total = total + sums.sum_times(share);
        }
        total
    }

    /// For each position, the log-odds that the side to act wins; minus infinity if it cannot act.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn log_odds<P: SidePair>(&self, counts: &Counts<P>) -> [f64; MAX_LANES] {
        let Weights { contest, unit, .. } = self.weights;
        let cpu = counts.contest.cpu();
        let [own_near, own_far, near, far] = counts.freedom;
        let freedom_columns = [
            near_freedom_column(own_near),
            far_freedom_column(own_far),
            near_freedom_column(near),
            far_freedom_column(far),
        ];
        let [fewer, more] = self.knot_shares;
        let knot_shares = [P::Words::splat(cpu, fewer), P::Words::splat(cpu, more)];
        let of_empty = self.interpolated_sums(self.rows, knot_shares, counts, freedom_columns);

        let packed = counts.contest.entries(&contest.knots_and_shares);
        let (knots, upper) = (packed & P::Words::splat(cpu, KNOT_INDEX_MASK), packed.shift_down(32));
        let knot_shares = [P::Words::splat(cpu, SHARE_UNITS.into()).sub_i16(upper), upper];
        let mut words = [0; MAX_LANES];
        knots.store(&mut words);
        let mut totals = of_empty;
        // Adds the sums with the weights that depend on `contest`. Each pass handles all positions
        // whose `contest` lies between the same two knots. Most batches need only one pass.
        let mut pending = (1_u32 << P::POSITIONS) - 1;
        while pending != 0 {
            let knot = words[pending.trailing_zeros() as usize % MAX_LANES];
            let of_contest = self.interpolated_sums(
                contest.rows(knot as usize, self.half),
                knot_shares,
                counts,
                freedom_columns,
            );
            let other_knots = knots ^ P::Words::splat(cpu, knot);
            totals = totals.where_nonzero(other_knots, of_contest + of_empty);
            pending &= !other_knots.zero_lane_mask();
        }
        totals.store(&mut words);
        let mut log_odds = [0.0; MAX_LANES];
        for position in 0..P::POSITIONS {
            let is_stuck = counts.stuck >> position & 1 != 0;
            log_odds[position] =
                if is_stuck { f64::NEG_INFINITY } else { words[position] as i64 as f64 / unit };
        }
        log_odds
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Weights({}x{}, {:016x})", self.board, self.board, self.checksum)
    }
}

/// A file of weights, which is a JSON object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    board: u8,
    columns: Vec<String>,
    /// The number of units of a weight that make up 1.0 of log-odds.
    scale: u16,
    contest_knots: Vec<u16>,
    empty_knots: Vec<u16>,
    contest: Vec<Vec<i16>>,
    empty: Vec<Vec<i16>>,
    /// How the weights were fitted. The parser ignores this field.
    #[serde(default, rename = "provenance")]
    _provenance: IgnoredAny,
    /// The checksum of all numbers, in hexadecimal.
    checksum: String,
}

impl std::str::FromStr for Weights {
    type Err = WeightsError;

    fn from_str(text: &str) -> Result<Weights, WeightsError> {
        let object: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| WeightsError::Json(error.to_string()))?;
        let file: File = serde_path_to_error::deserialize(Value::Object(object))
            .map_err(|error| WeightsError::Json(error.to_string()))?;
        let wrong = |name, got, expected| Err(WeightsError::Field { name, got, expected });
        if file.format != FORMAT {
            return wrong("format", format!("'{:.40}'", file.format), format!("'{FORMAT}'"));
        }
        if !(1..=Size::MAX).contains(&file.board) {
            return wrong("board", file.board.to_string(), format!("1 to {}", Size::MAX));
        }
        check_columns(&file.columns)?;
        check_knots("contest_knots", &file.contest_knots)?;
        check_table("contest", file.contest_knots.len(), &file.contest)?;
        check_knots("empty_knots", &file.empty_knots)?;
        check_table("empty", file.empty_knots.len(), &file.empty)?;
        if file.scale == 0 {
            return wrong("scale", "0".to_owned(), "the number of units in log-odds of 1.0".to_owned());
        }
        let got = checksum(&file);
        if u64::from_str_radix(&file.checksum, 16) != Ok(got) {
            return Err(WeightsError::Checksum { got, expected: file.checksum });
        }
        Ok(Weights {
            board: file.board,
            checksum: got,
            contest: PhaseWeights::new(&file.contest_knots, &file.contest, Terms::CONTEST_UNIT as u16)?,
            empty: PhaseWeights::new(&file.empty_knots, &file.empty, 1)?,
            unit: f64::from(file.scale) * f64::from(SHARE_UNITS),
        })
    }
}

fn check_columns(columns: &[String]) -> Result<(), WeightsError> {
    let different = columns.iter().zip(COLUMNS).find(|(got, expected)| got != expected);
    let (got, expected) = match different {
        Some((got, expected)) => (format!("the term '{got:.20}'"), format!("'{expected}'")),
        None if columns.len() == COLUMNS.len() => return Ok(()),
        None => (format!("{} terms", columns.len()), COLUMNS.len().to_string()),
    };
    let expected = expected + ": see the terms of 'quiver features'";
    Err(WeightsError::Field { name: "columns", got, expected })
}

/// The FNV-1a hash (Fowler, Noll and Vo) of the numbers in the order of the file, each as two
/// bytes, low byte first.
fn checksum(file: &File) -> u64 {
    let whole = [file.board.into(), file.scale].into_iter();
    let knots = file.contest_knots.iter().chain(&file.empty_knots).copied();
    let weights = file.contest.iter().chain(&file.empty).flatten().map(|&weight| weight as u16);
    whole.chain(knots).chain(weights).flat_map(u16::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The reason why a text cannot be read as a file of weights.
///
/// ```
/// use quiver_engine::Weights;
/// use quiver_engine::territory::WeightsError;
///
/// assert!(matches!("{}".parse::<Weights>(), Err(WeightsError::Json(_))));
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WeightsError {
    /// The text is not a JSON object with the fields of a file of weights. The message names
    /// the field, if only its value is wrong.
    #[error("not a file of weights: {0:.200}")]
    Json(String),
    /// This version does not support the value of a field.
    #[error("the field '{name}' has {got}: expected {expected}")]
    Field {
        /// The name of the field.
        name: &'static str,
        /// A description of the wrong value.
        got: String,
        /// A description of the expected value.
        expected: String,
    },
    /// The checksum in the file is not the checksum of the file's numbers.
    #[error("checksum {got:016x}: expected {expected:.40}: the file was changed or cut after it was written")]
    Checksum {
        /// The checksum computed from the numbers.
        got: u64,
        /// The checksum that the file states.
        expected: String,
    },
    /// A column's weight plus the weights of the columns derived from it does not fit in 16 bits.
    #[error("'{column}' and the columns derived from it have the weight {got}: expected -32768 to 32767")]
    Sum {
        /// The name of the column.
        column: &'static str,
        /// The sum that does not fit in 16 bits.
        got: i32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_files_give_clear_errors() {
        let text = include_str!("weights/8.json");
        let knots = text.find("\"contest_knots\": [").unwrap() + "\"contest_knots\": [".len();
        let first = text.find("\"contest\": [\n    [").unwrap() + "\"contest\": [\n    [".len();
        let row = &text[first..][..text[first..].find(']').unwrap()];
        let put = |place: usize, more: &str| format!("{}{more}{}", &text[..place], &text[place..]);
        let cases = [
            (text[..text.len() / 2].to_owned(), "not a file of weights: EOF"),
            (put(first, "NaN, "), "not a file of weights: expected value"),
            (
                put(first, "40000, "),
                "not a file of weights: contest[0][0]: invalid value: integer `40000`, expected i16",
            ),
            (put(first, "7, "), "has rows of 73 weights: expected 72"),
            (text.replacen(row, &["32767"; Terms::COUNT].join(", "), 1), "checksum "),
            (put(knots, "99, "), "the field 'contest_knots' has [99, 0, "),
            (
                text.replace("weights 1\"", "weights 2\""),
                "the field 'format' has 'quiver weights 2': expected 'quiver weights 1'",
            ),
            (text.replace("\"board\": 8", "\"board\": 11"), "the field 'board' has 11: expected 1 to 10"),
            (text.replace("\"q13\"", "\"q31\""), "the term 'q31': expected 'q13'"),
            (text.replace(", \"defect\"", ""), "71 terms: expected 72"),
            (
                text.replace("\"scale\"", "\"size\""),
                "not a file of weights: size: unknown field `size`, expected",
            ),
            (
                text.replace("\"scale\": 2048", "\"scale\": 0"),
                "the field 'scale' has 0: expected the number of units in log-odds of 1.0",
            ),
        ];
        for (text, message) in cases {
            let error = text.parse::<Weights>().unwrap_err().to_string();
            assert!(error.contains(message), "{error}: expected {message}");
        }
    }
}
