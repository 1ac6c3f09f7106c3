//! The solver's tables: what is known of sums of regions, of regions and of rooms, by a 64-bit key.
//!
//! The key alone tells two of them apart. Two different ones share a key with a chance of 1 in 2^64,
//! which the solver neglects.

#[derive(Debug)]
pub(super) struct NewestTable<V>(Vec<(u64, V)>);

impl<V: Copy + Default> NewestTable<V> {
    pub(super) fn new(slots: usize) -> NewestTable<V> {
        NewestTable(vec![(0, V::default()); slots.next_power_of_two().max(2)])
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
    pub(super) fn keep(&mut self, key: u64, value: V) {
        let slot = self.slot(key);
        self.0[slot] = (key, value);
    }
}

/// The numbers of a sum of regions with one side to move, at every count of settled moves beside
/// it.
///
/// Settled moves only help: a sum won with some is won with more, and one lost is lost with fewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumEntry {
    key: u64,
    /// The fewest settled moves, for the side to move, with which it is known to win.
    win_from: i8,
    /// The most with which it is known to lose.
    lose_to: i8,
    /// The settled moves to which the proof numbers belong.
    settled: i8,
    /// The work that went into them, as a logarithm.
    work: u8,
    /// The proof numbers, rounded: see [`short`].
    phi: u16,
    delta: u16,
}

/// The expected work to prove that the side to move wins (`phi`) or loses (`delta`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) phi: u32,
    pub(super) delta: u32,
}

impl Numbers {
    /// A number that says "impossible"; sums of many stay below the limit of the type.
    pub(super) const INFINITE: u32 = 1 << 30;
    pub(super) const WON: Numbers = Numbers { phi: 0, delta: Numbers::INFINITE };
    pub(super) const LOST: Numbers = Numbers { phi: Numbers::INFINITE, delta: 0 };

    #[inline]
    pub(super) fn is_proven(self) -> bool {
        self.phi == 0 || self.delta == 0
    }
}

const NOTHING: SumEntry =
    SumEntry { key: 0, win_from: i8::MAX, lose_to: i8::MIN, settled: 0, work: 0, phi: 0, delta: 0 };

/// Slots that a sum may lie in.
const WAYS: usize = 4;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Bucket([SumEntry; WAYS]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// A table of a fixed size. Where it is full, a new entry replaces the one that took least work.
#[derive(Debug)]
pub(super) struct SumTable {
    buckets: Vec<Bucket>,
}

/// A number below [`Numbers::INFINITE`] in sixteen bits: eleven of it, rounded down, and five for
/// its size.
#[inline]
fn short(number: u32) -> u16 {
    let shift = (32 - number.leading_zeros()).saturating_sub(11);
    (number >> shift) as u16 | (shift as u16) << 11
}

#[inline]
fn long(short: u16) -> u32 {
    u32::from(short & 0x7ff) << (short >> 11)
}

impl SumTable {
    /// A table of `slots` entries, rounded up to a power of two; 16 bytes each.
    pub(super) fn new(slots: usize) -> SumTable {
        SumTable { buckets: vec![Bucket([NOTHING; WAYS]); slots.div_ceil(WAYS).next_power_of_two()] }
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    /// The numbers of a sum with this many settled moves for the side to move.
    #[inline]
    pub(super) fn look_up(&self, key: u64, settled: i32) -> Option<Numbers> {
        let entry = self.buckets[self.slot(key)].0.iter().find(|entry| entry.key == key)?;
        if settled >= i32::from(entry.win_from) {
            Some(Numbers::WON)
        } else if settled <= i32::from(entry.lose_to) {
            Some(Numbers::LOST)
        } else {
            let known = i32::from(entry.settled) == settled && entry.phi > 0;
            known.then(|| Numbers { phi: long(entry.phi), delta: long(entry.delta) })
        }
    }

    /// Keeps what was found out in `nodes` nodes.
    pub(super) fn store(&mut self, key: u64, settled: i32, numbers: Numbers, nodes: u64) {
        let work = (64 - nodes.leading_zeros()).max(1) as u8;
        let slot = self.slot(key);
        let bucket = &mut self.buckets[slot].0;
        let known = bucket.iter().position(|entry| entry.key == key);
        let slot = known.unwrap_or_else(|| {
            let least = (0..WAYS).min_by_key(|&slot| bucket[slot].work);
            least.unwrap_or(0)
        });
        let entry = &mut bucket[slot];
        if known.is_none() {
            *entry = SumEntry { key, ..NOTHING };
        }
        entry.work = entry.work.max(work);
        // More than a board has squares is no count.
        let count = settled.clamp(-120, 120) as i8;
        if numbers.phi == 0 {
            entry.win_from = entry.win_from.min(count);
        } else if numbers.delta == 0 {
            entry.lose_to = entry.lose_to.max(count);
        } else {
            (entry.settled, entry.phi, entry.delta) = (count, short(numbers.phi), short(numbers.delta));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_won_with_few_is_won_with_more() {
        let mut table = SumTable::new(16);
        table.store(5, 2, Numbers::WON, 1);
        table.store(5, -3, Numbers::LOST, 1);
        let between = Numbers { phi: 7, delta: 9 };
        table.store(5, 0, between, 1);
        assert_eq!(table.look_up(5, 4), Some(Numbers::WON));
        assert_eq!(table.look_up(5, -3), Some(Numbers::LOST));
        assert_eq!(table.look_up(5, 0), Some(between));
        assert_eq!(table.look_up(5, 1), None);
        assert_eq!(table.look_up(6, 4), None);
    }

    #[test]
    fn short_numbers_are_close() {
        for number in [0, 1, 7, 2047, 2048, 2049, 100_000, Numbers::INFINITE - 1] {
            let kept = long(short(number));
            assert!(kept <= number && number - kept <= number / 1024, "{number}: {kept}");
        }
    }

    #[test]
    fn a_full_bucket_drops_what_took_least_work() {
        let mut table = SumTable::new(WAYS);
        for key in 1..=5 {
            table.store(key, 0, Numbers::WON, 10 * key);
        }
        assert_eq!(table.look_up(1, 0), None);
        assert!((2..=5).all(|key| table.look_up(key, 0) == Some(Numbers::WON)));
    }
}
