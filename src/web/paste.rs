//! Reads a game that the user pastes or loads, in any known format.

use std::path::Path;

use crate::botzone::CheckedGame;
use crate::formats::{self, ReadError};
use crate::game::move_list::MoveListStart;
use crate::game::{FoundGame, Language};

/// A game of a text, or why it cannot be read.
type PastedGame = FoundGame<ReadError, CheckedGame>;

/// Games whose labels a person can choose from.
const MOST_LABELS: usize = 5_000;

/// Reads the games of a text, one at least; `board` is the side of the board that moves without a
/// position are tried on first.
///
/// # Errors
/// If it looks like nothing known, or like something known and is broken.
pub fn read_paste(text: &str, board: usize) -> Result<Vec<PastedGame>, ReadError> {
    let choice = MoveListStart::From(board);
    Ok(formats::read_checked(Path::new("the text"), text.as_bytes(), choice)?.1)
}

/// The labels of games to choose from.
pub(super) fn labels(games: &[PastedGame]) -> Vec<String> {
    (1..).zip(games).take(MOST_LABELS).map(label).collect()
}

/// The label of a game among others.
fn label((number, found): (usize, &PastedGame)) -> String {
    match &found.game {
        Ok(CheckedGame { game, .. }) if super::result::is_known(game) => {
            format!("{number}. {}", game.result(Language::English))
        }
        Ok(CheckedGame { game, .. }) => {
            format!("{number}. moves: {}, board: {}", game.plies().len(), game.start().size())
        }
        Err(error) => format!("{number}. {error}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::{EndKind, Game, Side};

    fn count(text: &str) -> (usize, String) {
        let game = game(text);
        (game.plies().len(), game.start().size().to_string())
    }

    fn game(text: &str) -> Game {
        let [found] = read_paste(text, 10).unwrap().try_into().unwrap();
        found.game.unwrap().game
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
        let timeout = game(log);
        assert_eq!(timeout.end.as_ref().map(|end| end.kind), Some(EndKind::Time));
        assert!(timeout.result(Language::English).contains("ran out of time"));
        let resigned = game("(;GM[18]PB[Ada]RE[B+R];B[djddgd])");
        let sentence = resigned.result(Language::English);
        assert_eq!(sentence, "Ada (first) won after 1 ply: at ply 2 second player resigned.");
        assert_eq!((resigned.players[0].as_deref(), resigned.winner()), (Some("Ada"), Some(Side::First)));
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
            ("d1-d7/g7 d1-d2/d3", "on 10x10: move 2, d1-d2/d3: d1 holds nothing"),
            ("Q1q w c1-b1/c1", "move 1, c1-b1/c1: "),
        ] {
            let found = read_paste(text, 10).and_then(|mut found| found.remove(0).game);
            let error = found.unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn several_games_are_labelled() {
        let games = read_paste("c1-c3/c5 a6-b6/b5\nc1-c3/c5\n", 8).unwrap();
        assert_eq!(labels(&games), ["1. moves: 2, board: 8x8", "2. moves: 1, board: 8x8"]);
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
