//! Files of games in every format that programs of this game use: told apart, read, written.
//!
//! [`read`] finds the format of some bytes by itself and gives their [`Game`]s; [`write()`] is the way
//! back. The notations SGF, GGF and lists of moves are the rules' own ([`game`](crate::game)); Botzone
//! logs, match records and self-play files are read by the rooms that write them. `guide.md` says what
//! each format keeps. Users above: `quiver convert`, `replay`, `analyze`, `match --openings`, and the
//! page of `quiver serve`.

mod format;

use std::path::Path;

use crate::botzone::match_log::{self, FormError, SourceError, WrittenError, check, unpack, written};
use crate::botzone::{Content, RequestError, RequestReader};
use crate::contest::conversion as record;
use crate::game::ggf::{self, GgfError};
use crate::game::move_list::{self, MoveListError, StartChoice};
use crate::game::sgf::{self, SgfError};
use crate::game::{Coordinates, FoundGame, Game, SizeError, SyntaxError};
use crate::training::{FileError, conversion as self_play};
pub use format::Format;

/// A game of a file.
#[derive(Debug)]
pub struct Found {
    /// The line it begins on, from 1; in a self-play file, which has no lines, its number from 1.
    pub line: usize,
    /// The game, or why it cannot be read.
    pub game: Result<Game, ReadError>,
}

