//! Files of games in every format that programs of this game use: told apart, read, written.
//!
//! [`read`] finds the format of some bytes by itself and gives their [`Game`]s; [`write()`] is the
//! way back. The notations SGF, GGF and lists of moves are the rules' own ([`game`](crate::game));
//! Botzone logs, match records and self-play files are read by the rooms that write them.
//! `guide.md` says what each format keeps. Users above: `quiver convert`, `replay`, `analyze`,
//! `match --openings`, and the page of `quiver serve`.

mod format;

use std::borrow::Cow;
use std::path::Path;

use crate::botzone::match_log::{self, FormError, SourceError, unpack};
use crate::botzone::request::{Request, RequestBody, RequestError};
use crate::botzone::{CheckedGame, NoStart, judge_log};
use crate::contest::{GameRecord, conversion as record};
use crate::files::JournalError;
use crate::game::ggf::{self, GgfError};
use crate::game::move_list::{self, MoveListError, MoveListStart};
use crate::game::sgf::{self, SgfError};
use crate::game::{Coordinates, FoundGame, Game, SizeError, SyntaxError};
use crate::training::conversion as self_play;
pub use format::Format;
use format::is_self_play;

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
    SelfPlay(#[from] JournalError),
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
        cause: NoStart,
    },
    /// A game cannot be a line of a record.
    #[error("as a match record: {0}")]
    Record(#[from] record::ConversionError),
    /// A game cannot be material to learn from.
    #[error("as a self-play file: {0}")]
    SelfPlay(#[from] self_play::SelfPlayConversionError),
}

/// The bytes of a file of games, unpacked if they are gzip.
///
/// # Errors
/// If they cannot be unpacked, or are more than a file of games may hold.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ReadError> {
    // A plain self-play file may be longer than what `unpack` takes.
    Ok(if is_self_play(bytes) { Cow::Borrowed(bytes) } else { Cow::Owned(unpack(bytes)?) })
}

/// Reads every game of a file, plain or gzip, in order. `path` is what messages call it. Moves
/// without a position begin where `choice` says. A Botzone log that disagrees with the rules is no
/// game; [`read_checked`] gives it with its contradictions.
///
/// # Errors
/// If it holds no game of any format; a game that cannot be read is an entry of the list.
pub fn read(
    path: &Path,
    bytes: &[u8],
    choice: MoveListStart,
) -> Result<(Format, Vec<FoundGame<ReadError>>), ReadError> {
    let (format, found) = read_checked(path, bytes, choice)?;
    let trusted = |checked: CheckedGame| match checked.disagreements.first() {
        Some(first) if format == Format::Botzone => Err(ReadError::Disagreement(first.to_string())),
        _ => Ok(checked.game),
    };
    let found =
        found.into_iter().map(|FoundGame { line, game }| FoundGame { line, game: game.and_then(trusted) });
    Ok((format, found.collect()))
}

/// Reads every game of a file as [`read`] does, each with the contradictions between the file and
/// the rules.
///
/// # Errors
/// If it holds no game of any format; a game that cannot be read is an entry of the list.
pub fn read_checked(
    path: &Path,
    bytes: &[u8],
    choice: MoveListStart,
) -> Result<(Format, Vec<FoundGame<ReadError, CheckedGame>>), ReadError> {
    let bytes = unpacked(bytes)?;
    let format = Format::of(&bytes).ok_or(ReadError::Empty)?;
    let found = match format {
        Format::Sgf => found(sgf::read(text(&bytes)?)?),
        Format::Ggf => found(ggf::read(text(&bytes)?)?),
        Format::Botzone => found(match_log::read(&*bytes)?),
        Format::Record => {
            let games = record::games(text(&bytes)?);
            let game = |FoundGame { line, game }: FoundGame<String, GameRecord>| {
                let game = game.map(|record| record.game).map_err(ReadError::Record);
                FoundGame { line, game }
            };
            found(games.map(game).collect())
        }
        Format::SelfPlay => {
            let games = self_play::games(path, &bytes)?.into_iter().map(Ok::<_, ReadError>);
            found((1..).zip(games).map(|(line, game)| FoundGame { line, game }).collect())
        }
        Format::Request => found(vec![FoundGame { line: 1, game: request(text(&bytes)?, choice) }]),
        Format::Moves => found(move_list::read(text(&bytes)?, choice)),
    };
    if found.is_empty() { Err(ReadError::Empty) } else { Ok((format, found)) }
}

