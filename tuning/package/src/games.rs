//! The functions `read_games` and `selfplay`, which return games as bytes. `quiver/games.py` makes
//! numpy arrays from these bytes.

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use quiver::contest::{GameRecord, is_blunder, record};
use quiver::formats::{self, Decoded, Format};
use quiver::games::{EndKind, FoundGame, Game, MatchGame};
use quiver::training::SelfPlayRecipe;
use quiver::{EngineOptions, Move as FullMove, Square, Start, StopHandle, files};
use serde_json::Value;

use crate::arguments::{invalid, side_number};
use crate::arrays::square_bytes;
use crate::interrupts::interruptible;
use crate::position::Position;

// Values of the field `kind` of `PLY` in `quiver/dtypes.py`.
const PLY_KIND_CHOICE: u8 = 0;
const PLY_KIND_OPENING: u8 = 1;
const PLY_KIND_BLUNDER: u8 = 2;

/// Games as arrays, stored as bytes. `quiver/dtypes.py` describes the types of the arrays' rows.
#[derive(Default)]
struct Tables {
    about: Value,
    players: Vec<[Option<String>; 2]>,
    starts: Vec<String>,
    /// The index of each start position in the list `starts`.
    start_indices: HashMap<quiver::Position, u32>,
    games: Vec<u8>,
    plies: Vec<u8>,
    queen_shares: Vec<u8>,
    arrow_shares: Vec<u8>,
    ply_count: u32,
}

impl Tables {
    fn add_record(&mut self, record: &GameRecord) {
        let ply_kind = |index| match index {
            _ if index < record.opening => PLY_KIND_OPENING,
            _ if is_blunder(&record.game.plies()[index]) => PLY_KIND_BLUNDER,
            _ => PLY_KIND_CHOICE,
        };
        self.add(record.number as u32, &record.game, ply_kind);
    }

    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("about", self.about.to_string())?;
        dict.set_item("players", self.players.into_iter().map(<(_, _)>::from).collect::<Vec<_>>())?;
        dict.set_item("starts", self.starts)?;
        for (name, bytes) in [
            ("games", self.games),
            ("plies", self.plies),
            ("queen_shares", self.queen_shares),
            ("arrow_shares", self.arrow_shares),
        ] {
            dict.set_item(name, PyByteArray::new(py, &bytes))?;
        }
        Ok(dict)
    }

    /// Appends a game. `ply_kind` returns the field `kind` of the ply with a given index.
    fn add(&mut self, number: u32, game: &Game, ply_kind: impl Fn(usize) -> u8) {
        let start = *self.start_indices.entry(*game.start()).or_insert_with(|| {
            self.starts.push(game.start().to_string());
            self.starts.len() as u32 - 1
        });
        let winner = game.winner().or_else(|| game.position().winner());
        let manner = match game.end.as_ref().map(|end| end.kind) {
            Some(EndKind::NoMove) => 0,
            Some(EndKind::Resignation) => 1,
            Some(EndKind::Time) => 2,
            Some(kind) if kind.is_fault() => 3,
            Some(_) => 4,
            None if winner.is_some() => 0,
            None => 5,
        };
        let starting_side = game.start().to_move();
        let row = self.players.len() as u32;
        self.games.extend(number.to_le_bytes());
        self.games.push(winner.map_or(u8::MAX, side_number));
        self.games.extend([manner, side_number(starting_side)]);
        self.games.extend(self.ply_count.to_le_bytes());
        self.games.extend((game.plies().len() as u16).to_le_bytes());
        self.games.extend(start.to_le_bytes());
        self.players.push(game.players.clone());
        for ((index, ply), ply_row) in game.plies().iter().enumerate().zip(self.ply_count..) {
            let mover = if index % 2 == 0 { starting_side } else { !starting_side };
            let (FullMove { from, to, arrow }, facts) = (ply.played, &ply.facts);
            self.plies.extend(row.to_le_bytes());
            self.plies.push(side_number(mover));
            self.plies.extend(square_bytes([from, to, arrow]));
            self.plies.extend([ply_kind(index), u8::from(facts.proven)]);
            for number in [facts.value, facts.seconds] {
                self.plies.extend((number.unwrap_or(f64::NAN) as f32).to_le_bytes());
            }
            for &(queen, share) in &facts.queen_shares {
                add_share(&mut self.queen_shares, ply_row, [queen.from, queen.to], share);
            }
            for &(arrow, share) in &facts.arrow_shares {
                add_share(&mut self.arrow_shares, ply_row, [arrow, arrow], share);
            }
        }
        self.ply_count += game.plies().len() as u32;
    }
}

