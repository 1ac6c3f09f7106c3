//! The usual start positions of square boards.

use crate::position::Position;
use crate::side::Side;
use crate::size::SetupError;
use crate::size::Size;
use crate::square::{Square, SquareContent};

impl Position {
    /// The usual start position of a square board with side N, which must be even and at least 6.
    /// On every edge, amazons stand `k = (N - 1) / 3` squares from both corners. The four amazons
    /// in the lower half belong to the first player.
    ///
    /// # Errors
    /// If the board is not square, or its side is odd or below 6.
    pub fn start(size: Size) -> Result<Position, SetupError> {
        let n = size.width();
        if n != size.height() || n < 6 || !n.is_multiple_of(2) {
            return Err(SetupError::NoStart(size));
        }
        let (k, far, last) = ((n - 1) / 3, n - 1 - (n - 1) / 3, n - 1);
        let low = [(0, k), (k, 0), (far, 0), (last, k)];
        let high = [(0, far), (k, last), (far, last), (last, far)];
        let mut position = Position::new(size);
        for (side, squares) in Side::BOTH.into_iter().zip([low, high]) {
            for square in squares.iter().filter_map(|&(x, y)| Square::new(x, y)) {
                position.put(square, SquareContent::Amazon(side))?;
            }
        }
        Ok(position)
    }

    /// True if this is the usual start position of its board.
    pub fn is_start(&self) -> bool {
        Position::start(self.size()) == Ok(*self)
    }
}

/// The usual start position of the 10x10 board.
impl Default for Position {
    fn default() -> Position {
        let size = Size::square(10).unwrap_or_else(|_| unreachable!("10x10 is a board"));
        Position::start(size).unwrap_or_else(|_| unreachable!("10x10 has a start position"))
    }
}
