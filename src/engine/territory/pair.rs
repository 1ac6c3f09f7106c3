//! Sets of squares of both sides, with which the evaluator computes.
//!
//! The evaluator does every operation for both sides. So one value holds the sets of both sides,
//! for one position or for a batch of positions.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Sub};

use amazons::{Bitboard, MAX_AMAZONS, Square};

use super::squares::{QueenStepMasks, Squares};
use crate::simd::{MAX_LANES, SideWords, Words, operators};

/// Sixteen 16-bit numbers in each lane.
pub(crate) type SixteenNumbers<W> = [W; 4];

/// Two sets of squares for each position of a batch: the mover's set and the opponent's set.
/// Operators combine sets of the same side and position, and `a - b` is set difference.
///
/// The results of [`SidePair::queen_step`] and [`SidePair::king_step`] may contain squares off the
/// board, which the caller removes by intersecting them with the empty squares.
pub(crate) trait SidePair:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Sub<Output = Self>
{
    type CpuFeatures: Copy;

    type Words: Words<CpuFeatures = Self::CpuFeatures>;

    type Set: Squares<Words = Self::Words>;

    const POSITIONS: usize;

    fn cpu(self) -> Self::CpuFeatures;

    /// Copies the mover's set and the opponent's set, given as words, to every position.
    fn new(cpu: Self::CpuFeatures, words: [[u64; 2]; 2]) -> Self;

    #[inline(always)]
    fn both_sides(cpu: Self::CpuFeatures, set: Bitboard) -> Self {
        Self::new(cpu, [Self::Set::words(set); 2])
    }

    /// Element n of the result holds amazon n of each side, copied to every position. If a side has
    /// no amazon n, its set is empty.
    #[inline(always)]
    fn amazon_slots(cpu: Self::CpuFeatures, amazons: [&[Square]; 2]) -> [Self; MAX_AMAZONS] {
        let mut words = [[[0; 2]; MAX_AMAZONS]; 2];
        for (words, amazons) in words.iter_mut().zip(amazons) {
            for (words, &square) in words.iter_mut().zip(amazons) {
                *words = Self::Set::of(square);
            }
        }
        let [[a, b, c, d], [e, f, g, h]] = words;
        [Self::new(cpu, [a, e]), Self::new(cpu, [b, f]), Self::new(cpu, [c, g]), Self::new(cpu, [d, h])]
    }

    #[inline(always)]
    fn amazons(cpu: Self::CpuFeatures, amazons: [&[Square]; 2]) -> Self {
        let [a, b, c, d] = Self::amazon_slots(cpu, amazons);
        (a | b) | (c | d)
    }

    // The next three methods apply the methods of `Squares` with the same names to each side.
    // `queen_step_masks` requires that both sides have the same set of squares.
    fn queen_step_masks(self) -> QueenStepMasks<Self::Set>;
    fn queen_step(self, lines: &QueenStepMasks<Self::Set>) -> Self;
    fn king_step(self) -> Self;

    fn swapped(self) -> Self;

    fn is_empty(self) -> bool;

    /// Bit n is set if the mover's set is empty in position n.
    fn positions_without_own(self) -> u32;

    /// The mover's and the opponent's set of the first position.
    fn boards(self) -> [Bitboard; 2];

    /// Counts the squares of four sets of each side: the mover's counts, then the opponent's.
    fn count_4(sets: [Self; 4]) -> [Self::Words; 2];

    #[cfg_attr(not(unoptimised), inline(always))]
    fn count_16(
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]: [Self; 16],
    ) -> [SixteenNumbers<Self::Words>; 2] {
        let [[q, r], [s, t]] = [Self::count_4([a, b, c, d]), Self::count_4([e, f, g, h])];
        let [[u, v], [w, x]] = [Self::count_4([i, j, k, l]), Self::count_4([m, n, o, p])];
        [[q, s, u, w], [r, t, v, x]]
    }

    /// For each amazon, counts the squares of `contested` that a king reaches from the amazon over
    /// empty squares within two steps (at most 24) and within three steps (at most 48). Returns the
    /// mover's counts for two and for three steps, then the opponent's. Each element of the result
    /// has one count for each amazon. `surroundings` has the neighbours of each amazon.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn count_freedom(
        surroundings: [Self; MAX_AMAZONS],
        empty: Self,
        contested: Self,
    ) -> SixteenNumbers<Self::Words> {
        let (mut near, mut far) = (surroundings, surroundings);
        for slot in 0..MAX_AMAZONS {
            let steps = (near[slot] & empty).king_step() & empty;
            near[slot] = steps & contested;
            far[slot] = steps.king_step() & contested;
        }
        let ([own_near, near], [own_far, far]) = (Self::count_4(near), Self::count_4(far));
        [own_near, own_far, near, far]
    }
}

/// Packs four counts below 2^16 into each lane.
#[inline(always)]
fn pack_four_counts<W: Words>([a, b, c, d]: [W; 4]) -> W {
    (a | b.shift_up(16)) | (c.shift_up(32) | d.shift_up(48))
}

/// A set of squares for each side, with one position in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeparateSides<S>([S; 2]);

