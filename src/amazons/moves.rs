//! Queen moves, half moves and full moves, with the text form of each, such as `d1-d7/g7`.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use super::size::Size;
use super::square::{Square, excerpt};

/// The first half of a ply: an amazon moves like a chess queen.
///
/// ```
/// use amazons::{Position, QueenMove, Size};
///
/// let start = Position::start(Size::square(10)?)?;
/// let queen: QueenMove = "d1-d7".parse()?;
/// assert!(start.queen_moves().any(|other| other == queen));
/// assert_eq!(queen.to_string(), "d1-d7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueenMove {
    /// The square that the amazon leaves.
    pub from: Square,
    /// The square that the amazon reaches.
    pub to: Square,
}

/// A full move: a queen move, and the arrow that the amazon then shoots.
///
/// ```
/// use amazons::Move;
///
/// let opening: Move = "d1-d7/g7".parse()?;
/// assert_eq!((opening.from.to_string(), opening.arrow.to_string()), ("d1".into(), "g7".into()));
/// assert_eq!(opening.to_string(), "d1-d7/g7");
/// # Ok::<(), amazons::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The square that the amazon leaves.
    pub from: Square,
    /// The square that the amazon reaches.
    pub to: Square,
    /// The square that the arrow burns.
    pub arrow: Square,
}

impl Move {
    /// The full move of a queen move and its arrow.
    #[inline]
    pub const fn new(queen: QueenMove, arrow: Square) -> Move {
        Move { from: queen.from, to: queen.to, arrow }
    }

    /// The move mirrored left to right; `None` if a square is not on a board of this width.
    pub fn mirrored(self, size: Size) -> Option<Move> {
        let mirrored = |square: Square| Square::new(size.width().checked_sub(1 + square.x())?, square.y());
        let Move { from, to, arrow } = self;
        Some(Move { from: mirrored(from)?, to: mirrored(to)?, arrow: mirrored(arrow)? })
    }

    /// The queen move of this full move.
    #[inline]
    pub const fn queen(self) -> QueenMove {
        QueenMove { from: self.from, to: self.to }
    }
}

/// One half of a ply: a queen move or an arrow. Prints as `d1-d7` or `g7`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HalfMove {
    /// A queen move.
    Queen(QueenMove),
    /// The square that an arrow burns.
    Arrow(Square),
}

impl HalfMove {
    /// An upper bound: every [`HalfMove::index`] is less than this number.
    pub const INDICES: usize = Square::INDICES * Square::INDICES;

    /// The square that the amazon reaches or that the arrow burns.
    #[inline]
    pub fn target(self) -> Square {
        match self {
            HalfMove::Queen(QueenMove { to, .. }) => to,
            HalfMove::Arrow(arrow) => arrow,
        }
    }

    /// A different number for each half move, below `Square::INDICES * Square::INDICES`.
    #[inline]
    pub fn index(self) -> usize {
        let index = |square: Square| usize::from(square.index());
        match self {
            HalfMove::Queen(QueenMove { from, to }) => Square::INDICES * index(from) + index(to),
            HalfMove::Arrow(to) => index(to),
        }
    }
}

// If a square had index 0, queen moves from this square would have the same indices as arrows.
const _: () = assert!(Square::new(0, 0).unwrap().index() > 0);

impl fmt::Display for QueenMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}/{}", self.from, self.to, self.arrow)
    }
}

impl fmt::Display for HalfMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HalfMove::Queen(queen) => queen.fmt(f),
            HalfMove::Arrow(arrow) => arrow.fmt(f),
        }
    }
}

macro_rules! debug_as_text {
    ($($name:ident),*) => {
        $(impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        })*
    };
}

debug_as_text!(Square, QueenMove, HalfMove, Move);

/// Parses a full move as `d1-d7/g7`, `d1-d7-g7`, `d1d7g7` or `d1d7,d7g7`, in upper or lower case,
/// or as six numbers `x0 y0 x1 y1 x2 y2`: the column and the row of each square, counted from 0.
impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let trimmed = text.trim();
        let is_numbers = trimmed.starts_with(|c: char| c.is_ascii_digit());
        let parsed = if is_numbers { parse_numbers(trimmed) } else { parse_squares(trimmed) };
        parsed.ok_or_else(|| ParseMoveError::Move(excerpt(text)))
    }
}

/// Parses a queen move as `d1-d7` or `d1d7`, in upper or lower case.
impl FromStr for QueenMove {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<QueenMove, ParseMoveError> {
        match split_queen(text.trim()) {
            Some((queen, "")) => Ok(queen),
            _ => Err(ParseMoveError::QueenMove(excerpt(text))),
        }
    }
}

/// The error of a text that cannot be parsed as a move.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseMoveError {
    /// The text cannot be parsed as a [`Move`]. Contains its first forty characters.
    #[error("'{0}' is no full move: expected from-to/arrow as in d1-d7/g7, or six numbers x0 y0 x1 y1 x2 y2")]
    Move(String),
    /// The text cannot be parsed as a [`QueenMove`]. Contains its first forty characters.
    #[error("'{0}' is no queen move: expected from-to as in d1-d7")]
    QueenMove(String),
}

fn parse_numbers(text: &str) -> Option<Move> {
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse().ok());
    let mut square = || Square::new(numbers.next()??, numbers.next()??);
    let parsed = Move { from: square()?, to: square()?, arrow: square()? };
    numbers.next().is_none().then_some(parsed)
}

fn split_queen(text: &str) -> Option<(QueenMove, &str)> {
    let (from, rest) = Square::split_from(text)?;
    let (to, rest) = Square::split_from(rest.strip_prefix('-').unwrap_or(rest))?;
    Some((QueenMove { from, to }, rest))
}

fn parse_squares(text: &str) -> Option<Move> {
    let (QueenMove { from, to }, rest) = split_queen(text)?;
    let arrow = if let Some(shot) = rest.strip_prefix(',') {
        // In the form `d1d7,d7g7`, the arrow must start on the square that the amazon reached.
        let (shooter, arrow) = Square::split_from(shot)?;
        if shooter != to {
            return None;
        }
        arrow
    } else {
        rest.strip_prefix(['/', '-']).unwrap_or(rest)
    };
    let (arrow, rest) = Square::split_from(arrow)?;
    rest.is_empty().then_some(Move { from, to, arrow })
}

/// A full move that prints in the form of Fairy-Stockfish's variant amazons: `d1d7,d7g7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UciMove(pub Move);

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Move { from, to, arrow } = self.0;
        write!(f, "{from}{to},{to}{arrow}")
    }
}
