//! The exercises of the page: the steps of the first lesson, positions with a best move,
//! and endgames to win.
//!
//! `assets/lesson.txt` holds a step a line: the square to mark or `-`, the FEN, and the moves that
//! solve it, the shown answer first. The best moves are shipped test positions.
//! `assets/endgames.txt` holds an endgame a line: how many full moves win, and the FEN. The tests
//! prove every endgame again.

use serde::Serialize;

use crate::contest::positions::{Phase, SuiteTask, TestPosition, shipped};
use crate::game::{Fen, FullMove, Position};

const LESSON: &str = include_str!("assets/lesson.txt");
const ENDGAMES: &str = include_str!("assets/endgames.txt");

#[derive(Serialize)]
pub(super) struct MoveTask {
    position: Position,
    /// The moves that solve it, the one to show first.
    solutions: Vec<FullMove>,
    mark: Option<String>,
    /// True if the solutions are proven to win and all others to lose.
    proven: bool,
}

#[derive(Serialize)]
pub(super) struct Endgame {
    /// The first position; the side to move wins.
    position: Position,
    moves: u64,
    /// How many of them keep the win.
    wins: u64,
}

pub(super) fn lesson() -> impl Iterator<Item = MoveTask> {
    LESSON.lines().filter_map(|line| {
        let [mark, fen, moves] = line.split(" | ").collect::<Vec<_>>().try_into().ok()?;
        let solutions: Result<Vec<FullMove>, _> = moves.split(' ').map(str::parse).collect();
        Some(MoveTask {
            position: fen.parse::<Fen>().ok()?.0,
            solutions: solutions.ok()?,
            mark: (mark != "-").then(|| mark.to_owned()),
            proven: false,
        })
    })
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
pub(super) fn endgames() -> impl Iterator<Item = Endgame> {
    ENDGAMES.lines().filter_map(|line| {
        let (wins, fen) = line.split_once(' ')?;
        let position = fen.parse::<Fen>().ok()?.0;
        let moves = position.count_full_moves(position.to_move());
        Some(Endgame { position, moves, wins: wins.parse().ok()? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::{Effort, Solver};

    fn keeps_the_win(solver: &mut Solver, position: &Position, full: FullMove) -> bool {
        let next = position.play_unchecked(full);
        solver.prove(&next, &Effort::nodes(200_000)).winner == Some(position.to_move())
    }

    #[test]
    fn every_endgame_is_won_by_as_many_moves_as_it_says() {
        assert_eq!(endgames().count(), ENDGAMES.lines().count());
        let mut solver = Solver::new(16 << 20);
        for Endgame { position, moves, wins } in endgames() {
            let keeps = position.full_moves().filter(|&full| keeps_the_win(&mut solver, &position, full));
            // Half of the moves or more would be no exercise.
            assert!(keeps.count() as u64 == wins && wins > 0 && 2 * wins < moves, "{position}");
        }
    }

    #[test]
    fn every_step_of_the_lesson_has_legal_solutions() {
        let steps: Vec<MoveTask> = lesson().collect();
        assert_eq!(steps.len(), LESSON.lines().count());
        for MoveTask { position, solutions, .. } in &steps {
            assert!(solutions.iter().all(|&full| position.play(full).is_ok()), "{position}");
            assert!(2 * solutions.len() < position.full_moves().count());
        }
        // From the third step on a solution wins; in the last, every other move loses.
        let mut solver = Solver::new(16 << 20);
        for MoveTask { position, solutions, .. } in &steps[2..] {
            assert!(solutions.iter().all(|&full| keeps_the_win(&mut solver, position, full)));
        }
        let last = &steps[4];
        let wins =
            last.position.full_moves().filter(|&full| keeps_the_win(&mut solver, &last.position, full));
        assert_eq!(wins.count(), last.solutions.len());
    }

    #[test]
    fn some_twenty_openings_and_middle_games_have_a_best_move() {
        let tasks = best_moves();
        assert_eq!((tasks.len(), tasks.iter().filter(|task| task.proven).count()), (21, 2));
        assert!(tasks.iter().all(|task| task.solutions.len() == 1 && task.mark.is_none()));
    }
}
