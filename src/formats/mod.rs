//! Files of games in every format that programs of this game use: told apart, read, written.
//!
//! [`read`] finds the format of some bytes by itself and gives their [`Game`]s; [`write()`] is the
//! way back. The notations SGF, GGF and lists of moves are the rules' own ([`game`](crate::game));
//! Botzone logs and match records are read by the rooms that write them.
//! `guide.md` says what each format keeps. Users above: `quiver convert`, `replay`, `analyze`,
//! `match --openings`, and the page of `quiver serve`.

mod format;
mod pgn;

use std::borrow::Cow;

use flate2::read::MultiGzDecoder;

use crate::botzone::match_log;
use crate::botzone::request::{Request, RequestBody};
use crate::botzone::{CheckedGame, judge_log};
use crate::contest::{GameRecord, record};
use crate::files;
use crate::game::move_list::{self, MoveListStart};
use crate::game::{Coordinates, FoundGame, Game, InputError, ggf, sgf};
pub use format::Format;
use format::is_record;

/// The most bytes that a file holds when it is unpacked; a plain record may be longer.
const MOST_BYTES: u64 = 64 << 20;

fn empty() -> InputError {
    InputError("it is empty: expected a game".to_owned())
}

/// The format of a file, and its games.
pub type Found = (Format, Vec<FoundGame<CheckedGame>>);

