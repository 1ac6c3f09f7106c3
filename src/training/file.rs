//! A file of games: a journal of frames, each a game's bytes.
//!
//! The header is the recipe's (see [`SelfPlayRecipe::header`](super::SelfPlayRecipe::header)):
//! above all the start position and what the games depend on. Whatever kills a run costs at most
//! the games in flight. A file of another recipe is refused, and nothing is overwritten.

use std::io::BufRead;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::game::TrainingGame;
use crate::files::{Entry, Framing, Journal, JournalError, JournalKind, read_journal};
use crate::game::{Fen, Position};

/// The journal of self-play games.
pub(super) static KIND: JournalKind = JournalKind {
    key: "selfplay",
    framing: Framing::Frames,
    writer: "selfplay",
    records: "games",
    record: "a file of whole games",
    remedy: "it to end first, or another --out",
    patience: Duration::ZERO,
};

/// The version of the file's form: 2 added the visit shares, 3 the checksums of the header and of
/// each length.
pub(super) const FORMAT: u32 = 3;

/// An earlier version, which is still read.
const EARLY_FORMAT: u32 = 2;

/// A file of games.
#[derive(Clone, Debug)]
pub struct GamesFile {
    /// Its header.
    pub header: Value,
    /// The position that its games begin with.
    pub start: Position,
    /// Its games, as they came; all can be played.
    pub games: Vec<TrainingGame>,
    /// True if the beginning of a record follows that was never finished, or is being written.
    pub torn: bool,
}

impl GamesFile {
    /// Reads a file of games. A record that is not whole at its end is left out. `None` if the file
    /// was left by a run that ended before its header was written.
    ///
    /// # Errors
    /// If it is damaged. `path` is what the message calls it.
    pub fn parse(path: &Path, input: impl BufRead) -> Result<Option<GamesFile>, JournalError> {
        let mut reader = GamesReader::default();
        let contents = read_journal(&KIND, path, input, |entry| reader.take(entry))?;
        let (Some(header), Some(start)) = (contents.header, reader.start) else { return Ok(None) };
        Ok(Some(GamesFile { header, start, games: reader.games, torn: contents.torn }))
    }

    /// Opens a file of games with this header to append to, and begins one where there is none.
    /// Also gives its games, and true if a torn record was cut off. One process at a time has it.
    ///
    /// # Errors
    /// If it belongs to another recipe, is damaged or in use, or cannot be read and written.
    pub fn resume(path: &Path, header: &Value) -> Result<(Journal, Vec<TrainingGame>, bool), JournalError> {
        let mut reader = GamesReader::default();
        let expected = |_: &Value| header.clone();
        let (mut journal, torn) = Journal::resume(&KIND, path, header, expected, |entry| reader.take(entry))?;
        journal.begin()?;
        Ok((journal, reader.games, torn))
    }
}

/// Reads the entries of a file of games.
#[derive(Default)]
struct GamesReader {
    start: Option<Position>,
    games: Vec<TrainingGame>,
}

