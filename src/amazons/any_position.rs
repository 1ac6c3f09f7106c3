//! A state of the game in which a side chooses a queen move or an arrow.

use alloc::vec::Vec;

use rand_core::Rng;

use super::moves::HalfMove;
use super::position::{HalfPly, Position};
use super::side::Side;

/// A position before a queen move, or a half ply between a queen move and its arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnyPosition {
    /// The state before a queen move.
    Position(Position),
    /// The state after a queen move and before its arrow.
    HalfPly(HalfPly),
}

impl AnyPosition {
    /// The side that makes the next queen move or shoots the next arrow.
    #[inline]
    pub fn to_move(&self) -> Side {
        match self {
            AnyPosition::Position(position) => position.to_move(),
            AnyPosition::HalfPly(half) => half.to_move(),
        }
    }

    /// True if the side to move must shoot an arrow.
    #[inline]
    pub fn is_half_ply(&self) -> bool {
        matches!(self, AnyPosition::HalfPly(_))
    }

    /// The number of empty squares.
    pub fn empty_squares(&self) -> u32 {
        match self {
            AnyPosition::Position(position) => position.empty().count(),
            AnyPosition::HalfPly(half) => half.empty().count(),
        }
    }

    /// All legal half moves, in the order of [`HalfPly::arrows`] or [`Position::queen_moves`].
    pub fn half_moves(&self) -> Vec<HalfMove> {
        match self {
            AnyPosition::Position(position) => position.queen_moves().map(HalfMove::Queen).collect(),
            AnyPosition::HalfPly(half) => half.arrows().iter().map(HalfMove::Arrow).collect(),
        }
    }

    /// The state after a legal half move: a half ply after a queen move, a position after an arrow.
    ///
    /// # Panics
    /// If the half move is an arrow in a position, or a queen move in a half ply.
    // Always inlined, because a call would copy the position through memory twice.
    #[inline(always)]
    pub fn after(&self, half_move: HalfMove) -> AnyPosition {
        match (self, half_move) {
            (AnyPosition::Position(position), HalfMove::Queen(queen)) => {
                AnyPosition::HalfPly(position.move_queen_unchecked(queen))
            }
            (AnyPosition::HalfPly(half), HalfMove::Arrow(arrow)) => {
                AnyPosition::Position(half.shoot_unchecked(arrow))
            }
            _ => unreachable!("queen moves and arrows alternate"),
        }
    }

    /// Plays `plies` random plies, or fewer if the game ends earlier, and passes each half move to
    /// `on_half_move`. Each ply is a uniformly random queen move with a uniformly random arrow. If
    /// this state is a half ply, first shoots a random arrow, which does not count towards `plies`.
    pub fn after_random_plies(
        &self,
        plies: u32,
        rng: &mut impl Rng,
        mut on_half_move: impl FnMut(Side, HalfMove),
    ) -> Position {
        let mut position = match self {
            AnyPosition::Position(position) => *position,
            AnyPosition::HalfPly(half) => {
                let arrow = half.random_arrow(rng);
                on_half_move(half.to_move(), HalfMove::Arrow(arrow));
                half.shoot_unchecked(arrow)
            }
        };
        for _ in 0..plies {
            let mover = position.to_move();
            let Some(chosen) = position.random_move(rng) else { break };
            on_half_move(mover, HalfMove::Queen(chosen.queen()));
            on_half_move(mover, HalfMove::Arrow(chosen.arrow));
            position = position.play_unchecked(chosen);
        }
        position
    }
}
