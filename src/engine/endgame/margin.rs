//! By how many moves the winner is ahead, in contested positions too.

use super::region::Region;
use super::solver::{Effort, Solver};
use super::table::Numbers;
use crate::game::{Position, Side};

impl Solver {
    /// By how many moves the winner is ahead if both sides play for it; `None` if one of the proofs
    /// takes more than `effort`, which is that of each.
    ///
    /// `winner` is what [`Solver::prove`] has found. The margin is the number of spare moves given
    /// to the other side with which that side would win: counted positions have the margin that
    /// [`Solution::margin`](super::Solution::margin) counts.
    pub fn winning_margin(&mut self, position: &Position, winner: Side, effort: &Effort) -> Option<u32> {
        let mover = position.to_move();
        // The winner to move needs one move more than a winner who waits.
        let tempo = u32::from(winner == mover);
        self.begin(effort);
        let least = self.sum(&Region::whole(position)).value(winner).least;
        let mut spare = u32::try_from(least).unwrap_or(0).saturating_sub(tempo);
        loop {
            self.begin(effort);
            let sum = self.sum(&Region::whole(position));
            // A spare move of one side is a settled move less of the other.
            let sum = (0..spare).fold(sum, |sum, _| sum.spend(winner));
            match self.numbers(sum, mover, effort) {
                Numbers { phi: 0, .. } if winner == mover => spare += 1,
                Numbers { delta: 0, .. } if winner != mover => spare += 1,
                numbers if numbers.is_proven() => return Some((spare + tempo).saturating_sub(1)),
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::game::{Fen, Setup};

    /// True if the side to move wins if the other side has this many spare moves. Below 0 the side
    /// to move has them.
    fn wins(position: &Position, spare: i32) -> bool {
        let passed = || Setup { to_move: !position.to_move(), ..Setup::from(position) };
        spare < 0 && !wins(&Position::try_from(&passed()).unwrap(), -spare - 1)
            || position.full_moves().any(|full| !wins(&position.play_unchecked(full), -spare))
    }

    #[test]
    fn margins_are_those_of_all_lines_of_play() {
        let mut solver = Solver::new(1 << 16);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        let mut contested = 0;
        for start in ["Q3/1*2/2*q w", "Q1*1/3q/*1Q1 w", "Q2/3/2q b", "1Q1*q/*3* w", "Q1q/**1/2* b"] {
            let start = start.parse::<Fen>().unwrap().0;
            for plies in [0, 1, 1, 2] {
                let Some((_, position)) = start.random_line(plies, &mut rng) else { continue };
                let solution = solver.prove(&position, &Effort::nodes(10_000));
                let winner = solution.winner.unwrap();
                let margin = solver.winning_margin(&position, winner, &Effort::nodes(10_000)).unwrap();
                let text = Fen(position).to_string();
                if let Some(counted) = solution.margin() {
                    assert_eq!(margin, counted, "{text}");
                } else {
                    contested += 1;
                }
                if winner == position.to_move() {
                    assert!(wins(&position, margin as i32 - 1) && !wins(&position, margin as i32), "{text}");
                } else {
                    let spare = -(margin as i32);
                    assert!(!wins(&position, spare) && wins(&position, spare - 1), "{text}");
                }
            }
        }
        assert!(contested >= 3, "{contested}");
    }

    #[test]
    fn no_margin_without_a_proof() {
        let Fen(position) = "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w".parse().unwrap();
        let mut solver = Solver::new(1 << 16);
        assert_eq!(solver.winning_margin(&position, Side::First, &Effort::nodes(10)), None);
    }
}
