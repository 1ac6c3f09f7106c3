//! Where every random choice of a contest comes from: the contest's seed and what the choice is for.

/// Marks seeds of openings.
pub(super) const OPENING: u64 = 1;
/// Marks seeds of players.
pub(super) const PLAYER: u64 = 2;

/// One seed out of several numbers: SplitMix64's finaliser (Steele, Lea and Flood, 2014) over each in turn.
pub(super) fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |state: u64, &number| {
        let mut z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// The seed of whoever moves first (0) or second (1) in this game.
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