/// The bytes of a file of games, unpacked if they are gzip.
///
/// # Errors
/// If it is damaged, or longer than any file of games.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, InputError> {
    let refused = |text: String| Err(InputError(text));
    match bytes {
        [0x1f, 0x8b, ..] => match files::read_all(MultiGzDecoder::new(bytes), MOST_BYTES) {
            Ok(unpacked) => Ok(Cow::Owned(unpacked)),
            Err(error) => refused(format!("gzip that cannot be unpacked: {error}")),
        },
        [b'P', b'K', 3 | 5, ..] => {
            refused("a zip archive: expected its files, unpacked (gzip is read as it is)".to_owned())
        }
        _ if bytes.len() as u64 > MOST_BYTES && !is_record(bytes) => {
            refused(format!("more than {MOST_BYTES} bytes: expected at most that"))
        }
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

/// The games alone; a Botzone log that disagrees with the rules is none.
pub fn trusted((format, found): Found) -> impl Iterator<Item = FoundGame> {
    let trusted = move |checked: CheckedGame| match checked.disagreements.first() {
        Some(first) if format == Format::Botzone => {
            Err(InputError(format!("a Botzone log that disagrees with the rules: {first}")))
        }
        _ => Ok(checked.game),
    };
    found.into_iter().map(move |FoundGame { line, game }| FoundGame { line, game: game.and_then(trusted) })
}

/// Reads every game of a file, plain or gzip, in order, each with the contradictions between the
/// file and the rules. Moves without a position begin where `choice` says.
///
/// # Errors
/// If it holds no game of any format; a game that cannot be read is an entry of the list.
pub fn read(bytes: &[u8], choice: MoveListStart) -> Result<Found, InputError> {
    let bytes = unpacked(bytes)?;
    let format = Format::of(&bytes).ok_or_else(empty)?;
    let found = match format {
        Format::Sgf => found(sgf::read(text(&bytes)?)?, "as SGF"),
        Format::Ggf => found(ggf::read(text(&bytes)?)?, "as GGF"),
        Format::Botzone => found(match_log::read(&String::from_utf8_lossy(&bytes))?, "as a Botzone log"),
        Format::Record => {
            let game =
                |it: FoundGame<GameRecord>| FoundGame { line: it.line, game: it.game.map(|it| it.game) };
            found(record::games(text(&bytes)?).map(game), "as a line of a match record")
        }
        Format::Request => {
            let game = request(text(&bytes)?, choice);
            found([FoundGame { line: 1, game }], "as the input of a Botzone bot")
        }
        Format::Moves | Format::Pgn => found(move_list::read(text(&bytes)?, choice), ""),
    };
    if found.is_empty() { Err(empty()) } else { Ok((format, found)) }
}

/// The text of an unpacked file, without a byte order mark.
///
/// # Errors
/// If it is not UTF-8, as the binary self-play files of earlier versions are not.
pub fn text(bytes: &[u8]) -> Result<&str, InputError> {
    let not_text = |_| {
        let early = "the version that wrote a binary self-play file converts it to SGF";
        InputError(format!("not text: expected {} ({early})", Format::LIST))
    };
    Ok(str::from_utf8(bytes).map_err(not_text)?.trim_start_matches('\u{feff}'))
}

/// The games of a file, each error with the form that it was read in, if this says more.
fn found<G: Into<CheckedGame>>(
    games: impl IntoIterator<Item = FoundGame<G>>,
    form: &str,
) -> Vec<FoundGame<CheckedGame>> {
    let checked = |game: Result<G, InputError>| {
        game.map(G::into).map_err(|error| if form.is_empty() { error } else { error.at(form) })
    };
    games.into_iter().map(|it| FoundGame { line: it.line, game: checked(it.game) }).collect()
}

/// A request to a bot: the whole history in one object.
fn request(text: &str, choice: MoveListStart) -> Result<Game, InputError> {
    let history = match text.trim().parse::<Request>()?.content {
        RequestBody::History(history) => history,
        RequestBody::Turn(one) => vec![one],
    };
    let known = history.into_iter().filter(|&numbers| numbers != Coordinates::NONE);
    let full_move = |numbers: Coordinates| {
        let error = || InputError(format!("{numbers} are no squares of a board"));
        numbers.full_move().ok_or_else(error)
    };
    move_list::from_start(&known.map(full_move).collect::<Result<Vec<_>, _>>()?, choice)
}

/// Writes games as one file. `source` says in files that keep it where the games are from.
pub fn write(format: Format, games: &[Game], source: &str) -> Result<Vec<u8>, InputError> {
    if games.is_empty() {
        return Err(InputError("no games: expected at least one".to_owned()));
    }
    let each = |write: &dyn Fn(&Game) -> Result<String, InputError>| {
        let one = |(number, game)| write(game).map_err(|cause| cause.at(format_args!("game {number}")));
        (1..).zip(games).map(one).collect::<Result<String, _>>()
    };
    Ok(match format {
        Format::Sgf => sgf::write(games).into_bytes(),
        Format::Ggf => each(&ggf::write)?.into_bytes(),
        Format::Botzone => each(&|game| Ok(format!("{}\n", judge_log(game)?)))?.into_bytes(),
        Format::Record => {
            let record = record::of_games(games, source);
            record.map_err(|cause| cause.at("as a match record"))?.into_bytes()
        }
        Format::Moves | Format::Request => {
            games.iter().map(move_list::write).collect::<String>().into_bytes()
        }
        Format::Pgn => pgn::write(games, source).into_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the games of a text, moves without a position on 10x10 first.
    fn found(text: &str) -> Result<Vec<FoundGame<CheckedGame>>, InputError> {
        Ok(read(text.as_bytes(), MoveListStart::From(10))?.1)
    }

    #[test]
    fn every_form_is_told_from_the_others() {
        let history = r#""requests":[{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}],"responses":[]"#;
        let data = format!(r#""data":"{}""#, "x".repeat(5_000));
        for (text, plies, board) in [
            (include_str!("../../tests/data/judge_logs/random-1.json"), 48, "8x8"),
            (include_str!("../../tests/data/botzone/history-8x8.json"), 4, "8x8"),
            // The history of a request, wherever its key stands.
            (&format!("{{{history},{data}}}"), 0, "10x10"),
            (&format!(" {{\n {data},\n {history}}}\n"), 0, "10x10"),
            ("Q1q w", 0, "3x1"),
            ("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1", 0, "10x10"),
            ("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w moves d1d7,d7g7", 1, "10x10"),
            ("1. d1-d7/g7 2. a7-b7/b1", 2, "10x10"),
            ("1.d1-d7/g7; a7-b7/b1,", 2, "10x10"),
            ("c1-c3/c5\na6-b6/b5", 2, "8x8"),
            ("-1 -1 -1 -1 -1 -1\n3 0 3 6 6 6", 1, "10x10"),
            ("startpos moves d1d7,d7g7", 1, "10x10"),
            ("(;GM[18];B[djddgd];W[addgad])", 2, "10x10"),
            ("(C) a club\n( ;GM[18];B[djddgd])\n(no game)", 1, "10x10"),
            ("from the server (GGS)\n(;GM[Amazons]BO[3 *-- --- --O *]B[A1-A2-A1];)", 1, "3x3"),
        ] {
            let [found] = found(text).unwrap().try_into().unwrap();
            let game = found.game.unwrap().game;
            assert_eq!((game.plies().len(), &*game.start().size().to_string()), (plies, board), "{text}");
        }
        // Deeper in an object the key means something else.
        for text in [r#"{"log":{"requests":[]}}"#, r#"{"note":"\"requests\""}"#, "{", r#"{"log":"#] {
            assert_eq!(Format::of(text.as_bytes()), Some(Format::Botzone), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_for_what_it_looks_like() {
        for (text, expected) in [
            ("", "it is empty"),
            ("hello world", "as a list of moves: 'hello'"),
            ("3/2/3 w", "a position that cannot be read: row 2"),
            ("[1]", "as a Botzone log: entry 0"),
            ("{\"requests\":5}", "the input of a Botzone bot"),
            ("(;GM[1])", "as SGF: a game of the kind GM[1]"),
            ("(C) a club", "expected a game, which begins with '(;'"),
            ("d1-d7/g7 d1-d2/d3", "on 10x10: move 2, d1-d2/d3: d1 holds nothing"),
            ("Q1q w c1-b1/c1", "move 1, c1-b1/c1: "),
        ] {
            let found = found(text).and_then(|mut found| found.remove(0).game);
            let error = found.unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
