//! The evaluator as the search uses it: weights and kernel, chosen once; log-odds, one view or a whole level
//! of children at a time.

use std::sync::Arc;

use super::kernel::{Kernel, Task};
use super::pair::Pair;
use super::terms::{Count, count};
use super::view::View;
use super::weights::Weights;
use crate::game::{Bitboard, HalfPly, MAX_AMAZONS, Position, QueenMove, Side, Size, Square};

/// Says how likely the side that acts next is to win. A pure function of what it is asked about.
#[derive(Clone, Debug)]
pub struct Evaluator {
    kernel: Kernel,
    /// For boards up to 8x8 and for larger ones.
    weights: [Arc<Weights>; 2],
}

impl Default for Evaluator {
    /// With the shipped weights and the fastest kernel.
    fn default() -> Evaluator {
        Evaluator { kernel: Kernel::best(), weights: Weights::all_shipped() }
    }
}

impl Evaluator {
    /// The same by another kernel.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Evaluator {
        Evaluator { kernel, ..self }
    }

    /// The same with these weights for the boards that they are for.
    #[must_use]
    pub fn with_weights(mut self, weights: Arc<Weights>) -> Evaluator {
        let large = weights.board() > 8;
        self.weights[usize::from(large)] = weights;
        self
    }

    /// The weights for boards up to 8x8 and for larger ones.
    #[must_use]
    pub fn weights(&self) -> [&Weights; 2] {
        self.weights.each_ref().map(Arc::as_ref)
    }

    /// The log-odds that the side that acts next wins: the natural logarithm of p / (1 - p). Minus infinity if it is
    /// to move and cannot.
    #[inline]
    #[must_use]
    pub fn log_odds(&self, view: &View<'_>) -> f64 {
        self.kernel.run(view.size, One { view, weights: self.weights_on(view.size) })
    }

    /// The log-odds of the half plies after these queen moves, for the side that moved and is about to shoot; one after
    /// another onto the end of `odds`. All have the [waste](View::waste) of the position.
    pub fn queen_moves(&self, position: &Position, moves: &[QueenMove], waste: i16, odds: &mut Vec<f64>) {
        let task = QueenMoves { position, moves, waste, weights: self.weights_on(position.size()), odds };
        let Err(QueenMoves { odds, .. }) = self.kernel.run_batch(position.size(), task) else { return };
        odds.extend(moves.iter().map(|&queen| {
            self.log_odds(&View::from(&position.move_queen_unchecked(queen)).with_waste(waste))
        }));
    }

    /// The log-odds of the positions after these arrows, for the side that shoots, in the order of the set; infinity
    /// where the other side then has no move. All have the [waste](View::waste) of the half ply.
    pub fn arrows(&self, half: &HalfPly, arrows: &Bitboard, waste: i16, odds: &mut Vec<f64>) {
        let task = Arrows { half, arrows, waste, weights: self.weights_on(half.size()), odds };
        let Err(Arrows { odds, .. }) = self.kernel.run_batch(half.size(), task) else { return };
        odds.extend(arrows.iter().map(|arrow| {
            // Seen from the other side.
            -self.log_odds(&View::from(&half.shoot_unchecked(arrow)).with_waste(-waste))
        }));
    }

    #[inline(always)]
    fn weights_on(&self, size: Size) -> &Weights {
        &self.weights[usize::from(size.is_large())]
    }
}

/// One position or half ply.
struct One<'a> {
    view: &'a View<'a>,
    weights: &'a Weights,
}

impl Task for One<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<P: Pair>(self) -> f64 {
        self.weights.log_odds(&Count(self.view).run::<P>())
    }
}

/// The children of a position.
struct QueenMoves<'a> {
    position: &'a Position,
    moves: &'a [QueenMove],
    waste: i16,
    weights: &'a Weights,
    odds: &'a mut Vec<f64>,
}

impl Task for QueenMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pair>(self) {
        let mover = self.position.to_move();
        let [own, other] = [mover, !mover].map(|side| self.position.amazons(side));
        let empty = P::same(self.position.empty());
        let mut moved = [Square::default(); MAX_AMAZONS];
        let moved = &mut moved[..own.len()];
        for queen in self.moves {
            for (place, &square) in moved.iter_mut().zip(own) {
                *place = if square == queen.from { queen.to } else { square };
            }
            let [from, to] = [queen.from, queen.to].map(|square| P::of([&[square]; 2]));
            let terms = count((empty | from) - to, [moved, other], true, self.waste);
            self.odds.push(self.weights.log_odds(&terms));
        }
    }
}

/// The children of a half ply.
struct Arrows<'a> {
    half: &'a HalfPly,
    arrows: &'a Bitboard,
    waste: i16,
    weights: &'a Weights,
    odds: &'a mut Vec<f64>,
}

impl Task for Arrows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pair>(self) {
        let shooter: Side = self.half.mover();
        let amazons = [!shooter, shooter].map(|side| self.half.amazons(side));
        let empty = P::same(self.half.empty());
        for arrow in self.arrows {
            let terms = count(empty - P::of([&[arrow]; 2]), amazons, false, -self.waste);
            self.odds.push(-self.weights.log_odds(&terms));
        }
    }
}
