//! The contents of every square of a position.

use std::fmt;

use super::bitboard::Bitboard;
use super::input_error::InputError;
use super::position::Position;
use super::side::Side;
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

impl Position {
    /// Puts an amazon on an empty square; the side must have fewer than [`MAX_AMAZONS`].
    pub(super) fn add(&mut self, side: Side, square: Square) {
        let slot = usize::from(self.counts[side.index()]);
        let amazons = &mut self.amazons[side.index()][..=slot];
        amazons[slot] = square;
        amazons.sort_unstable();
        self.counts[side.index()] += 1;
        self.empty.remove(square);
    }

    /// The squares of a side's amazons, ascending; at most four.
    #[inline]
    pub fn amazons(&self, side: Side) -> &[Square] {
        // The limit tells the optimiser what `add` keeps true.
        let count = usize::from(self.counts[side.index()]).min(MAX_AMAZONS);
        &self.amazons[side.index()][..count]
    }

    #[inline]
    pub(super) fn amazon_set(&self, side: Side) -> Bitboard {
        self.amazons(side).iter().collect()
    }

    /// The burnt squares of the board.
    pub fn burnt(&self) -> Bitboard {
        self.size.mask() - self.empty - self.amazon_set(Side::First) - self.amazon_set(Side::Second)
    }

    /// The content of `square`; `None` off this board.
    pub fn content(&self, square: Square) -> Option<SquareContent> {
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

    /// Moves the mover's amazon from one square to an empty one, keeping the order.
    #[inline]
    pub(super) fn relocate(&mut self, from: Square, to: Square) {
        let count = self.amazons(self.mover).len();
        let amazons = &mut self.amazons[self.mover.index()][..count];
        if let Some(mut slot) = amazons.iter().position(|&square| square == from) {
            while slot > 0 && amazons[slot - 1] > to {
                amazons[slot] = amazons[slot - 1];
                slot -= 1;
            }
            while slot + 1 < amazons.len() && amazons[slot + 1] < to {
                amazons[slot] = amazons[slot + 1];
                slot += 1;
            }
            amazons[slot] = to;
        }
        self.empty.insert(from);
        self.empty.remove(to);
    }
}
