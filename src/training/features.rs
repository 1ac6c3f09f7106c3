//! What the evaluator sees, as rows for a program that fits weights: features are defined in Rust alone.
//!
//! A file of rows is one line of JSON, filled up with spaces to a multiple of 64 bytes, and then rows of one length,
//! little endian: `game` u32, `ply` u16, `flags` u16 (bit 0: a half ply; bit 1: the result is usable; bit 2: the value
//! is proven), `result` u16 (1 if the side that acts won), `value` u16 (its chance by the search, 0 to 65,535),
//! `empties` u16, then an i16 for each column. The line says which columns there are ([`COLUMNS`]), the offset of every field
//! in a row, the number of rows, and how the games were played.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::library::Library;
use super::sample::Sample;
use crate::territory::{Features, View, log_odds};

/// A column of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it is called; no two are called the same.
    pub name: &'static str,
    /// How many of its units make one.
    pub unit: u16,
    /// What it is for.
    pub role: Role,
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A term of the sum that is fitted, signed for the side that acts.
    Term,
    /// The phase, over which weights are interpolated. One column is.
    Phase,
    /// The log-odds of a whole evaluator, to compare with.
    Odds,
}

const fn column(name: &'static str, unit: u16, role: Role) -> Column {
    Column { name, unit, role }
}

/// The columns of a row, in their order.
pub const COLUMNS: [Column; 11] = [
    column("contest", 256, Role::Phase),
    column("odds:quiver", 1024, Role::Odds),
    column("t1", 1, Role::Term),
    column("ties", 1, Role::Term),
    column("t2", 1, Role::Term),
    column("c1", 256, Role::Term),
    column("c2", 6, Role::Term),
    column("confinement", 1024, Role::Term),
    column("tempo", 1, Role::Term),
    column("ties:half", 1, Role::Term),
    column("tempo:half", 1, Role::Term),
];

/// Bytes of a row before its columns.
const FIXED: usize = 14;

/// Bytes of a row.
const ROW: usize = FIXED + 2 * COLUMNS.len();

/// The columns of one position or half ply, in their units; what does not fit is cut to what does.
#[must_use]
pub fn training_row(view: &View<'_>) -> [i16; COLUMNS.len()] {
    let features = Features::of(view);
    let fine = |value: i32, unit: i32| value / (Features::FINE / unit);
    let half = i32::from(view.half);
    let odds = (log_odds(view) * 1024.0).round() as i32;
    [
        fine(features.contest, 256),
        odds,
        features.t1,
        features.ties,
        features.t2,
        fine(features.c1, 256),
        features.c2,
        fine(features.confinement[1] - features.confinement[0], 1024),
        1,
        features.ties * half,
        half,
    ]
    .map(|value| value.clamp(i16::MIN.into(), i16::MAX.into()) as i16)
}

/// Writes the rows of all positions and half plies of every `every`-th ply (by a count that begins elsewhere in each
/// game), game by game, and returns how many there are. The file appears whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(library: &Library, every: u32, path: &Path) -> io::Result<u64> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut file = BufWriter::new(File::create(&part)?);
    // As long as it may become; the number of rows is known only at the end.
    let space = header(library, every, u64::MAX).len().next_multiple_of(64);
    let line = |rows| format!("{:width$}\n", header(library, every, rows), width = space - 1);
    file.write_all(line(u64::MAX).as_bytes())?;
    let mut rows = 0;
    for (number, start, game) in library.games() {
        let chosen =
            |sample: &Sample| (u32::from(sample.ply).wrapping_add(number)).is_multiple_of(every.max(1));
        for sample in game.samples(start).filter(chosen) {
            file.write_all(&row(number, &sample))?;
            rows += 1;
        }
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(line(rows).as_bytes())?;
    file.into_inner()?.sync_all()?;
    std::fs::rename(&part, path)?;
    Ok(rows)
}

/// One row.
fn row(game: u32, sample: &Sample) -> [u8; ROW] {
    let flags = u16::from(sample.moment.is_half_ply())
        | u16::from(sample.result_usable) << 1
        | u16::from(sample.proven) << 2;
    // No board has more than a hundred squares.
    let empties = sample.moment.empty_squares() as u16;
    let mut row = [0; ROW];
    row[..4].copy_from_slice(&game.to_le_bytes());
    let fixed = [sample.ply, flags, u16::from(sample.won), sample.value, empties];
    for (place, value) in row[4..].chunks_exact_mut(2).zip(fixed) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    for (place, value) in row[FIXED..].chunks_exact_mut(2).zip(training_row(&sample.moment.view())) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    row
}

