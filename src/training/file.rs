//! A file of games: a journal of frames, each a game's bytes.
//!
//! The header is the recipe's (see `SelfPlayRecipe::header`):
//! above all the start position and what the games depend on. Whatever kills a run costs at most
//! the games in flight. A file of another recipe is refused, and nothing is overwritten.

use std::io::BufRead;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::game::{from_bytes, to_bytes};
use crate::files::{Entry, Framing, Journal, JournalError, JournalKind, framed, header_line, read_journal};
use crate::game::{Fen, Game};

static KIND: JournalKind = JournalKind {
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

const EARLY_FORMAT: u32 = 2;

type NumberedGame = (u32, Game);

#[derive(Clone, Debug)]
pub struct GamesFile {
    pub header: Value,
    pub games: Vec<NumberedGame>,
}

impl GamesFile {
    /// Reads a file of games. A record that is not whole at its end is left out. `None` if the file
    /// was left by a run that ended before its header was written. `path` is what messages call it.
    pub fn parse(path: &Path, input: impl BufRead) -> Result<Option<GamesFile>, JournalError> {
        let mut games = Vec::new();
        let contents = read_journal(&KIND, path, input, reader(&mut games))?;
        Ok(contents.header.map(|header| GamesFile { header, games }))
    }

    /// Opens a file of games with this header to append to, and begins one where there is none.
    /// Also gives its games, and true if a torn record was cut off. One process at a time has it.
    pub fn resume(path: &Path, header: &Value) -> Result<(Journal, Vec<NumberedGame>, bool), JournalError> {
        let mut games = Vec::new();
        let expected = |_: &Value| header.clone();
        let (mut journal, torn) = Journal::resume(&KIND, path, header, expected, reader(&mut games))?;
        journal.begin()?;
        Ok((journal, games, torn))
    }
}

/// Reads the entries of a file, the header first, and adds its games.
fn reader(games: &mut Vec<NumberedGame>) -> impl FnMut(Entry<'_>) -> Result<(), String> {
    let mut start = None;
    move |entry| {
        match entry {
            Entry::Record(content) => {
                games.push(from_bytes(content, start.as_ref().ok_or("a game before the header")?)?);
            }
            Entry::Header(header) => {
                let about = &header["selfplay"];
                let format = &about["format"];
                if *format != FORMAT && *format != EARLY_FORMAT {
                    let reads = format!("where this version reads {EARLY_FORMAT} and {FORMAT}");
                    return Err(format!("self-play format {format}, {reads}"));
                }
                let fen = about["start"].as_str().unwrap_or_default().parse::<Fen>();
                start = Some(fen.map_err(|error| format!("start: {error}"))?.0);
            }
        }
        Ok(())
    }
}

/// Writes a self-play file of games that were played elsewhere: all from one position, and played
/// out. They have no visit shares. A move without a value is written as one of the opening, which
/// no training takes as a target.
pub(crate) fn file_of(games: &[Game], source: &str) -> Result<Vec<u8>, String> {
    const EXPECTED: &str = "expected games that were played out, all from one position";
    let error = |number: u32, state| format!("game {} {state}: {EXPECTED}", number + 1);
    let start = games.first().ok_or_else(|| error(0, "is missing"))?.start();
    let header = json!({"selfplay": {"format": FORMAT, "start": start, "converted": source}});
    let mut bytes = header_line(&header).into_bytes();
    for (number, game) in (0..).zip(games) {
        if game.start() != start {
            return Err(error(number, "begins elsewhere than the first"));
        }
        if game.position().winner().is_none() {
            return Err(error(number, "is unfinished"));
        }
        bytes.extend(framed(&to_bytes(number, game)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::game::tests::tiny;
    use super::super::sample::samples;
    use super::super::selfplay::{SelfPlayRecipe, tests::quick};
    use super::*;
    use crate::scratch::Scratch;

    fn written(path: &Path, recipe: &SelfPlayRecipe, games: u32) -> Vec<u8> {
        let (mut file, ..) = GamesFile::resume(path, &recipe.header()).unwrap();
        (0..games).for_each(|number| file.append(&to_bytes(number, &recipe.play(number))).unwrap());
        fs::read(path).unwrap()
    }

    #[test]
    fn a_torn_last_record_is_cut_off_and_written_again() {
        let scratch = Scratch::new("torn");
        let path = scratch.join("games");
        let recipe = quick();
        let played = [0, 1].map(|number| (number, recipe.play(number)));
        let whole = written(&path, &recipe, 2);
        // A reader takes what is there and leaves the rest to the writer.
        let contents = GamesFile::parse(&path, &whole[..whole.len() - 20]).unwrap().unwrap();
        assert_eq!(contents.games[..], played[..1]);
        assert_eq!((contents.games[0].1.start(), &contents.header), (&recipe.start, &recipe.header()));
        fs::write(&path, &whole[..whole.len() - 20]).unwrap();
        let (mut file, games, torn) = GamesFile::resume(&path, &recipe.header()).unwrap();
        assert_eq!((&games[..], torn), (&played[..1], true));
        file.append(&to_bytes(1, &played[1].1)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn strangers_are_refused_and_left_as_they_are() {
        let scratch = Scratch::new("strangers");
        let path = scratch.join("games");
        let recipe = quick();
        let mut other = recipe.clone();
        other.engine.parameters.set_pair("exploration=0.9").unwrap();
        let before = written(&path, &other, 1);
        let open = GamesFile::resume(&path, &other.header()).unwrap();
        assert!(matches!(GamesFile::resume(&path, &other.header()), Err(JournalError::Busy { .. })));
        drop(open);
        let error = GamesFile::resume(&path, &recipe.header()).unwrap_err().to_string();
        assert!(error.contains("selfplay.parameters.exploration is 0.9 there and 0."), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        let damaged = [&before[..before.len() - 9], b"123456789", &before[before.len() - 50..]].concat();
        let strange = ["my notes", "my notes\n", "{}\n", "{\"selfplay\":{}}\n", "{\"selfplay\":1}\nx"];
        for bytes in strange.map(str::as_bytes).into_iter().chain([&damaged[..]]) {
            fs::write(&path, bytes).unwrap();
            GamesFile::parse(&path, bytes).unwrap_err();
            GamesFile::resume(&path, &other.header()).unwrap_err();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn reads_a_file_of_an_earlier_version_and_adds_nothing() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/journals/games-2.bin");
        let whole = fs::read(&path).unwrap();
        let contents = GamesFile::parse(&path, &whole[..]).unwrap().unwrap();
        assert_eq!(contents.games.len(), 3);
        let error = GamesFile::resume(&path, &contents.header).unwrap_err().to_string();
        assert!(error.contains("an earlier version wrote it: this one reads it and adds nothing"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), whole);
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

    #[test]
    fn converted_games_make_no_targets_of_moves_that_no_search_chose() {
        let game = tiny();
        let again = |game: &Game| {
            let bytes = file_of(std::slice::from_ref(game), "a test").unwrap();
            GamesFile::parse(Path::new("a test"), &bytes[..]).unwrap().unwrap().games.remove(0)
        };
        assert_eq!(again(&game), (0, game.clone()));
        // A game without values, as people play it, has no targets.
        let bare = Game::of(*game.start(), &game.moves()).unwrap();
        assert_eq!(samples(&again(&bare).1).count(), 0);
    }
}
