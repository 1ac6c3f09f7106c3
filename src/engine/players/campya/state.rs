//! Half moves from a moment of the game, its simulation and its evaluation.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::RANDOM_PLIES;
use crate::game::{HalfPly, Moment, QueenMove, Side, Square};
use crate::territory::{Kernel, View, campya, logistic};

/// Half of a ply: what a side chooses at one level of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HalfMove {
    Queen(QueenMove),
    Arrow(Square),
}

/// The legal half moves; none if the game is over.
pub(super) fn half_moves(state: &Moment) -> Vec<HalfMove> {
    match state {
        Moment::Position(position) => position.queen_moves().map(HalfMove::Queen).collect(),
        Moment::HalfPly(half) => half.arrows().iter().map(HalfMove::Arrow).collect(),
    }
}

pub(super) fn after(state: &Moment, half_move: HalfMove) -> Moment {
    match (state, half_move) {
        (Moment::Position(position), HalfMove::Queen(queen)) => {
            Moment::HalfPly(position.move_queen_unchecked(queen))
        }
        (Moment::HalfPly(half), HalfMove::Arrow(arrow)) => Moment::Position(half.shoot_unchecked(arrow)),
        _ => unreachable!("queen moves and arrows alternate"),
    }
}

/// The chance of winning for the side that chooses, by the published formula.
fn evaluate(state: &Moment) -> f64 {
    let log_odds = campya::log_odds(&View::from(state), Kernel::best());
    // A side that cannot move has lost.
    if log_odds == f64::NEG_INFINITY { 0.0 } else { logistic(log_odds) }
}

/// Plays random plies, after the arrow that may be to come, then evaluates. Returns the first
/// player's chance of winning and adds the half moves to `played`.
pub(super) fn simulate(
    mut state: Moment,
    rng: &mut Xoshiro256PlusPlus,
    played: &mut Vec<(Side, HalfMove)>,
) -> f64 {
    let mut plies_left = RANDOM_PLIES;
    loop {
        let half_move = match &state {
            Moment::HalfPly(half) => Some(HalfMove::Arrow(half.random_arrow(rng))),
            Moment::Position(_) if plies_left == 0 => None,
            Moment::Position(position) => {
                plies_left -= 1;
                position.random_queen_move(rng).map(HalfMove::Queen)
            }
        };
        let Some(half_move) = half_move else { break };
        played.push((state.side(), half_move));
        state = after(&state, half_move);
    }
    let value = evaluate(&state);
    if state.side() == Side::First { value } else { 1.0 - value }
}

/// The arrow after which the formula gives the opponent the least chance, the first among equals.
pub(super) fn best_arrow(half: &HalfPly) -> Square {
    let opponent = |arrow: Square| evaluate(&Moment::Position(half.shoot_unchecked(arrow)));
    let arrows = half.arrows();
    let best = arrows.iter().min_by(|&a, &b| opponent(a).total_cmp(&opponent(b)));
    // There always is one: the square that the queen has left.
    best.unwrap_or(half.shooter())
}
