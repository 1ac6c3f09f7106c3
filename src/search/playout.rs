//! Light playouts: a few random plies from a leaf, then the evaluator.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::{HalfPly, Position, Side};
use crate::territory::{Evaluator, View, logistic};

/// Where a playout's descent of the tree ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    /// A side is about to move.
    Position(Position),
    /// A queen has moved and its arrow is to come.
    Half(HalfPly),
}

/// The chance that `side` wins, after up to `plies` uniformly random plies from the leaf; an arrow that is to come
/// is shot first. At a finished game it is the result.
pub(super) fn play_out(
    evaluator: &Evaluator,
    leaf: &Leaf,
    plies: u32,
    side: Side,
    rng: &mut Xoshiro256PlusPlus,
) -> f64 {
    let mut position = match leaf {
        Leaf::Position(position) => *position,
        Leaf::Half(half) => half.shoot_unchecked(half.random_arrow(rng)),
    };
    for _ in 0..plies {
        match position.random_full_move(rng) {
            Some(full) => position = position.play_unchecked(full),
            None => return if position.to_move() == side { 0.0 } else { 1.0 },
        }
    }
    let odds = evaluator.log_odds(&View::from(&position));
    let value = if odds == f64::NEG_INFINITY { 0.0 } else { logistic(odds) };
    if position.to_move() == side { value } else { 1.0 - value }
}
