//! Whatever people paste or load: a game in any format that is known.

use std::path::Path;

use crate::analysis::GameLine;
use crate::botzone::match_log::{self, Ending, SourceError, check, describe};
use crate::formats::{self, Format, ReadError};
use crate::game::Game;

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
    /// No format holds it.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It looks like a log, and there is none.
    #[error("a Botzone log that cannot be read: {0}")]
    Log(String),
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
    if Format::of(text.as_bytes()) == Some(Format::Botzone) {
        return log(text);
    }
    let (_, found) = formats::read(Path::new("the text"), text.as_bytes(), board)?;
    let count = found.len();
    let game = found.into_iter().next().ok_or(ReadError::Empty)?.game?;
    let mut about = about(&game);
    if count > 1 {
        about.push(format!("The first of {count} games in this text."));
    }
    Ok(Pasted { line: line(&game)?, about })
}

/// The players and the result, where they are known.
fn about(game: &Game) -> Vec<String> {
    if game.outcome.is_none() && game.players.iter().all(Option::is_none) {
        return Vec::new();
    }
    let log = match_log::MatchLog::from(game);
    vec![describe::result(&log, &check(&log))]
}

fn line(game: &Game) -> Result<GameLine, PasteError> {
    GameLine::new(*game.start(), game.moves()).map_err(|error| PasteError::Log(error.to_string()))
}

/// A log is shown as far as it can be followed, with what is wrong with it.
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
    Ok(Pasted { line: line(&match_log::game(&log, &replay))?, about })
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
        assert_eq!(count("(;GM[18];B[djddgd];W[addgad])"), (2, "10x10".into()));
        assert_eq!(count("(;GM[Amazons]BO[3 *-- --- --O *]B[A1-A2-A1];)"), (1, "3x3".into()));
    }

    #[test]
    fn a_game_says_how_it_ended() {
        let log = include_str!("../../tests/data/judge_logs/timeout.json");
        assert!(read_paste(log, 10).unwrap().about[0].contains("ran out of time"));
        let about = read_paste("(;GM[18]PB[Ada]RE[B+R];B[djddgd])", 10).unwrap().about;
        assert_eq!(about, ["Ada (first) won after 1 ply: at ply 2 second player resigned."]);
    }

    #[test]
    fn what_cannot_be_read_is_named_for_what_it_looks_like() {
        for (text, expected) in [
            ("", "it is empty"),
            ("hello world", "as a list of moves: 'hello'"),
            ("3/2/3 w", "a position that cannot be read: row 2"),
            ("[1]", "a Botzone log that cannot be read: entry 0"),
            ("{\"requests\":5}", "the input of a Botzone bot"),
            ("(;GM[1])", "as SGF: a game of the kind GM[1]"),
            ("d1-d7/g7 d1-d2/d3", "on 10x10: move 2, d1-d2/d3: d1 holds nothing"),
            ("Q1q w c1-b1/c1", "move 1, c1-b1/c1: "),
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
