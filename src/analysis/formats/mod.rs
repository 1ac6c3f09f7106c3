//! Detects, reads and writes the formats in which programs keep games of the Amazons.
//!
//! The crate [`amazons`] parses SGF, GGF and lists of moves. This module adds logs of Botzone and
//! further formats, but not match records, which only the program `quiver` reads and writes.

mod charset;
pub mod contest_record;
mod judge_log;
mod match_log;
pub mod pgn;
mod stages;

use std::fmt;

use amazons::{Position, ggf, move_list, sgf};
use quiver_bot::Coordinates;
use quiver_bot::InputError;
use quiver_bot::request::{JudgeRequest, RequestBody};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::games::{FoundGame, Game, MatchGame, found_from_notation};

pub use charset::{Decoded, decode};
pub use judge_log::judge_log;
pub use match_log::{CheckedGame, Disagreement, WrongMoveCounts};

/// A file format for games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The Smart Game Format. `GM[18]` is its mark for games of the Amazons.
    Sgf,
    /// The Generic Game Format of the server GGS.
    Ggf,
    /// A log of Botzone's judge.
    Botzone,
    /// Records of `quiver match --record` and `quiver selfplay`.
    Record,
    /// Moves or FENs, with one game on each line.
    Moves,
    /// The input of a Botzone bot. It can only be read.
    Request,
    /// PGN. It can only be written.
    Pgn,
    /// The record of the Chinese university contest.
    Contest,
    /// SGF with `GM[1]` and three nodes for each turn, from a graphical program for GTP engines.
    StagedSgf,
    /// JSON with three squares for each turn, from the program that writes [`Format::StagedSgf`].
    StagedJson,
}

/// The file formats, each with its file name extension and its name in messages.
const FILE_FORMATS: [(Format, &str, &str); 9] = [
    (Format::Sgf, "sgf", "SGF"),
    (Format::Ggf, "ggf", "GGF"),
    (Format::Botzone, "json", "Botzone log"),
    (Format::Record, "jsonl", "match record"),
    (Format::Moves, "txt", "list of moves"),
    (Format::Pgn, "pgn", "PGN"),
    (Format::Contest, "am", "record of the contest"),
    (Format::StagedSgf, "stages.sgf", "SGF with three nodes a turn"),
    (Format::StagedJson, "amazons.json", "JSON with three squares a turn"),
];

impl Format {
    /// Detects the format of a text; `None` if the text is only white space.
    pub fn of_content(text: &str) -> Option<Format> {
        let text = text.trim_start();
        match text.as_bytes() {
            [] => return None,
            _ if is_match_record(text.as_bytes()) => return Some(Format::Record),
            [b'{', ..] if is_bot_request(text) => return Some(Format::Request),
            [b'{', ..] if stages::is_staged_json(text) => return Some(Format::StagedJson),
            [b'[', b'A'..=b'Z', ..] => return Some(Format::Pgn),
            [b'{' | b'[' | b'"' | b'<', ..] => return Some(Format::Botzone),
            _ => {}
        }
        let head = &text[..text.floor_char_boundary(4096)];
        if head.contains(contest_record::RECORD_MARK) {
            return Some(Format::Contest);
        }
        let compact: String = head.chars().filter(|character| !character.is_whitespace()).collect();
        // SGF and GGF may have other text before the first game.
        Some(if !compact.starts_with('(') && !compact.contains("(;") {
            Format::Moves
        } else if compact.contains("BO[") || (compact.contains("GM[Amazons]") && compact.contains(";)")) {
            Format::Ggf
        } else if stages::is_staged_sgf(&compact) {
            Format::StagedSgf
        } else {
            Format::Sgf
        })
    }

    /// Finds the format by the extension of a file name. `name` may be the extension alone.
    pub fn of_file_name(name: &str) -> Option<Format> {
        let ends = |extension: &str| {
            name.strip_suffix(extension).is_some_and(|stem| stem.is_empty() || stem.ends_with('.'))
        };
        let named = FILE_FORMATS.into_iter().filter(|(_, extension, _)| ends(extension));
        named.max_by_key(|(_, extension, _)| extension.len()).map(|(format, ..)| format)
    }

