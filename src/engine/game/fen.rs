//! Positions as text: Fairy-Stockfish's FEN of the variant amazons.

use std::fmt;
use std::str::FromStr;

use super::bitboard::Bitboard;
use super::board::SquareContent;
use super::half_ply::HalfPly;
use super::position::Position;
use super::setup::{Setup, SetupError};
use super::side::Side;
use super::size::{Size, SizeError};
use super::square::Square;

/// A position's FEN: rows from the highest rank down, `Q` first player, `q` second, `*` burnt,
/// numbers up to 10 for runs of empty squares; then `w` if the first player moves, `b` otherwise;
/// then `- - 0 1`.
///
/// Prints a [`Position`] and parses into one:
///
/// ```
/// use quiver_engine::game::{Fen, Side};
///
/// let Fen(position) = "3q/4/*3/Q3 w".parse()?;
/// assert_eq!(position.to_move(), Side::First);
/// assert_eq!(position.to_string(), "3q/4/*3/Q3 w - - 0 1");
/// assert_eq!(format!("{position:#}"), " 4 . . . q\n 3 . . . .\n 2 * . . .\n 1 Q . . .\n   a b c d");
/// # Ok::<(), quiver_engine::game::FenError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fen(pub Position);

/// Text that is no FEN of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The number of fields is wrong.
    #[error("a FEN of {got} fields: expected rows, side to move (w or b), and then '- - 0 1' or nothing")]
    Fields {
        /// The number found.
        got: usize,
    },
    /// A character has no meaning among the rows.
    #[error("'{got}' in row {rank} of the FEN: expected Q, q, *, or the number of empty squares")]
    Character {
        /// The character.
        got: char,
        /// The rank of the row it stands in, counted from 1 at the bottom.
        rank: usize,
    },
    /// Rows have different lengths.
    #[error("row {rank} of the FEN has {got} squares: expected {expected} as in the first")]
    Ragged {
        /// The rank of the row, counted from 1 at the bottom.
        rank: usize,
        /// Its length.
        got: usize,
        /// The length of the row written first.
        expected: usize,
    },
    /// The board is too large or has no squares.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The side to move is neither `w` nor `b`.
    #[error("'{got}' as the side to move of the FEN: expected w (first) or b (second)")]
    SideToMove {
        /// The field as read, cut to forty characters.
        got: String,
    },
    /// A field after the side to move is not what this game has.
    #[error("'{got}' at the end of the FEN: expected '- -' and two numbers, as in '- - 0 1'")]
    Rest {
        /// The field as read, cut to forty characters.
        got: String,
    },
    /// The pieces are no position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The FEN of the position; with `{:#}` a diagram, the first row below.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return diagram(self, f);
        }
        let position = self;
        let size = position.size();
        for y in (0..size.height()).rev() {
            let mut run = 0;
            for square in (0..size.width()).filter_map(|x| Square::new(x, y)) {
                let symbol = match position.content(square) {
                    Some(SquareContent::Amazon(Side::First)) => 'Q',
                    Some(SquareContent::Amazon(Side::Second)) => 'q',
                    Some(SquareContent::Burnt) => '*',
                    Some(SquareContent::Empty) | None => {
                        run += 1;
                        continue;
                    }
                };
                if run > 0 {
                    write!(f, "{run}")?;
                    run = 0;
                }
                write!(f, "{symbol}")?;
            }
            if run > 0 {
                write!(f, "{run}")?;
            }
            f.write_str(if y > 0 { "/" } else { " " })?;
        }
        let side = if position.to_move() == Side::First { 'w' } else { 'b' };
        write!(f, "{side} - - 0 1")
    }
}

/// The rows of the board with their numbers, and the letters of the columns.
fn diagram(position: &Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let size = position.size();
    for y in (0..size.height()).rev() {
        write!(f, "{:2}", y + 1)?;
        for square in (0..size.width()).filter_map(|x| Square::new(x, y)) {
            f.write_str(match position.content(square) {
                Some(SquareContent::Amazon(Side::First)) => " Q",
                Some(SquareContent::Amazon(Side::Second)) => " q",
                Some(SquareContent::Burnt) => " *",
                Some(SquareContent::Empty) | None => " .",
            })?;
        }
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

impl fmt::Debug for HalfPly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HalfPly({}, arrow from {})", Position { board: self.board }, self.shooter)
    }
}

