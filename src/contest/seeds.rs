//! Seeds of random choices, derived from the seed of the contest and the purpose of the choice.

pub(super) use crate::game::random::mix;

pub(super) const OPENING: u64 = 1;
pub(super) const PLAYER: u64 = 2;

/// The seed of the first player (0) or the second (1) in this game.
pub(super) fn player(seed: u64, game: usize, seat: usize) -> u64 {
    mix(&[seed, PLAYER, game as u64, seat as u64])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn neighbours_share_no_seed() {
        let mut all = BTreeSet::new();
        for seed in 0..10 {
            for game in 0..100 {
                for seat in 0..2 {
                    assert!(all.insert(player(seed, game, seat)));
                }
            }
        }
    }
}