    /// The extensions of the formats that can be written.
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        let written = FILE_FORMATS.into_iter().filter(|(format, ..)| *format != Format::Ggf);
        written.map(|(_, extension, _)| extension)
    }
}

fn trim_start_bom_and_space(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start()
}

/// True if these bytes begin like a file that `quiver match --record` writes.
pub fn is_match_record(bytes: &[u8]) -> bool {
    trim_start_bom_and_space(bytes).starts_with(b"{\"contest\":")
}

/// True if a JSON text begins with an object that has the key `requests`. If the object is cut off
/// or broken, `requests` must be its first key.
fn is_bot_request(json: &str) -> bool {
    #[derive(Deserialize)]
    struct Keys {
        requests: Option<IgnoredAny>,
    }
    let first = serde_json::Deserializer::from_str(json).into_iter::<Keys>().next();
    json.starts_with("{\"requests\"") || matches!(first, Some(Ok(Keys { requests: Some(_) })))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = FILE_FORMATS.iter().find(|(format, ..)| format == self);
        f.write_str(known.map_or("input of a bot", |(_, _, name)| name))
    }
}

/// The error of a file without a game.
pub fn no_game_error() -> InputError {
    let expected = "moves or a FEN on each line, SGF, GGF, a Botzone log or a match record";
    InputError(format!("the text holds no game: expected {expected}"))
}

/// The format of a file, and the games that were found in it.
pub type FoundGames = (Format, Vec<FoundGame<CheckedGame>>);

/// Reads every game of an uncompressed file, each with the disagreements between the file and the
/// rules. A list of moves with no FEN begins at the first of `starts` that allows all the moves.
///
/// # Errors
/// If the file holds no game, or is a match record. Errors of single games are in the list.
pub fn read(bytes: &[u8], starts: &[Position]) -> Result<FoundGames, InputError> {
    let Decoded { text, note } = decode(bytes);
    let format = Format::of_content(&text).ok_or_else(no_game_error)?;
    let one = |game| [FoundGame { line: 1, game }];
    let mut found = match format {
        Format::Sgf => check_games(sgf::read(&text)?.into_iter().map(found_from_notation), "as SGF"),
        Format::Ggf => check_games(ggf::read(&text)?.into_iter().map(found_from_notation), "as GGF"),
        Format::Botzone => check_games(match_log::read(&text)?, "as a Botzone log"),
        Format::Record => {
            let expected = "moves or a FEN on each line, SGF, GGF or a Botzone log";
            return Err(InputError(format!("got a match record: expected {expected}")));
        }
        Format::Request => check_games(one(read_bot_request(&text, starts)), "as the input of a Botzone bot"),
        Format::Contest => check_games(contest_record::read(&text), "as a record of the contest"),
        Format::StagedSgf => check_games(stages::read_sgf(&text)?, "as SGF with three nodes a turn"),
        Format::StagedJson => check_games(one(stages::read_json(&text)), "as JSON with three squares a turn"),
        Format::Pgn => {
            let expected = "SGF, a match record or another format that keeps moves";
            return Err(InputError(format!("PGN, which can only be written: expected {expected}")));
        }
        Format::Moves => check_games(
            move_list::read(&text, starts).into_iter().map(found_from_notation),
            "as a list of moves",
        ),
    };
    for game in found.iter_mut().filter_map(|found| found.game.as_mut().ok()) {
        game.game.notes.splice(..0, note.clone());
    }
    if found.is_empty() { Err(no_game_error()) } else { Ok((format, found)) }
}

/// Checks games by the rules. Puts `form`, such as `as SGF`, and a colon before each error message.
pub fn check_games<G: Into<CheckedGame>>(
    games: impl IntoIterator<Item = FoundGame<G>>,
    form: &str,
) -> Vec<FoundGame<CheckedGame>> {
    let checked = |game: Result<G, InputError>| game.map(G::into).map_err(|error| error.at(form));
    games.into_iter().map(|it| FoundGame { line: it.line, game: checked(it.game) }).collect()
}

