//! Reads and writes positions as text, in the FEN of Fairy-Stockfish's variant `amazons`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use super::position::Position;
use super::side::Side;
use super::size::SetupError;
use super::size::Size;
use super::square::{Square, SquareContent, excerpt};

const SYMBOLS: [char; 4] = ['Q', 'q', '*', '.'];

/// Writes the FEN: the rows from the highest down, then `w` if the first player is to move or `b`
/// if the second player is, and then always `- - 0 1`. `Q` is an amazon of the first player, `q` of
/// the second player. `*` is a burnt square, and a number counts consecutive empty squares. The
/// format `{:#}` writes a diagram with row 1 at the bottom.
///
/// ```
/// use amazons::{Position, Side};
///
/// let position: Position = "3q/4/*3/Q3 w".parse()?;
/// assert_eq!(position.to_move(), Side::First);
/// assert_eq!(position.to_string(), "3q/4/*3/Q3 w - - 0 1");
/// let diagram = " 4 . . . q\n 3 . . . .\n 2 * . . .\n 1 Q . . .\n   a b c d";
/// assert_eq!(format!("{position:#}"), diagram);
/// # Ok::<(), amazons::ParseFenError>(())
/// ```
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return write_diagram(self, f);
        }
        for y in (0..self.size().height()).rev() {
            let row: Vec<SquareContent> = self.row(y).collect();
            for run in row.chunk_by(|a, b| [a, b] == [&SquareContent::Empty; 2]) {
                match run[0] {
                    SquareContent::Empty => write!(f, "{}", run.len())?,
                    content => write!(f, "{}", content.symbol(SYMBOLS))?,
                }
            }
            f.write_str(if y > 0 { "/" } else { " " })?;
        }
        let side = if self.to_move() == Side::First { 'w' } else { 'b' };
        write!(f, "{side} - - 0 1")
    }
}

fn write_diagram(position: &Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let size = position.size();
    for y in (0..size.height()).rev() {
        write!(f, "{:2}", y + 1)?;
        position.row(y).try_for_each(|content| write!(f, " {}", content.symbol(SYMBOLS)))?;
        writeln!(f)?;
    }
    f.write_str("  ")?;
    ('a'..).take(size.width().into()).try_for_each(|letter| write!(f, " {letter}"))
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}

/// Parses a FEN with all six fields, or with only the rows and the side to move.
///
/// # Errors
/// If the number of fields or a field is wrong, the rows differ in length, the board is too large,
/// or a side has more than [`MAX_AMAZONS`](super::MAX_AMAZONS) amazons.
impl FromStr for Position {
    type Err = ParseFenError;

    fn from_str(text: &str) -> Result<Position, ParseFenError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        if fields.len() != 2 && fields.len() != 6 {
            return Err(ParseFenError::Fields(fields.len()));
        }
        let position = parse_rows(fields[0])?;
        let mover = match fields[1] {
            "w" => Side::First,
            "b" => Side::Second,
            other => return Err(ParseFenError::SideToMove(excerpt(other))),
        };
        for (index, field) in fields.iter().enumerate().skip(2) {
            let known = if index < 4 { *field == "-" } else { field.parse::<u32>().is_ok() };
            if !known {
                return Err(ParseFenError::Tail(excerpt(field)));
            }
        }
        Ok(position.with_mover(mover))
    }
}

fn parse_rows(text: &str) -> Result<Position, ParseFenError> {
    let rows: Vec<&str> = text.split('/').collect();
    let width = row_cells(rows[0], rows.len())?.len();
    let mut position = Position::new(Size::new(width, rows.len())?);
    for (y, row) in rows.iter().rev().enumerate() {
        let rank = y + 1;
        let cells = row_cells(row, rank)?;
        if cells.len() != width {
            return Err(ParseFenError::RowLength { rank, length: cells.len(), expected: width });
        }
        for (x, cell) in cells.into_iter().enumerate() {
            // `Square::new` never fails here: `Size::new` allows at most 10 columns and 10 rows.
            let Some(square) = Square::new(x as u8, y as u8) else { continue };
            position.put(square, cell)?;
        }
    }
    Ok(position)
}

/// Parses a row of a FEN. Keeps at most 20 squares, so that a malicious text takes little memory.
fn row_cells(row: &str, rank: usize) -> Result<Vec<SquareContent>, ParseFenError> {
    const MAX_ROW_CELLS: usize = 2 * Size::MAX as usize;
    let mut cells = Vec::new();
    let mut characters = row.chars().peekable();
    while let Some(character) = characters.next() {
        let (content, count) = match character {
            'Q' => (SquareContent::Amazon(Side::First), 1),
            'q' => (SquareContent::Amazon(Side::Second), 1),
            '*' => (SquareContent::Burnt, 1),
            '1'..='9' => {
                let mut run = character as usize - '0' as usize;
                while let Some(digit) = characters.peek().and_then(|next| next.to_digit(10)) {
                    run = (10 * run + digit as usize).min(MAX_ROW_CELLS);
                    characters.next();
                }
                (SquareContent::Empty, run)
            }
            symbol => return Err(ParseFenError::Symbol { symbol, rank }),
        };
        cells.resize((cells.len() + count).min(MAX_ROW_CELLS), content);
    }
    Ok(cells)
}

/// The reason why a text cannot be read as a FEN.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseFenError {
    /// The FEN has neither two nor six fields. Contains the number of its fields.
    #[error("a FEN of {0} fields: expected rows and side to move (w or b), with or without '- - 0 1'")]
    Fields(usize),
    /// A row has a character that a FEN does not use.
    #[error("'{symbol}' in row {rank} of the FEN: expected Q, q, *, or the number of empty squares")]
    Symbol {
        /// The unknown character.
        symbol: char,
        /// The number of the row, from 1 at the bottom.
        rank: usize,
    },
    /// The rows differ in length.
    #[error("row {rank} of the FEN has {length} squares: expected {expected} as in the top row")]
    RowLength {
        /// The number of the wrong row, from 1 at the bottom.
        rank: usize,
        /// The number of squares in the wrong row.
        length: usize,
        /// The number of squares in the top row, which is the first row of the text.
        expected: usize,
    },
    /// The rows give an impossible board size, or hold too many amazons.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The field for the side to move is neither `w` nor `b`. Holds its first 40 characters.
    #[error("'{0}' as the side to move of the FEN: expected w (first) or b (second)")]
    SideToMove(String),
    /// One of the last four fields does not fit the form `- - 0 1`. Holds its first 40 characters.
    #[error("'{0}' at the end of the FEN: expected '- -' and two numbers, as in '- - 0 1'")]
    Tail(String),
}
