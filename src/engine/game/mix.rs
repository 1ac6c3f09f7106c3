//! One number out of several: seeds for generators, and hashes.

/// One seed out of several numbers: SplitMix64's finaliser (Steele, Lea and Flood, 2014) over each
/// in turn.
#[must_use]
pub fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |state: u64, &number| {
        let mut z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
