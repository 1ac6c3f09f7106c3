//! Folders of games: written to, and read back.

use std::collections::BTreeSet;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::GamesFile;
use super::game::to_bytes;
use super::sample::{Sample, samples};
use crate::files::{self, Journal, JournalError};
use crate::game::{Game, InputError, Size};

/// A folder that games are written to. One process at a time has it.
pub(crate) struct Folder {
    journal: Journal,
    /// The numbers of the games that it held when it was opened.
    pub(crate) games: BTreeSet<u32>,
    /// Torn records that were cut off then.
    pub(crate) torn: usize,
}

impl Folder {
    /// Opens a folder of games with this header, and creates it if there is none.
    pub(crate) fn resume(path: &Path, header: &Value) -> Result<Folder, JournalError> {
        let io = |cause| JournalError::Io { path: path.into(), cause };
        std::fs::create_dir_all(path).map_err(io)?;
        // This file has the lock of the folder. Earlier versions wrote more files.
        let own = path.join("games-00.bin");
        let (journal, mut games, torn) = GamesFile::resume(&own, header)?;
        let mut torn = usize::from(torn);
        for path in game_files(path).map_err(io)?.iter().filter(|path| **path != own) {
            let (_, more, is_torn) = GamesFile::resume(path, header)?;
            games.extend(more);
            torn += usize::from(is_torn);
        }
        Ok(Folder { journal, games: games.into_iter().map(|(number, _)| number).collect(), torn })
    }

    pub(crate) fn add(&mut self, number: u32, game: &Game) -> Result<(), JournalError> {
        self.journal.append(&to_bytes(number, game))
    }
}

/// The games of several folders, all on boards of one size.
#[derive(Debug)]
pub struct Library {
    /// The games of each folder, with numbers that go on from those of the folder before.
    folders: Vec<GamesFile>,
    size: Size,
}

impl Library {
    /// Reads all games of these folders; of one that is being written to, those that are whole. The
    /// same games must not come twice, nor boards differ.
    pub fn open(folders: &[PathBuf]) -> Result<Library, InputError> {
        let mut read: Vec<GamesFile> = Vec::new();
        let (mut size, mut next) = (None, 0u32);
        for path in folders {
            let mixed = |text| InputError(format!("{}: {text}", path.display()));
            let (mut folder, own) = read_folder(path)?;
            if read.iter().any(|other| other.header == folder.header) {
                let got = "its games are those of a folder before it";
                return Err(mixed(format!("{got}; expected games of another seed or recipe")));
            }
            let first = *size.get_or_insert(own);
            if own != first {
                let got = format!("a board of {own}, after one of {first}");
                return Err(mixed(format!("{got}; expected games on boards of one size")));
            }
            let base = next;
            for (number, _) in &mut folder.games {
                *number = base.wrapping_add(*number);
                next = number.wrapping_add(1);
            }
            read.push(folder);
        }
        let size = size.ok_or_else(|| InputError("no folder: expected one at least".to_owned()))?;
        Ok(Library { folders: read, size })
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Every game with a number that no other game here has: its own, after those of the folders
    /// before.
    pub fn games(&self) -> impl Iterator<Item = (u32, &Game)> {
        self.folders.iter().flat_map(|folder| &folder.games).map(|(number, game)| (*number, game))
    }

    /// The samples of every game, each with the number of its game.
    pub(super) fn samples(&self) -> impl Iterator<Item = (u32, Sample<'_>)> {
        self.games().flat_map(|(number, game)| samples(game).map(move |sample| (number, sample)))
    }

    /// For each folder, how its games were played, and how many there are.
    pub fn provenance(&self) -> Vec<Value> {
        let describe = |folder: &GamesFile| {
            let mut about = folder.header["selfplay"].clone();
            about["games"] = folder.games.len().into();
            about
        };
        self.folders.iter().map(describe).collect()
    }
}

/// The games of one folder in the order of their numbers, without repetitions, and their board.
fn read_folder(path: &Path) -> Result<(GamesFile, Size), InputError> {
    let wrong = |error: JournalError| InputError(error.to_string());
    let io = |path: &Path, cause| wrong(JournalError::Io { path: path.into(), cause });
    let mut folder: Option<GamesFile> = None;
    for path in game_files(path).map_err(|cause| io(path, cause))? {
        let file = files::open(&path).map_err(|cause| io(&path, cause))?;
        // A run that was killed as it began may have left a file without a whole header.
        let Some(contents) = GamesFile::parse(&path, BufReader::new(file)).map_err(wrong)? else { continue };
        match &mut folder {
            Some(folder) if folder.header != contents.header => {
                let mixed = "games of another selfplay than in the file before it; expected one recipe";
                return Err(InputError(format!("{}: {mixed} in a folder", path.display())));
            }
            Some(folder) => folder.games.extend(contents.games),
            None => folder = Some(contents),
        }
    }
    if let Some(mut folder) = folder
        && let Some((_, first)) = folder.games.first()
    {
        let size = first.start().size();
        folder.games.sort_by_key(|(number, _)| *number);
        folder.games.dedup_by_key(|(number, _)| *number);
        return Ok((folder, size));
    }
    let expected = "expected files games-*.bin as 'quiver selfplay' writes them";
    Err(InputError(format!("{} holds no games: {expected}", path.display())))
}

fn game_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
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
pub(super) mod tests {
    use std::fs;

    use super::super::selfplay::SelfPlayRecipe;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::game::Start;
    use crate::scratch::Scratch;

    /// Writes games; meanwhile the folder is no other process's.
    pub(in crate::training) fn write(path: &Path, recipe: &SelfPlayRecipe, numbers: &[u32]) {
        let mut folder = Folder::resume(path, &recipe.header()).unwrap();
        for &number in numbers {
            folder.add(number, &recipe.play(number)).unwrap();
        }
        assert!(matches!(Folder::resume(path, &recipe.header()), Err(JournalError::Busy { .. })));
    }

    #[test]
    fn games_of_several_folders_have_numbers_of_their_own() {
        let scratch = Scratch::new("library");
        let folders = ["one", "deep/two"].map(|name| scratch.join(name));
        let (recipe, mut other) = (quick(), quick());
        other.engine.seed = 9;
        // As earlier versions wrote them, in two files.
        write(&folders[0], &recipe, &[1]);
        fs::rename(folders[0].join("games-00.bin"), folders[0].join("games-01.bin")).unwrap();
        write(&folders[0], &recipe, &[4, 0]);
        assert!(Folder::resume(&folders[0], &recipe.header()).unwrap().games.into_iter().eq([0, 1, 4]));
        write(&folders[1], &other, &[0, 2]);
        fs::write(folders[0].join("notes.txt"), "mine").unwrap();
        // Left by a run that was killed at once.
        fs::write(folders[0].join("games-07.bin"), "{\"selfpl").unwrap();
        let library = Library::open(&folders).unwrap();
        let numbers: Vec<u32> = library.games().map(|(number, ..)| number).collect();
        assert_eq!((numbers, library.size()), (vec![0, 1, 4, 5, 7], recipe.start.size()));
        let games: Vec<_> = library.games().map(|(_, game)| game).collect();
        assert_eq!((games[2], games[4]), (&recipe.play(4), &other.play(2)));
        let about = library.provenance();
        assert_eq!((&about[0]["games"], &about[1]["games"]), (&3.into(), &2.into()));
        assert_eq!((&about[0]["seed"], &about[1]["seed"]), (&3.into(), &9.into()));
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
