//! Whatever people paste, told apart by itself: a FEN, a list of moves, a Botzone log, the input of a Botzone bot.

use crate::analysis::GameLine;
use crate::botzone::match_log::{self, SourceError, check, describe, ending::Ending};
use crate::botzone::{Content, RequestError, RequestReader};
use crate::game::{Coordinates, Fen, FenError, FullMove, ParseMoveError, Size, Start};

/// What was found in a text.
#[derive(Clone, Debug)]
pub struct Pasted {
    /// The game.
    pub line: GameLine,
    /// What else the text says, as sentences.
    pub about: Vec<String>,
}

/// A text that holds no game.
#[derive(Debug, thiserror::Error)]
pub enum PasteError {
    /// There is nothing.
    #[error("it is empty: expected a FEN, a list of moves or a Botzone log")]
    Empty,
    /// It looks like a position and is none.
    #[error("a position that cannot be read: {0}")]
    Fen(#[from] FenError),
    /// It looks like moves and one is none.
    #[error("neither a FEN nor a Botzone log, and as a list of moves: {0}")]
    Move(#[from] ParseMoveError),
    /// The moves fit no start.
    #[error("the moves cannot be played from the start of any board: {0}")]
    Illegal(String),
    /// It looks like a log, and there is none.
    #[error("a Botzone log that cannot be read: {0}")]
    Log(String),
    /// It looks like what a bot is sent.
    #[error("the input of a Botzone bot that cannot be read: {0}")]
    Request(#[from] RequestError),
}

impl From<SourceError> for PasteError {
    fn from(error: SourceError) -> PasteError {
        PasteError::Log(error.to_string())
    }
}

/// Reads a game; `board` is the side of the board that moves without a position are tried on first.
///
/// # Errors
/// If it looks like nothing known, or like something known and is broken.
pub fn read_paste(text: &str, board: usize) -> Result<Pasted, PasteError> {
    let text = text.trim().trim_start_matches('\u{feff}').trim_start();
    match text.chars().next() {
        None => Err(PasteError::Empty),
        Some('{') if text.contains("\"requests\"") => request(text, board),
        Some('[' | '{' | '"' | '<') => log(text),
        Some(_) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            if is_fen(words[0]) {
                position(&words)
            } else {
                moves(&words, board).map(|line| Pasted { line, about: Vec::new() })
            }
        }
    }
}

/// Whether a word looks like the rows of a FEN: it begins with one, and has a piece or another row.
fn is_fen(word: &str) -> bool {
    let is_cell = |character: char| character.is_ascii_digit() || matches!(character, 'Q' | 'q' | '*');
    word.starts_with(is_cell) && word.contains(['Q', 'q', '*', '/']) && !word.contains(['-', '.'])
}

/// A FEN and perhaps moves after it, with or without UCI's word between them.
fn position(words: &[&str]) -> Result<Pasted, PasteError> {
    let whole = words.len() >= 6 && words[2] == "-";
    let (fen, rest) = words.split_at(if whole { 6 } else { words.len().min(2) });
    let start = fen.join(" ").parse::<Fen>()?.0;
    let rest = rest.strip_prefix(&["moves"]).unwrap_or(rest);
    let line = GameLine::new(start, plies(rest)?).map_err(|error| PasteError::Illegal(error.to_string()))?;
    Ok(Pasted { line, about: Vec::new() })
}

/// Moves from a start position: of this board, or of the first other one that they can be played on.
fn moves(words: &[&str], board: usize) -> Result<GameLine, PasteError> {
    let words = words.strip_prefix(&["startpos"]).unwrap_or(words);
    let words = words.strip_prefix(&["moves"]).unwrap_or(words);
    played(&plies(words)?, board)
}

fn played(plies: &[FullMove], board: usize) -> Result<GameLine, PasteError> {
    let mut first = None;
    let starts = [(board, Start::Formula), (8, Start::Formula), (10, Start::Formula), (6, Start::Formula)];
    for (side, start) in starts.into_iter().chain([(10, Start::Left)]) {
        let Some(start) = Size::square(side).ok().and_then(|size| start.position(size).ok()) else {
            continue;
        };
        match GameLine::new(start, plies.to_vec()) {
            Ok(line) => return Ok(line),
            Err(error) => drop(first.get_or_insert(format!("on {}: {error}", start.size()))),
        }
    }
    Err(PasteError::Illegal(first.unwrap_or_default()))
}

/// Moves in any notation, with or without numbers before them; Botzone's six integers a move.
fn plies(words: &[&str]) -> Result<Vec<FullMove>, PasteError> {
    if !words.is_empty() && words.iter().all(|word| word.parse::<i64>().is_ok()) {
        let six: Vec<String> = words.chunks(6).map(|six| six.join(" ")).collect();
        let six = six.iter().filter(|six| six.parse() != Ok(Coordinates::NONE));
        return six.map(|six| Ok(six.parse()?)).collect();
    }
    let bare = words.iter().map(|word| {
        let numbered = word.split_once('.').filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        numbered.map_or(*word, |(_, rest)| rest.trim_start_matches('.')).trim_end_matches([',', ';'])
    });
    bare.filter(|word| !word.is_empty()).map(|word| Ok(word.parse()?)).collect()
}

fn log(text: &str) -> Result<Pasted, PasteError> {
    let found = match_log::read(text.as_bytes())?;
    let count = found.len();
    let log = found.into_iter().find_map(|found| match found.log {
        Ok(log) => Some(Ok(log)),
        Err(error) if count == 1 => Some(Err(PasteError::Log(error.to_string()))),
        Err(_) => None,
    });
    let log = log.ok_or_else(|| PasteError::Log("none of its matches is whole".to_owned()))??;
    let replay = check(&log);
    let mut about = Vec::new();
    if log.players.iter().any(Option::is_some) || !matches!(replay.ending, Ending::Open { .. }) {
        about.push(describe::result(&log, &replay));
    }
    if count > 1 {
        about.push(format!("The first of {count} matches in this text."));
    }
    about.extend(replay.disagreements.iter().take(3).map(ToString::to_string));
    let line = GameLine::new(replay.positions[0], replay.plies)
        .map_err(|error| PasteError::Log(error.to_string()))?;
    Ok(Pasted { line, about })
}

/// What a bot is sent: the whole history in one object.
fn request(text: &str, board: usize) -> Result<Pasted, PasteError> {
    // The judge writes it on one line, whoever shows it to people may not.
    let line =
        serde_json::from_str::<serde_json::Value>(text).map_or(text.to_owned(), |json| json.to_string());
    let history = match RequestReader::default().feed(&line)?.map(|request| request.content) {
        Some(Content::History(history)) => history,
        Some(Content::Turn(one)) => vec![one],
        None => Vec::new(),
    };
    let known = history.into_iter().filter(|&numbers| numbers != Coordinates::NONE);
    let plies = known.map(|numbers| {
        numbers.full_move().ok_or_else(|| PasteError::Illegal(format!("{numbers} are no squares of a board")))
    });
    let line = played(&plies.collect::<Result<Vec<_>, _>>()?, board)?;
    Ok(Pasted { line, about: Vec::new() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn count(text: &str) -> (usize, String) {
        let line = read_paste(text, 10).unwrap_or_else(|error| panic!("{text}: {error}")).line;
        (line.moves().len(), line.positions()[0].size().to_string())
    }

    #[test]
    fn every_form_is_told_from_the_others() {
        let log = include_str!("../../tests/data/judge_logs/random-1.json");
        let bot = include_str!("../../tests/data/botzone/history-8x8.json");
        assert_eq!(count(log), (48, "8x8".into()));
        assert_eq!(count(bot).1, "8x8");
        assert_eq!(count("Q1q w"), (0, "3x1".into()));
        assert_eq!(count("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1"), (0, "10x10".into()));
        assert_eq!(count("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w moves d1d7,d7g7"), (1, "10x10".into()));
        assert_eq!(count("1. d1-d7/g7 2. a7-b7/b1"), (2, "10x10".into()));
        assert_eq!(count("1.d1-d7/g7; a7-b7/b1,"), (2, "10x10".into()));
        assert_eq!(count("c1-c3/c5\na6-b6/b5"), (2, "8x8".into()));
        assert_eq!(count("-1 -1 -1 -1 -1 -1\n3 0 3 6 6 6"), (1, "10x10".into()));
        assert_eq!(count("startpos moves d1d7,d7g7"), (1, "10x10".into()));
    }

    #[test]
    fn a_log_says_how_it_ended() {
        let log = include_str!("../../tests/data/judge_logs/timeout.json");
        assert!(read_paste(log, 10).unwrap().about[0].contains("ran out of time"));
    }

    #[test]
    fn what_cannot_be_read_is_named_for_what_it_looks_like() {
        for (text, expected) in [
            ("", "it is empty"),
            ("hello world", "neither a FEN nor a Botzone log, and as a list of moves: 'hello'"),
            ("3/2/3 w", "a position that cannot be read: row 2"),
            ("[1]", "a Botzone log that cannot be read: entry 0"),
            ("{\"requests\":5}", "the input of a Botzone bot"),
            ("d1-d7/g7 d1-d2/d3", "on 10x10: move 2, d1-d2/d3: d1 holds nothing"),
            ("Q1q w c1-b1/c1", "cannot be played"),
        ] {
            let error = read_paste(text, 10).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "\\PC{0,80}") {
            let _ = read_paste(&text, 10);
        }

        #[test]
        fn no_words_are_too_strange(words in proptest::collection::vec("[Qq*0-9a-j/.,\\-]{1,9}|moves|w|-", 0..12)) {
            let _ = read_paste(&words.join(" "), 10);
        }
    }
}
