//! Sets of squares for the portable floods: [`Bitboard`] for any board, [`Small`] for boards up to
//! 8x8 in half the words.
//!
//! A step may leave the board: callers intersect the result with a set of squares on the board.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use crate::game::{Bitboard, Square};

/// One of the eight directions of a queen. Opposite ways shift by the same number of bits, up or
/// down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// `x + 1`.
    East,
    /// `x - 1`.
    West,
    /// `y + 1`.
    South,
    /// `y - 1`.
    North,
    /// `x + 1`, `y + 1`.
    SouthEast,
    /// `x - 1`, `y - 1`.
    NorthWest,
    /// `x - 1`, `y + 1`.
    SouthWest,
    /// `x + 1`, `y - 1`.
    NorthEast,
}

/// A set of squares that floods run on. `a - b` is set difference.
pub(crate) trait Packed:
    Copy
    + Debug
    + Default
    + PartialEq
    + From<Bitboard>
    + Into<Bitboard>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + Sub<Output = Self>
{
    /// Whether a line of this board can be longer than eight squares.
    const LONG: bool;

    /// The set of this one square.
    fn of(square: Square) -> Self;

    /// How many squares are in the set.
    fn count(self) -> i32;

    /// Whether there are none.
    fn is_empty(self) -> bool;

    /// These squares without those that a shift this way reaches round the edge of the board.
    fn entered(self, way: Way) -> Self;

    /// The squares shifted by this number of steps; some leave the board or come round its edge.
    fn shift(self, way: Way, steps: u32) -> Self;

    /// These squares and all a king's step from them.
    fn king_reach(self) -> Self;
}

impl Packed for Bitboard {
    const LONG: bool = true;

    #[inline(always)]
    fn of(square: Square) -> Bitboard {
        Bitboard::of(square)
    }

    #[inline(always)]
    fn count(self) -> i32 {
        Bitboard::count(self) as i32
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        Bitboard::is_empty(self)
    }

    #[inline(always)]
    fn entered(self, _way: Way) -> Bitboard {
        self
    }

    #[inline(always)]
    fn shift(self, way: Way, steps: u32) -> Bitboard {
        let bits = self.bits();
        Bitboard::from_bits(match way {
            Way::East => bits << steps,
            Way::West => bits >> steps,
            Way::South => bits << (12 * steps),
            Way::North => bits >> (12 * steps),
            Way::SouthEast => bits << (13 * steps),
            Way::NorthWest => bits >> (13 * steps),
            Way::SouthWest => bits << (11 * steps),
            Way::NorthEast => bits >> (11 * steps),
        })
    }

    #[inline(always)]
    fn king_reach(self) -> Bitboard {
        Bitboard::king_reach(self)
    }
}

/// A board up to 8x8, in one word: bit `8 * y + x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Small {
    word: u64,
}

impl Small {
    pub(super) const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
    pub(super) const LAST_COLUMN: u64 = Small::FIRST_COLUMN << 7;

    /// The set with these bits.
    #[inline(always)]
    pub(super) const fn from_bits(word: u64) -> Small {
        Small { word }
    }

    /// The bits of the set.
    #[inline(always)]
    pub(super) const fn bits(self) -> u64 {
        self.word
    }
}

/// The set of each square of a small board, by [`Square::index`].
static SINGLES: [Small; Square::INDICES] = {
    let mut singles = [Small { word: 0 }; Square::INDICES];
    let mut bit = 0;
    while bit < 64 {
        if let Some(square) = Square::new(bit % 8, bit / 8) {
            singles[square.index() as usize] = Small { word: 1 << bit };
        }
        bit += 1;
    }
    singles
};

impl BitAnd for Small {
    type Output = Small;

    #[inline(always)]
    fn bitand(self, other: Small) -> Small {
        Small { word: self.word & other.word }
    }
}

impl BitOr for Small {
    type Output = Small;

    #[inline(always)]
    fn bitor(self, other: Small) -> Small {
        Small { word: self.word | other.word }
    }
}

impl BitOrAssign for Small {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Small) {
        self.word |= other.word;
    }
}

impl Sub for Small {
    type Output = Small;

