//! Chooses the move to play once the winner is known.
//!
//! The winner plays a move after which the win is still proven, and of those the one that keeps
//! most; the loser plays what keeps most, which is the longest resistance where everything is
//! private. `search` asks at the root.

use std::cmp::Reverse;

use amazons::{Move, Position, Side, queen_reach};

use super::bounds::RegionValue;
use super::filling::Room;
use super::region::Region;
use super::solver::{Effort, Solver};
use super::sum::Sum;

/// Moves that may be looked at for each way to begin the filling that is played: more than for a
/// count, since it is done once a turn.
const MOVES: u32 = 20_000;

impl Solver {
    /// A move that keeps a proven win of the side to move, or the longest resistance where it has
    /// lost.
    ///
    /// `winner` is what [`Solver::prove`] has found. `None` if there is no move, or if no move can
    /// be shown to win within the effort.
    pub fn best_move(&mut self, position: &Position, winner: Side, effort: &Effort) -> Option<Move> {
        let (whole, mover) = (Region::whole(position), position.to_move());
        self.begin();
        let mut options = self.options(&whole, mover, effort);
        options.sort_by_key(|(_, value)| Reverse((value.least, value.guess)));
        if winner != mover {
            return Some(options.first()?.0);
        }
        // First the moves that are known to win, the safest first; then those that a proof may show to
        // win.
        [Effort { nodes: 0, ..*effort }, *effort].into_iter().find_map(|effort| {
            self.begin();
            let won = options.iter().find(|(full, _)| {
                let sum = self.sum_after(&whole, mover, *full);
                self.numbers(sum, !mover, &effort).delta == 0
            });
            won.map(|(full, _)| *full)
        })
    }

    /// The moves that may be best, with the values after them: all of them in shared regions, the best
    /// filling of each private one. At least one, if there are any; what is left when the effort ends
    /// is left out.
    fn options(&mut self, whole: &Region, mover: Side, effort: &Effort) -> Vec<(Move, RegionValue)> {
        let mut options = Vec::new();
        for part in whole.parts() {
            if part.owner() == Some(mover) {
                let fill = self.assessor.filler.best_move(&Room::owned(&part, mover), MOVES, effort.stop);
                options.extend(fill.map(|full| (full, self.sum_after(whole, mover, full).value(mover))));
                continue;
            }
            for from in part.amazons[mover.index()] {
                for to in queen_reach(from, part.empty) {
                    if !options.is_empty() && (effort.stop)() {
                        return options;
                    }
                    for arrow in queen_reach(to, part.empty.with(from)) {
                        let full = Move { from, to, arrow };
                        options.push((full, self.sum_after(whole, mover, full).value(mover)));
                    }
                }
            }
        }
        options
    }

    /// The sum after a move, as the only one on the stack.
    fn sum_after(&mut self, whole: &Region, mover: Side, full: Move) -> Sum {
        self.parts.clear();
        self.sum(&whole.after(mover, full))
    }
}
