//! Board sizes, rectangles included.

use core::fmt;

use super::bitboard::Bitboard;
use super::setup_error::SetupError;
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
    /// The longest side of a board.
    pub const MAX: u8 = LONGEST;

    /// A board of `width` by `height` squares.
    ///
    /// # Errors
    /// If either is outside 1 to [`Size::MAX`].
    pub fn new(width: usize, height: usize) -> Result<Size, SetupError> {
        let fits = |length: usize| (1..=usize::from(Size::MAX)).contains(&length);
        if fits(width) && fits(height) {
            Ok(Size { width: width as u8, height: height as u8 })
        } else {
            Err(SetupError::Size { width, height })
        }
    }

    /// A square board of `side` by `side` squares.
    pub fn square(side: usize) -> Result<Size, SetupError> {
        Size::new(side, side)
    }

    /// True if it is larger than 8x8. Weights, networks and parameters come twice: fitted on 8x8
    /// for boards up to that size, and on 10x10 for larger ones.
    #[inline(always)]
    pub const fn is_large(self) -> bool {
        self.width > 8 || self.height > 8
    }

    /// Squares in a row.
    #[inline]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Rows.
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
