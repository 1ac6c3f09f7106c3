//! Reading of game files that the user names on the command line.

use anyhow::Context;
use quiver_bot::Start;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::files;
use crate::formats::{self, Format};
use crate::games::{FoundGame, Game};
use crate::messages::warn;

const MAX_FILE_BYTES: u64 = 1 << 28;

pub(super) fn input_name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

pub(super) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return files::read_all(io::stdin().lock(), MAX_FILE_BYTES);
    }
    files::read(path, MAX_FILE_BYTES)
}

/// Reads every game of a file. If a game cannot be read, the error has the game's line number.
pub(super) fn read(path: &Path, board: usize) -> anyhow::Result<(Format, Vec<Game>)> {
    let place = || input_name(path);
    let found = formats::read(&read_bytes(path).with_context(place)?, &Start::positions_preferring(board))
        .with_context(place)?;
    let format = found.0;
    let games = formats::reject_disagreements(found)
        .map(|FoundGame { line, game }| game.with_context(|| format!("{}, line {line}", place())));
    let games: Vec<Game> = games.collect::<anyhow::Result<_>>()?;
    warn_of_notes(path, &games);
    Ok((format, games))
}

pub(super) fn warn_of_notes<'a>(path: &Path, games: impl IntoIterator<Item = &'a Game>) {
    let notes: BTreeSet<&str> = games.into_iter().flat_map(|game| &game.notes).map(String::as_str).collect();
    notes.into_iter().for_each(|note| warn(format_args!("{}: {note}", input_name(path))));
}
