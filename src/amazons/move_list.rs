//! Reads and writes games as lists of moves. A FEN before the moves sets up another start position.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use thiserror::Error;

use crate::fen::ParseFenError;
use crate::game::{FoundGame, Game, GameError, TooManyErrors};
use crate::moves::{Move, ParseMoveError};
use crate::position::Position;
use crate::size::Size;

/// The largest number of words read as one game, to limit memory. Every real game has fewer words.
const MAX_WORDS: usize = 1_000;

/// Reads one game from each line of a text. If a line after the first begins with a move number
/// above 1, or if some line is not a game, also tries to read all lines together as one game. If
/// this succeeds, returns only this game. `#` begins a comment.
///
/// A game is a list of moves, a FEN, or a FEN with moves. Move numbers may precede moves. A move
/// may also be six integers. Six times -1, which Botzone sends before the first move, is skipped.
/// Without a FEN, the game begins at the first position of `starts` from which all its moves are
/// legal. If no start position allows all moves, returns the error for the start position that
/// allows the most moves.
///
/// # Panics
/// If `starts` is empty.
pub fn read(text: &str, starts: &[Position]) -> Vec<FoundGame<Game, ParseMoveListError>> {
    let lines = || {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        (1..).zip(lines).filter(|(_, line)| !line.is_empty())
    };
    let game = |(line, text): (usize, &str)| FoundGame { line, game: read_game(text, starts) };
    let games = FoundGame::collect_limited(lines().map(game));
    let continues_numbers = lines().skip(1).any(|(_, line)| {
        let number = line.split_once('.').and_then(|(number, _)| number.parse::<u32>().ok());
        number.is_some_and(|number| number > 1)
    });
    // If the first line is six times -1, as Botzone sends it, all lines together are one game.
    let is_botzone_input =
        lines().next().is_some_and(|(_, line)| is_no_move(&line.split_whitespace().collect::<Vec<_>>()));
    let readable = games.iter().filter(|found| found.game.is_ok()).count();
    if games.len() > 1 && (continues_numbers || is_botzone_input || readable < games.len()) {
        let whole = lines().take(MAX_WORDS).map(|(_, line)| line.to_owned() + " ").collect::<String>();
        let whole = game((games[0].line, &whole));
        // If the whole text is unreadable, but a later line begins with a move number above 1 and
        // at most half of the lines are games, the result is only the error for the whole text.
        if whole.game.is_ok() || is_botzone_input || (continues_numbers && 2 * readable <= games.len()) {
            return vec![whole];
        }
    }
    games
}

fn read_game(text: &str, starts: &[Position]) -> Result<Game, ParseMoveListError> {
    let words: Vec<&str> = text.split_whitespace().take(MAX_WORDS).collect();
    if words.first().is_some_and(|word| is_fen(word)) {
        let has_tail = words.len() >= 6 && words[2] == "-";
        let (fen, rest) = words.split_at(if has_tail { 6 } else { words.len().min(2) });
        let start = fen.join(" ").parse().map_err(ParseMoveListError::Position)?;
        let rest = rest.strip_prefix(&["moves"]).unwrap_or(rest);
        return Ok(Game::of(start, &moves(rest)?)?);
    }
    let words = words.strip_prefix(&["startpos"]).unwrap_or(&words);
    let words = words.strip_prefix(&["moves"]).unwrap_or(words);
    let moves = moves(words)?;
    let mut furthest: Option<(Game, GameError)> = None;
    for &position in starts {
        let mut game = Game::new(position);
        let Err(error) = game.extend(moves.iter().copied()) else { return Ok(game) };
        if furthest.as_ref().is_none_or(|(other, _)| other.len() < game.len()) {
            furthest = Some((game, error));
        }
    }
    let (game, error) = furthest.expect("a start is given");
    Err(ParseMoveListError::NoStart { starts: starts.len(), size: game.start().size(), error })
}

fn is_no_move(six: &[&str]) -> bool {
    six == ["-1"; 6]
}

fn is_fen(word: &str) -> bool {
    let is_cell = |character: char| character.is_ascii_digit() || matches!(character, 'Q' | 'q' | '*');
    word.starts_with(is_cell) && word.contains(['Q', 'q', '*', '/']) && !word.contains(['-', '.'])
}

/// Reads a list of moves, each as text or as six integers, with or without move numbers.
///
/// # Errors
/// If a move cannot be read.
pub fn read_moves(text: &str) -> Result<Vec<Move>, ParseMoveError> {
    moves(&text.split_whitespace().collect::<Vec<_>>())
}

fn moves(words: &[&str]) -> Result<Vec<Move>, ParseMoveError> {
    if !words.is_empty() && words.iter().all(|word| word.parse::<i64>().is_ok()) {
        let played = words.chunks(6).filter(|six| !is_no_move(six));
        return played.map(|six| six.join(" ").parse()).collect();
    }
    let bare = words.iter().map(|word| {
        let numbered = word.split_once('.').filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        numbered.map_or(*word, |(_, rest)| rest.trim_start_matches('.')).trim_end_matches([',', ';'])
    });
    bare.filter(|word| !word.is_empty()).map(str::parse).collect()
}

/// Writes a game as one line: a FEN and moves, or only moves if they begin at the usual start.
pub fn write<A, O>(game: &Game<A, O>) -> String {
    let moves: Vec<String> = game.plies().iter().map(|ply| ply.played.to_string()).collect();
    let (start, moves) = (game.start(), moves.join(" "));
    if moves.is_empty() {
        format!("{start}\n")
    } else if start.is_start() {
        format!("{moves}\n")
    } else {
        format!("{start} moves {moves}\n")
    }
}

/// The reason why a line cannot be read as a game.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseMoveListError {
    /// The line begins with a FEN that cannot be read.
    #[error("unreadable position: {0}")]
    Position(ParseFenError),
    /// A word cannot be parsed as a move.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    /// A move after a FEN is illegal.
    #[error(transparent)]
    Illegal(#[from] GameError),
    /// The moves are not legal from any of the start positions.
    #[error(
        "the moves cannot be played from {} on {size}: {error}",
        if *starts == 1 { "the start" } else { "the start of any board:" }
    )]
    NoStart {
        /// The number of start positions on which the list of moves was tried.
        starts: usize,
        /// The board size of the start position that allows the most moves.
        size: Size,
        /// The error of the first illegal move when the list of moves is played from the start
        /// position that allows the most moves of the list.
        error: GameError,
    },
    /// The text has too many unreadable games, and the reader skipped the rest.
    #[error(transparent)]
    TooManyErrors(#[from] TooManyErrors),
}
