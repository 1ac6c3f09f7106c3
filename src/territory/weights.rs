//! Weights of the terms by phase: tables fitted to the engine's own games, and their files.
//!
//! A weight of a term is the sum of two functions, one of how much is contested and one of the
//! number of empty squares; each is linear between knots and constant beyond the last. All
//! arithmetic is in whole numbers, so every machine gets the same log-odds. `fit-weights` writes
//! the files (see `tuning/`); the shipped ones are embedded.
//!
//! Sums are taken over the columns that are counted. When a file is read, the weights of the
//! columns that follow from others are added to those of the others, so that both sums are the same
//! number.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::counts::Counts;
use super::pair::{Lanes, Pair, Row};
use super::terms::{COLUMNS, COUNTED, DERIVED, Derived, Group, Terms};
use crate::files;
use crate::game::{Size, Square};

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
    /// By the segment of the contest, then of the empty squares.
    lookups: Vec<Lookup>,
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
    /// A weight does not fit in 16 bits once the weights of derived columns are added to it.
    #[error(
        "the weight of '{column}' with those of the columns that follow from it is {got}: expected -32768 to 32767"
    )]
    Range {
        /// Which column.
        column: &'static str,
        /// The sum.
        got: i32,
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

/// The rows of a table at its knots, and the place of each value of its measure between them.
#[derive(Clone, PartialEq, Eq)]
struct Phase {
    /// For each two knots in succession.
    segments: Vec<Segment>,
    /// For each value of the measure the segment and the share of its upper knot, in parts of
    /// [`Phase::PARTS`].
    places: Vec<(u16, u16)>,
}

/// The rows of two knots in succession: for positions, then for half plies.
#[derive(Clone, PartialEq, Eq)]
struct Segment([[Row; 2]; 2]);

impl Phase {
    const PARTS: u16 = 256;

    /// Rows at knots, which are in squares; the measure goes up to `most` squares, in parts of
    /// `unit`.
    fn new(knots: &[u16], rows: &[Vec<i16>], most: u16, unit: u16) -> Result<Phase, WeightsError> {
        let rows = rows.iter().map(|row| Ok([folded(row, false)?, folded(row, true)?]));
        let rows: Vec<[Row; 2]> = rows.collect::<Result<_, WeightsError>>()?;
        let segment = |rows: &[[Row; 2]]| Segment([0, 1].map(|half| [rows[0][half], rows[1][half]]));
        let place = |value: u16| {
            let above = knots.iter().position(|&knot| value < knot * unit);
            let below = above.unwrap_or(knots.len() - 1).saturating_sub(1);
            let (from, to) = (knots[below] * unit, knots[below + 1] * unit);
            let inside = u32::from(value.clamp(from, to) - from);
            let (parts, span) = (u32::from(Phase::PARTS), u32::from(to - from));
            (below as u16, ((inside * parts + span / 2) / span) as u16)
        };
        Ok(Phase {
            segments: rows.windows(2).map(segment).collect(),
            places: (0..=most * unit).map(place).collect(),
        })
    }

    /// The segment of a value, and the shares of its two knots.
    #[inline(always)]
    fn place(&self, value: i16) -> (usize, [i64; 2]) {
        let (segment, share) = self.places[(value.max(0) as usize).min(self.places.len() - 1)];
        (usize::from(segment), [i64::from(Phase::PARTS - share), i64::from(share)])
    }
}

/// The weights of the columns that are counted, with the weights of the columns that follow from
/// them folded in.
fn folded(row: &[i16], half: bool) -> Result<Row, WeightsError> {
    let mut weights: Vec<i32> = row.iter().copied().map(i32::from).collect();
    if half {
        for (tie, arrow_tie) in Group::Ties.columns().zip(Group::ArrowTies.columns()) {
            weights[tie] += weights[arrow_tie];
        }
    }
    // Each follows from earlier ones, so the last comes first.
    for Derived { column, sum } in DERIVED.iter().rev() {
        for &(other, factor) in *sum {
            weights[other] += i32::from(factor) * weights[*column];
        }
    }
    let mut folded = Row([[0; 16]; 2]);
    for (lanes, columns) in folded.0.iter_mut().zip(COUNTED) {
        for (lane, column) in lanes.iter_mut().zip(columns) {
            *lane = i16::try_from(weights[column])
                .map_err(|_| WeightsError::Range { column: COLUMNS[column], got: weights[column] })?;
        }
    }
    Ok(folded)
}

/// The worth of single amazons and of the tempo at the four knots around a phase: the lower and
/// upper knot of the contest, then of the empty squares.
#[derive(Clone, PartialEq, Eq)]
struct Lookup {
    /// For positions, then for half plies.
    tempo: [[i32; 4]; 2],
    /// By the number of squares near an amazon.
    near: [[i32; 4]; 32],
    /// By the number of squares within three steps.
    far: [[i32; 4]; 64],
}

impl Lookup {
    /// The table for four rows of a weight file.
    fn new(rows: [&[i16]; 4]) -> Lookup {
        let at = |column: usize| rows.map(|row| i32::from(row[column]));
        let [still, shooting] = [Group::Tempo.first(), Group::Tempo.first() + 1].map(at);
        Lookup {
            tempo: [still, std::array::from_fn(|row| still[row] + shooting[row])],
            near: std::array::from_fn(|squares| at(Terms::near(squares))),
            far: std::array::from_fn(|squares| at(Terms::far(squares))),
        }
    }

    /// The worth of the tempo and of the amazons that [`Counts::freedom`] counts. `more_amazons` is
    /// the mover's number of amazons less the opponent's.
    #[inline(always)]
    fn sums(&self, half: bool, freedom: [i16; 16], more_amazons: i32) -> [i32; 4] {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = freedom;
        let own = self.amazons([a, b, c, d, e, f, g, h]);
        let other = self.amazons([i, j, k, l, m, n, o, p]);
        let sums = plus(self.tempo[usize::from(half)], minus(own, other));
        if more_amazons == 0 {
            return sums;
        }
        // Places without an amazon count no squares: those that only one side has are taken back.
        plus(sums, plus(self.near[0], self.far[0]).map(|worth| more_amazons * worth))
    }

    /// The worth of the amazons of one side.
    #[inline(always)]
    fn amazons(&self, [a, b, c, d, e, f, g, h]: [i16; 8]) -> [i32; 4] {
        let first = plus(plus(self.near(a), self.near(b)), plus(self.far(c), self.far(d)));
        plus(first, plus(plus(self.near(e), self.near(f)), plus(self.far(g), self.far(h))))
    }

    #[inline(always)]
    fn near(&self, squares: i16) -> [i32; 4] {
        self.near[squares as usize & 31]
    }

    #[inline(always)]
    fn far(&self, squares: i16) -> [i32; 4] {
        self.far[squares as usize & 63]
    }
}

#[inline(always)]
fn plus([a, b, c, d]: [i32; 4], [e, f, g, h]: [i32; 4]) -> [i32; 4] {
    [a + e, b + f, c + g, d + h]
}

#[inline(always)]
fn minus([a, b, c, d]: [i32; 4], [e, f, g, h]: [i32; 4]) -> [i32; 4] {
    [a - e, b - f, c - g, d - h]
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
        files::read_text(path).map_err(|error| WeightsError::Read(error.to_string()))?.parse()
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

    /// The weights for views with this number of empty squares.
    #[inline(always)]
    pub(super) fn at(&self, empty: u32, half: bool, amazons: [&[Square]; 2]) -> WeightsAt<'_> {
        let (segment, shares) = self.empty.place(empty as i16);
        let more_amazons = amazons[0].len() as i32 - amazons[1].len() as i32;
        WeightsAt { weights: self, segment, shares, half, more_amazons }
    }
}

