//! Sizes of square and rectangular boards, and the error of a board that cannot be set up.

use core::fmt;

use thiserror::Error;

use super::bitboard::Bitboard;
use super::side::{MAX_AMAZONS, Side};
use super::square::{FIRST_BIT, ROW_STRIDE, Square};

/// Width and height of a board, each from 1 to [`Size::MAX`] squares.
///
/// ```
/// use amazons::Size;
///
/// let size = Size::square(8)?;
/// assert_eq!((size.to_string(), size.mask().count()), ("8x8".to_owned(), 64));
/// assert!(Size::square(11).is_err());
/// # Ok::<(), amazons::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// The largest width and height of a board.
    pub const MAX: u8 = 10;

    /// A board of `width` by `height` squares.
    ///
    /// # Errors
    /// If `width` or `height` is outside 1 to [`Size::MAX`].
    pub fn new(width: usize, height: usize) -> Result<Size, SetupError> {
        let fits = |length: usize| (1..=usize::from(Size::MAX)).contains(&length);
        if fits(width) && fits(height) {
            Ok(Size { width: width as u8, height: height as u8 })
        } else {
            Err(SetupError::Size { width, height })
        }
    }

    /// A square board of `side` by `side` squares.
    ///
    /// # Errors
    /// If `side` is outside 1 to [`Size::MAX`].
    pub fn square(side: usize) -> Result<Size, SetupError> {
        Size::new(side, side)
    }

    /// True if the width or height exceeds 8. Engines often have separate settings for such boards.
    #[inline(always)]
    pub const fn is_large(self) -> bool {
        self.width > 8 || self.height > 8
    }

    /// The number of squares in a row.
    #[inline]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// The number of rows.
    #[inline]
    pub const fn height(self) -> u8 {
        self.height
    }

    /// True if `square` lies on a board of this size.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        square.x() < self.width && square.y() < self.height
    }

    /// The set of all squares of the board.
    pub fn mask(self) -> Bitboard {
        let row = (1_u128 << self.width) - 1;
        let rows = (0..self.height).map(|y| row << (FIRST_BIT + ROW_STRIDE * y));
        Bitboard::from_bits(rows.fold(0, |set, row| set | row))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// The reason why a board cannot be set up.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SetupError {
    /// The width or the height is 0 or too large.
    #[error("a board of {width}x{height}: expected width and height from 1 to {}", Size::MAX)]
    Size {
        /// The number of squares in a row.
        width: usize,
        /// The number of rows.
        height: usize,
    },
    /// The square is not on the board.
    #[error("{square} is not on the board of {size}: expected a square of the board")]
    OffBoard {
        /// The square that is not on the board.
        square: Square,
        /// The size of the board.
        size: Size,
    },
    /// A side would have more than [`MAX_AMAZONS`] amazons.
    #[error("a fifth amazon of the {side} player on {square}: expected at most {MAX_AMAZONS}")]
    TooManyAmazons {
        /// The side with too many amazons.
        side: Side,
        /// The square of the first amazon above the limit.
        square: Square,
    },
    /// The board has no usual start position: it is not square, or its side is odd or below 6.
    #[error("no start position for a board of {0}: expected a square board with an even side of 6 or more")]
    NoStart(Size),
}
