//! The exercises of the page: the steps of the first lesson, positions with a best move,
//! and endgames to win.
//!
//! `assets/lesson.json` holds the steps, `assets/endgames.json` how many full moves win in each
//! endgame. The best moves are shipped test positions. The tests read both files and prove every
//! endgame again.

use amazons::{Move, Position};
use serde::{Deserialize, Serialize};

use crate::training::positions::{Phase, SuiteTask, TestPosition, shipped};

#[derive(Serialize, Deserialize)]
pub(super) struct MoveTask {
    position: Position,
    /// The moves that solve it, the one to show first.
    solutions: Vec<Move>,
    mark: Option<String>,
    /// True if the solutions are proven to win and all others to lose.
    proven: bool,
}

#[derive(Serialize)]
pub(super) struct Endgame {
    /// The first position; the side to move wins.
    position: Position,
    moves: u64,
    /// Number of them that keep the win.
    wins: u64,
}

pub(super) fn lesson() -> Vec<MoveTask> {
    serde_json::from_str(include_str!("assets/lesson.json")).unwrap_or_default()
}

/// Shipped test positions of the opening and the middle game, easy ones first: all openings, and
/// the other positions that a short search solves at least once in eight.
pub(super) fn best_moves() -> Vec<MoveTask> {
    let mut found: Vec<TestPosition> = [6, 8, 10]
        .into_iter()
        .filter_map(|side| TestPosition::parse(shipped(side)?).ok())
        .flatten()
        .filter(|test| match test.phase {
            Phase::Opening => true,
            Phase::Middle => test.found != Some(0.0),
            Phase::Late | Phase::Endgame => false,
        })
        .collect();
    let ease = |test: &TestPosition| test.found.unwrap_or(1.0);
    found.sort_by(|a, b| ease(b).total_cmp(&ease(a)));
    let task = |test: TestPosition| MoveTask {
        position: test.position,
        proven: test.task != SuiteTask::Best,
        solutions: test.solutions,
        mark: None,
    };
    found.into_iter().map(task).collect()
}

/// Every endgame, easy ones first.
pub(super) fn endgames() -> Vec<Endgame> {
    let listed: Vec<(u64, Position)> =
        serde_json::from_str(include_str!("assets/endgames.json")).unwrap_or_default();
    let moves = |position: &Position| position.count_legal_moves(position.to_move());
    listed.into_iter().map(|(wins, position)| Endgame { moves: moves(&position), position, wins }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::{Effort, Solver};

    fn keeps_the_win(solver: &mut Solver, position: &Position, full: Move) -> bool {
        let next = position.play_unchecked(full);
        solver.prove(&next, &Effort::nodes(200_000)).winner == Some(position.to_move())
    }

    #[test]
    fn every_endgame_is_won_by_as_many_moves_as_it_says() {
        assert_eq!(endgames().len(), 22);
        let mut solver = Solver::new(16 << 20);
        for Endgame { position, moves, wins } in endgames() {
            let keeps =
                position.legal_moves_iter().filter(|&full| keeps_the_win(&mut solver, &position, full));
            // Half of the moves or more would be no exercise.
            assert!(keeps.count() as u64 == wins && wins > 0 && 2 * wins < moves, "{position}");
        }
    }

    #[test]
    fn every_step_of_the_lesson_has_legal_solutions() {
        let steps = lesson();
        assert_eq!(steps.len(), 5);
        for MoveTask { position, solutions, .. } in &steps {
            assert!(solutions.iter().all(|&full| position.play(full).is_ok()), "{position}");
            assert!(2 * solutions.len() < position.legal_moves_iter().count());
        }
        // From the third step on a solution wins; in the last, every other move loses.
        let mut solver = Solver::new(16 << 20);
        for MoveTask { position, solutions, .. } in &steps[2..] {
            assert!(solutions.iter().all(|&full| keeps_the_win(&mut solver, position, full)));
        }
        let last = &steps[4];
        let wins =
            last.position.legal_moves_iter().filter(|&full| keeps_the_win(&mut solver, &last.position, full));
        assert_eq!(wins.count(), last.solutions.len());
    }

    #[test]
    fn some_twenty_openings_and_middle_games_have_a_best_move() {
        let tasks = best_moves();
        assert_eq!((tasks.len(), tasks.iter().filter(|task| task.proven).count()), (21, 2));
        assert!(tasks.iter().all(|task| task.solutions.len() == 1 && task.mark.is_none()));
    }
}