/// Weights for views with one number of empty squares and of amazons.
#[derive(Clone, Copy)]
pub(super) struct WeightsAt<'a> {
    weights: &'a Weights,
    /// The segment of the empty squares, and the shares of its two knots.
    segment: usize,
    shares: [i64; 2],
    half: bool,
    more_amazons: i32,
}

impl WeightsAt<'_> {
    /// The log-odds that the side that acts next wins; minus infinity if it can do nothing.
    #[inline(always)]
    pub(super) fn log_odds<P: Pair>(&self, counts: &Counts<P>) -> f64 {
        if counts.stuck {
            return f64::NEG_INFINITY;
        }
        let Weights { contest, empty, lookups, unit, .. } = self.weights;
        let (segment, shares) = contest.place(counts.contest);
        let half = usize::from(self.half);
        let [a, b] = &contest.segments[segment].0[half];
        let [c, d] = &empty.segments[self.segment].0[half];
        let sums = P::Lanes::weighted_sums([counts.queens, counts.kings], [a, b, c, d]);
        let lookup = &lookups[segment * empty.segments.len() + self.segment];
        let amazons = lookup.sums(self.half, counts.freedom.values(), self.more_amazons);
        let [low, high, fewer, more] = plus(sums, amazons);
        let contest = i64::from(low) * shares[0] + i64::from(high) * shares[1];
        let empty = i64::from(fewer) * self.shares[0] + i64::from(more) * self.shares[1];
        (contest + empty) as f64 / unit
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
        let lookup = |contest: &[Vec<i16>], empty: &[Vec<i16>]| {
            Lookup::new([&contest[0], &contest[1], &empty[0], &empty[1]])
        };
        let lookups = file
            .contest
            .windows(2)
            .flat_map(|contest| file.empty.windows(2).map(move |empty| lookup(contest, empty)));
        Ok(Weights {
            board,
            checksum: got,
            provenance: file.provenance.to_string(),
            contest: Phase::new(&file.contest_knots, &file.contest, squares, Terms::CONTEST_UNIT as u16)?,
            empty: Phase::new(&file.empty_knots, &file.empty, squares, 1)?,
            lookups: lookups.collect(),
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
    use crate::game::{Fen, Start};
    use crate::territory::{Evaluator, Kernel, View, reference};

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

    #[test]
    fn refuses_weights_that_do_not_fit_with_those_of_derived_columns() {
        let mut row = [0; Terms::COUNT];
        let [k1, t2] = [COUNTED[1][0], Group::KingSums.first()];
        (row[k1], row[t2]) = (32_760, 7);
        assert_eq!(folded(&row, false).map(|Row(row)| row[1][0]), Ok(i16::MAX));
        row[t2] = 8;
        let error = WeightsError::Range { column: "k1", got: 32_768 };
        assert_eq!(folded(&row, false).map(|_| ()), Err(error));
    }

    /// Weights are linear between knots, and constant beyond.
    #[test]
    fn interpolates_between_knots() {
        let mut rows = [vec![0; Terms::COUNT], vec![0; Terms::COUNT], vec![0; Terms::COUNT]];
        for (row, weight) in rows.iter_mut().zip([100, 300, 400]) {
            row[COUNTED[1][2]] = weight;
        }
        let phase = Phase::new(&[2, 4, 14], &rows, 100, 16).unwrap();
        for (value, weight) in
            [(0, 100), (32, 100), (48, 200), (64, 300), (144, 350), (224, 400), (1600, 400)]
        {
            let (segment, shares) = phase.place(value);
            let knots = phase.segments[segment].0[0].map(|Row(row)| i64::from(row[1][2]));
            let sum = knots[0] * shares[0] + knots[1] * shares[1];
            assert_eq!(sum, weight * i64::from(Phase::PARTS), "{value}");
        }
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
            let size = Size::square(10).unwrap();
            let start = Start::Formula.position(size).unwrap();
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
