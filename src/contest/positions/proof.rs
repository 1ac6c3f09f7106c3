//! Proofs of test positions: the winner, the margin and every winning move, by the solver. Tests
//! prove the shipped positions again.

use super::{SuiteTask, Theme};
use crate::endgame::{Effort, Solver};
use crate::game::{FullMove, Position, Setup};

/// Proves which moves solve a position: the task, the theme, the solutions ascending and the margin.
/// `None` if the side to move does not win, or if a proof takes too many nodes.
pub(super) fn proof(
    solver: &mut Solver,
    position: &Position,
) -> Option<(SuiteTask, Theme, Vec<FullMove>, u32)> {
    let effort = Effort::nodes(30_000);
    let mover = position.to_move();
    let whole = solver.prove(position, &effort);
    if whole.winner? != mover {
        return None;
    }
    let shape = solver.shape(position);
    let counted = whole.margin().filter(|_| shape.contested == 0);
    let mut solutions = Vec::new();
    for full in position.full_moves() {
        let after = solver.prove(&position.play_unchecked(full), &effort);
        // A move of a counted position wastes no square if only the move itself brings the sides closer.
        let kept = match counted {
            Some(margin) => after.margin()? + 1 == margin,
            None => true,
        };
        solutions.extend((after.winner? == mover && kept).then_some(full));
    }
    solutions.sort_unstable();
    let margin = solver.winning_margin(position, mover, &effort)?;
    let theme = if shape.contested == 0 {
        Theme::Filling
    } else if is_zugzwang(solver, position, &solutions, &effort)? {
        Theme::Zugzwang
    } else if shape.contested > 1 {
        Theme::SeveralRegions
    } else if shape.wasted > 0 {
        Theme::Defect
    } else {
        Theme::LastRegion
    };
    let task = if shape.contested == 0 { SuiteTask::Margin } else { SuiteTask::Win };
    Some((task, theme, solutions, margin))
}

/// True if something is contested after each of these winning moves, and the winner would lose if
/// it had to move again.
fn is_zugzwang(
    solver: &mut Solver,
    position: &Position,
    winning: &[FullMove],
    effort: &Effort,
) -> Option<bool> {
    for &full in winning {
        let after = position.play_unchecked(full);
        let mut setup = Setup::from(&after);
        setup.to_move = position.to_move();
        let again = Position::try_from(&setup).ok()?;
        if solver.shape(&after).contested == 0 || solver.prove(&again, effort).winner? == position.to_move() {
            return Some(false);
        }
    }
    Some(true)
}