impl FromStr for Fen {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Fen, FenError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        if fields.len() != 2 && fields.len() != 6 {
            return Err(FenError::Fields { got: fields.len() });
        }
        let mut setup = parse_rows(fields[0])?;
        setup.to_move = match fields[1] {
            "w" => Side::First,
            "b" => Side::Second,
            other => return Err(FenError::SideToMove { got: other.chars().take(40).collect() }),
        };
        for (index, field) in fields.iter().enumerate().skip(2) {
            let known = if index < 4 { *field == "-" } else { field.parse::<u32>().is_ok() };
            if !known {
                return Err(FenError::Rest { got: field.chars().take(40).collect() });
            }
        }
        Ok(Fen(Position::try_from(&setup)?))
    }
}

/// Reads the rows; the side to move is left at the first player.
fn parse_rows(text: &str) -> Result<Setup, FenError> {
    let rows: Vec<&str> = text.split('/').collect();
    let width = row_cells(rows[0], rows.len())?.len();
    let size = Size::new(width, rows.len())?;
    let mut setup = Setup { size, amazons: [vec![], vec![]], burnt: Bitboard::EMPTY, to_move: Side::First };
    for (y, row) in rows.iter().rev().enumerate() {
        let rank = y + 1;
        let cells = row_cells(row, rank)?;
        if cells.len() != width {
            return Err(FenError::Ragged { rank, got: cells.len(), expected: width });
        }
        for (x, cell) in cells.into_iter().enumerate() {
            // Both are below 10, by the check of the size.
            let Some(square) = Square::new(x as u8, y as u8) else { continue };
            match cell {
                SquareContent::Amazon(side) => setup.amazons[side.index()].push(square),
                SquareContent::Burnt => setup.burnt.insert(square),
                SquareContent::Empty => {}
            }
        }
    }
    Ok(setup)
}

/// The squares of one row. A row that is far too long is cut short, never held whole.
fn row_cells(row: &str, rank: usize) -> Result<Vec<SquareContent>, FenError> {
    const TOO_LONG: usize = 2 * Size::MAX as usize;
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
                    run = (10 * run + digit as usize).min(TOO_LONG);
                    characters.next();
                }
                (SquareContent::Empty, run)
            }
            got => return Err(FenError::Character { got, rank }),
        };
        cells.resize((cells.len() + count).min(TOO_LONG), content);
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Start;

    const START: &str = "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1";

    #[test]
    fn the_start_is_written_as_fairy_stockfish_writes_it() {
        let start = Start::Formula.position(Size::square(10).unwrap()).unwrap();
        assert_eq!(Fen(start).to_string(), START);
        assert_eq!(START.parse(), Ok(Fen(start)));
        assert_eq!("3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w".parse(), Ok(Fen(start)));
        let moved = start.play("d1-d7/g7".parse().unwrap()).unwrap();
        assert_eq!(Fen(moved).to_string(), "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b - - 0 1");
    }

    #[test]
    fn rectangles_and_small_boards_are_read() {
        for text in ["*q1/Q1q w - - 0 1", "10 b - - 0 1", "1/1/Q w - - 0 1", "* b - - 0 1"] {
            assert_eq!(text.parse::<Fen>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn every_fault_is_named() {
        let cases = [
            ("", "a FEN of 0 fields"),
            ("3/3/3 w - -", "a FEN of 4 fields"),
            ("3/3/3 x", "'x' as the side to move"),
            ("3/3/3 w - - 0 one", "'one' at the end of the FEN"),
            ("3/3/3 w KQ - 0 1", "'KQ' at the end of the FEN"),
            ("3/2/3 w", "row 2 of the FEN has 2 squares: expected 3"),
            ("3/1x1/3 w", "'x' in row 2"),
            ("3/0Q2/3 w", "'0' in row 2"),
            ("11/11 w", "a board of 11x2 squares"),
            ("99999999999999999999/3 w", "a board of 20x2 squares"),
            ("/ w", "a board of 0x2 squares"),
            ("QQQQQ/5 w", "the first player has 5 amazons"),
        ];
        for (text, expected) in cases {
            let error = text.parse::<Fen>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
