//! The contents of every square: the common part of positions and half plies. It is private:
//! users of the crate build a position from a `Setup`.

use std::fmt;

use super::bitboard::Bitboard;
use super::input_error::InputError;
use super::side::Side;
use super::size::Size;
use super::square::Square;

/// The most amazons a side may have.
pub const MAX_AMAZONS: usize = 4;

/// The content of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SquareContent {
    /// Nothing: a piece or an arrow may enter.
    Empty,
    /// An arrow.
    Burnt,
    /// An amazon of this side.
    Amazon(Side),
}

impl SquareContent {
    /// The symbol of the first and the second player's amazon, of an arrow, or of nothing.
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

/// The squares of a board and the side that acts next; 32 bytes.
///
/// The amazons of a side are kept in order of their squares, so that two boards are equal when they
/// look the same, however they came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board {
    pub(super) empty: Bitboard,
    amazons: [[Square; MAX_AMAZONS]; 2],
    counts: [u8; 2],
    pub(super) size: Size,
    pub(super) mover: Side,
}

const _: () = assert!(size_of::<Board>() == 32);

impl Board {
    /// Stands in places without an amazon, behind the others.
    const NONE: Square = Square::from_index(Square::INDICES as u8 - 1);

    pub(super) fn new(size: Size, mover: Side) -> Board {
        Board { empty: size.mask(), amazons: [[Board::NONE; MAX_AMAZONS]; 2], counts: [0; 2], size, mover }
    }

    /// Puts an amazon on an empty square; the side must have fewer than [`MAX_AMAZONS`].
    pub(super) fn add(&mut self, side: Side, square: Square) {
        let slot = usize::from(self.counts[side.index()]);
        let amazons = &mut self.amazons[side.index()][..=slot];
        amazons[slot] = square;
        amazons.sort_unstable();
        self.counts[side.index()] += 1;
        self.empty.remove(square);
    }

    #[inline]
    pub(super) fn amazons(&self, side: Side) -> &[Square] {
        &self.amazons[side.index()][..self.count(side)]
    }

    /// The number of a side's amazons. The limit tells the optimiser what `add` keeps true.
    #[inline]
    fn count(&self, side: Side) -> usize {
        usize::from(self.counts[side.index()]).min(MAX_AMAZONS)
    }

    #[inline]
    pub(super) fn amazon_set(&self, side: Side) -> Bitboard {
        self.amazons(side).iter().collect()
    }

    pub(super) fn burnt(&self) -> Bitboard {
        self.size.mask() - self.empty - self.amazon_set(Side::First) - self.amazon_set(Side::Second)
    }

    pub(super) fn content(&self, square: Square) -> Option<SquareContent> {
        if !self.size.contains(square) {
            return None;
        }
        if self.empty.contains(square) {
            return Some(SquareContent::Empty);
        }
        let owner = Side::BOTH.into_iter().find(|&side| self.amazons(side).contains(&square));
        Some(owner.map_or(SquareContent::Burnt, SquareContent::Amazon))
    }

    /// The content of `square`, which must be on this board.
    pub(super) fn on_board(&self, square: Square) -> Result<SquareContent, InputError> {
        let off = || InputError(format!("{square} is not on a board of {}", self.size));
        self.content(square).ok_or_else(off)
    }

    /// Moves an amazon from one square to an empty one, keeping the order, without a branch. `from` must hold
    /// the mover's amazon.
    #[inline]
    pub(super) fn relocate(&mut self, from: Square, to: Square) {
        let [a, b, c, d] = self.amazons[self.mover.index()];
        let stay = |square, next| if square < from { square } else { next };
        let (a, b, c) = (stay(a, b), stay(b, c), stay(c, d));
        self.amazons[self.mover.index()] = [a.min(to), a.max(b.min(to)), b.max(c.min(to)), c.max(to)];
        self.empty.insert(from);
        self.empty.remove(to);
    }
}
