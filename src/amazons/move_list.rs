//! Games as moves: from a start position or from a FEN, on one line or on several.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::fen::ParseFenError;
use crate::game::{FoundGame, Game, GameError, GivenUp};
use crate::moves::{Move, ParseMoveError};
use crate::position::Position;
use crate::size::Size;

/// More words than any game has. What follows them is not read, so that a hostile text takes no memory.
const MOST_WORDS: usize = 1_000;

/// Reads games: one a line, or one on all lines if these are numbered on or make no games by
/// themselves. `#` begins a comment. A game is moves, or a FEN and perhaps moves; moves may be
/// numbered, and may be six numbers each, of which six times -1 is no move. Moves without a FEN begin
/// at the first of `starts` that they can be played from; the error of moves that fit none is about
/// the start that most of them can be played from.
///
/// # Panics
/// If `starts` is empty.
pub fn read(text: &str, starts: &[Position]) -> Vec<FoundGame<Game, ParseMoveListError>> {
    let lines = || {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        (1..).zip(lines).filter(|(_, line)| !line.is_empty())
    };
    let game = |(line, text): (usize, &str)| FoundGame { line, game: read_game(text, starts) };
    let games = FoundGame::until_given_up(lines().map(game));
    let numbered_on = lines().skip(1).any(|(_, line)| {
        let number = line.split_once('.').and_then(|(number, _)| number.parse::<u32>().ok());
        number.is_some_and(|number| number > 1)
    });
    // Numbers of a judge begin with six that are no move, and go on line by line.
    let judged =
        lines().next().is_some_and(|(_, line)| is_no_move(&line.split_whitespace().collect::<Vec<_>>()));
    let readable = games.iter().filter(|found| found.game.is_ok()).count();
    if games.len() > 1 && (numbered_on || judged || readable < games.len()) {
        let whole = lines().take(MOST_WORDS).map(|(_, line)| line.to_owned() + " ").collect::<String>();
        let whole = game((games[0].line, &whole));
        // Lines that are numbered may be games of their own, too, and one of these may be wrong.
        if whole.game.is_ok() || judged || (numbered_on && 2 * readable <= games.len()) {
            return vec![whole];
        }
    }
    games
}

fn read_game(text: &str, starts: &[Position]) -> Result<Game, ParseMoveListError> {
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS).collect();
    if words.first().is_some_and(|word| is_fen(word)) {
        let whole = words.len() >= 6 && words[2] == "-";
        let (fen, rest) = words.split_at(if whole { 6 } else { words.len().min(2) });
        let start = fen.join(" ").parse()?;
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

/// True if these are six times -1, as a judge writes that there is no move yet.
fn is_no_move(six: &[&str]) -> bool {
    six == ["-1"; 6]
}

/// True if a word looks like the rows of a FEN: it begins with one, and has a piece or another row.
fn is_fen(word: &str) -> bool {
    let is_cell = |character: char| character.is_ascii_digit() || matches!(character, 'Q' | 'q' | '*');
    word.starts_with(is_cell) && word.contains(['Q', 'q', '*', '/']) && !word.contains(['-', '.'])
}

/// Moves in any notation, with or without numbers before them; or six integers a move.
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

/// Writes a game on one line: its moves, after a FEN where it has no usual start or no move.
pub fn write<A, O>(game: &Game<A, O>) -> String {
    let moves: Vec<String> = game.plies().iter().map(|ply| ply.full.to_string()).collect();
    let (start, moves) = (game.start(), moves.join(" "));
    if moves.is_empty() {
        format!("{start}\n")
    } else if start.is_start() {
        format!("{moves}\n")
    } else {
        format!("{start} moves {moves}\n")
    }
}

/// The error of a line that is no game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseMoveListError {
    /// The line begins with a FEN that cannot be read.
    Position(ParseFenError),
    /// A word is no move.
    Move(ParseMoveError),
    /// A move after a FEN is illegal.
    Illegal(GameError),
    /// The moves cannot be played from any of the starts.
    NoStart {
        /// The number of starts that were tried.
        starts: usize,
        /// The board of the start from which most of the moves can be played.
        size: Size,
        /// The error of the first move that is illegal there.
        error: GameError,
    },
    /// The text has too many unreadable games.
    GivenUp(GivenUp),
}

impl fmt::Display for ParseMoveListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseMoveListError::Position(error) => write!(f, "a position that cannot be read: {error}"),
            ParseMoveListError::Move(error) => error.fmt(f),
            ParseMoveListError::Illegal(error) => error.fmt(f),
            ParseMoveListError::NoStart { starts, size, error } => {
                let place = if *starts == 1 { "the start" } else { "the start of any board:" };
                write!(f, "the moves cannot be played from {place} on {size}: {error}")
            }
            ParseMoveListError::GivenUp(error) => error.fmt(f),
        }
    }
}

impl Error for ParseMoveListError {}

wraps!(ParseMoveListError {
    Position(ParseFenError),
    Move(ParseMoveError),
    Illegal(GameError),
    GivenUp(GivenUp),
});
