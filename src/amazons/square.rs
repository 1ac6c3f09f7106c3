//! The squares of the board, their names, and what they hold.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use super::side::Side;
use super::size::Size;

/// The index of the bit of square (0, 0) in a [`Bitboard`](super::Bitboard).
pub(super) const FIRST_BIT: u8 = 4;

pub(super) const ROW_STRIDE: u8 = 12;

/// A square in column `x` and row `y`, both from 0. `a1` is in column 0 and row 0. Squares are
/// ordered by rows.
///
/// ```
/// use amazons::Square;
///
/// let square: Square = "d7".parse()?;
/// assert_eq!((square.x(), square.y()), (3, 6));
/// assert_eq!(format!("{square} {square:?}"), "d7 d7");
/// # Ok::<(), amazons::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Default for Square {
    fn default() -> Square {
        Square(FIRST_BIT)
    }
}

impl Square {
    /// An upper bound: every [`Square::index`] is less than this number.
    pub const INDICES: usize = 128;

    /// The square in column `x` and row `y`, both from 0; `None` if it is off the largest board.
    #[inline]
    pub const fn new(x: u8, y: u8) -> Option<Square> {
        if x < Size::MAX && y < Size::MAX { Some(Square(FIRST_BIT + ROW_STRIDE * y + x)) } else { None }
    }

    /// The square whose bit in a bitboard has this index. The index must come from
    /// [`Square::index`] or a bitboard; any other index gives a meaningless square.
    #[inline]
    pub const fn from_index_unchecked(index: u8) -> Square {
        Square(index)
    }

    /// The index of this square's bit in a bitboard, below [`Square::INDICES`].
    #[inline(always)]
    pub const fn index(self) -> u8 {
        // The mask changes nothing: it shows the compiler that the value is below `INDICES`.
        self.0 & (Square::INDICES as u8 - 1)
    }

    /// The square as one byte, `16 * y + x`, for hashes and file formats.
    pub const fn to_byte(self) -> u8 {
        16 * self.y() + self.x()
    }

    /// The inverse of [`Square::to_byte`]; `None` if the byte does not stand for a square.
    pub const fn from_byte(byte: u8) -> Option<Square> {
        Square::new(byte % 16, byte / 16)
    }

    /// The column of the square, from 0 at the left.
    #[inline]
    pub const fn x(self) -> u8 {
        self.0.wrapping_sub(FIRST_BIT) % ROW_STRIDE
    }

    /// The row of the square, from 0 at the bottom.
    #[inline]
    pub const fn y(self) -> u8 {
        self.0.wrapping_sub(FIRST_BIT) / ROW_STRIDE
    }

    /// Parses a square at the start of `text`, as `d7` or `D7`. Returns it and the rest of `text`.
    pub fn split_from(text: &str) -> Option<(Square, &str)> {
        let letter = text.chars().next()?.to_ascii_lowercase();
        let x = u8::try_from(u32::from(letter).checked_sub(u32::from('a'))?).ok()?;
        let digits = text.get(1..)?;
        // A row number has at most two digits; the text after them belongs to the next square.
        let length = digits.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let number: u8 = digits[..length].parse().ok()?;
        if digits.starts_with('0') {
            return None;
        }
        // "a11" is an error, because there is no row 11. It does not mean a1 followed by a 1.
        Some((Square::new(x, number.checked_sub(1)?)?, &digits[length..]))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.x()), self.y() + 1)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match Square::split_from(text) {
            Some((square, "")) => Ok(square),
            _ => Err(ParseSquareError(excerpt(text))),
        }
    }
}

/// The error of a text that is not a square. Contains the first forty characters of the text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is no square: expected a letter a to j and a number 1 to 10, as in d7")]
pub struct ParseSquareError(pub String);

pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The content of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SquareContent {
    /// Nothing. An amazon or an arrow may enter the square.
    Empty,
    /// An arrow, which stays for the rest of the game.
    Burnt,
    /// An amazon of this side.
    Amazon(Side),
}

impl SquareContent {
    /// The character for this content, chosen from the caller's characters for the four contents.
    pub fn symbol(self, [first, second, burnt, empty]: [char; 4]) -> char {
        match self {
            SquareContent::Amazon(Side::First) => first,
            SquareContent::Amazon(Side::Second) => second,
            SquareContent::Burnt => burnt,
            SquareContent::Empty => empty,
        }
    }
}

impl fmt::Display for SquareContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SquareContent::Empty => f.write_str("nothing"),
            SquareContent::Burnt => f.write_str("an arrow"),
            SquareContent::Amazon(side) => write!(f, "an amazon of the {side} player"),
        }
    }
}
