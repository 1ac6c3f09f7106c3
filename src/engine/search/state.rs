//! The state of a descent of the tree: before a queen move, or before the arrow.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::edge::Edge;
use crate::game::{Moment, Position, QueenMove, Side, Square};

/// The side that chooses at a node, and between what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chooser {
    pub(super) side: Side,
    /// True if a queen has moved and its arrow is to come.
    pub(super) shoots: bool,
}

/// A queen move or an arrow: what one edge of the tree stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HalfMove {
    /// The squares left and reached.
    Queen(Square, Square),
    /// The square burnt.
    Arrow(Square),
}

impl Chooser {
    /// The half move that an edge stands for here.
    #[inline]
    pub(super) fn half_move(self, edge: Edge<'_>) -> HalfMove {
        if self.shoots { HalfMove::Arrow(edge.to()) } else { HalfMove::Queen(edge.from(), edge.to()) }
    }
}

impl Moment {
    #[inline]
    pub(super) fn chooser(&self) -> Chooser {
        Chooser { side: self.side(), shoots: self.is_half_ply() }
    }

    /// The state after the half move of an edge.
    #[inline]
    pub(super) fn after(&self, edge: Edge<'_>) -> Moment {
        match self {
            Moment::Position(position) => {
                let queen = QueenMove { from: edge.from(), to: edge.to() };
                Moment::HalfPly(position.move_queen_unchecked(queen))
            }
            Moment::HalfPly(half) => Moment::Position(half.shoot_unchecked(edge.to())),
        }
    }

    /// The position after up to `plies` random plies, each a uniform queen move and then a uniform
    /// arrow. An arrow that is to come is shot first. There are fewer only if the game ends. Calls
    /// `played` for every half move.
    pub(super) fn after_random_plies(
        &self,
        plies: u32,
        rng: &mut Xoshiro256PlusPlus,
        mut played: impl FnMut(Side, HalfMove),
    ) -> Position {
        let mut position = match self {
            Moment::Position(position) => *position,
            Moment::HalfPly(half) => {
                let arrow = half.random_arrow(rng);
                played(half.mover(), HalfMove::Arrow(arrow));
                half.shoot_unchecked(arrow)
            }
        };
        for _ in 0..plies {
            let mover = position.to_move();
            let Some(full) = position.random_full_move(rng) else { break };
            played(mover, HalfMove::Queen(full.from, full.to));
            played(mover, HalfMove::Arrow(full.arrow));
            position = position.play_unchecked(full);
        }
        position
    }
}
