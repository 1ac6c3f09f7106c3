//! Chooses the move to play once the winner is known.
//!
//! The winner plays a move after which the win is still proven, and of those the one that keeps
//! most; the loser plays what keeps most, which is the longest resistance where everything is
//! private. `search` asks at the root.

use super::bounds::RegionValue;
use super::filling::Room;
use super::region::Region;
use super::solver::{Effort, Solver};
use crate::game::{FullMove, Position, Side, queen_reach};

/// Moves that may be looked at for each way to begin the filling that is played: more than for a
/// count, since it is done once a turn.
const MOVES: u32 = 20_000;

#[derive(Clone, Copy, Debug)]
struct RankedMove {
    full: FullMove,
    after: Region,
    value: RegionValue,
}

impl Solver {
    /// A move that keeps a proven win of the side to move, or the longest resistance where it has
    /// lost.
    ///
    /// `winner` is what [`Solver::prove`] has found. `None` if there is no move, or if no move can
    /// be shown to win within the effort.
    pub fn best_move(&mut self, position: &Position, winner: Side, effort: &Effort) -> Option<FullMove> {
        let mover = position.to_move();
        self.begin(effort);
        let mut options = self.options(position, effort);
        options.sort_by_key(|option| std::cmp::Reverse((option.value.least, option.value.guess)));
        let wins = |solver: &mut Solver, option: &RankedMove, effort: &Effort| {
            solver.parts.clear();
            let sum = solver.sum(&option.after);
            solver.numbers(sum, !mover, effort).delta == 0
        };
        let chosen = if winner == mover {
            // First the moves that are known to win, the safest first; then those that a proof may
            // show to win.
            let bare = Effort { nodes: 0, ..*effort };
            self.begin(&bare);
            let known = options.iter().position(|option| wins(self, option, &bare));
            self.begin(effort);
            known.or_else(|| options.iter().position(|option| wins(self, option, effort)))?
        } else {
            0
        };
        Some(options.get(chosen)?.full)
    }

    /// The moves that may be best: all of them in shared regions, the best filling of each private
    /// one. At least one, if there are any; what is left when the effort ends is left out.
    fn options(&mut self, position: &Position, effort: &Effort) -> Vec<RankedMove> {
        let mover = position.to_move();
        let whole = Region::whole(position);
        let mut options = Vec::new();
        for part in whole.parts() {
            if part.owner() == Some(mover) {
                let fill = self.assessor.filler.best_move(&Room::owned(&part, mover), MOVES, effort.stop);
                options.extend(fill.map(|full| self.option(&whole, mover, full)));
                continue;
            }
            for from in part.amazons[mover.index()] {
                for to in queen_reach(from, part.empty) {
                    if !options.is_empty() && (effort.stop)() {
                        return options;
                    }
                    for arrow in queen_reach(to, part.empty.with(from)) {
                        options.push(self.option(&whole, mover, FullMove { from, to, arrow }));
                    }
                }
            }
        }
        options
    }

    fn option(&mut self, whole: &Region, mover: Side, full: FullMove) -> RankedMove {
        let after = whole.after(mover, full);
        self.parts.clear();
        let sum = self.sum(&after);
        RankedMove { full, after, value: sum.value(mover) }
    }
}
