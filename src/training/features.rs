//! Writes the evaluator's features of positions as rows of numbers, to which weights are fitted.
//!
//! A file of rows begins with one line of JSON, padded with spaces to a multiple of 64 bytes. Rows
//! of equal length follow, in little-endian order: `game` u32, `ply` u16, `flags` u16 (bit 0: a
//! half ply, the state before an arrow; bit 1: the result is usable; bit 2: the value is proven),
//! `result` u16 (1 if the acting side won), `value` u16 (the acting side's winning chance by the
//! search, 65,535 for certainty), `empties` u16 (the number of empty squares), then an i16 for each
//! column ([`columns`]).

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::library::{Library, Sample};
use crate::endgame::Solver;
use crate::files::Replacement;
use crate::territory::{COLUMNS, Evaluator, Terms, View, campya};

#[derive(Clone, Copy, Serialize)]
struct Column {
    name: &'static str,
    /// The integer that means 1.0 in this column.
    unit: i16,
    role: &'static str,
}

/// The columns before the terms of the evaluator. Columns with the role `phase` measure the phase
/// of the game, on which the weights of the terms depend. Each column with the role `odds` has one
/// evaluator's log-odds that the acting side wins. The fit does not use the columns with the roles
/// `odds` and `other`, but its report compares predictions from these columns with the fit's own.
const LEADING_COLUMNS: [Column; 5] = [
    Column { name: "contest", unit: Terms::CONTEST_UNIT, role: "phase" },
    Column { name: "empty", unit: 1, role: "phase" },
    Column { name: "odds:quiver", unit: ODDS_UNIT, role: "odds" },
    Column { name: "odds:campya", unit: ODDS_UNIT, role: "odds" },
    Column { name: "t1", unit: 1, role: "other" },
];

const ODDS_UNIT: i16 = 1024;
pub(crate) const COLUMN_COUNT: usize = LEADING_COLUMNS.len() + Terms::COUNT;

fn columns() -> impl Iterator<Item = Column> {
    LEADING_COLUMNS.into_iter().chain(COLUMNS.map(|name| Column { name, unit: 1, role: "term" }))
}

const SOLVER_BYTES: usize = 4 << 20;
const ROW_BYTES: usize = 14 + 2 * COLUMN_COUNT;

fn column_values(solver: &mut Solver, view: &View<'_>) -> impl Iterator<Item = i16> + use<> {
    let view = &view.with_dead_squares(solver.dead_squares(view.empty, view.amazons).unwrap_or(0));
    let terms = Terms::of(view);
    let odds = |log_odds: f64| (log_odds * f64::from(ODDS_UNIT)).round() as i16;
    let known = [Evaluator::default().log_odds(view), campya::log_odds(view)].map(odds);
    let leading: [i16; LEADING_COLUMNS.len()] = [terms.contest, terms.empty, known[0], known[1], terms.t1()];
    leading.into_iter().chain(terms.counts)
}

/// Writes a row for each position and half ply of every `every`-th ply, game by game. The first
/// chosen ply differs between games. Returns the number of rows.
pub(crate) fn write(library: &Library, every: u32, file: Replacement) -> io::Result<usize> {
    let words = ["ply", "flags", "result", "value", "empties"].map(|name| (name, "<u2"));
    let columns_of = columns().map(|column| (column.name, "<i2"));
    let fields = [("game", "<u4")].into_iter().chain(words).chain(columns_of);
    let size = library.size();
    let about = json!({
        "board": [size.width(), size.height()],
        "row_bytes": ROW_BYTES,
        "fields": fields.collect::<Vec<_>>(),
        "columns": columns().collect::<Vec<_>>(),
        "every": every,
    });
    let is_chosen = |(number, sample): &(u32, Sample<'_>)| {
        u32::from(sample.ply).wrapping_add(*number).is_multiple_of(every.max(1))
    };
    let chosen = || library.samples().filter(is_chosen);
    let mut solver = Solver::new(SOLVER_BYTES);
    let rows = chosen().map(|(number, sample)| row(&mut solver, number, &sample));
    write_rows(file, library, "features", about, chosen().count(), rows)
}

/// Writes the header `about`, to which it adds the settings of the games, and then `count` rows. An
/// item of `rows` may have the bytes of several rows. Returns `count`.
///
/// # Errors
/// If `count` is 0, or if the file cannot be written.
pub(super) fn write_rows(
    mut file: Replacement,
    library: &Library,
    kind: &str,
    mut about: Value,
    count: usize,
    mut rows: impl Iterator<Item = impl AsRef<[u8]>>,
) -> io::Result<usize> {
    if count == 0 {
        return Err(io::Error::other(
            "no row: these games have no recorded visits or values, as games of selfplay have",
        ));
    }
    about["format"] = 1.into();
    about["quiver"] = env!("CARGO_PKG_VERSION").into();
    about["rows"] = count.into();
    about["games"] = library.provenance().into();
    let header = json!({kind: about}).to_string();
    let width = (header.len() + 1).next_multiple_of(64) - 1;
    writeln!(file, "{header:width$}")?;
    rows.try_for_each(|rows| file.write_all(rows.as_ref()))?;
    file.finish()?;
    Ok(count)
}

pub(super) fn to_units(chance: f64) -> u16 {
    (chance.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16
}

fn row(solver: &mut Solver, game: u32, sample: &Sample<'_>) -> Vec<u8> {
    let flags = u16::from(sample.state.is_half_ply())
        | u16::from(sample.result_usable) << 1
        | u16::from(sample.facts.proven) << 2;
    let value = to_units(sample.facts.value.unwrap_or_default());
    let empties = sample.state.empty_squares() as u16;
    let fixed = [sample.ply, flags, u16::from(sample.won), value, empties];
    let columns = column_values(solver, &View::from(&sample.state)).map(i16::cast_unsigned);
    let words = fixed.into_iter().chain(columns).flat_map(u16::to_le_bytes);
    game.to_le_bytes().into_iter().chain(words).collect()
}
