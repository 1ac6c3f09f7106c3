//! A position from outside, before it is checked.

use super::bitboard::Bitboard;
use super::board::{Board, MAX_AMAZONS, SquareContent};
use super::input_error::InputError;
use super::position::Position;
use super::side::Side;
use super::size::Size;
use super::square::Square;

/// The contents of a board, legal or not; [`Position::try_from`] checks it.
///
/// ```
/// use quiver_engine::{Position, Setup, Size};
///
/// let amazons = [vec!["a1".parse()?], vec!["e4".parse()?]];
/// let setup = Setup { amazons, ..Setup::empty(Size::new(5, 4)?) };
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

impl Setup {
    /// A board of empty squares, the first player to move.
    pub fn empty(size: Size) -> Setup {
        Setup { size, amazons: [vec![], vec![]], burnt: Bitboard::EMPTY, to_move: Side::First }
    }

    /// Puts this on a square, in the place of what stands there.
    pub(super) fn put(&mut self, square: Square, content: SquareContent) {
        self.burnt.remove(square);
        self.amazons.iter_mut().for_each(|amazons| amazons.retain(|&other| other != square));
        match content {
            SquareContent::Amazon(side) => self.amazons[side.index()].push(square),
            SquareContent::Burnt => self.burnt.insert(square),
            SquareContent::Empty => {}
        }
    }
}

impl TryFrom<&Setup> for Position {
    type Error = InputError;

    fn try_from(setup: &Setup) -> Result<Position, InputError> {
        let size = setup.size;
        let check = |square: Square| {
            let got = || format!("{square} is not on a board of {size}");
            size.contains(square).then_some(()).ok_or_else(|| InputError::new(got(), "every piece on it"))
        };
        let mut board = Board::new(size, setup.to_move);
        for square in setup.burnt {
            check(square)?;
            board.empty.remove(square);
        }
        for side in Side::BOTH {
            let amazons = &setup.amazons[side.index()];
            if amazons.len() > MAX_AMAZONS {
                return Err(InputError::new(
                    format_args!("the {side} player has {} amazons", amazons.len()),
                    format_args!("at most {MAX_AMAZONS}"),
                ));
            }
            for &square in amazons {
                check(square)?;
                if !board.empty.contains(square) {
                    return Err(InputError::new(
                        format_args!("{square} is named twice"),
                        "one amazon or one arrow on a square",
                    ));
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
