//! A player that moves at random: the weakest reference opponent.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Choice, Player};
use crate::game::{Bitboard, FullMove, Position};
use crate::search::Limits;

/// Plays a uniformly random queen move and a uniformly random arrow.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    position: Position,
    rng: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A player whose moves follow from `seed`.
    #[must_use]
    pub fn new(seed: u64, position: &Position) -> RandomPlayer {
        RandomPlayer { position: *position, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Player for RandomPlayer {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.play_unchecked(full);
    }

    fn choose(&mut self, _limits: &Limits) -> Option<Choice> {
        let full = self.position.random_full_move(&mut self.rng)?;
        Some(Choice { full, report: None })
    }

    fn choose_among(&mut self, amazons: Bitboard, _limits: &Limits) -> Option<Choice> {
        let can_move = |from| amazons.contains(from) && !self.position.queen_targets(from).is_empty();
        if !self.position.amazons(self.position.to_move()).iter().any(|&from| can_move(from)) {
            return None;
        }
        // Rejection sampling: uniform among the allowed moves, and fast with four amazons.
        loop {
            let full = self.position.random_full_move(&mut self.rng)?;
            if amazons.contains(full.from) {
                return Some(Choice { full, report: None });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Fen, Square};

    #[test]
    fn moves_only_the_amazons_allowed() {
        let position = "Q*2Q/**3/5/5/q3q w".parse::<Fen>().unwrap().0;
        let square = |name: &str| name.parse::<Square>().unwrap();
        let mut player = RandomPlayer::new(1, &position);
        let limits = Limits::playouts(1);
        for _ in 0..100 {
            let choice = player.choose_among(Bitboard::of(square("e5")), &limits).unwrap();
            assert_eq!(choice.full.from, square("e5"));
            assert!(position.play(choice.full).is_ok());
        }
        // Walled in, the opponent's, and no amazon.
        for name in ["a5", "e1", "c3"] {
            assert!(player.choose_among(Bitboard::of(square(name)), &limits).is_none(), "{name}");
        }
    }
}
