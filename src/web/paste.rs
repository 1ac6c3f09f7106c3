//! Reads a game that the user pastes or loads, in any known format.

use std::path::Path;

use serde_json::Value;

use super::result;
use crate::analysis::GameLine;
use crate::botzone::match_log::{self, MatchEnding, MatchLog, Replay, SourceError, check, describe};
use crate::formats::{self, Format, ReadError};
use crate::game::Game;
use crate::game::move_list::MoveListStart;

/// Games whose labels a person can choose from.
const MOST_LABELS: usize = 5_000;

/// A game that was found in a text.
#[derive(Clone, Debug)]
pub struct Pasted {
    /// The game.
    pub line: GameLine,
    /// The game with its comments and variations; `None` where it has neither.
    pub remarked: Option<Game>,
    /// How it ended, if the text says so: a sentence, and the same for scripts.
    pub result: Option<(String, Value)>,
    /// What is wrong with it, as sentences.
    pub about: Vec<String>,
}

/// What was found in a text.
#[derive(Clone, Debug)]
pub enum PasteContent {
    /// The only game of the text, or the one that was asked for.
    Game(Box<Pasted>),
    /// What to call each of its games.
    Several(Vec<String>),
}

/// Why no game can be read from a text.
#[derive(Debug, thiserror::Error)]
pub enum PasteError {
    /// No format holds it.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The text looks like a log but has no match.
    #[error("a Botzone log that cannot be read: {0}")]
    Log(String),
    /// It has fewer games.
    #[error("game {number} of {count}: expected a number below {count}")]
    NoSuchGame {
        /// The one asked for, from 0.
        number: usize,
        /// How many there are.
        count: usize,
    },
}

impl From<SourceError> for PasteError {
    fn from(error: SourceError) -> PasteError {
        PasteError::Log(error.to_string())
    }
}

/// Reads a game; `board` is the side of the board that moves without a position are tried on first,
/// `number` which game it is, from 0.
///
/// # Errors
/// If it looks like nothing known, or like something known and is broken.
pub fn read_paste(text: &str, board: usize, number: Option<usize>) -> Result<PasteContent, PasteError> {
    if Format::of(text.as_bytes()) == Some(Format::Botzone) {
        let games = match_log::read(text.as_bytes())?.into_iter().map(|found| match found.log {
            Ok(log) => shown(&log),
            Err(error) => Err(PasteError::Log(error.to_string())),
        });
        return choice(games.collect(), number);
    }
    let (_, found) = formats::read(Path::new("the text"), text.as_bytes(), MoveListStart::From(board))?;
    let games = found.into_iter().map(|found| {
        let game = found.game?;
        Ok(Pasted { line: line(&game)?, result: result_of(&game), about: Vec::new(), remarked: Some(game) })
    });
    choice(games.collect(), number)
}

/// The game asked for, or the only one, or what there is to choose from.
fn choice(
    mut games: Vec<Result<Pasted, PasteError>>,
    number: Option<usize>,
) -> Result<PasteContent, PasteError> {
    let count = games.len();
    let number = match number {
        None if count > 1 => {
            return Ok(PasteContent::Several((1..).zip(&games).take(MOST_LABELS).map(label).collect()));
        }
        number => number.unwrap_or(0),
    };
    if number >= count {
        return Err(PasteError::NoSuchGame { number, count });
    }
    games.swap_remove(number).map(|game| PasteContent::Game(Box::new(game)))
}

/// What to call a game among others.
fn label((number, game): (usize, &Result<Pasted, PasteError>)) -> String {
    match game {
        Ok(Pasted { line, result, .. }) => match result {
            Some((sentence, _)) => format!("{number}. {sentence}"),
            None => format!("{number}. moves: {}, board: {}", line.moves().len(), line.positions()[0].size()),
        },
        Err(error) => format!("{number}. {error}"),
    }
}

/// The players and the result, where they are known.
fn result_of(game: &Game) -> Option<(String, Value)> {
    if game.end.is_none() && game.players.iter().all(Option::is_none) {
        return None;
    }
    let log = MatchLog::from(game);
    Some(told(&log, &check(&log)))
}

fn told(log: &MatchLog, replay: &Replay) -> (String, Value) {
    (describe::result(log, replay), result::json(log, replay))
}

fn line(game: &Game) -> Result<GameLine, PasteError> {
    GameLine::new(*game.start(), game.moves()).map_err(|error| PasteError::Log(error.to_string()))
}

/// A log is shown as far as it can be followed, with what is wrong with it.
fn shown(log: &MatchLog) -> Result<Pasted, PasteError> {
    let replay = check(log);
    let is_known =
        log.players.iter().any(Option::is_some) || !matches!(replay.ending, MatchEnding::Open { .. });
    Ok(Pasted {
        line: line(&match_log::game(log, &replay))?,
        remarked: None,
        result: is_known.then(|| told(log, &replay)),
        about: replay.disagreements.iter().take(3).map(ToString::to_string).collect(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn count(text: &str) -> (usize, String) {
        let line = game(text, None).line;
        (line.moves().len(), line.positions()[0].size().to_string())
    }

    fn game(text: &str, number: Option<usize>) -> Pasted {
        match read_paste(text, 10, number) {
            Ok(PasteContent::Game(game)) => *game,
            other => panic!("{text}: {other:?}"),
        }
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
        let (sentence, data) = game(log, None).result.expect("an end");
        assert!(
            sentence.contains("ran out of time") && data["failure"]["kind"] == "time",
            "{sentence}: {data}"
        );
        let (sentence, data) = game("(;GM[18]PB[Ada]RE[B+R];B[djddgd])", None).result.expect("an end");
        assert_eq!(sentence, "Ada (first) won after 1 ply: at ply 2 second player resigned.");
        assert_eq!((&data["names"][0], &data["side"]), (&json!("Ada"), &json!("second")));
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
            let error = read_paste(text, 10, None).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn of_several_games_one_is_chosen() {
        let text = "c1-c3/c5 a6-b6/b5\nc1-c3/c5\n";
        let Ok(PasteContent::Several(labels)) = read_paste(text, 8, None) else { panic!("one game") };
        assert_eq!(labels, ["1. moves: 2, board: 8x8", "2. moves: 1, board: 8x8"]);
        assert_eq!(game(text, Some(1)).line.moves().len(), 1);
        let error = read_paste(text, 8, Some(2)).unwrap_err().to_string();
        assert!(error.contains("game 2 of 2"), "{error}");
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "\\PC{0,80}") {
            let _ = read_paste(&text, 10, None);
        }

        #[test]
        fn no_words_are_too_strange(words in proptest::collection::vec("[Qq*0-9a-j/.,\\-]{1,9}|moves|w|-", 0..12)) {
            let _ = read_paste(&words.join(" "), 10, None);
        }
    }
}
