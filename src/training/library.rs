//! Records of games that training reads.

use std::path::PathBuf;

use serde_json::Value;

use super::KIND;
use super::sample::{Sample, samples};
use crate::contest::{GameRecord, record};
use crate::game::{Game, InputError, Size};

/// The games of several records, all on boards of one size.
#[derive(Debug)]
pub struct Library {
    /// The header and the games of each record, with numbers that go on from those of the record
    /// before.
    records: Vec<(Value, Vec<GameRecord>)>,
    size: Size,
}

impl Library {
    /// Reads all games of these records; of one that is being written to, those that are whole. The
    /// same games must not come twice, nor boards differ.
    pub fn open(paths: &[PathBuf]) -> Result<Library, InputError> {
        let mut records: Vec<(Value, Vec<GameRecord>)> = Vec::new();
        let (mut size, mut next) = (None, 0usize);
        for path in paths {
            let wrong = |text: &str| InputError(format!("{}: {text}", path.display()));
            let (header, mut games) =
                record::read(&KIND, path).map_err(|error| InputError(error.to_string()))?;
            // A run that was killed as it began may have left a file without a whole header.
            let header = header.filter(|_| !games.is_empty());
            let header = header.ok_or_else(|| wrong("no games: expected at least one"))?;
            if !header["contest"].is_object() {
                let got = header["contest"].to_string();
                return Err(wrong(&format!("a first line of {got:.40}: expected an object about the games")));
            }
            let is_same = |(other, theirs): &(Value, Vec<GameRecord>)| {
                *other == header && theirs.first().map(|it| &it.game) == games.first().map(|it| &it.game)
            };
            if records.iter().any(is_same) {
                let got = "its games are those of a file before it";
                return Err(wrong(&format!("{got}; expected games of another seed or recipe")));
            }
            let base = next;
            for record in &mut games {
                let own = record.game.start().size();
                let first = *size.get_or_insert(own);
                if own != first {
                    let got = format!("a board of {own}, after one of {first}");
                    return Err(wrong(&format!("{got}; expected games on boards of one size")));
                }
                record.number = base.wrapping_add(record.number);
                next = record.number.wrapping_add(1);
            }
            records.push((header, games));
        }
        let size = size.ok_or_else(|| InputError("no file: expected one at least".to_owned()))?;
        Ok(Library { records, size })
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Every game with a number that no other game here has: its own, after those of the records
    /// before.
    pub fn games(&self) -> impl Iterator<Item = (u32, &Game)> {
        let games = self.records.iter().flat_map(|(_, games)| games);
        games.map(|record| (record.number as u32, &record.game))
    }

    /// The samples of every game, each with the number of its game.
    pub(super) fn samples(&self) -> impl Iterator<Item = (u32, Sample<'_>)> {
        self.games().flat_map(|(number, game)| samples(game).map(move |sample| (number, sample)))
    }

    /// For each record, how its games were played, and how many there are.
    pub(crate) fn provenance(&self) -> Vec<Value> {
        let describe = |(header, games): &(Value, Vec<GameRecord>)| {
            let mut about = header["contest"].clone();
            about["games"] = games.len().into();
            about
        };
        self.records.iter().map(describe).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::selfplay::SelfPlayRecipe;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::files::JournalError;
    use crate::game::Start;
    use crate::scratch::Scratch;

    /// Writes games; meanwhile the file is no other process's.
    pub(in crate::training) fn write(path: &Path, recipe: &SelfPlayRecipe, numbers: &[u32]) {
        let (mut journal, ..) = recipe.resume(path).unwrap();
        for &number in numbers {
            journal.append(&recipe.play(number).line()).unwrap();
        }
        assert!(matches!(recipe.resume(path), Err(JournalError::Busy { .. })));
    }

    #[test]
    fn games_of_several_records_have_numbers_of_their_own() {
        let scratch = Scratch::new("library");
        let files = ["one", "two"].map(|name| scratch.join(name));
        let (recipe, mut other) = (quick(), quick());
        other.engine.seed = 9;
        // A tuned parameter that an imprecise reader of floats rounds to the neighbouring float.
        other.engine.parameters.set("exploration", "0.36995516654807925").unwrap();
        write(&files[0], &recipe, &[1]);
        write(&files[0], &recipe, &[4, 0]);
        write(&files[1], &other, &[0, 2]);
        let numbers: Vec<usize> = recipe.resume(&files[0]).unwrap().1.iter().map(|it| it.number).collect();
        assert_eq!(numbers, [0, 1, 4]);
        let library = Library::open(&files).unwrap();
        let numbers: Vec<u32> = library.games().map(|(number, ..)| number).collect();
        assert_eq!((numbers, library.size()), (vec![0, 1, 4, 5, 7], recipe.start.size()));
        let games: Vec<_> = library.games().map(|(_, game)| game).collect();
        assert_eq!((games[2], games[4]), (&recipe.play(4).game, &other.play(2).game));
        let about = library.provenance();
        assert_eq!((&about[0]["games"], &about[1]["games"]), (&3.into(), &2.into()));
        assert_eq!((&about[0]["seed"], &about[1]["seed"]), (&3.into(), &9.into()));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let scratch = Scratch::new("mixed");
        let mut other = quick();
        other.start = Start::Formula.position(Size::square(8).unwrap()).unwrap();
        write(&scratch.join("six"), &quick(), &[0]);
        write(&scratch.join("eight"), &other, &[0]);
        fs::write(scratch.join("none"), "{\"contes").unwrap();
        fs::copy("tests/data/journals/games-3.bin", scratch.join("binary")).unwrap();
        let six = fs::read_to_string(scratch.join("six")).unwrap();
        let line = crate::files::sealed_line("{\"contest\":5}");
        fs::write(scratch.join("number"), format!("{line}\n{}\n", six.lines().nth(1).unwrap())).unwrap();
        let early = "line 1, byte 0: the file begins with {\"selfplay\":{\"blunders\":0.01,\"format\":3,";
        for (names, expected) in [
            (&["none"][..], "none: no games: expected at least one"),
            (&["nowhere"], "nowhere: "),
            (&["six", "six"], "games are those of a file before it"),
            (&["six", "eight"], "a board of 8x8, after one of 6x6"),
            (&["binary"], early),
            (
                &["binary"],
                "not with {\"contest\":; expected a line of a match record (the version that wrote",
            ),
            (&["."], "a directory: expected a regular file"),
            (&["number"], "number: a first line of 5: expected an object about the games"),
        ] {
            let paths: Vec<PathBuf> = names.iter().map(|name| scratch.join(name)).collect();
            let error = Library::open(&paths).unwrap_err().to_string();
            assert!(error.contains(expected), "{names:?}: {error}");
        }
    }
}
