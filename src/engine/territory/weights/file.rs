//! Weight files: how they are read, and why they are refused.

use std::path::Path;

use serde::Deserialize;

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
    provenance: serde_json::Value,
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
            provenance: file.provenance.to_string(),
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
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::game::{Fen, Position};
    use crate::territory::{Evaluator, Kernel, View, reference};

    const SHIPPED: [&str; 2] = [include_str!("8.json"), include_str!("10.json")];

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

    /// The sum of all columns by the numbers of the file, each interpolated by itself.
    fn plain_log_odds(file: &File, terms: &Terms) -> f64 {
        if terms.stuck {
            return f64::NEG_INFINITY;
        }
        let sum = |knots: &[u16], rows: &[Vec<i16>], value: i16, unit: i64| -> i64 {
            let knots: Vec<i64> = knots.iter().map(|&knot| i64::from(knot) * unit).collect();
            let value = i64::from(value).clamp(knots[0], knots[knots.len() - 1]);
            let below = (0..knots.len() - 1).rev().find(|&knot| knots[knot] <= value).unwrap_or(0);
            let span = knots[below + 1] - knots[below];
            let share = ((value - knots[below]) * 256 + span / 2) / span;
            let weight = |column: usize| {
                i64::from(rows[below][column]) * (256 - share) + i64::from(rows[below + 1][column]) * share
            };
            (0..Terms::COUNT).map(|column| weight(column) * i64::from(terms.counts[column])).sum()
        };
        let total = sum(&file.contest_knots, &file.contest, terms.contest, i64::from(Terms::CONTEST_UNIT))
            + sum(&file.empty_knots, &file.empty, terms.empty, 1);
        total as f64 / (f64::from(file.scale) * 256.0)
    }

    #[test]
    fn log_odds_are_the_weighted_sum_of_all_columns() {
        let files = SHIPPED.map(|text| serde_json::from_str::<File>(text).unwrap());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut checked = 0;
        for fen in ["Q1Q3/6/6/6/6/3q1q w", "Q6q/8/8/8/8/8/8/q6Q b", "", ""] {
            let start = Position::start(Size::square(10).unwrap()).unwrap();
            let mut position = fen.parse::<Fen>().map_or(start, |fen| fen.0);
            while let Some(queen) = position.random_queen_move(&mut rng) {
                let half = position.move_queen_unchecked(queen);
                for (view, waste) in [(View::from(&position), 2), (View::from(&half), -3)] {
                    let view = view.with_waste(waste);
                    let file = &files[usize::from(view.size.is_large())];
                    let expected = plain_log_odds(file, &reference::terms(&view));
                    for kernel in Kernel::available() {
                        let evaluator = Evaluator::default().with_kernel(kernel);
                        assert_eq!(evaluator.log_odds(&view), expected, "{} {view:?}", kernel.name());
                    }
                    checked += 1;
                }
                position = half.shoot_unchecked(half.random_arrow(&mut rng));
            }
        }
        assert!(checked > 200, "{checked}");
    }
}