/// The type that holds the positions of a batch on the same processor as `P`.
pub(super) type BatchOf<P> = SeparateSides<<<P as SidePair>::Set as Squares>::Batch>;

/// The two sides of one position, as the two lanes of a set.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedSides<S>(S);

operators! { [S: Squares] SeparateSides<S>, |apply, a, b|
    SeparateSides([apply(a.0[0], b.0[0]), apply(a.0[1], b.0[1])])
}
operators! { [S: Squares] PackedSides<S>, |apply, a, b| PackedSides(apply(a.0, b.0)) }

impl<S: Squares> SeparateSides<S> {
    /// Puts square n in both sets of position n. The last square fills the other positions.
    #[inline(always)]
    pub(super) fn per_position(cpu: <Self as SidePair>::CpuFeatures, squares: &[Square]) -> Self {
        SeparateSides([S::per_lane(cpu, squares); 2])
    }

    /// Takes the mover's set from `moved` in each position in which the mover's set of `condition`
    /// is not empty.
    #[inline(always)]
    pub(super) fn replace_own_where(self, condition: Self, moved: Self) -> Self {
        SeparateSides([moved.0[0].where_nonempty(condition.0[0], self.0[0]), self.0[1]])
    }
}

impl<S: Squares> SidePair for SeparateSides<S> {
    type CpuFeatures = <S::Words as Words>::CpuFeatures;
    type Words = S::Words;
    type Set = S;

    const POSITIONS: usize = S::Words::LANES;

    #[inline(always)]
    fn cpu(self) -> Self::CpuFeatures {
        self.0[0].nonzero_if_any().cpu()
    }

    #[inline(always)]
    fn new(cpu: Self::CpuFeatures, [own, other]: [[u64; 2]; 2]) -> Self {
        SeparateSides([S::splat(cpu, own), S::splat(cpu, other)])
    }

    #[inline(always)]
    fn queen_step_masks(self) -> QueenStepMasks<S> {
        self.0[0].queen_step_masks()
    }

    #[inline(always)]
    fn queen_step(self, lines: &QueenStepMasks<S>) -> Self {
        SeparateSides([self.0[0].queen_step(lines), self.0[1].queen_step(lines)])
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        SeparateSides([self.0[0].king_step(), self.0[1].king_step()])
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        SeparateSides([self.0[1], self.0[0]])
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        (self.0[0] | self.0[1]).nonzero_if_any().is_zero()
    }

    #[inline(always)]
    fn positions_without_own(self) -> u32 {
        self.0[0].nonzero_if_any().zero_lane_mask()
    }

    fn boards(self) -> [Bitboard; 2] {
        self.0.map(|set| first_boards(set)[0])
    }

    #[inline(always)]
    fn count_4([a, b, c, d]: [Self; 4]) -> [S::Words; 2] {
        [
            pack_four_counts([a.0[0].count(), b.0[0].count(), c.0[0].count(), d.0[0].count()]),
            pack_four_counts([a.0[1].count(), b.0[1].count(), c.0[1].count(), d.0[1].count()]),
        ]
    }
}

#[inline(always)]
fn first_boards<S: Squares>(set: S) -> [Bitboard; 2] {
    let [low, high] = set.to_words();
    let mut words = [[0; MAX_LANES]; 2];
    low.store(&mut words[0]);
    high.store(&mut words[1]);
    [S::board([words[0][0], words[1][0]]), S::board([words[0][1], words[1][1]])]
}

impl<S: Squares<Words: SideWords>> SidePair for PackedSides<S> {
    type CpuFeatures = <S::Words as Words>::CpuFeatures;
    type Words = S::Words;
    type Set = S;

    const POSITIONS: usize = 1;

    #[inline(always)]
    fn cpu(self) -> Self::CpuFeatures {
        self.0.nonzero_if_any().cpu()
    }

    #[inline(always)]
    fn new(cpu: Self::CpuFeatures, [[a, b], [c, d]]: [[u64; 2]; 2]) -> Self {
        PackedSides(S::from_words([S::Words::new(cpu, [a, c]), S::Words::new(cpu, [b, d])]))
    }

    #[inline(always)]
    fn queen_step_masks(self) -> QueenStepMasks<S> {
        self.0.queen_step_masks()
    }

    #[inline(always)]
    fn queen_step(self, lines: &QueenStepMasks<S>) -> Self {
        PackedSides(self.0.queen_step(lines))
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        PackedSides(self.0.king_step())
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        let [low, high] = self.0.to_words();
        PackedSides(S::from_words([low.swapped(), high.swapped()]))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.nonzero_if_any().is_zero()
    }

    #[inline(always)]
    fn positions_without_own(self) -> u32 {
        self.0.nonzero_if_any().zero_lane_mask() & 1
    }

    fn boards(self) -> [Bitboard; 2] {
        first_boards(self.0)
    }

    #[inline(always)]
    fn count_4([a, b, c, d]: [Self; 4]) -> [S::Words; 2] {
        let both = pack_four_counts([a.0.count(), b.0.count(), c.0.count(), d.0.count()]);
        [both, both.swapped()]
    }
}
