//! Reads games in GGF, the format of the server GGS (skatgame.net), for the game type `Amazons`.
//!
//! A game is one list of properties. `BO` is the board before the first move: its rows from row 1
//! upwards, then the player to move. Each move is a property such as `B[D1-D7-G7/11.50/5.04]`, with
//! an evaluation and the seconds used. The first player is Black, written `*` in `BO`.
//!
//! Each program has its own scale of evaluations, so the reader stores the evaluation as a comment.

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

/// Reads all games of a GGF text.
///
/// # Errors
/// If the text has no game. An unreadable game is an error within the list.
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
            // `Square::new` never fails here: `Size::square` limits both coordinates to below 10.
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

/// Parses a result such as `+64.00:r`, positive if Black won; `None` if it is 0 or no number.
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

/// The reason why a game cannot be read from GGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseGgfError {
    /// The text breaks the syntax of properties.
    Syntax(SyntaxError),
    /// The property `GM` names another game than Amazons.
    Kind {
        /// The value of the property `GM`; empty if the property is missing.
        found: String,
    },
    /// The property `BO`, the board before the first move, is missing.
    NoBoard,
    /// The property `BO`, the board before the first move, has a wrong part.
    Board {
        /// The first forty characters of the wrong part of `BO`.
        found: String,
        /// The part of `BO` that the reader expected instead of `found`.
        expected: BoardPart,
    },
    /// The board has an impossible size, or too many amazons.
    Setup(SetupError),
    /// A move is by the player who is not to move.
    Turn(TurnError),
    /// The text of a move cannot be parsed.
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The reason why the text is not a move.
        error: ParseMoveError,
    },
    /// The time that a player used for a move is not a number within [`Annotation::SECONDS`].
    Time {
        /// The number of the move, from 1.
        number: usize,
        /// The first forty characters of the text that should be the time.
        found: String,
    },
    /// A move is illegal.
    Illegal(GameError),
    /// The text has too many unreadable games, and the reader skipped the rest.
    TooManyErrors(TooManyErrors),
}

/// A part of the property `BO`, the board before the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardPart {
    /// The number of rows.
    Rows,
    /// One row of squares.
    Row {
        /// The number of squares that the row must have.
        length: usize,
    },
    /// The characters of a row: `-`, `*`, `O` or `#`.
    Squares,
    /// The side to move.
    SideToMove,
}

impl fmt::Display for ParseGgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseGgfError::Syntax(error) => error.fmt(f),
            ParseGgfError::Kind { found } => {
                write!(f, "GM[{found}] as the type of the game: expected GM[Amazons]")
            }
            ParseGgfError::NoBoard => f.write_str("no property BO: expected the board before the first move"),
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
                write!(f, "move {number}: '{found}' as the time used: expected seconds from 0 to 1e9")
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
