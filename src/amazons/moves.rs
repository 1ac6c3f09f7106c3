//! Moves: the queen move, and the full move with its arrow. As text: `d1-d7/g7`, Botzone's six
//! numbers, and the notations of other programs.

use std::fmt;
use std::str::FromStr;

use super::input_error::{InputError, quoted};
use super::size::Size;
use super::square::Square;
use crate::messages::excerpt;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueenMove {
    /// The square left.
    pub from: Square,
    /// The square reached.
    pub to: Square,
}

/// A whole ply: a queen move and the arrow shot from where it ends.
///
/// Prints and parses as `from-to/arrow`:
///
/// ```
/// use amazons::Move;
///
/// let full: Move = "d1-d7/g7".parse()?;
/// assert_eq!((full.from.to_string(), full.arrow.to_string()), ("d1".into(), "g7".into()));
/// assert_eq!(full.to_string(), "d1-d7/g7");
/// # Ok::<(), amazons::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The square left.
    pub from: Square,
    /// The square reached.
    pub to: Square,
    /// The square burnt.
    pub arrow: Square,
}

/// A ply as Botzone writes it: `x0 y0 x1 y1 x2 y2`, from, to, arrow, each from 0; all -1 means "no
/// move yet".
///
/// Holds whatever six integers were sent; [`Coordinates::full_move`] says whether they are squares.
/// In JSON it is an object with the fields `x0` to `y2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "Named", into = "Named")
)]
pub struct Coordinates(pub [i64; 6]);

#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Named {
    x0: i64,
    y0: i64,
    x1: i64,
    y1: i64,
    x2: i64,
    y2: i64,
}

impl Move {
    /// A queen move with its arrow.
    #[inline]
    pub const fn new(queen: QueenMove, arrow: Square) -> Move {
        Move { from: queen.from, to: queen.to, arrow }
    }

    /// The same move on the board mirrored left to right; `None` if a square is off this board.
    pub fn mirrored(self, size: Size) -> Option<Move> {
        let mirrored = |square: Square| Square::new(size.width().checked_sub(1 + square.x())?, square.y());
        let Move { from, to, arrow } = self;
        Some(Move { from: mirrored(from)?, to: mirrored(to)?, arrow: mirrored(arrow)? })
    }

    /// The queen move of this ply.
    #[inline]
    pub const fn queen(self) -> QueenMove {
        QueenMove { from: self.from, to: self.to }
    }
}

impl Coordinates {
    /// The judge's numbers for the first player before any move.
    pub const NONE: Coordinates = Coordinates([-1; 6]);

    /// The move that these numbers name; `None` if one of them is off the largest board.
    pub fn full_move(self) -> Option<Move> {
        let square = |at: usize| {
            let (x, y) = (u8::try_from(self.0[at]).ok()?, u8::try_from(self.0[at + 1]).ok()?);
            Square::new(x, y)
        };
        Some(Move { from: square(0)?, to: square(2)?, arrow: square(4)? })
    }
}

impl From<Coordinates> for Named {
    fn from(Coordinates([x0, y0, x1, y1, x2, y2]): Coordinates) -> Named {
        Named { x0, y0, x1, y1, x2, y2 }
    }
}

impl From<Named> for Coordinates {
    fn from(Named { x0, y0, x1, y1, x2, y2 }: Named) -> Coordinates {
        Coordinates([x0, y0, x1, y1, x2, y2])
    }
}

impl From<Move> for Coordinates {
    fn from(full: Move) -> Coordinates {
        let Move { from, to, arrow } = full;
        Coordinates([from.x(), from.y(), to.x(), to.y(), arrow.x(), arrow.y()].map(i64::from))
    }
}

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

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x0, y0, x1, y1, x2, y2] = self.0;
        write!(f, "{x0} {y0} {x1} {y1} {x2} {y2}")
    }
}

/// Reads `d1-d7/g7`, `d1-d7-g7`, `d1d7g7`, `d1d7,d7g7` (any case) and Botzone's six numbers.
impl FromStr for Move {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Move, InputError> {
        let error = || {
            let got = format_args!("{} is no full move", quoted(text));
            InputError::new(got, "from-to/arrow as in d1-d7/g7, or six numbers x0 y0 x1 y1 x2 y2")
        };
        let trimmed = text.trim();
        if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
            return trimmed.parse::<Coordinates>().ok().and_then(Coordinates::full_move).ok_or_else(error);
        }
        parse_squares(trimmed).ok_or_else(error)
    }
}

/// Reads `d1-d7` and `d1d7` (any case).
impl FromStr for QueenMove {
    type Err = InputError;

    fn from_str(text: &str) -> Result<QueenMove, InputError> {
        match split_queen(text) {
            Some((queen, "")) => Ok(queen),
            _ => {
                let got = format_args!("{} is no queen move", quoted(text));
                Err(InputError::new(got, "from-to as in d1-d7"))
            }
        }
    }
}

impl FromStr for Coordinates {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Coordinates, InputError> {
        let numbers: Result<Vec<i64>, _> = text.split_ascii_whitespace().map(str::parse).collect();
        numbers.ok().and_then(|numbers| numbers.try_into().ok()).map(Coordinates).ok_or_else(|| {
            InputError::new(format_args!("'{}'", excerpt(text, 40)), "six integers x0 y0 x1 y1 x2 y2")
        })
    }
}

/// Reads a queen move from the front of `text`, and returns it with the rest.
fn split_queen(text: &str) -> Option<(QueenMove, &str)> {
    let (from, rest) = Square::split_from(text)?;
    let (to, rest) = Square::split_from(rest.strip_prefix('-').unwrap_or(rest))?;
    Some((QueenMove { from, to }, rest))
}

fn parse_squares(text: &str) -> Option<Move> {
    let (QueenMove { from, to }, rest) = split_queen(text)?;
    let arrow = if let Some(shot) = rest.strip_prefix(',') {
        // Fairy-Stockfish names the square shot from once more.
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

/// A full move that prints as Fairy-Stockfish writes it in the variant amazons: `d1d7,d7g7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UciMove(pub Move);

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Move { from, to, arrow } = self.0;
        write!(f, "{from}{to},{to}{arrow}")
    }
}
