//! Endgames to win, for the page: positions in which the side to move has a proven win.
//!
//! `assets/exercises.txt` holds one a line: how many full moves win, and the FEN. The tests prove
//! every line again.

use serde_json::{Value, json};

use crate::game::{Fen, Position};

const TEXT: &str = include_str!("assets/exercises.txt");

/// An endgame to win.
#[derive(Clone, Copy, Debug)]
pub struct Exercise {
    /// Where it begins; the side to move wins.
    pub position: Position,
    /// How many of its full moves keep the win.
    pub wins: u64,
}

/// Every exercise, easy ones first.
pub fn all() -> impl Iterator<Item = Exercise> {
    TEXT.lines().filter_map(|line| {
        let (wins, fen) = line.split_once(' ')?;
        Some(Exercise { position: fen.parse::<Fen>().ok()?.0, wins: wins.parse().ok()? })
    })
}

impl Exercise {
    /// What the page reads of it.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "position": Fen(self.position).to_string(),
            "moves": self.position.count_full_moves(self.position.to_move()),
            "wins": self.wins,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::{Effort, Solver};

    #[test]
    fn every_exercise_is_won_by_as_many_moves_as_it_says() {
        assert_eq!(all().count(), TEXT.lines().count());
        let mut solver = Solver::new(16 << 20);
        for Exercise { position, wins } in all() {
            let mover = position.to_move();
            let keeps = |full| {
                let next = position.play_unchecked(full);
                solver.prove(&next, &Effort::nodes(200_000)).winner == Some(mover)
            };
            let counted = position.full_moves().map(keeps).filter(|&keeps| keeps).count() as u64;
            assert_eq!(counted, wins, "{}", Fen(position));
            // Half of the moves or more would be no exercise.
            assert!(wins > 0 && 2 * wins < position.count_full_moves(mover), "{}", Fen(position));
        }
    }
}
