//! Games as moves: from a start position or from a FEN, on one line or on several.

use std::fmt::Write as _;

use super::coordinates::Coordinates;
use super::fen::{Fen, FenError};
use super::game::{FoundGame, Game, GameError};
use super::moves::FullMove;
use super::notation::ParseMoveError;
use super::position::Position;
use super::size::Size;
use super::start::Start;

/// The error of a text that is no list of moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveListError {
    /// The text looks like a position but cannot be read.
    #[error("a position that cannot be read: {0}")]
    Fen(#[from] FenError),
    /// The text looks like moves but one cannot be read.
    #[error("as a list of moves: {0}")]
    Move(#[from] ParseMoveError),
    /// A move is illegal after the position given.
    #[error(transparent)]
    Illegal(#[from] GameError),
    /// The moves fit no start.
    #[error("the moves cannot be played from the start of any board: on {size}: {cause}")]
    NoStart {
        /// The board that was tried first.
        size: Size,
        /// The fault of the moves there.
        cause: GameError,
    },
    /// The moves do not fit the only start that was asked for.
    #[error("the moves cannot be played from the start on {size}: {cause}")]
    OnlyStart {
        /// The board of the start.
        size: Size,
        /// The fault of the moves there.
        cause: GameError,
    },
}

/// The starts of moves without a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveListStart {
    /// The start of the board of this side, then those of all other boards that have one.
    From(usize),
    /// This position only.
    Only(Position),
}

/// Reads games: one a line, or one on all lines if these are numbered on or make no games by
/// themselves. `#` begins a comment. A game is moves, or a FEN and perhaps moves; moves may be
/// numbered, and may be Botzone's six numbers. Moves without a FEN begin where `choice` says.
#[must_use]
pub fn read(text: &str, choice: MoveListStart) -> Vec<FoundGame<MoveListError>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let lines: Vec<(usize, &str)> = (1..).zip(lines).filter(|(_, line)| !line.is_empty()).collect();
    let games: Vec<_> =
        lines.iter().map(|&(line, text)| FoundGame { line, game: read_game(text, choice) }).collect();
    let numbered_on = lines.iter().skip(1).any(|&(_, line)| {
        let number = line.split_once('.').and_then(|(number, _)| number.parse::<u32>().ok());
        number.is_some_and(|number| number > 1)
    });
    // Botzone's numbers begin with six that are no move, and go on line by line.
    let judged = lines.first().is_some_and(|(_, line)| line.parse() == Ok(Coordinates::NONE));
    if games.len() > 1 && (numbered_on || judged || games.iter().any(|found| found.game.is_err())) {
        let whole: Vec<&str> = lines.iter().map(|&(_, line)| line).collect();
        if let Ok(game) = read_game(&whole.join(" "), choice) {
            return vec![FoundGame { line: lines[0].0, game: Ok(game) }];
        }
    }
    games
}

/// Reads one game.
///
/// # Errors
/// If the text is no game.
pub fn read_game(text: &str, choice: MoveListStart) -> Result<Game, MoveListError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.first().is_some_and(|word| is_fen(word)) {
        let whole = words.len() >= 6 && words[2] == "-";
        let (fen, rest) = words.split_at(if whole { 6 } else { words.len().min(2) });
        let Fen(start) = fen.join(" ").parse()?;
        let rest = rest.strip_prefix(&["moves"]).unwrap_or(rest);
        return Ok(Game::of(start, &moves(rest)?)?);
    }
    let words = words.strip_prefix(&["startpos"]).unwrap_or(&words);
    let words = words.strip_prefix(&["moves"]).unwrap_or(words);
    from_start(&moves(words)?, choice)
}

/// The game of these moves from the first start of the choice that they can be played from.
///
/// # Errors
/// If the moves can be played from no such start.
pub fn from_start(moves: &[FullMove], choice: MoveListStart) -> Result<Game, MoveListError> {
    let board = match choice {
        MoveListStart::From(board) => board,
        MoveListStart::Only(start) => {
            let only = |cause| MoveListError::OnlyStart { size: start.size(), cause };
            return Game::of(start, moves).map_err(only);
        }
    };
    let mut first = None;
    let mut starts: Vec<_> = Start::positions().map(|(_, position)| position).collect();
    starts.sort_by_key(|position| usize::from(position.size().width()) != board);
    for position in starts {
        match Game::of(position, moves) {
            Ok(game) => return Ok(game),
            Err(cause) => drop(first.get_or_insert((position.size(), cause))),
        }
    }
    // Boards that have a start are among those tried.
    let (size, cause) = first.unwrap_or_else(|| unreachable!("no board was tried"));
    Err(MoveListError::NoStart { size, cause })
}

/// True if a word looks like the rows of a FEN: it begins with one, and has a piece or another row.
fn is_fen(word: &str) -> bool {
    let is_cell = |character: char| character.is_ascii_digit() || matches!(character, 'Q' | 'q' | '*');
    word.starts_with(is_cell) && word.contains(['Q', 'q', '*', '/']) && !word.contains(['-', '.'])
}

/// Moves in any notation, with or without numbers before them; Botzone's six integers a move.
fn moves(words: &[&str]) -> Result<Vec<FullMove>, ParseMoveError> {
    if !words.is_empty() && words.iter().all(|word| word.parse::<i64>().is_ok()) {
        let six: Vec<String> = words.chunks(6).map(|six| six.join(" ")).collect();
        return six
            .iter()
            .filter(|six| six.parse() != Ok(Coordinates::NONE))
            .map(|six| six.parse())
            .collect();
    }
    let bare = words.iter().map(|word| {
        let numbered = word.split_once('.').filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        numbered.map_or(*word, |(_, rest)| rest.trim_start_matches('.')).trim_end_matches([',', ';'])
    });
    bare.filter(|word| !word.is_empty()).map(str::parse).collect()
}

/// Writes a game on one line: its moves, after a FEN where it has no usual start or no move.
#[must_use]
pub fn write(game: &Game) -> String {
    let usual = |start: &Position| Start::Formula.position(start.size()) == Ok(*start);
    let moves: Vec<String> = game.plies().iter().map(|ply| ply.full.to_string()).collect();
    let mut out = moves.join(" ");
    if moves.is_empty() {
        out = Fen(*game.start()).to_string();
    } else if !usual(game.start()) {
        out = format!("{} moves {out}", Fen(*game.start()));
    }
    let _ = writeln!(out);
    out
}