    #[inline(always)]
    fn sub(self, other: Small) -> Small {
        Small { word: self.word & !other.word }
    }
}

impl Packed for Small {
    const LONG: bool = false;

    #[inline(always)]
    fn of(square: Square) -> Small {
        SINGLES[usize::from(square.index())]
    }

    #[inline(always)]
    fn count(self) -> i32 {
        self.word.count_ones() as i32
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.word == 0
    }

    #[inline(always)]
    fn entered(self, way: Way) -> Small {
        let round = match way {
            Way::East | Way::SouthEast | Way::NorthEast => Small::FIRST_COLUMN,
            Way::West | Way::SouthWest | Way::NorthWest => Small::LAST_COLUMN,
            Way::South | Way::North => 0,
        };
        Small { word: self.word & !round }
    }

    #[inline(always)]
    fn shift(self, way: Way, steps: u32) -> Small {
        let word = match way {
            Way::East => self.word << steps,
            Way::West => self.word >> steps,
            Way::South => self.word << (8 * steps),
            Way::North => self.word >> (8 * steps),
            Way::SouthEast => self.word << (9 * steps),
            Way::NorthWest => self.word >> (9 * steps),
            Way::SouthWest => self.word << (7 * steps),
            Way::NorthEast => self.word >> (7 * steps),
        };
        Small { word }
    }

    #[inline(always)]
    fn king_reach(self) -> Small {
        let row =
            self | self.shift(Way::East, 1).entered(Way::East) | self.shift(Way::West, 1).entered(Way::West);
        row | row.shift(Way::South, 1) | row.shift(Way::North, 1)
    }
}

impl From<Bitboard> for Small {
    #[inline(always)]
    fn from(set: Bitboard) -> Small {
        let row = |y: u32| u64::from((set.bits() >> (4 + 12 * y)) as u8) << (8 * y);
        Small { word: (0..8).fold(0, |word, y| word | row(y)) }
    }
}

impl From<Small> for Bitboard {
    #[inline(always)]
    fn from(set: Small) -> Bitboard {
        let row = |y: u32| u128::from((set.word >> (8 * y)) as u8) << (4 + 12 * y);
        Bitboard::from_bits((0..8).fold(0, |bits, y| bits | row(y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Size;

    const WAYS: [(Way, i8, i8); 8] = [
        (Way::East, 1, 0),
        (Way::West, -1, 0),
        (Way::South, 0, 1),
        (Way::North, 0, -1),
        (Way::SouthEast, 1, 1),
        (Way::NorthWest, -1, -1),
        (Way::SouthWest, -1, 1),
        (Way::NorthEast, 1, -1),
    ];

    fn steps_are_steps_on_the_board<P: Packed>(size: Size) {
        let board = size.mask();
        assert_eq!(P::from(board).count(), board.count() as i32);
        for from in board {
            let set = P::from(Bitboard::of(from));
            assert_eq!(set.into(), Bitboard::of(from));
            for (way, dx, dy) in WAYS {
                let (x, y) = (from.x() as i8 + dx, from.y() as i8 + dy);
                let square = u8::try_from(x).ok().zip(u8::try_from(y).ok());
                let square = square.and_then(|(x, y)| Square::new(x, y));
                let expected: Bitboard = square.filter(|&square| size.contains(square)).into_iter().collect();
                let stepped = set.shift(way, 1) & P::from(board).entered(way);
                assert_eq!(stepped.into(), expected, "{from} {way:?}");
            }
            let reach = set.king_reach() & P::from(board);
            assert_eq!(reach.into(), Bitboard::of(from).king_reach() & board, "{from}");
        }
    }

    #[test]
    fn both_kinds_step_alike() {
        for side in [1, 4, 7, 8] {
            steps_are_steps_on_the_board::<Small>(Size::square(side).unwrap());
            steps_are_steps_on_the_board::<Bitboard>(Size::square(side).unwrap());
        }
        steps_are_steps_on_the_board::<Bitboard>(Size::square(9).unwrap());
        steps_are_steps_on_the_board::<Bitboard>(Size::square(10).unwrap());
    }
}
