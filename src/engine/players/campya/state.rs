//! States of the game with one half move to choose, and their simulation and evaluation.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::RANDOM_PLIES;
use crate::game::{HalfPly, Position, QueenMove, Side, Square};
use crate::territory::{Kernel, View, campya, logistic};

/// Half of a ply: what a side chooses at one level of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HalfMove {
    Queen(QueenMove),
    Arrow(Square),
}

/// A state of the game in which a side chooses a half move.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    BeforeQueen(Position),
    BeforeArrow(HalfPly),
}

impl State {
    /// The side that chooses.
    pub(super) fn side(&self) -> Side {
        match self {
            State::BeforeQueen(position) => position.to_move(),
            State::BeforeArrow(half) => half.mover(),
        }
    }

    /// The legal half moves; none if the game is over.
    pub(super) fn half_moves(&self) -> Vec<HalfMove> {
        match self {
            State::BeforeQueen(position) => position.queen_moves().map(HalfMove::Queen).collect(),
            State::BeforeArrow(half) => half.arrows().iter().map(HalfMove::Arrow).collect(),
        }
    }

    /// The state after a legal half move.
    pub(super) fn after(&self, half_move: HalfMove) -> State {
        match (self, half_move) {
            (State::BeforeQueen(position), HalfMove::Queen(queen)) => {
                State::BeforeArrow(position.move_queen_unchecked(queen))
            }
            (State::BeforeArrow(half), HalfMove::Arrow(arrow)) => {
                State::BeforeQueen(half.shoot_unchecked(arrow))
            }
            _ => unreachable!("queen moves and arrows alternate"),
        }
    }

    /// The chance of winning for the side that chooses, by the published formula.
    pub(super) fn evaluate(&self) -> f64 {
        let view = match self {
            State::BeforeQueen(position) => View::from(position),
            State::BeforeArrow(half) => View::from(half),
        };
        let log_odds = campya::log_odds(&view, Kernel::best());
        // A side that cannot move has lost.
        if log_odds == f64::NEG_INFINITY { 0.0 } else { logistic(log_odds) }
    }
}

/// Plays random plies, after the arrow that may be to come, then evaluates. Returns the first
/// player's chance of winning and adds the half moves to `played`.
pub(super) fn simulate(
    mut state: State,
    rng: &mut Xoshiro256PlusPlus,
    played: &mut Vec<(Side, HalfMove)>,
) -> f64 {
    let mut plies_left = RANDOM_PLIES;
    loop {
        let half_move = match &state {
            State::BeforeArrow(half) => Some(HalfMove::Arrow(half.random_arrow(rng))),
            State::BeforeQueen(_) if plies_left == 0 => None,
            State::BeforeQueen(position) => {
                plies_left -= 1;
                position.random_queen_move(rng).map(HalfMove::Queen)
            }
        };
        let Some(half_move) = half_move else { break };
        played.push((state.side(), half_move));
        state = state.after(half_move);
    }
    let value = state.evaluate();
    if state.side() == Side::First { value } else { 1.0 - value }
}

/// The arrow after which the formula gives the opponent the least chance, the first among equals.
pub(super) fn best_arrow(half: &HalfPly) -> Square {
    let opponent = |arrow: Square| State::BeforeQueen(half.shoot_unchecked(arrow)).evaluate();
    let arrows = half.arrows();
    let best = arrows.iter().min_by(|&a, &b| opponent(a).total_cmp(&opponent(b)));
    // There always is one: the square that the queen has left.
    best.unwrap_or(half.shooter())
}
