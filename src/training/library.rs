//! Folders of games, read back: one list of games with numbers of their own.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::GamesFile;
use super::folder::game_files;
use super::game::TrainingGame;
use crate::files::{self, JournalError};
use crate::game::{Position, Size};

/// The games of several folders, all on boards of one size.
#[derive(Clone, Debug)]
pub struct Library {
    /// For each folder its games, and what is added to their numbers.
    folders: Vec<(GamesFile, u32)>,
    size: Size,
}

/// Why folders of games cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum LibraryError {
    #[error(transparent)]
    File(#[from] JournalError),
    #[error("{path} holds no games: expected files games-*.bin as 'quiver selfplay' writes them")]
    Empty { path: PathBuf },
    #[error("{path}: {got}; expected {expected}")]
    Mixed { path: PathBuf, got: String, expected: &'static str },
}

impl Library {
    /// Reads all games of these folders. One that is being written to gives what is whole.
    ///
    /// # Errors
    /// If one has no games, something cannot be read, the same games come twice, or boards differ.
    pub fn open(folders: &[PathBuf]) -> Result<Library, LibraryError> {
        let mut read: Vec<(GamesFile, u32)> = Vec::new();
        let (mut size, mut base) = (None, 0);
        for path in folders {
            let mixed = |got, expected| LibraryError::Mixed { path: path.clone(), got, expected };
            let folder = read_folder(path)?;
            if read.iter().any(|(other, _)| other.header == folder.header) {
                let got = "its games are those of a folder before it".to_owned();
                return Err(mixed(got, "games of another seed or recipe"));
            }
            let own = folder.start.size();
            let first = *size.get_or_insert(own);
            if own != first {
                let got = format!("a board of {own}, after one of {first}");
                return Err(mixed(got, "games on boards of one size"));
            }
            let numbers = folder.games.last().map_or(0, |game| game.number.saturating_add(1));
            read.push((folder, base));
            base += numbers;
        }
        let size = size.ok_or(LibraryError::Empty { path: PathBuf::new() })?;
        Ok(Library { folders: read, size })
    }

    /// The size of the board.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Every game with the position that it begins with and a number that no other game here has:
    /// that of the game, after those of the folders before.
    pub fn games(&self) -> impl Iterator<Item = (u32, &Position, &TrainingGame)> {
        self.folders.iter().flat_map(|(folder, base)| {
            folder.games.iter().map(|game| (base.wrapping_add(game.number), &folder.start, game))
        })
    }

    /// For each folder, how its games were played, and how many there are.
    #[must_use]
    pub fn provenance(&self) -> Vec<Value> {
        let describe = |(folder, _): &(GamesFile, u32)| {
            let mut about = folder.header["selfplay"].clone();
            about["games"] = folder.games.len().into();
            about
        };
        self.folders.iter().map(describe).collect()
    }
}

/// The games of one folder in the order of their numbers, without repetitions.
fn read_folder(path: &Path) -> Result<GamesFile, LibraryError> {
    let io = |path: &Path, cause| JournalError::Io { path: path.into(), cause };
    let mut folder: Option<GamesFile> = None;
    for path in game_files(path).map_err(|cause| io(path, cause))? {
        let file = files::open(&path).map_err(|cause| io(&path, cause))?;
        // A run that was killed as it began may have left a file without a whole header.
        let Some(contents) = GamesFile::parse(&path, BufReader::new(file))? else { continue };
        match &mut folder {
            Some(folder) if folder.header != contents.header => {
                let got = "games of another selfplay than in the file before it".to_owned();
                return Err(LibraryError::Mixed { path, got, expected: "games of one recipe in a folder" });
            }
            Some(folder) => folder.games.extend(contents.games),
            None => folder = Some(contents),
        }
    }
    let folder = folder.filter(|folder| !folder.games.is_empty());
    let mut folder = folder.ok_or(LibraryError::Empty { path: path.into() })?;
    folder.games.sort_by_key(|game| game.number);
    folder.games.dedup_by_key(|game| game.number);
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::super::folder::Folder;
    use super::super::selfplay::SelfPlayRecipe;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::game::Start;
    use crate::scratch::Scratch;

    fn write(folder: &Path, recipe: &SelfPlayRecipe, numbers: &[u32]) {
        let mut folder = Folder::resume(folder, &recipe.header(), 2).unwrap();
        for &number in numbers {
            folder.add(number as usize % 2, &recipe.play(number)).unwrap();
        }
    }

    #[test]
    fn games_of_several_folders_have_numbers_of_their_own() {
        let scratch = Scratch::new("library");
        let folders = ["one", "two"].map(|name| scratch.join(name));
        let (recipe, mut other) = (quick(), quick());
        other.engine.seed = 9;
        write(&folders[0], &recipe, &[4, 0, 1]);
        write(&folders[1], &other, &[0, 2]);
        // Left by a run that was killed at once.
        fs::write(folders[0].join("games-07.bin"), "{\"selfpl").unwrap();
        let library = Library::open(&folders).unwrap();
        let numbers: Vec<u32> = library.games().map(|(number, ..)| number).collect();
        assert_eq!((numbers, library.size()), (vec![0, 1, 4, 5, 7], recipe.start.size()));
        let games: Vec<_> = library.games().map(|(.., game)| game.clone()).collect();
        assert_eq!((&games[2], &games[4]), (&recipe.play(4), &other.play(2)));
        let about = library.provenance();
        assert_eq!((&about[0]["games"], &about[1]["games"]), (&3.into(), &2.into()));
        assert_eq!((&about[0]["seed"], &about[1]["seed"]), (&3.into(), &9.into()));
        assert_eq!(library.games().map(|(.., game)| game.number).collect::<BTreeSet<_>>().len(), 4);
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let scratch = Scratch::new("mixed");
        let folder = |name: &str| scratch.join(name);
        let refused = |names: &[&str]| {
            let folders: Vec<PathBuf> = names.iter().map(|name| folder(name)).collect();
            Library::open(&folders).unwrap_err().to_string()
        };
        let mut other = quick();
        other.start = Start::Formula.position(Size::square(8).unwrap()).unwrap();
        write(&folder("six"), &quick(), &[0]);
        write(&folder("eight"), &other, &[0]);
        fs::create_dir(folder("none")).unwrap();
        fs::create_dir(folder("both")).unwrap();
        fs::copy(folder("six/games-00.bin"), folder("both/games-00.bin")).unwrap();
        fs::copy(folder("eight/games-00.bin"), folder("both/games-01.bin")).unwrap();
        assert!(refused(&["none"]).contains("holds no games: expected files games-*.bin"));
        assert!(refused(&["nowhere"]).contains("nowhere: "));
        assert!(refused(&["six", "six"]).contains("games are those of a folder before it"));
        assert!(refused(&["six", "eight"]).contains("a board of 8x8, after one of 6x6"));
        assert!(refused(&["both"]).contains("games-01.bin: games of another selfplay"));
    }
}