/// Why bytes hold no game.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is nothing.
    #[error("it is empty: expected a game")]
    Empty,
    /// It is neither text nor a self-play file.
    #[error("neither text nor a self-play file: expected {}", Format::LIST)]
    NotText,
    /// The file cannot be unpacked, or holds no log.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A match is no log.
    #[error("as a Botzone log: {0}")]
    Log(#[from] FormError),
    /// A Botzone log contradicts the rules.
    #[error("a Botzone log that disagrees with the rules: {0}")]
    Disagreement(String),
    /// The input of a bot cannot be read.
    #[error("as the input of a Botzone bot: {0}")]
    Request(#[from] RequestError),
    /// The input of a bot names squares that no board has.
    #[error("as the input of a Botzone bot: {0} are no squares of a board")]
    Numbers(Coordinates),
    /// The brackets of SGF or GGF are wrong.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A game is no SGF.
    #[error("as SGF: {0}")]
    Sgf(#[from] SgfError),
    /// A game is no GGF.
    #[error("as GGF: {0}")]
    Ggf(#[from] GgfError),
    /// A line is no line of a record.
    #[error("as a line of a match record: {0}")]
    Record(String),
    /// A self-play file is damaged.
    #[error(transparent)]
    SelfPlay(#[from] FileError),
    /// It is no list of moves.
    #[error(transparent)]
    Moves(#[from] MoveListError),
}

/// Why games cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// There is nothing to write.
    #[error("no games: expected at least one")]
    Empty,
    /// A game is on a board that GGF does not know.
    #[error("game {number}: GGF has square boards only, and {cause}")]
    Ggf {
        /// The game, from 1.
        number: usize,
        /// Its board.
        cause: SizeError,
    },
    /// A game begins where none on Botzone does.
    #[error("game {number}: {cause}")]
    Log {
        /// The game, from 1.
        number: usize,
        /// Why.
        cause: WrittenError,
    },
    /// A game cannot be a line of a record.
    #[error("as a match record: {0}")]
    Record(#[from] record::ConversionError),
    /// A game cannot be material to learn from.
    #[error("as a self-play file: {0}")]
    SelfPlay(#[from] self_play::ConversionError),
}

/// Reads every game of a file, plain or gzip, in order. `path` is what messages call it. Moves
/// without a position begin where `choice` says.
///
/// # Errors
/// If it holds no game of any format; a game that cannot be read is an entry of the list.
pub fn read(path: &Path, bytes: &[u8], choice: StartChoice) -> Result<(Format, Vec<Found>), ReadError> {
    if Format::of(bytes) == Some(Format::SelfPlay) {
        let games = self_play::games(path, bytes)?.into_iter().map(Ok);
        let found = (1..).zip(games).map(|(line, game)| Found { line, game });
        return Ok((Format::SelfPlay, found.collect()));
    }
    let bytes = unpack(bytes)?;
    let format = Format::of(&bytes).ok_or(ReadError::Empty)?;
    if format == Format::Botzone {
        return Ok((format, logs(&bytes)?));
    }
    let text = String::from_utf8(bytes).map_err(|_| ReadError::NotText)?;
    let text = text.trim_start_matches('\u{feff}');
    let found = match format {
        Format::Sgf => found(sgf::read(text)?),
        Format::Ggf => found(ggf::read(text)?),
        Format::Record => {
            let games = record::games(text).into_iter();
            games
                .map(|FoundGame { line, game }| Found { line, game: game.map_err(ReadError::Record) })
                .collect()
        }
        Format::Request => vec![Found { line: 1, game: request(text, choice) }],
        Format::Moves | Format::Botzone | Format::SelfPlay => found(move_list::read(text, choice)),
    };
    if found.is_empty() { Err(ReadError::Empty) } else { Ok((format, found)) }
}

fn found<E: Into<ReadError>>(games: Vec<FoundGame<E>>) -> Vec<Found> {
    let convert = |FoundGame { line, game }: FoundGame<E>| Found { line, game: game.map_err(Into::into) };
    games.into_iter().map(convert).collect()
}

fn logs(bytes: &[u8]) -> Result<Vec<Found>, ReadError> {
    let convert = |found: match_log::Found| {
        let game = found.log.map_err(ReadError::Log).and_then(|log| {
            let replay = check(&log);
            match replay.disagreements.first() {
                None => Ok(match_log::game(&log, &replay)),
                Some(first) => Err(ReadError::Disagreement(first.to_string())),
            }
        });
        Found { line: found.line, game }
    };
    Ok(match_log::read(bytes)?.into_iter().map(convert).collect())
}

/// What a bot is sent: the whole history in one object.
fn request(text: &str, choice: StartChoice) -> Result<Game, ReadError> {
    // The judge writes it on one line, people who show it may not.
    let line =
        serde_json::from_str::<serde_json::Value>(text).map_or(text.to_owned(), |json| json.to_string());
    let history = match RequestReader::default().feed(&line)?.map(|request| request.content) {
        Some(Content::History(history)) => history,
        Some(Content::Turn(one)) => vec![one],
        None => Vec::new(),
    };
    let known = history.into_iter().filter(|&numbers| numbers != Coordinates::NONE);
    let moves = known.map(|numbers| numbers.full_move().ok_or(ReadError::Numbers(numbers)));
    Ok(move_list::from_start(&moves.collect::<Result<Vec<_>, _>>()?, choice)?)
}

/// Writes games as one file. `source` says in files that keep it where the games are from.
///
/// # Errors
/// If there is no game, or the format cannot hold one.
pub fn write(format: Format, games: &[Game], source: &str) -> Result<Vec<u8>, WriteError> {
    if games.is_empty() {
        return Err(WriteError::Empty);
    }
    let numbered = || (1..).zip(games);
    Ok(match format {
        Format::Sgf => sgf::write(games).into_bytes(),
        Format::Ggf => {
            let texts = numbered()
                .map(|(number, game)| ggf::write(game).map_err(|cause| WriteError::Ggf { number, cause }));
            texts.collect::<Result<String, _>>()?.into_bytes()
        }
        Format::Botzone => {
            let logs = numbered().map(|(number, game)| {
                let log = written(game).map_err(|cause| WriteError::Log { number, cause })?;
                Ok(format!("{log}\n"))
            });
            logs.collect::<Result<String, WriteError>>()?.into_bytes()
        }
        Format::Record => record::record(games, source)?.into_bytes(),
        Format::SelfPlay => self_play::file(games, source)?,
        Format::Moves | Format::Request => {
            games.iter().map(move_list::write).collect::<String>().into_bytes()
        }
    })
}
