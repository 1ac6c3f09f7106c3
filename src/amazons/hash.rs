//! A hash of positions that is the same on every machine.

use crate::position::Position;
use crate::side::Side;

/// Hashes a list of numbers to one number, for example to derive a random seed. XORs each number
/// into the hash, and mixes the hash by SplitMix64 (Steele, Lea and Flood, 2014).
pub fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |state: u64, &number| {
        let mut z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

impl Position {
    /// A 64-bit hash of the position, for hash tables and opening books. The hash is the same on
    /// every machine and in every version.
    #[doc(alias = "zobrist")]
    #[doc(alias = "key")]
    pub fn hash64(&self) -> u64 {
        let [low, high] = self.empty().halves();
        let bytes =
            |side| self.amazons(side).iter().fold(0, |sum, at| sum << 8 | u64::from(at.to_byte() + 1));
        let [first, second] = Side::BOTH.map(bytes);
        let size = u64::from(self.size().width()) << 8 | u64::from(self.size().height());
        mix(&[low, high, first << 32 | second, size << 1 | self.to_move() as u64])
    }
}
