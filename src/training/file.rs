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

/// The version of the file's form. Format 2 had no checksums of the header and of each length.
pub(super) const FORMAT: u32 = 3;

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
fn reader(games: &mut Vec<NumberedGame>) -> impl FnMut(Entry) -> Result<(), String> {
    let mut start = None;
    move |entry| {
        match entry {
            Entry::Record(content) => {
                games.push(from_bytes(&content, start.as_ref().ok_or("a game before the header")?)?);
            }
            Entry::Header(header) => {
                let about = &header["selfplay"];
                let format = &about["format"];
                if *format != FORMAT {
                    return Err(format!("self-play format {format}, where this version reads {FORMAT}"));
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
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn strangers_and_earlier_formats_are_refused_and_left_as_they_are() {
        let scratch = Scratch::new("strangers");
        let path = scratch.join("games");
        for (text, expected) in [
            ("my notes", "line 1, byte 0: a last line without an end that this program did not begin"),
            ("my notes\n", "no header, which begins with {\"selfplay\":"),
            ("{\"selfplay\":{}}\n", "self-play format null, where this version reads 3"),
            ("{\"selfplay\":1}\nx", "self-play format null, where this version reads 3"),
            ("{\"selfplay\":{\"format\":2}}\nx", "self-play format 2, where this version reads 3"),
            ("{\"selfplay\":{\"format\":3,\"start\":\"1/1 w\"}}\n", "the header's checksum is missing"),
        ] {
            fs::write(&path, text).unwrap();
            let read = GamesFile::parse(&path, text.as_bytes()).unwrap_err().to_string();
            let resumed = GamesFile::resume(&path, &quick().header()).unwrap_err().to_string();
            assert!(read.contains(expected) && resumed == read, "{text}: {read}, {resumed}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
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
