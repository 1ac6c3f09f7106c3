//! Games as GGF, the format of the server GGS (skatgame.net), of the kind `GM[Amazons]`.
//!
//! A game is one list of properties. `BO` is the board before the first move: its rows from row 1
//! upwards, then the player to move. Each move follows as in `B[D1-D7-G7/11.50/5.04]`, with the
//! program's evaluation and the seconds used. Black, `*`, is the first player.
//!
//! Programs do not share a scale of evaluations, so the evaluation becomes a comment.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::game::{Annotation, FoundGame, Game, GameError, PlayedMove, Point, TooManyErrors};
use crate::moves::{Move, ParseMoveError};
use crate::outcome::{Cause, Outcome};
use crate::position::Position;
use crate::properties::{self, Property, PropertyNode};
pub use crate::properties::{SyntaxError, TurnError};
use crate::side::Side;
use crate::size::SetupError;
use crate::size::Size;
use crate::square::{Square, SquareContent, excerpt};

/// Reads every game of a text.
///
/// # Errors
/// If the text has no game. A game that cannot be read is an error within the list.
pub fn read(text: &str) -> Result<Vec<FoundGame<Game, ParseGgfError>>, ParseGgfError> {
    properties::read(text, false, game)
}

fn game(tree: Vec<PropertyNode>) -> Result<Game, ParseGgfError> {
    let main = properties::main_line(&tree);
    let find = |name| properties::find(main, name).map(Property::value);
    match find("GM") {
        Some(kind) if kind.trim().eq_ignore_ascii_case("amazons") => {}
        got => return Err(ParseGgfError::Kind { found: excerpt(got.unwrap_or_default()) }),
    }
    let board = find("BO").ok_or(ParseGgfError::NoBoard)?;
    let mut game = Game::new(read_board(board)?);
    properties::read_header(&mut game, main, "PC");
    let mut at = Point::START;
    for property in main.iter().flat_map(|node| &node.properties) {
        at = properties::play(&mut game, at, property, ply)?;
    }
    game.end = find("RE").and_then(|text| end(text, game.position()));
    Ok(game)
}

/// Parses `D1-D7-G7/11.50/5.04`. The evaluation and the time may be missing.
fn ply(number: usize, text: &str) -> Result<PlayedMove, ParseGgfError> {
    let mut parts = text.split('/').map(str::trim);
    let parsed = parts.next().unwrap_or_default().parse::<Move>();
    let mut ply: PlayedMove =
        PlayedMove::from(parsed.map_err(|error| ParseGgfError::Move { number, error })?);
    if let Some(evaluation) = parts.next().filter(|part| !part.is_empty()) {
        ply.facts.comment = format!("evaluation {evaluation:.40}");
    }
    if let Some(time) = parts.next().filter(|part| !part.is_empty()) {
        let wrong = || ParseGgfError::Time { number, found: excerpt(time) };
        let seconds = time.parse().ok().filter(|seconds| Annotation::SECONDS.contains(seconds));
        ply.facts.seconds = Some(seconds.ok_or_else(wrong)?);
    }
    Ok(ply)
}

fn read_board(text: &str) -> Result<Position, ParseGgfError> {
    let wrong = |found: &str, expected| ParseGgfError::Board { found: excerpt(found), expected };
    let mut words = text.split_whitespace();
    let side = words.next().unwrap_or_default();
    let side: usize = side.parse().map_err(|_| wrong(side, BoardPart::Rows))?;
    let size = Size::square(side)?;
    let mut position = Position::new(size);
    for y in 0..size.height() {
        let row = words.next().unwrap_or_default();
        if row.chars().count() != side {
            return Err(wrong(row, BoardPart::Row { length: side }));
        }
        for (x, cell) in (0..).zip(row.chars()) {
            // `Size::square` has checked that both are below 10.
            let Some(square) = Square::new(x, y) else { continue };
            let content = match cell {
                '*' => SquareContent::Amazon(Side::First),
                'O' | 'o' => SquareContent::Amazon(Side::Second),
                '-' | '.' => SquareContent::Empty,
                '#' | 'x' | 'X' | '+' => SquareContent::Burnt,
                _ => return Err(wrong(row, BoardPart::Squares)),
            };
            position.put(square, content)?;
        }
    }
    match words.next() {
        Some("*") => Ok(position.with_mover(Side::First)),
        Some("O" | "o") => Ok(position.with_mover(Side::Second)),
        other => Err(wrong(other.unwrap_or_default(), BoardPart::SideToMove)),
    }
}

