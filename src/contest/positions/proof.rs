//! Proofs of test positions: the winner, the margin and every winning move, by the solver. Tests
//! prove the shipped positions again.

use super::{SuiteTask, Theme};
use crate::endgame::{Effort, Solver};
use crate::game::{FullMove, Position, Setup};

/// Solver nodes that the proof of one move may take.
pub(super) const NODES: u64 = 30_000;
/// The most solutions.
const SOLUTIONS: usize = 20;
/// The largest share of the legal moves that may be solutions.
const SHARE: f64 = 0.25;

/// A position in which some moves solve the task and others do not, by the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProvenTask {
    pub(super) task: SuiteTask,
    pub(super) theme: Theme,
    /// The moves that solve the task, ascending.
    pub(super) solutions: Vec<FullMove>,
    pub(super) margin: u32,
}

/// Proves which moves solve a position. `None` if too many moves do, or if a proof takes more than
/// `nodes`.
pub(super) fn proof(solver: &mut Solver, position: &Position, nodes: u64) -> Option<ProvenTask> {
    let effort = Effort::nodes(nodes);
    let mover = position.to_move();
    let whole = solver.prove(position, &effort);
    if whole.winner? != mover {
        return None;
    }
    let shape = solver.shape(position);
    let counted = shape.contested == 0;
    let mut solutions = match whole.margin() {
        Some(margin) if counted => filling_moves(solver, position, margin)?,
        _ => winning_moves(solver, position, &effort)?,
    };
    solutions.sort_unstable();
    let legal = position.count_full_moves(mover);
    if solutions.is_empty() || solutions.len() > SOLUTIONS || solutions.len() as f64 > SHARE * legal as f64 {
        return None;
    }
    let margin = solver.winning_margin(position, mover, &effort)?;
    let theme = if counted {
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
    let task = if counted { SuiteTask::Margin } else { SuiteTask::Win };
    Some(ProvenTask { task, theme, solutions, margin })
}

/// The moves of the side to move that win; `None` if there are too many, or one move takes more
/// than the effort.
fn winning_moves(solver: &mut Solver, position: &Position, effort: &Effort) -> Option<Vec<FullMove>> {
    let mut winning = Vec::new();
    for full in position.full_moves() {
        if solver.prove(&position.play_unchecked(full), effort).winner? == position.to_move() {
            winning.push(full);
        }
        if winning.len() > SOLUTIONS {
            return None;
        }
    }
    Some(winning)
}

/// The moves of a counted position that waste no square: after them the sides are as far apart as
/// before, but for the move itself.
fn filling_moves(solver: &mut Solver, position: &Position, margin: u32) -> Option<Vec<FullMove>> {
    let mut best = Vec::new();
    for full in position.full_moves() {
        let after = solver.prove(&position.play_unchecked(full), &Effort::nodes(0));
        let kept = after.winner? == position.to_move() && after.margin()? + 1 == margin;
        best.extend(kept.then_some(full));
    }
    Some(best)
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
