//! Files of games in every format that programs of this game use: told apart, read, written.
//!
//! [`read`] finds the format of some bytes by itself and gives their [`Game`]s; [`write()`] is the
//! way back. The notations SGF, GGF and lists of moves are the rules' own ([`game`](crate::game));
//! Botzone logs, match records and self-play files are read by the rooms that write them.
//! `guide.md` says what each format keeps. Users above: `quiver convert`, `replay`, `analyze`,
//! `match --openings`, and the page of `quiver serve`.

mod format;
mod pgn;

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

use crate::botzone::match_log::{self, unpack};
use crate::botzone::request::{Request, RequestBody};
use crate::botzone::{CheckedGame, judge_log};
use crate::contest::{GameRecord, conversion as record};
use crate::game::move_list::{self, MoveListStart};
use crate::game::{Coordinates, FoundGame, Game, ggf, sgf};
use crate::training::conversion as self_play;
pub use format::Format;
use format::is_self_play;

/// The error of bytes that hold no game.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is nothing.
    #[error("it is empty: expected a game")]
    Empty,
    /// Anything else, with what was got and what was expected.
    #[error("{0}")]
    NoGame(String),
}

impl ReadError {
    fn new(error: impl Display) -> ReadError {
        ReadError::NoGame(error.to_string())
    }

    /// The error of bytes that were read as this.
    fn of<E: Display>(form: &str) -> impl Fn(E) -> ReadError + Copy + '_ {
        move |error| ReadError::NoGame(format!("as {form}: {error}"))
    }
}

/// The bytes of a file of games, unpacked if they are gzip.
///
/// # Errors
/// If they cannot be unpacked, or are more than a file of games may hold.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, ReadError> {
    // A plain self-play file may be longer than what `unpack` takes.
    Ok(if is_self_play(bytes) {
        Cow::Borrowed(bytes)
    } else {
        Cow::Owned(unpack(bytes).map_err(ReadError::new)?)
    })
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
        Some(first) if format == Format::Botzone => {
            Err(ReadError::new(format_args!("a Botzone log that disagrees with the rules: {first}")))
        }
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
        Format::Sgf => found(sgf::read(text(&bytes)?).map_err(ReadError::new)?, ReadError::of("SGF")),
        Format::Ggf => found(ggf::read(text(&bytes)?).map_err(ReadError::new)?, ReadError::of("GGF")),
        Format::Botzone => {
            found(match_log::read(&*bytes).map_err(ReadError::new)?, ReadError::of("a Botzone log"))
        }
        Format::Record => {
            let games = record::games(text(&bytes)?).map(|FoundGame { line, game }| {
                let game = game.map(|record: GameRecord| record.game);
                FoundGame { line, game }
            });
            found(games.collect(), ReadError::of("a line of a match record"))
        }
        Format::SelfPlay => {
            let games = self_play::games(path, &bytes).map_err(ReadError::new)?;
            let games = (1..).zip(games).map(|(line, game)| FoundGame { line, game: Ok(game) });
            found(games.collect(), |error: ReadError| error)
        }
        Format::Request => {
            let game = request(text(&bytes)?, choice);
            found(vec![FoundGame { line: 1, game }], |error| error)
        }
        Format::Moves | Format::Pgn => found(move_list::read(text(&bytes)?, choice), ReadError::new),
    };
    if found.is_empty() { Err(ReadError::Empty) } else { Ok((format, found)) }
}

fn text(bytes: &[u8]) -> Result<&str, ReadError> {
    let not_text =
        |_| ReadError::new(format_args!("neither text nor a self-play file: expected {}", Format::LIST));
    Ok(str::from_utf8(bytes).map_err(not_text)?.trim_start_matches('\u{feff}'))
}

fn found<E, G: Into<CheckedGame>>(
    games: Vec<FoundGame<E, G>>,
    error: impl Fn(E) -> ReadError,
) -> Vec<FoundGame<ReadError, CheckedGame>> {
    let convert = |FoundGame { line, game }: FoundGame<E, G>| FoundGame {
        line,
        game: game.map(Into::into).map_err(&error),
    };
    games.into_iter().map(convert).collect()
}

/// What a bot is sent: the whole history in one object.
fn request(text: &str, choice: MoveListStart) -> Result<Game, ReadError> {
    let no_request = ReadError::of("the input of a Botzone bot");
    // The judge writes it on one line, people who show it may not.
    let line =
        serde_json::from_str::<serde_json::Value>(text).map_or(text.to_owned(), |json| json.to_string());
    let history = match line.parse::<Request>().map_err(no_request)?.content {
        RequestBody::History(history) => history,
        RequestBody::Turn(one) => vec![one],
    };
    let known = history.into_iter().filter(|&numbers| numbers != Coordinates::NONE);
    let full_move = |numbers: Coordinates| {
        let no_squares = || {
            ReadError::of("the input of a Botzone bot")(format_args!("{numbers} are no squares of a board"))
        };
        numbers.full_move().ok_or_else(no_squares)
    };
    let moves = known.map(full_move).collect::<Result<Vec<_>, _>>()?;
    move_list::from_start(&moves, choice).map_err(ReadError::new)
}

/// Writes games as one file. `source` says in files that keep it where the games are from.
///
/// # Errors
/// If there is no game, or the format cannot hold one.
pub fn write(format: Format, games: &[Game], source: &str) -> Result<Vec<u8>, String> {
    if games.is_empty() {
        return Err("no games: expected at least one".to_owned());
    }
    let numbered = || (1..).zip(games);
    Ok(match format {
        Format::Sgf => sgf::write(games).into_bytes(),
        Format::Ggf => {
            let text = |(number, game)| ggf::write(game).map_err(|cause| format!("game {number}: {cause}"));
            numbered().map(text).collect::<Result<String, _>>()?.into_bytes()
        }
        Format::Botzone => {
            let log = |(number, game)| {
                let log = judge_log(game).map_err(|cause| format!("game {number}: {cause}"))?;
                Ok(format!("{log}\n"))
            };
            numbered().map(log).collect::<Result<String, String>>()?.into_bytes()
        }
        Format::Record => {
            record::record(games, source).map_err(|error| format!("as a match record: {error}"))?.into_bytes()
        }
        Format::SelfPlay => {
            self_play::file(games, source).map_err(|error| format!("as a self-play file: {error}"))?
        }
        Format::Moves | Format::Request => {
            games.iter().map(move_list::write).collect::<String>().into_bytes()
        }
        Format::Pgn => pgn::write(games, source).into_bytes(),
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
