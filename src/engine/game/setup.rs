//! A position from outside, before it is checked.

use super::bitboard::Bitboard;
use super::board::{Board, MAX_AMAZONS};
use super::position::Position;
use super::side::Side;
use super::size::Size;
use super::square::Square;

/// The contents of a board, legal or not; [`Position::try_from`] checks it.
///
/// ```
/// use quiver_engine::{Bitboard, Position, Setup, Side, Size};
///
/// let size = Size::new(5, 4)?;
/// let amazons = [vec!["a1".parse()?], vec!["e4".parse()?]];
/// let setup = Setup { size, amazons, burnt: Bitboard::EMPTY, to_move: Side::First };
/// assert_eq!(Position::try_from(&setup)?.to_string(), "4q/5/5/Q4 w - - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The size of the board.
    pub size: Size,
    /// The amazons of the first and of the second player, in any order.
    pub amazons: [Vec<Square>; 2],
    /// The burnt squares.
    pub burnt: Bitboard,
    /// The side that moves next.
    pub to_move: Side,
}

/// The error of a [`Setup`] that is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Something stands outside the board.
    #[error("{square} is not on a board of {size}")]
    OffBoard {
        /// The square named.
        square: Square,
        /// The board's size.
        size: Size,
    },
    /// A side has too many amazons.
    #[error("the {side} player has {got} amazons: expected at most {max}", max = MAX_AMAZONS)]
    TooManyAmazons {
        /// The side.
        side: Side,
        /// The number of its amazons.
        got: usize,
    },
    /// Two things stand on one square.
    #[error("{square} is named twice: expected one amazon or one arrow on a square")]
    Occupied {
        /// The square named.
        square: Square,
    },
}

impl TryFrom<&Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: &Setup) -> Result<Position, SetupError> {
        let size = setup.size;
        let mut board = Board::new(size, setup.to_move);
        for square in setup.burnt {
            if !size.contains(square) {
                return Err(SetupError::OffBoard { square, size });
            }
            board.empty.remove(square);
        }
        for side in Side::BOTH {
            let amazons = &setup.amazons[side.index()];
            if amazons.len() > MAX_AMAZONS {
                return Err(SetupError::TooManyAmazons { side, got: amazons.len() });
            }
            for &square in amazons {
                if !size.contains(square) {
                    return Err(SetupError::OffBoard { square, size });
                }
                if !board.empty.contains(square) {
                    return Err(SetupError::Occupied { square });
                }
                board.add(side, square);
            }
        }
        Ok(Position { board })
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Setup {
        Setup {
            size: position.size(),
            amazons: Side::BOTH.map(|side| position.amazons(side).to_vec()),
            burnt: position.burnt(),
            to_move: position.to_move(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn setup() -> Setup {
        Setup {
            size: Size::new(5, 4).unwrap(),
            amazons: [vec![square("c2"), square("a1")], vec![square("e4")]],
            burnt: [square("b2")].into_iter().collect(),
            to_move: Side::Second,
        }
    }

    #[test]
    fn the_order_of_amazons_does_not_matter() {
        let position = Position::try_from(&setup()).unwrap();
        let mut swapped = setup();
        swapped.amazons[0].reverse();
        assert_eq!(Position::try_from(&swapped), Ok(position));
        assert_eq!(Setup::from(&position), swapped);
    }

    #[test]
    fn impossible_setups_are_refused_by_name() {
        let mut crowded = setup();
        crowded.amazons[0] = ["a1", "b1", "c1", "d1", "e1"].map(square).to_vec();
        let error = Position::try_from(&crowded).unwrap_err();
        assert_eq!(error.to_string(), "the first player has 5 amazons: expected at most 4");
        for shared in ["b2", "c2", "e4"] {
            let mut doubled = setup();
            doubled.amazons[1].push(square(shared));
            assert_eq!(Position::try_from(&doubled), Err(SetupError::Occupied { square: square(shared) }));
        }
        for beyond in ["f1", "a5"] {
            let mut outside = setup();
            outside.burnt.insert(square(beyond));
            assert!(matches!(Position::try_from(&outside), Err(SetupError::OffBoard { .. })));
            let mut outside = setup();
            outside.amazons[1] = vec![square(beyond)];
            assert!(matches!(Position::try_from(&outside), Err(SetupError::OffBoard { .. })));
        }
    }
}