fn text(bytes: &[u8]) -> Result<&str, ReadError> {
    let text = str::from_utf8(bytes).map_err(|_| ReadError::NotText)?;
    Ok(text.trim_start_matches('\u{feff}'))
}

fn found<E: Into<ReadError>, G: Into<CheckedGame>>(
    games: Vec<FoundGame<E, G>>,
) -> Vec<FoundGame<ReadError, CheckedGame>> {
    let convert = |FoundGame { line, game }: FoundGame<E, G>| FoundGame {
        line,
        game: game.map(Into::into).map_err(Into::into),
    };
    games.into_iter().map(convert).collect()
}

/// What a bot is sent: the whole history in one object.
fn request(text: &str, choice: MoveListStart) -> Result<Game, ReadError> {
    // The judge writes it on one line, people who show it may not.
    let line =
        serde_json::from_str::<serde_json::Value>(text).map_or(text.to_owned(), |json| json.to_string());
    let history = match line.parse::<Request>()?.content {
        RequestBody::History(history) => history,
        RequestBody::Turn(one) => vec![one],
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
                let log = judge_log(game).map_err(|cause| WriteError::Log { number, cause })?;
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read_all(bytes: &[u8]) -> Result<(Format, Vec<Game>), ReadError> {
        let (format, found) = read(Path::new("the file"), bytes, MoveListStart::From(8))?;
        Ok((format, found.into_iter().map(|found| found.game).collect::<Result<_, _>>()?))
    }

    #[test]
    fn reads_every_format_plain_or_gzip() {
        // A finished game, which every format can hold.
        let (_, games) = read_all(b"(;GM[18]SZ[2]AB[aa]AW[bb]AA[ab]PL[B];B[aabaaa])").expect("a game");
        assert!(games[0].position().winner().is_some());
        for format in [Format::Sgf, Format::Ggf, Format::Record, Format::SelfPlay, Format::Moves] {
            let plain = write(format, &games, "a test").expect("a file");
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(&plain).expect("memory");
            for bytes in [plain, packed.finish().expect("memory")] {
                let (found, again) = read_all(&bytes).unwrap_or_else(|error| panic!("{format}: {error}"));
                assert_eq!((found, again.len()), (format, 1));
                assert_eq!(again[0].moves(), games[0].moves(), "{format}");
            }
        }
    }

    #[test]
    fn finds_the_history_of_a_request_wherever_its_key_stands() {
        let history = r#""requests":[{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}],"responses":[]"#;
        let data = format!(r#""data":"{}""#, "x".repeat(5_000));
        for text in [format!("{{{history},{data}}}"), format!(" {{\n {data},\n {history}}}\n")] {
            let (format, games) = read_all(text.as_bytes()).expect("a request");
            assert_eq!((format, games[0].plies().len()), (Format::Request, 0));
        }
        // Deeper in an object the key means something else.
        for text in [r#"{"log":{"requests":[]}}"#, r#"{"note":"\"requests\""}"#, "{", r#"{"log":"#] {
            assert_eq!(Format::of(text.as_bytes()), Some(Format::Botzone), "{text}");
        }
    }

    #[test]
    fn passes_over_text_around_games() {
        let text = "(C) a club\n(;GM[18];B[djddgd])\n(no game)\n( ;GM[18];B[djddgd])";
        let (format, games) = read_all(text.as_bytes()).expect("two games");
        assert_eq!((format, games.len()), (Format::Sgf, 2));
        let ggf = "from the server (GGS)\n(;GM[Amazons]BO[3 *-- --- --O *]B[A1-A2-A1];)";
        assert_eq!(read_all(ggf.as_bytes()).expect("a game").0, Format::Ggf);
        for text in ["()", "(C) a club"] {
            let error = read_all(text.as_bytes()).expect_err("no game").to_string();
            assert!(error.contains("expected a game, which begins with '(;'"), "{text}: {error}");
        }
    }
}