impl GamesReader {
    fn take(&mut self, entry: Entry<'_>) -> Result<(), String> {
        match entry {
            Entry::Record(content) => {
                let game = TrainingGame::from_bytes(content)?;
                game.check(self.start.as_ref().ok_or("a game before the header")?)?;
                self.games.push(game);
            }
            Entry::Header(header) => {
                let about = &header["selfplay"];
                let format = &about["format"];
                if *format != FORMAT && *format != EARLY_FORMAT {
                    return Err(format!(
                        "self-play format {format}, where this version reads {EARLY_FORMAT} and {FORMAT}"
                    ));
                }
                let start = about["start"].as_str().unwrap_or_default().parse::<Fen>();
                self.start = Some(start.map_err(|error| format!("start: {error}"))?.0);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_torn_last_record_is_cut_off_wherever_it_was_torn() {
        let scratch = Scratch::new("torn");
        let path = scratch.join("games");
        let recipe = quick();
        let header = recipe.header();
        let played = [recipe.play(0), recipe.play(1)];
        let (mut file, ..) = GamesFile::resume(&path, &header).unwrap();
        let mut ends = vec![0, fs::metadata(&path).unwrap().len() as usize];
        for game in &played {
            file.append(&game.to_bytes()).unwrap();
            ends.push(fs::metadata(&path).unwrap().len() as usize);
        }
        drop(file);
        let whole = fs::read(&path).unwrap();
        for length in (0..=whole.len()).rev().step_by(7).chain([ends[1], ends[2]]) {
            fs::write(&path, &whole[..length]).unwrap();
            let (mut file, games, torn) = GamesFile::resume(&path, &header).unwrap();
            let complete = ends.iter().filter(|&&end| end <= length).count();
            assert_eq!(games, played[..complete.saturating_sub(2)], "cut at {length}");
            assert_eq!(torn, !ends.contains(&length), "cut at {length}");
            for game in &played[games.len()..] {
                file.append(&game.to_bytes()).unwrap();
            }
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        // A reader takes what is there and leaves the rest to the writer.
        let contents = GamesFile::parse(&path, &whole[..ends[2] + 20]).unwrap().unwrap();
        assert_eq!((&contents.games[..], contents.torn), (&played[..1], true));
        assert_eq!((contents.start, &contents.header), (recipe.start, &header));
    }

    #[test]
    fn strangers_are_refused_and_left_as_they_are() {
        let scratch = Scratch::new("strangers");
        let path = scratch.join("games");
        let recipe = quick();
        let mut other = recipe.clone();
        other.engine.set_pair("exploration=0.9").unwrap();
        let (mut file, ..) = GamesFile::resume(&path, &other.header()).unwrap();
        assert!(matches!(GamesFile::resume(&path, &other.header()), Err(JournalError::Busy { .. })));
        file.append(&other.play(0).to_bytes()).unwrap();
        drop(file);
        let before = fs::read(&path).unwrap();
        let error = GamesFile::resume(&path, &recipe.header()).unwrap_err().to_string();
        assert!(error.contains("selfplay.parameters.exploration is 0.9 there and 0."), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        let damaged = [&before[..before.len() - 9], b"123456789", &before[before.len() - 50..]].concat();
        for bytes in [
            &b"my notes"[..],
            b"my notes\n",
            b"{}\n",
            b"{\"selfplay\":{}}\n",
            b"{\"selfplay\":1}\nx",
            &damaged,
        ] {
            fs::write(&path, bytes).unwrap();
            GamesFile::parse(&path, bytes).unwrap_err();
            GamesFile::resume(&path, &other.header()).unwrap_err();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn any_flipped_bit_is_named_and_nothing_is_cut() {
        let scratch = Scratch::new("flips");
        let path = scratch.join("games");
        let recipe = quick();
        let (mut file, ..) = GamesFile::resume(&path, &recipe.header()).unwrap();
        [0, 1].iter().for_each(|&number| file.append(&recipe.play(number).to_bytes()).unwrap());
        drop(file);
        let whole = fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let error = GamesFile::parse(&path, &changed[..]).expect_err("a changed file");
            let JournalError::Damaged { place, .. } = error else { panic!("{error}") };
            assert!(place.byte <= bit as u64 / 8, "bit {bit}: {place}");
            // Files are slow.
            if bit % 97 == 0 {
                fs::write(&path, &changed).unwrap();
                GamesFile::resume(&path, &recipe.header()).unwrap_err();
                assert_eq!(fs::read(&path).unwrap(), changed, "bit {bit}");
            }
        }
        println!("{} flipped bits", 8 * whole.len());
    }

    #[test]
    fn reads_a_file_of_an_earlier_version_and_adds_nothing() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/journals/games-2.bin");
        let whole = fs::read(&path).unwrap();
        let contents = GamesFile::parse(&path, &whole[..]).unwrap().unwrap();
        assert_eq!((contents.games.len(), contents.torn), (3, false));
        let error = GamesFile::resume(&path, &contents.header).unwrap_err().to_string();
        assert!(error.contains("an earlier version wrote it: this one reads it and adds nothing"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), whole);
        // Lengths had no checksum: one that was changed is found by the records after it.
        let records = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for bit in 8 * records..8 * whole.len() {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(GamesFile::parse(&path, &changed[..]).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_number_of_many_digits_is_read_as_it_was_written() {
        let scratch = Scratch::new("digits");
        let path = scratch.join("games");
        let mut recipe = quick();
        // A tuned parameter that an imprecise reader of floats rounds to the neighbouring float.
        recipe.engine.parameters.set("exploration", "0.36995516654807925").unwrap();
        GamesFile::resume(&path, &recipe.header()).unwrap();
        GamesFile::resume(&path, &recipe.header()).unwrap();
    }
}
