//! Light playouts: a few random plies from a leaf, then the evaluator.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::rave::Half;
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

impl Leaf {
    /// The side that acts next.
    fn side(&self) -> Side {
        match self {
            Leaf::Position(position) => position.to_move(),
            Leaf::Half(half) => half.mover(),
        }
    }

    /// As the evaluator takes it.
    pub(super) fn view(&self) -> View<'_> {
        match self {
            Leaf::Position(position) => View::from(position),
            Leaf::Half(half) => View::from(half),
        }
    }
}

/// The chance that `side` wins, after up to `plies` uniformly random plies from the leaf; an arrow that is to come
/// is shot first. At a finished game it is the result. `played` is told every half ply.
pub(super) fn play_out(
    evaluator: &Evaluator,
    leaf: &Leaf,
    waste: i16,
    plies: u32,
    side: Side,
    rng: &mut Xoshiro256PlusPlus,
    mut played: impl FnMut(Side, Half),
) -> f64 {
    let mut position = match leaf {
        Leaf::Position(position) => *position,
        Leaf::Half(half) => {
            let arrow = half.random_arrow(rng);
            played(half.mover(), Half::Arrow(arrow));
            half.shoot_unchecked(arrow)
        }
    };
    for _ in 0..plies {
        let mover = position.to_move();
        let Some(full) = position.random_full_move(rng) else {
            return if mover == side { 0.0 } else { 1.0 };
        };
        played(mover, Half::Queen(full.from, full.to));
        played(mover, Half::Arrow(full.arrow));
        position = position.play_unchecked(full);
    }
    let next = leaf.side();
    // Its own would cost more than it tells.
    let waste = if position.to_move() == next { waste } else { -waste };
    static_value(evaluator, &View::from(&position).with_waste(waste), position.to_move() == side)
}

/// The static value of a leaf for the side that acts next there, or for the other.
pub(super) fn static_value(evaluator: &Evaluator, view: &View<'_>, for_next: bool) -> f64 {
    let odds = evaluator.log_odds(view);
    // Minus infinity: it is to move and cannot.
    let value = if odds == f64::NEG_INFINITY { 0.0 } else { logistic(odds) };
    if for_next { value } else { 1.0 - value }
}