fn read_bot_request(text: &str, starts: &[Position]) -> Result<Game, InputError> {
    let history = match text.trim().parse::<JudgeRequest>()?.content {
        RequestBody::History(history) => history,
        RequestBody::Turn(one) => vec![one],
    };
    let numbers: Vec<String> = history.iter().map(Coordinates::to_string).collect();
    // `history` is never empty, so `move_list::read` finds exactly one game.
    found_from_notation(move_list::read(&numbers.join(" "), starts).remove(0)).game
}

/// Writes games as the text of one file. PGN states `source`, such as a file name, as the event.
///
/// # Errors
/// If there is no game, or if the format cannot hold one of the games.
pub fn write(format: Format, games: &[Game], source: &str) -> Result<String, InputError> {
    if games.is_empty() {
        return Err(InputError::new("no games", "at least one"));
    }
    let each = |write: &dyn Fn(&Game) -> Result<String, InputError>| {
        let one = |(number, game)| write(game).map_err(|cause| cause.at(format_args!("game {number}")));
        (1..).zip(games).map(one).collect::<Result<String, _>>()
    };
    match format {
        Format::Sgf => Ok(sgf::write(&games.iter().map(Game::without_match_facts).collect::<Vec<_>>())),
        Format::Ggf => Err(InputError::new("GGF can only be read", "another format, such as SGF (sgf)")),
        Format::Botzone => each(&|game| Ok(format!("{}\n", judge_log(game)?))),
        Format::Record => Err(InputError::new("got the format match record", "one such as SGF (sgf)")),
        Format::Contest => each(&contest_record::write_checking_start),
        Format::StagedSgf => each(&stages::write_sgf),
        Format::StagedJson if games.len() > 1 => Err(InputError(format!(
            "got {} games: expected one, the most that this format can hold",
            games.len()
        ))),
        Format::StagedJson => each(&stages::write_json),
        Format::Moves | Format::Request => Ok(games.iter().map(move_list::write).collect()),
        Format::Pgn => Ok((1..)
            .zip(games)
            .map(|(round, game)| {
                pgn::write(game, &[("Event", source), ("Round", &round.to_string())], &[], false)
            })
            .collect()),
    }
}

#[cfg(test)]
mod tests {
    use quiver_bot::Start;

    use super::*;

    #[test]
    fn detects_every_format() {
        let history = r#""requests":[{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}],"responses":[]"#;
        let data = format!(r#""data":"{}""#, "x".repeat(5_000));
        for (text, plies, board) in [
            (include_str!("../../../tests/data/judge_logs/random-1.json"), 48, "8x8"),
            (include_str!("../../../tests/data/botzone/history-8x8.json"), 4, "8x8"),
            // The key `requests` may be the first or the last key of the object.
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
            ("#[AM][a][b][先手胜][2026.05.01 14:00 x][2026];\n1 d1d7(g7) d10e9(e5)", 2, "10x10"),
            ("(C) a club\n( ;GM[18];B[djddgd])\n(no game)", 1, "10x10"),
            ("from the server (GGS)\n(;GM[Amazons]BO[3 *-- --- --O *]B[A1-A2-A1];)", 1, "3x3"),
        ] {
            let (_, found) = read(text.as_bytes(), &Start::positions_preferring(10)).unwrap();
            let [found] = found.try_into().unwrap();
            let game = found.game.unwrap().game;
            assert_eq!((game.plies().len(), &*game.start().size().to_string()), (plies, board), "{text}");
        }
        // The key `requests` inside another value does not make the text the input of a bot.
        for text in [r#"{"log":{"requests":[]}}"#, r#"{"note":"\"requests\""}"#, "{", r#"{"log":"#] {
            assert_eq!(Format::of_content(text), Some(Format::Botzone), "{text}");
        }
    }
}
