//! Uniformly random half moves, drawn without building a list of moves.

use alloc::vec::Vec;

use rand_core::Rng;

use super::moves::{Move, QueenMove};
use super::position::{HalfPly, Position};
use super::rays::{queen_reach, queen_reach_count};
use super::side::MAX_AMAZONS;
use super::square::Square;

/// A uniformly random number from 0 to `bound - 1`. `bound` must not be 0.
///
/// Uses the multiplication of Lemire ("Fast random integer generation in an interval", 2019)
/// without its rejection step. For bounds up to 2^8, the relative error of each probability is
/// below 2^-56.
#[inline]
pub fn uniform(rng: &mut impl Rng, bound: u32) -> u32 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u32
}

impl Position {
    /// A uniformly random queen move of the side to move; `None` if it has no move.
    #[inline]
    pub fn random_queen_move(&self, rng: &mut impl Rng) -> Option<QueenMove> {
        let amazons = self.amazons(self.to_move());
        let mut counts = [0; MAX_AMAZONS];
        for (count, &from) in counts.iter_mut().zip(amazons) {
            *count = queen_reach_count(from, self.empty());
        }
        let total: u32 = counts.iter().sum();
        if total == 0 {
            return None;
        }
        let mut n = uniform(rng, total);
        for (&count, &from) in counts.iter().zip(amazons) {
            if n < count {
                return queen_reach(from, self.empty()).select(n).map(|to| QueenMove { from, to });
            }
            n -= count;
        }
        None
    }

    /// A uniformly random queen move with a uniformly random arrow; `None` if there is no move.
    /// Full moves are not uniform: a full move is likelier if its queen move allows fewer arrows.
    #[inline]
    pub fn random_move(&self, rng: &mut impl Rng) -> Option<Move> {
        let queen = self.random_queen_move(rng)?;
        Some(Move::new(queen, self.move_queen_unchecked(queen).random_arrow(rng)))
    }

    /// Plays `plies` random full moves and returns the moves and the position after them; `None` if
    /// the game ends during these moves or right after them.
    pub fn random_line(&self, plies: usize, rng: &mut impl Rng) -> Option<(Vec<Move>, Position)> {
        let mut position = *self;
        let mut moves = Vec::new();
        for _ in 0..plies {
            let chosen = position.random_move(rng)?;
            position = position.play_unchecked(chosen);
            moves.push(chosen);
        }
        position.winner().is_none().then_some((moves, position))
    }
}

impl HalfPly {
    /// A uniformly random arrow of the amazon that has just moved.
    #[inline]
    pub fn random_arrow(&self, rng: &mut impl Rng) -> Square {
        let arrows = self.arrows();
        // The amazon can always shoot at the square it left, so the fallback is never used.
        arrows.select(uniform(rng, arrows.count())).unwrap_or(self.shooter())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::vec::Vec;

    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use crate::Position;

    #[test]
    fn draws_are_legal_and_uniform_on_each_level() {
        let position = "q2*3/1Q1*3/3**2/2Q1*1q/7 w".parse::<Position>().unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut queens = BTreeMap::new();
        let mut arrows = BTreeMap::new();
        let draws = 200_000;
        let half = position.move_queen_unchecked(position.queen_moves().next().unwrap());
        for _ in 0..draws {
            *queens.entry(position.random_queen_move(&mut rng).unwrap()).or_insert(0) += 1;
            *arrows.entry(half.random_arrow(&mut rng)).or_insert(0) += 1;
        }
        assert!(queens.keys().copied().eq(position.queen_moves().collect::<BTreeSet<_>>()));
        assert!(arrows.keys().copied().eq(half.arrows().iter()));
        for counts in [queens.into_values().collect::<Vec<i32>>(), arrows.into_values().collect()] {
            // Chi-squared of uniform draws hardly ever exceeds its mean by six standard deviations.
            let expected = f64::from(draws) / counts.len() as f64;
            let chi: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
            let freedom: f64 = counts.len() as f64 - 1.0;
            assert!(chi < freedom + 6.0 * (2.0 * freedom).sqrt(), "chi-squared {chi}, expected {freedom}");
        }
    }
}
