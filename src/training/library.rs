//! Folders of games, read back: one list of games with numbers of their own.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file;
use super::folder::game_files;
use super::game::TrainingGame;
use crate::files::JournalError;
use crate::game::{Position, Size};

/// The games of several folders, all on boards of one size.
#[derive(Clone, Debug)]
pub struct Library {
    shelves: Vec<LibraryFolder>,
    size: Size,
}

/// The games of one folder.
#[derive(Clone, Debug)]
struct LibraryFolder {
    header: Value,
    start: Position,
    games: Vec<TrainingGame>,
    /// What is added to the numbers of its games.
    base: u32,
}

/// Why folders of games cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum LibraryError {
    #[error(transparent)]
    File(#[from] JournalError),
    #[error("{path}: {cause}")]
    Io { path: PathBuf, cause: io::Error },
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
        let mut shelves: Vec<LibraryFolder> = Vec::new();
        let mut base = 0;
        for path in folders {
            let mixed = |got, expected| LibraryError::Mixed { path: path.clone(), got, expected };
            let mut shelf = read_folder(path)?;
            if shelves.iter().any(|other| other.header == shelf.header) {
                let got = "its games are those of a folder before it".to_owned();
                return Err(mixed(got, "games of another seed or recipe"));
            }
            let size = shelves.first().map_or(shelf.start.size(), |first| first.start.size());
            if shelf.start.size() != size {
                let got = format!("a board of {}, after one of {size}", shelf.start.size());
                return Err(mixed(got, "games on boards of one size"));
            }
            shelf.base = base;
            base += shelf.games.last().map_or(0, |game| game.number.saturating_add(1));
            shelves.push(shelf);
        }
        match shelves.first() {
            Some(first) => Ok(Library { size: first.start.size(), shelves }),
            None => Err(LibraryError::Empty { path: PathBuf::new() }),
        }
    }

    /// The size of the board.
    #[must_use]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Every game with the position that it begins with and a number that no other game here has:
    /// that of the game, after those of the folders before.
    pub fn games(&self) -> impl Iterator<Item = (u32, &Position, &TrainingGame)> {
        self.shelves.iter().flat_map(|shelf| {
            shelf.games.iter().map(|game| (shelf.base.wrapping_add(game.number), &shelf.start, game))
        })
    }

    /// For each folder, how its games were played, and how many there are.
    #[must_use]
    pub fn provenance(&self) -> Vec<Value> {
        let describe = |shelf: &LibraryFolder| {
            let mut about = shelf.header["selfplay"].clone();
            about["games"] = shelf.games.len().into();
            about
        };
        self.shelves.iter().map(describe).collect()
    }
}

/// The games of one folder in the order of their numbers, without repetitions.
fn read_folder(path: &Path) -> Result<LibraryFolder, LibraryError> {
    let files = game_files(path).map_err(|cause| LibraryError::Io { path: path.into(), cause })?;
    let mut shelf: Option<LibraryFolder> = None;
    for file in &files {
        // A run that was killed as it began may have left a file without a whole header.
        let Some(contents) = file::read(file)? else { continue };
        match &mut shelf {
            Some(shelf) if shelf.header != contents.header => {
                return Err(LibraryError::Mixed {
                    path: file.clone(),
                    got: "games of another selfplay than in the file before it".to_owned(),
                    expected: "games of one recipe in a folder",
                });
            }
            Some(shelf) => shelf.games.extend(contents.games),
            None => {
                let (header, start, games) = (contents.header, contents.start, contents.games);
                shelf = Some(LibraryFolder { header, start, games, base: 0 });
            }
        }
    }
    let mut shelf =
        shelf.filter(|shelf| !shelf.games.is_empty()).ok_or(LibraryError::Empty { path: path.into() })?;
    shelf.games.sort_by_key(|game| game.number);
    shelf.games.dedup_by_key(|game| game.number);
    Ok(shelf)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::super::folder::Folder;
    use super::super::folder::tests::Scratch;
    use super::super::selfplay::SelfPlayRecipe;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::game::Start;

    fn write(folder: &Path, recipe: &SelfPlayRecipe, numbers: &[u32]) {
        let (mut folder, _) = Folder::resume(folder, &recipe.header(), 2).unwrap();
        for &number in numbers {
            folder.add(number as usize % 2, &recipe.play(number)).unwrap();
        }
    }

    #[test]
    fn games_of_several_folders_have_numbers_of_their_own() {
        let scratch = Scratch::new("library");
        let folders = ["one", "two"].map(|name| scratch.0.join(name));
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
        let folder = |name: &str| scratch.0.join(name);
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