fn add_share(rows: &mut Vec<u8>, ply: u32, squares: [Square; 2], share: u16) {
    rows.extend(ply.to_le_bytes());
    rows.extend(square_bytes(squares));
    rows.extend((f32::from(share) / f32::from(u16::MAX)).to_le_bytes());
}

/// Reads a file of games in any format. A list of moves without a FEN begins at the first start
/// position from which all its moves are legal; boards of side `size` are tried first.
fn read(path: &Path, size: usize) -> PyResult<Tables> {
    let place = path.display();
    let wrong = |error: &dyn Display| invalid(format_args!("{place}: {error}"));
    let at = |line: usize, error: &dyn Display| invalid(format_args!("{place}, line {line}: {error}"));
    let mut tables = Tables::default();
    let bytes = files::read(path, u64::MAX)
        .map_err(|error| io::Error::new(error.kind(), format!("{place}: {error}")))?;
    let bytes = formats::unpack_gzip(&bytes).map_err(|error| wrong(&error))?;
    let Decoded { text, .. } = formats::decode(&bytes);
    match Format::of_content(&text) {
        Some(Format::Record) => {
            // A contest that is resumed with additional players appends a new header to its record.
            // Therefore `about` is from the last header. `record::games` checks all headers.
            let header = text.lines().rfind(|line| line.starts_with("{\"contest\":")).unwrap_or_default();
            let header = serde_json::from_str::<Value>(header);
            tables.about = header.unwrap_or_default()["contest"].take();
            for FoundGame { line, game } in record::games(&text) {
                tables.add_record(&game.map_err(|error| at(line, &error))?);
            }
        }
        _ => {
            let games = formats::read(&bytes, &Start::positions_preferring(size));
            let games = games.map_err(|error| wrong(&error))?;
            for (number, FoundGame { line, game }) in (0..).zip(formats::reject_disagreements(games)) {
                tables.add(number, &game.map_err(|error| at(line, &error))?, |_| PLY_KIND_CHOICE);
            }
        }
    }
    Ok(tables)
}

/// Reads the games of a file and returns a dictionary with the arrays of `Tables` as bytes.
#[pyfunction]
pub(crate) fn read_games(py: Python<'_>, path: PathBuf, size: usize) -> PyResult<Bound<'_, PyDict>> {
    py.detach(|| read(&path, size))?.into_dict(py)
}

/// Plays `games` games of self-play, numbered from `first` on, and returns them as `read_games`
/// does. After Ctrl-C the games in progress are played to their end.
#[pyfunction]
#[pyo3(signature = (position, *, first, games, playouts, seed, concurrency, random_plies, blunders))]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn selfplay<'py>(
    py: Python<'py>,
    position: &Position,
    first: u32,
    games: u32,
    playouts: u64,
    seed: u64,
    concurrency: usize,
    random_plies: Option<usize>,
    blunders: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let numbers = first..first.checked_add(games).ok_or_else(|| {
        invalid(format_args!("games {first} to {first} + {games}: expected numbers below 2**32"))
    })?;
    for (name, value) in [("playouts", playouts), ("concurrency", concurrency as u64)] {
        if value == 0 {
            return Err(invalid(format_args!("{name} = 0: expected at least 1")));
        }
    }
    if !(0.0..=1.0).contains(&blunders) {
        return Err(invalid(format_args!("blunders = {blunders}: expected a probability from 0 to 1")));
    }
    // The memory is the default of `quiver selfplay`, because games can depend on the tree's size.
    let engine = EngineOptions { memory: 64 << 20, seed, ..EngineOptions::default() };
    let recipe = SelfPlayRecipe { start: position.0, playouts, random_plies, blunders, engine };
    let stop = StopHandle::default();
    let work = || recipe.play_all(numbers, concurrency, &stop);
    let records = interruptible(py, || stop.stop(), work)?.map_err(invalid)?;
    let about = recipe.header()["contest"].take();
    let mut tables = Tables { about, ..Tables::default() };
    records.iter().for_each(|record| tables.add_record(record));
    tables.into_dict(py)
}