/// Parses a result such as `-3.00` or `+64.00:r`, seen from Black; `None` if it names no winner.
fn end(text: &str, position: &Position) -> Option<Outcome> {
    let (number, flag) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
    let margin = number.parse::<f64>().ok().filter(|margin| margin.is_finite() && *margin != 0.0)?;
    let winner = if margin > 0.0 { Side::First } else { Side::Second };
    let mut end = Outcome { margin: Some(margin.abs()), ..Outcome::at(position, winner) };
    match flag {
        "r" => end.cause = Cause::Resignation,
        "t" => end.cause = Cause::Time,
        _ => {}
    }
    Some(end)
}

/// The error of a game that cannot be read from GGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseGgfError {
    /// The brackets and properties do not make a game.
    Syntax(SyntaxError),
    /// The game is of another kind.
    Kind {
        /// The value of `GM`; empty if there is none.
        found: String,
    },
    /// The game has no `BO`.
    NoBoard,
    /// A part of `BO` is wrong.
    Board {
        /// The first forty characters of the part.
        found: String,
        /// The part that was expected.
        expected: BoardPart,
    },
    /// The board has an impossible size, or too many amazons.
    Setup(SetupError),
    /// A move belongs to the side that is not to move.
    Turn(TurnError),
    /// The text of a move is no move.
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The error of its text.
        error: ParseMoveError,
    },
    /// The time of a move is not a number within [`Annotation::SECONDS`].
    Time {
        /// The number of the move, from 1.
        number: usize,
        /// The first forty characters of the time.
        found: String,
    },
    /// A move is illegal.
    Illegal(GameError),
    /// The text has too many unreadable games.
    TooManyErrors(TooManyErrors),
}

/// A part of the property `BO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardPart {
    /// The number of rows.
    Rows,
    /// A row.
    Row {
        /// The number of its squares.
        length: usize,
    },
    /// The squares of a row, each one of `-`, `*`, `O` and `#`.
    Squares,
    /// The side to move.
    SideToMove,
}

impl fmt::Display for ParseGgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseGgfError::Syntax(error) => error.fmt(f),
            ParseGgfError::Kind { found } => {
                write!(f, "a game of the kind GM[{found}]: expected GM[Amazons]")
            }
            ParseGgfError::NoBoard => f.write_str("no BO: expected the board before the first move"),
            ParseGgfError::Board { found, expected } => {
                write!(f, "BO: '{found}': expected ")?;
                match expected {
                    BoardPart::Rows => f.write_str("the number of rows"),
                    BoardPart::Row { length } => write!(f, "a row of {length} squares"),
                    BoardPart::Squares => f.write_str("the squares -, *, O and # (burnt)"),
                    BoardPart::SideToMove => f.write_str("the player to move, * or O"),
                }
            }
            ParseGgfError::Setup(error) => error.fmt(f),
            ParseGgfError::Turn(error) => error.fmt(f),
            ParseGgfError::Move { number, error } => write!(f, "move {number}: {error}"),
            ParseGgfError::Time { number, found } => {
                write!(f, "move {number}: '{found}' as its time: expected seconds from 0 to 1e9")
            }
            ParseGgfError::Illegal(error) => error.fmt(f),
            ParseGgfError::TooManyErrors(error) => error.fmt(f),
        }
    }
}

impl Error for ParseGgfError {}

from_variants!(ParseGgfError {
    Syntax(SyntaxError),
    Setup(SetupError),
    Turn(TurnError),
    Illegal(GameError),
    TooManyErrors(TooManyErrors),
});
