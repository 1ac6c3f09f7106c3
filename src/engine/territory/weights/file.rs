//! Weight files: how they are read, and why they are refused.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Weights;
use super::phase::{PARTS, PhaseWeights, SQUARES};
use crate::files;
use crate::game::{InputError, Size};
use crate::territory::terms::{COLUMNS, Terms};

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
    /// The provenance of the weights, for readers of the file.
    #[serde(rename = "provenance")]
    _provenance: IgnoredAny,
    checksum: String,
}

impl Weights {
    /// The text of a file's `format`.
    pub const FORMAT: &'static str = "quiver weights 1";

    /// Reads a weight file.
    pub fn read(path: &Path) -> Result<Weights, InputError> {
        files::read_text(path).map_err(|error| InputError(error.to_string()))?.parse()
    }
}

impl std::str::FromStr for Weights {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Weights, InputError> {
        let broken = |error| InputError(format!("no weight file: {error}"));
        let file: File = serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        if file.format != Weights::FORMAT {
            let expected = format_args!("'{}'", Weights::FORMAT);
            return Err(InputError::new(format_args!("a file of format '{:.40}'", file.format), expected));
        }
        let board = u8::try_from(file.board).ok().filter(|board| (1..=Size::MAX).contains(board));
        let board = board.ok_or_else(|| {
            let got = format_args!("weights for a board of {} squares a side", file.board);
            InputError::new(got, format_args!("1 to {}", Size::MAX))
        })?;
        check_columns(&file.columns)?;
        check_table("contest", &file.contest_knots, &file.contest)?;
        check_table("empty", &file.empty_knots, &file.empty)?;
        let expected = u64::from_str_radix(&file.checksum, 16)
            .map_err(|error| broken(format!("checksum '{:.20}': {error}", file.checksum)))?;
        let got = checksum(&file);
        if got != expected {
            let expected = format_args!("{expected:016x}; the file was changed or cut after it was written");
            return Err(InputError::new(format_args!("checksum {got:016x}"), expected));
        }
        if file.scale == 0 {
            return Err(broken("scale 0: expected the units in one of log-odds".into()));
        }
        Ok(Weights {
            board,
            checksum: got,
            contest: PhaseWeights::new(&file.contest_knots, &file.contest, Terms::CONTEST_UNIT as u16)?,
            empty: PhaseWeights::new(&file.empty_knots, &file.empty, 1)?,
            unit: f64::from(file.scale) * f64::from(PARTS),
        })
    }
}

fn check_columns(columns: &[String]) -> Result<(), InputError> {
    let different = columns.iter().zip(COLUMNS).find(|(got, expected)| got != expected);
    let (got, expected) = match different {
        Some((got, expected)) => (format!("the term '{got:.20}'"), format!("'{expected}'")),
        None if columns.len() == COLUMNS.len() => return Ok(()),
        None => (format!("{} terms", columns.len()), COLUMNS.len().to_string()),
    };
    let names = "as 'quiver features' of this version names them";
    Err(InputError::new(format_args!("weights for {got}"), format_args!("{expected}, {names}")))
}

fn check_table(table: &'static str, knots: &[u16], rows: &[Vec<i16>]) -> Result<(), InputError> {
    let error = |got: String, expected: String| {
        Err(InputError::new(format_args!("the table '{table}' is {got}"), expected))
    };
    if knots.len() < 2 || !knots.is_sorted_by(|a, b| a < b) || knots.iter().any(|&knot| knot > SQUARES) {
        return error(format!("by the knots {knots:?}"), format!("two or more, rising, up to {SQUARES}"));
    }
    if rows.len() != knots.len() {
        return error(format!("{} rows", rows.len()), format!("a row for each of its {} knots", knots.len()));
    }
    match rows.iter().find(|row| row.len() != COLUMNS.len()) {
        Some(row) => error(format!("of rows of {} weights", row.len()), COLUMNS.len().to_string()),
        None => Ok(()),
    }
}

/// FNV-1a (Fowler, Noll and Vo) over the numbers of the file in its order, each as two bytes, the
/// low one first.
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

    #[test]
    fn files_that_are_wrong_say_how() {
        let text = include_str!("8.json");
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
}
