//! A folder of games: a file for each worker that ever wrote there.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::GamesFile;
use super::game::TrainingGame;
use crate::files::{Journal, JournalError};

/// A folder that games are written to. One process at a time has it.
#[derive(Debug)]
pub struct Folder {
    files: Vec<Journal>,
    /// The numbers of the games that it held when it was opened.
    pub games: BTreeSet<u32>,
    /// Torn records that were cut off then.
    pub torn: usize,
}

impl Folder {
    /// Opens a folder of games with this header for `workers` workers, and creates it if there is
    /// none.
    ///
    /// # Errors
    /// If its games are another recipe's, a file is damaged or in use, or something cannot be read
    /// and written.
    pub fn resume(path: &Path, header: &Value, workers: usize) -> Result<Folder, JournalError> {
        let io = |cause| JournalError::Io { path: path.into(), cause };
        std::fs::create_dir_all(path).map_err(io)?;
        // Another process that writes here locks the first file first, so two processes never
        // share a folder.
        let own = (0..workers.max(1)).map(|worker| path.join(format!("games-{worker:02}.bin")));
        let mut paths: Vec<PathBuf> = own.collect();
        let mut others = game_files(path).map_err(io)?;
        others.retain(|path| !paths.contains(path));
        paths.extend(others);
        let mut folder = Folder { files: Vec::new(), games: BTreeSet::new(), torn: 0 };
        for path in &paths {
            let (file, games, torn) = GamesFile::resume(path, header)?;
            folder.games.extend(games.iter().map(|game| game.number));
            folder.torn += usize::from(torn);
            folder.files.push(file);
        }
        Ok(folder)
    }

    /// Keeps a game that this worker has played.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, worker: usize, game: &TrainingGame) -> Result<(), JournalError> {
        let count = self.files.len();
        self.files[worker % count].append(&game.to_bytes())
    }
}

/// The files of games in a folder, in the order of their names.
pub(super) fn game_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
    let is_games = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("games-") && name.ends_with(".bin")
    };
    files.retain(is_games);
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn games_are_found_again_whoever_wrote_them() {
        let scratch = Scratch::new("folder");
        let folder = scratch.join("deep/down");
        let recipe = quick();
        let header = recipe.header();
        let mut open = Folder::resume(&folder, &header, 3).unwrap();
        assert_eq!((open.games.len(), open.torn), (0, 0));
        for number in [0, 2, 5] {
            open.add(number as usize % 3, &recipe.play(number)).unwrap();
        }
        assert!(matches!(Folder::resume(&folder, &header, 1), Err(JournalError::Busy { .. })));
        drop(open);
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        let last = folder.join("games-02.bin");
        let bytes = fs::read(&last).unwrap();
        fs::write(&last, &bytes[..bytes.len() - 1]).unwrap();
        let found = Folder::resume(&folder, &header, 1).unwrap();
        assert_eq!((found.games.clone(), found.torn), (BTreeSet::from([0, 2]), 1));
        drop(found);
        let mut other = recipe;
        other.engine.seed += 1;
        assert!(matches!(Folder::resume(&folder, &other.header(), 1), Err(JournalError::Other { .. })));
    }
}
