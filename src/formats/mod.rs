//! Reads and writes files of games in every format.
//!
//! [`analysis::formats`](crate::analysis::formats) reads and writes most formats. This module adds
//! match records and gzip. `guide.md` says which facts of a game each format stores.

use std::borrow::Cow;

use amazons::Position;
use flate2::read::MultiGzDecoder;

use crate::InputError;
use crate::analysis::formats::{self, check_games, is_match_record, no_game_error};
pub use crate::analysis::formats::{
    CheckedGame, Decoded, Disagreement, Format, FoundGames, contest_record, decode, judge_log, pgn,
};
use crate::contest::record;
use crate::files;
use crate::games::{FoundGame, Game};

/// The largest size of an uncompressed file in bytes. Only a match record may be larger.
const MAX_BYTES: u64 = 64 << 20;

/// The uncompressed bytes of a file of games, which may be packed by gzip.
///
/// # Errors
/// If the packed file is damaged, or if the uncompressed file is too large.
pub fn unpack_gzip(bytes: &[u8]) -> Result<Cow<'_, [u8]>, InputError> {
    let refused = |text: String| Err(InputError(text));
    match bytes {
        [0x1f, 0x8b, ..] => match files::read_all(MultiGzDecoder::new(bytes), MAX_BYTES) {
            Ok(unpacked) => Ok(Cow::Owned(unpacked)),
            Err(error) => refused(format!("gzip that cannot be unpacked: {error}")),
        },
        [b'P', b'K', 3 | 5, ..] => {
            refused("a zip archive: expected its files, unpacked (gzip is read as it is)".to_owned())
        }
        _ if bytes.len() as u64 > MAX_BYTES && !is_match_record(bytes) => {
            refused(format!("more than {MAX_BYTES} bytes: expected at most {MAX_BYTES}"))
        }
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

/// Returns the games of a file. A game becomes an error if the file states something about the
/// game, such as the winner, that contradicts the rules.
pub fn reject_disagreements((format, found): FoundGames) -> impl Iterator<Item = FoundGame> {
    let trusted = move |checked: CheckedGame| match checked.disagreements.first() {
        Some(first) => Err(InputError(format!("{format} that disagrees with the rules: {first}"))),
        None => Ok(checked.game),
    };
    found.into_iter().map(move |FoundGame { line, game }| FoundGame { line, game: game.and_then(trusted) })
}

/// Reads every game of a file, which may be packed by gzip. A list of moves without a position
/// begins at the first of `starts` from which the moves are legal.
///
/// # Errors
/// If the file holds no game of any format. The error of a single game is an entry of the list.
pub fn read(bytes: &[u8], starts: &[Position]) -> Result<FoundGames, InputError> {
    let bytes = unpack_gzip(bytes)?;
    let Decoded { text, .. } = decode(&bytes);
    if Format::of_content(&text) != Some(Format::Record) {
        return formats::read(&bytes, starts);
    }
    let records = record::games(&text);
    let games = records.map(|it| FoundGame { line: it.line, game: it.game.map(|it| it.game) });
    let found = check_games(games, "as a line of a match record");
    if found.is_empty() { Err(no_game_error()) } else { Ok((Format::Record, found)) }
}

/// Writes games as one file. Formats with a field for the origin of the games get `source`.
pub fn write(format: Format, games: &[Game], source: &str) -> Result<String, InputError> {
    if format != Format::Record || games.is_empty() {
        return formats::write(format, games, source);
    }
    record::text_of_games(games, source).map_err(|cause| cause.at("as a match record"))
}
