//! Board sizes, rectangles included, and the error of a board that cannot be set up.

use core::error::Error;
use core::fmt;

use super::bitboard::Bitboard;
use super::side::{MAX_AMAZONS, Side};
use super::square::{FIRST, LONGEST, STRIDE, Square};

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
    pub const MAX: u8 = LONGEST;

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

    /// True if the board is wider or higher than 8 squares. Engines often have settings for either
    /// kind.
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

    /// Every square of the board.
    pub fn mask(self) -> Bitboard {
        let row = (1_u128 << self.width) - 1;
        let rows = (0..self.height).map(|y| row << (FIRST + STRIDE * y));
        Bitboard::from_bits(rows.fold(0, |set, row| set | row))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// The reason why a board cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The board is too large, or has no squares.
    Size {
        /// The number of squares in a row.
        width: usize,
        /// The number of rows.
        height: usize,
    },
    /// The square is not on the board.
    OffBoard {
        /// The square.
        square: Square,
        /// The board.
        size: Size,
    },
    /// A side would have more than [`MAX_AMAZONS`].
    TooManyAmazons {
        /// The side.
        side: Side,
        /// The square of the amazon that is one too many.
        square: Square,
    },
    /// The board has no usual start position: it is not square, or its side is odd or below 6.
    NoStart {
        /// The board.
        size: Size,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Size { width, height } => {
                write!(f, "a board of {width}x{height} squares: expected 1 to {} on either side", Size::MAX)
            }
            SetupError::OffBoard { square, size } => {
                write!(f, "{square} is not on a board of {size}: expected a square of it")
            }
            SetupError::TooManyAmazons { side, square } => {
                write!(f, "a fifth amazon of the {side} player on {square}: expected at most {MAX_AMAZONS}")
            }
            SetupError::NoStart { size } => write!(
                f,
                "no start position for a board of {size}: expected a square board, its side even and from 6"
            ),
        }
    }
}

impl Error for SetupError {}