/// The line that a file of rows begins with, without its end.
fn header(library: &Library, every: u32, rows: u64) -> String {
    let columns: Vec<Value> = COLUMNS
        .iter()
        .map(|column| {
            let role = match column.role {
                Role::Term => "term",
                Role::Phase => "phase",
                Role::Odds => "odds",
            };
            json!({"name": column.name, "unit": column.unit, "role": role})
        })
        .collect();
    let fixed = [("game", "<u4"), ("ply", "<u2"), ("flags", "<u2"), ("result", "<u2"), ("value", "<u2")];
    let fixed = fixed.into_iter().chain([("empties", "<u2")]).map(|(name, kind)| json!([name, kind]));
    let fields: Vec<Value> = fixed.chain(COLUMNS.iter().map(|column| json!([column.name, "<i2"]))).collect();
    let size = library.size();
    json!({"features": {
        "format": 1,
        "quiver": env!("CARGO_PKG_VERSION"),
        "board": [size.width(), size.height()],
        "rows": rows,
        "row_bytes": ROW,
        "fields": fields,
        "columns": columns,
        "every": every,
        "games": library.provenance(),
    }})
    .to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::super::folder::Folder;
    use super::super::folder::tests::Scratch;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::game::{Size, Start};

    #[test]
    fn columns_have_names_of_their_own_and_one_is_the_phase() {
        let names: BTreeSet<&str> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), COLUMNS.len());
        assert_eq!(COLUMNS.iter().filter(|column| column.role == Role::Phase).count(), 1);
        assert!(COLUMNS.iter().all(|column| (column.role == Role::Odds) == column.name.starts_with("odds:")));
    }

    #[test]
    fn the_start_is_even_and_all_contested() {
        let start = Start::Formula.position(Size::square(10).unwrap()).unwrap();
        let row = training_row(&View::from(&start));
        let value = |name| row[COLUMNS.iter().position(|column| column.name == name).unwrap()];
        assert_eq!((value("t1"), value("c2"), value("tempo"), value("tempo:half")), (0, 0, 1, 0));
        assert!(value("contest") > 50 * 256, "{}", value("contest"));
        let half = start.move_queen_unchecked(start.queen_moves().next().unwrap());
        assert_eq!(training_row(&View::from(&half))[COLUMNS.len() - 1], 1);
    }

    #[test]
    fn rows_follow_their_header() {
        let scratch = Scratch::new("rows");
        let recipe = quick();
        let (mut folder, _) = Folder::resume(&scratch.0.join("games"), &recipe.header(), 1).unwrap();
        let games = [0, 1, 2].map(|number| recipe.play(number));
        games.iter().for_each(|game| folder.add(0, game).unwrap());
        let library = Library::open(&[scratch.0.join("games")]).unwrap();
        let path = scratch.0.join("rows");
        for every in [1, 3] {
            let rows = write(&library, every, &path).unwrap();
            let bytes = fs::read(&path).unwrap();
            let end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
            let header: Value = serde_json::from_slice(&bytes[..end]).unwrap();
            let about = &header["features"];
            assert_eq!((end % 64, &about["rows"], &about["row_bytes"]), (0, &rows.into(), &ROW.into()));
            assert_eq!(bytes.len() - end, ROW * rows as usize);
            let samples = games
                .iter()
                .flat_map(|game| game.samples(&recipe.start).map(move |sample| (game.number, sample)));
            let samples: Vec<(u32, Sample)> = samples
                .filter(|(number, sample)| (number + u32::from(sample.ply)).is_multiple_of(every))
                .collect();
            assert_eq!(samples.len(), rows as usize);
            for ((number, sample), bytes) in samples.iter().zip(bytes[end..].chunks_exact(ROW)) {
                let word = |place: usize| u16::from_le_bytes([bytes[place], bytes[place + 1]]);
                assert_eq!((word(0), word(2), word(4)), (*number as u16, 0, sample.ply));
                assert_eq!(word(6) & 1 == 1, sample.moment.is_half_ply());
                assert_eq!((word(6) & 2 == 2, word(8)), (sample.result_usable, u16::from(sample.won)));
                assert_eq!((word(10), u32::from(word(12))), (sample.value, sample.moment.empty_squares()));
                let row = training_row(&sample.moment.view());
                assert_eq!((0..row.len()).map(|i| word(14 + 2 * i) as i16).collect::<Vec<_>>(), row);
            }
        }
        assert!(!scratch.0.join("rows.part").exists());
    }
}
