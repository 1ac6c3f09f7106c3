//! Chooses the move to play when the winner is known.
//!
//! The winner chooses among the moves that keep a proven win. Either side plays the move after
//! which its number of moves minus the opponent's has the largest lower bound. The loser's move
//! delays the loss longest if no region has amazons of both sides.

use std::cmp::Reverse;

use amazons::{Move, Position, Side, queen_reach};

use super::{Effort, Solver};
use crate::endgame::filling::PrivateRegion;
use crate::endgame::region::Region;
use crate::endgame::sum::Sum;

/// The largest number of moves to examine while counting how many moves can follow one candidate.
/// Larger than `EXAMINED_MOVES_PER_COUNT`, because the solver chooses a move only once in a turn.
const EXAMINED_MOVES_PER_CANDIDATE: u32 = 20_000;

/// The reason why [`Solver::best_move`] returns no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BestMoveError {
    /// The side to move has no move.
    #[error("the side to move has no move")]
    NoMove,
    /// The side to move wins, but the `effort` was too small to prove which of its moves win.
    #[error("the effort was not enough to show which move wins")]
    NotShown,
}

impl Solver {
    /// A move that keeps the proven win of the side to move. If this side loses, the move after
    /// which its number of moves minus the opponent's has the largest lower bound.
    ///
    /// `winner` is the result of [`Solver::prove`]. If bounds or stored results already prove that
    /// a move wins, the solver returns this move even if `effort` allows no search.
    ///
    /// # Errors
    /// If there is no move, or if no move is proven to win within the effort.
    pub fn best_move(
        &mut self,
        position: &Position,
        winner: Side,
        effort: &Effort,
    ) -> Result<Move, BestMoveError> {
        let (whole, mover) = (Region::whole(position), position.to_move());
        self.reset_search();
        let mut candidates = Vec::new();
        self.each_candidate(&whole, mover, effort.stop, |solver, candidate| {
            candidates.push((candidate, solver.sum_after(&whole, mover, candidate).value(mover)));
            None::<()>
        });
        candidates.sort_by_key(|(_, value)| Reverse((value.least, value.guess)));
        let candidates: Vec<Move> = candidates.into_iter().map(|(candidate, _)| candidate).collect();
        let &first = candidates.first().ok_or(BestMoveError::NoMove)?;
        if winner != mover {
            return Ok(first);
        }
        // Looks for the first candidate that is proven to win by bounds or stored results.
        let known = Effort { nodes: 0, ..*effort };
        let wins_by = |solver: &mut Solver, candidate, effort| {
            let sum = solver.sum_after(&whole, mover, candidate);
            solver.proof_numbers(sum, !mover, effort).delta == 0
        };
        if let Some(&safest) = candidates.iter().find(|&&candidate| wins_by(self, candidate, &known)) {
            return Ok(safest);
        }
        let won = if (effort.stop)() {
            // `effort.stop` may have cut `candidates` short, so all moves are tried without search.
            self.each_candidate(&whole, mover, &|| false, |solver, candidate| {
                wins_by(solver, candidate, &known).then_some(candidate)
            })
        } else {
            self.reset_search();
            candidates.into_iter().find(|&candidate| wins_by(self, candidate, effort))
        };
        won.ok_or(BestMoveError::NotShown)
    }

    /// Calls `visit` for each move that may be best, until `visit` returns a result. In a region
    /// with amazons of both sides, any move may be best. In a region with only the mover's amazons,
    /// only the move that wastes the fewest squares may be best. If `stop` returns true, the
    /// function also ends, but not before it has called `visit` once.
    fn each_candidate<T>(
        &mut self,
        whole: &Region,
        mover: Side,
        stop: &dyn Fn() -> bool,
        mut visit: impl FnMut(&mut Solver, Move) -> Option<T>,
    ) -> Option<T> {
        let mut any = false;
        for part in whole.parts() {
            if part.owner() == Some(mover) {
                let fill = self.evaluator.filling_search.best_move(
                    &PrivateRegion::owned(&part, mover),
                    EXAMINED_MOVES_PER_CANDIDATE,
                    stop,
                );
                any |= fill.is_some();
                if let Some(result) = fill.and_then(|candidate| visit(self, candidate)) {
                    return Some(result);
                }
                continue;
            }
            for from in part.amazons[mover.index()] {
                for to in queen_reach(from, part.empty) {
                    if any && stop() {
                        return None;
                    }
                    for arrow in queen_reach(to, part.empty.with(from)) {
                        any = true;
                        if let Some(result) = visit(self, Move { from, to, arrow }) {
                            return Some(result);
                        }
                    }
                }
            }
        }
        None
    }

    /// The sum of regions after a move. Afterwards, the solver's list `parts` has exactly the sum's
    /// open regions, which are its regions without an exact value.
    fn sum_after(&mut self, whole: &Region, mover: Side, candidate: Move) -> Sum {
        self.parts.clear();
        self.sum(&whole.after(mover, candidate))
    }
}
