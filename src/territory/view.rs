//! What the evaluator is asked about.

use crate::game::{Bitboard, HalfPly, Position, Side, Size, Square};

/// A position or half ply as the evaluator takes it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The squares that may be entered.
    pub empty: &'a Bitboard,
    /// The amazons of the mover, then of the opponent.
    pub amazons: [&'a [Square]; 2],
    /// The mover's queen has moved and its arrow is to come.
    pub half: bool,
    /// The size of the board: weights differ.
    pub size: Size,
}

impl<'a> From<&'a Position> for View<'a> {
    #[inline]
    fn from(position: &'a Position) -> View<'a> {
        let mover = position.to_move();
        View {
            empty: position.empty(),
            amazons: [mover, !mover].map(|side| position.amazons(side)),
            half: false,
            size: position.size(),
        }
    }
}

impl<'a> From<&'a HalfPly> for View<'a> {
    #[inline]
    fn from(half: &'a HalfPly) -> View<'a> {
        let mover: Side = half.mover();
        View {
            empty: half.empty(),
            amazons: [mover, !mover].map(|side| half.amazons(side)),
            half: true,
            size: half.size(),
        }
    }
}
