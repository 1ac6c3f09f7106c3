//! Exercises for people: a first lesson, positions with one best move, and endgames to win.
//!
//! The positions with one best move are easy test positions of `quiver suite` from the opening and
//! the middle game.

use std::sync::LazyLock;

use amazons::{Move, Position};
use serde::{Deserialize, Serialize};

/// All exercises.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exercises {
    /// The steps of a lesson for beginners, in order.
    pub lesson: Vec<MoveTask>,
    /// Positions with one best move, easy ones first.
    pub best_moves: Vec<MoveTask>,
    /// Endgames that the side to move can win, easy ones first.
    pub endgames: Vec<Endgame>,
}

/// An exercise that the user solves with one move.
#[derive(Debug, Serialize, Deserialize)]
pub struct MoveTask {
    /// The position.
    pub position: Position,
    /// The moves that solve the exercise. The web page shows the first one as the solution.
    pub solutions: Vec<Move>,
    /// The square that the web page highlights on the board, if any.
    pub mark: Option<String>,
    /// True if the solutions are proven to win and all other moves are proven to lose.
    pub proven: bool,
}

/// An endgame that the side to move wins.
#[derive(Debug, Serialize)]
pub struct Endgame {
    /// The position in which the endgame begins.
    pub position: Position,
    /// The number of legal moves in the position.
    pub moves: u64,
    /// The number of legal moves after which the side to move still wins.
    pub wins: u64,
}

/// Returns all exercises, which the first call parses from the embedded files.
///
/// # Panics
/// If an embedded file is malformed. The tests check that none is.
pub fn exercises() -> &'static Exercises {
    static EXERCISES: LazyLock<Exercises> = LazyLock::new(|| {
        let read = "the embedded files of exercises are well-formed";
        let endgames: Vec<(u64, Position)> =
            serde_json::from_str(include_str!("exercises/endgames.json")).expect(read);
        let endgame = |(wins, position): (u64, Position)| Endgame {
            moves: position.count_legal_moves(position.to_move()),
            position,
            wins,
        };
        Exercises {
            lesson: serde_json::from_str(include_str!("exercises/lesson.json")).expect(read),
            best_moves: serde_json::from_str(include_str!("exercises/best-moves.json")).expect(read),
            endgames: endgames.into_iter().map(endgame).collect(),
        }
    });
    &EXERCISES
}

#[cfg(test)]
mod tests {
    use quiver_engine::endgame::{Effort, Solver};

    use super::*;

    fn keeps_the_win(solver: &mut Solver, position: &Position, candidate: Move) -> bool {
        let next = position.play_unchecked(candidate);
        solver.prove(&next, &Effort::nodes(200_000)).winner == Some(position.to_move())
    }

    fn count_winning_moves(solver: &mut Solver, position: &Position) -> usize {
        position.legal_moves_iter().filter(|&candidate| keeps_the_win(solver, position, candidate)).count()
    }

    #[test]
    fn endgames_state_number_of_winning_moves() {
        assert_eq!(exercises().endgames.len(), 22);
        let mut solver = Solver::new(16 << 20);
        for &Endgame { position, moves, wins } in &exercises().endgames {
            let winning = count_winning_moves(&mut solver, &position) as u64;
            // An endgame is too easy as an exercise if at least half of its legal moves win.
            assert!(winning == wins && wins > 0 && 2 * wins < moves, "{position}");
        }
    }

    #[test]
    fn lesson_steps_have_legal_solutions() {
        let steps = &exercises().lesson;
        assert_eq!(steps.len(), 5);
        for MoveTask { position, solutions, .. } in steps {
            assert!(solutions.iter().all(|&candidate| position.play(candidate).is_ok()), "{position}");
            assert!(2 * solutions.len() < position.legal_moves_iter().count());
        }
        // All solutions of the last three lesson steps win. All other moves of the last step lose.
        let mut solver = Solver::new(16 << 20);
        for MoveTask { position, solutions, .. } in &steps[2..] {
            assert!(solutions.iter().all(|&candidate| keeps_the_win(&mut solver, position, candidate)));
        }
        let last = &steps[4];
        assert_eq!(count_winning_moves(&mut solver, &last.position), last.solutions.len());
    }
}
