//! The solver's tables, indexed by 64-bit keys: a table of sums, one of regions, and one of private
//! regions, which are sets of squares that only one side can fill.

/// A hash table with one entry in each slot. A new entry always replaces the old entry of its slot.
#[derive(Debug)]
pub(super) struct AlwaysReplaceTable<V>(Vec<(u64, V)>);

impl<V: Copy + Default> AlwaysReplaceTable<V> {
    pub(super) fn new(slots: usize) -> AlwaysReplaceTable<V> {
        AlwaysReplaceTable(vec![(0, V::default()); slots.next_power_of_two().max(2)])
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        key as usize & (self.0.len() - 1)
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<V> {
        let (known, value) = self.0[self.slot(key)];
        (known == key).then_some(value)
    }

    #[inline]
    pub(super) fn insert(&mut self, key: u64, value: V) {
        let slot = self.slot(key);
        self.0[slot] = (key, value);
    }
}

/// The results for one sum of open regions and one side to move, for any number of spare moves.
/// Spare moves are the moves by which this side is ahead in the regions of exactly known value.
///
/// Spare moves never hurt: a win stays a win with more of them, and a loss stays a loss with fewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumEntry {
    key: u64,
    /// The smallest number of spare moves with which the side to move is known to win.
    win_from: i8,
    /// The largest number of spare moves with which the side to move is known to lose.
    lose_to: i8,
    /// The number of spare moves for which `phi` and `delta` were computed.
    spare_moves: i8,
    /// The bit length of the largest number of nodes that one result of this entry has taken.
    work: u8,
    /// The proof numbers `phi` and `delta`, packed by [`pack_number`].
    phi: u16,
    delta: u16,
}

/// The expected work to prove that the side to move wins (`phi`) or loses (`delta`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    pub(super) phi: u32,
    pub(super) delta: u32,
}

impl ProofNumbers {
    /// The proof number of an impossible proof. Twice this number does not overflow.
    pub(super) const INFINITE: u32 = 1 << 30;
    pub(super) const WON: ProofNumbers = ProofNumbers { phi: 0, delta: ProofNumbers::INFINITE };
    pub(super) const LOST: ProofNumbers = ProofNumbers { phi: ProofNumbers::INFINITE, delta: 0 };

    #[inline]
    pub(super) fn is_proven(self) -> bool {
        self.phi == 0 || self.delta == 0
    }
}

const EMPTY_ENTRY: SumEntry =
    SumEntry { key: 0, win_from: i8::MAX, lose_to: i8::MIN, spare_moves: 0, work: 0, phi: 0, delta: 0 };

/// The number of entries in a bucket.
const BUCKET_SIZE: usize = 4;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Bucket([SumEntry; BUCKET_SIZE]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// A table of proof numbers. In a full bucket, a new entry replaces the entry with the least work.
#[derive(Debug)]
pub(super) struct SumTable {
    buckets: Vec<Bucket>,
}

/// Packs a number below [`ProofNumbers::INFINITE`] into sixteen bits: the eleven highest bits of
/// the number, and five bits that say how far they are shifted.
#[inline]
fn pack_number(number: u32) -> u16 {
    let shift = (32 - number.leading_zeros()).saturating_sub(11);
    (number >> shift) as u16 | (shift as u16) << 11
}

#[inline]
fn unpack_number(pack_number: u16) -> u32 {
    u32::from(pack_number & 0x7ff) << (pack_number >> 11)
}

impl SumTable {
    pub(super) fn new(slots: usize) -> SumTable {
        let count = slots.div_ceil(BUCKET_SIZE).next_power_of_two();
        SumTable { buckets: vec![Bucket([EMPTY_ENTRY; BUCKET_SIZE]); count] }
    }

    #[inline]
    fn bucket_index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    #[inline]
    pub(super) fn look_up(&self, key: u64, spare_moves: i32) -> Option<ProofNumbers> {
        let entry = self.buckets[self.bucket_index(key)].0.iter().find(|entry| entry.key == key)?;
        if spare_moves >= i32::from(entry.win_from) {
            Some(ProofNumbers::WON)
        } else if spare_moves <= i32::from(entry.lose_to) {
            Some(ProofNumbers::LOST)
        } else {
            let known = i32::from(entry.spare_moves) == spare_moves && entry.phi > 0;
            known.then(|| ProofNumbers { phi: unpack_number(entry.phi), delta: unpack_number(entry.delta) })
        }
    }

    pub(super) fn store(&mut self, key: u64, spare_moves: i32, numbers: ProofNumbers, nodes: u64) {
        let work = (64 - nodes.leading_zeros()).max(1) as u8;
        let slot = self.bucket_index(key);
        let bucket = &mut self.buckets[slot].0;
        let known = bucket.iter().position(|entry| entry.key == key);
        let slot = known.unwrap_or_else(|| {
            let least = (0..BUCKET_SIZE).min_by_key(|&slot| bucket[slot].work);
            least.unwrap_or(0)
        });
        let entry = &mut bucket[slot];
        if known.is_none() {
            *entry = SumEntry { key, ..EMPTY_ENTRY };
        }
        entry.work = entry.work.max(work);
        // The clamp changes nothing, because a board has only 100 squares.
        let count = spare_moves.clamp(-120, 120) as i8;
        if numbers.phi == 0 {
            entry.win_from = entry.win_from.min(count);
        } else if numbers.delta == 0 {
            entry.lose_to = entry.lose_to.max(count);
        } else {
            (entry.spare_moves, entry.phi, entry.delta) =
                (count, pack_number(numbers.phi), pack_number(numbers.delta));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_extend_to_other_spare_moves() {
        let mut table = SumTable::new(16);
        table.store(5, 2, ProofNumbers::WON, 1);
        table.store(5, -3, ProofNumbers::LOST, 1);
        let between = ProofNumbers { phi: 7, delta: 9 };
        table.store(5, 0, between, 1);
        assert_eq!(table.look_up(5, 4), Some(ProofNumbers::WON));
        assert_eq!(table.look_up(5, -3), Some(ProofNumbers::LOST));
        assert_eq!(table.look_up(5, 0), Some(between));
        assert_eq!(table.look_up(5, 1), None);
        assert_eq!(table.look_up(6, 4), None);
    }

    #[test]
    fn packed_numbers_are_close() {
        for number in [0, 1, 7, 2047, 2048, 2049, 100_000, ProofNumbers::INFINITE - 1] {
            let kept = unpack_number(pack_number(number));
            assert!(kept <= number && number - kept <= number / 1024, "{number}: {kept}");
        }
    }

    #[test]
    fn full_bucket_drops_the_least_work() {
        let mut table = SumTable::new(BUCKET_SIZE);
        for key in 1..=5 {
            table.store(key, 0, ProofNumbers::WON, 10 * key);
        }
        assert_eq!(table.look_up(1, 0), None);
        assert!((2..=5).all(|key| table.look_up(key, 0) == Some(ProofNumbers::WON)));
    }
}
