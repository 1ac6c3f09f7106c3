//! Counts squares for the evaluator's terms, by the distances from both sides' amazons.

use amazons::{Bitboard, MAX_AMAZONS};

use super::pair::{SidePair, SixteenNumbers};
use super::view::View;
use crate::simd::{Words, word};

/// The sets of squares of one position or of a batch of positions, in a kernel's registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoardPlanes<P: SidePair> {
    pub(super) empty: P,
    /// The amazons, in sets with at most one amazon of each side.
    pub(super) amazons: [P; MAX_AMAZONS],
    pub(super) surroundings: [P; MAX_AMAZONS],
    /// [`View::dead_squares`], which is the same number for all positions of a batch.
    pub(super) dead_squares: i16,
}

/// The evaluator's counts, with one position or half ply in each lane and four 16-bit counts in a
/// word. [`COUNTED_COLUMNS`](super::terms::COUNTED_COLUMNS) names the counts of `queens` and of
/// `kings`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts<P: SidePair> {
    pub(super) queens: SixteenNumbers<P::Words>,
    pub(super) kings: SixteenNumbers<P::Words>,
    /// The counts of [`SidePair::count_freedom`]. A missing amazon has the count 0.
    pub(super) freedom: SixteenNumbers<P::Words>,
    /// [`Terms::contest`](super::Terms::contest) of the position in each lane.
    pub(super) contest: P::Words,
    /// Bit n is set if the mover of position n reaches no square.
    pub(super) stuck: u32,
}

/// The weight that each count by queen distance has in [`Counts::contest`], in sixteenths of a
/// square. A square at equal distance is counted for both sides, each time with half its weight.
const CONTEST_WEIGHTS: [[i16; 4]; 4] = [[8, 4, 2, 0], [8, 4, 0, 8], [0, 0, 8, 8], [8, 8, 8, 0]];

/// Masks that select which of the opponent's counts `masked_difference` subtracts: all except ties.
const QUEEN_DIFFERENCE_MASKS: [u64; 4] = [u64::MAX, u64::MAX, word([-1, -1, -1, 0]), 0];
const KING_DIFFERENCE_MASKS: [u64; 4] = [u64::MAX, word([-1, -1, -1, 0]), u64::MAX, u64::MAX];

#[inline(always)]
fn masked_difference<W: Words>(
    [own, other]: [SixteenNumbers<W>; 2],
    differences: [u64; 4],
) -> SixteenNumbers<W> {
    let mut result = own;
    for (index, mask) in differences.into_iter().enumerate() {
        result[index] = own[index].sub_i16(other[index] & W::splat(own[0].cpu(), mask));
    }
    result
}

impl<P: SidePair> BoardPlanes<P> {
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn new(cpu: P::CpuFeatures, view: &View<'_>) -> BoardPlanes<P> {
        let [a, b, c, d] = P::amazon_slots(cpu, view.amazons);
        BoardPlanes {
            empty: P::both_sides(cpu, view.empty),
            amazons: [a, b, c, d],
            surroundings: [neighbours(a), neighbours(b), neighbours(c), neighbours(d)],
            dead_squares: view.dead_squares,
        }
    }

    // A closure or `map` here would not be compiled with the kernel's instructions.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn count(&self) -> Counts<P> {
        let (cpu, empty) = (self.empty.cpu(), self.empty);
        let [a, b, c, d] = self.amazons;
        let amazons = (a | b) | (c | d);
        let (digits, reached) = flood_kings(amazons, empty);
        let freedom = P::count_freedom(self.surroundings, empty, reached.swapped());
        let ([a1, a2, a3, a4, an], q44) = flood_queens(amazons, empty, reached);
        let [b1, b2, b3] = [a1.swapped(), a2.swapped(), a3.swapped()];
        let [b4, bn] = [a4.swapped(), an.swapped()];
        let [q12, q13, q14, q1n] = [a1 & b2, a1 & b3, a1 & b4, a1 & bn];
        let [q23, q24, q2n, q34] = [a2 & b3, a2 & b4, a2 & bn, a3 & b4];
        let [q3n, q4n] = [a3 & bn, a4 & bn];
        let [tie1, tie2, tie3] = [a1 & b1, a2 & b2, a3 & b3];
        let tie4 = (a4 & b4) - q44 - q44.swapped();
        let nothing = P::both_sides(cpu, Bitboard::EMPTY);
        let by_side = P::count_16([
            q12, q13, q14, q1n, q23, q24, q2n, q34, q3n, q4n, q44, tie1, tie2, tie3, tie4, nothing,
        ]);
        let mut contest = P::Words::splat(cpu, 0);
        for (index, weights) in CONTEST_WEIGHTS.into_iter().enumerate() {
            contest = contest.add_products(by_side[0][index].add_i16(by_side[1][index]), weights);
        }
        let mut by_queen = masked_difference(by_side, QUEEN_DIFFERENCE_MASKS);
        by_queen[3] = by_queen[3] | P::Words::splat(cpu, word([0, 0, 0, self.dead_squares]));

        // `one`: the squares to which a side is nearer by one queen move; `more`: by two or more.
        // For distances of 4 or more see `Terms::contest`.
        let one = q12 | q23 | q34 | q44;
        let more = (q13 | q14 | q1n | q24) | (q2n | q3n | q4n);
        let ([k1, k2, k3, k4, k5, k6], tied) = king_differences(digits, reached);
        let kn = reached - reached.swapped();
        let further = ((k2 | k3) | (k4 | k5)) | (k6 | kn);
        // `x12`: squares that are nearer to a side by one queen move and by two or more king steps.
        // `x1_minus_1`: squares that are nearer by one queen move, but farther by one king step.
        let later = k1.swapped();
        let [x22, x21, x20, x2_minus_1] = [more & further, more & k1, more & tied, more & later];
        let [x12, x11, x10, x1_minus_1] = [one & further, one & k1, one & tied, one & later];
        let by_side = P::count_16([
            k1, k2, k3, k4, k5, k6, kn, tied, x22, x21, x20, x2_minus_1, x12, x11, x10, x1_minus_1,
        ]);
        let by_king = masked_difference(by_side, KING_DIFFERENCE_MASKS);
        Counts {
            queens: by_queen,
            kings: by_king,
            freedom,
            contest: contest.sum_times(P::Words::splat(cpu, 1)),
            stuck: a1.positions_without_own(),
        }
    }
}

#[inline(always)]
pub(super) fn neighbours<P: SidePair>(amazons: P) -> P {
    amazons.king_step() - amazons
}

/// Returns the squares at the queen distances 1, 2, 3, and 4 or more, and the unreachable squares.
/// Then returns the squares at distance 4 or more from both sides, each in the nearer side's set.
#[cfg_attr(not(unoptimised), inline(always))]
fn flood_queens<P: SidePair>(amazons: P, empty: P, reached: P) -> ([P; 5], P) {
    let lines = empty.queen_step_masks();
    let nothing = P::both_sides(empty.cpu(), Bitboard::EMPTY);
    let mut near = [nothing; 3];
    let mut left = reached;
    let mut frontier = amazons;
    for level in &mut near {
        frontier = frontier.queen_step(&lines) & left;
        *level = frontier;
        left = left - frontier;
        if left.is_empty() {
            break;
        }
    }
    // The loop finds out which side is nearer to the squares at distance 4 or more from both sides.
    let four = left;
    let mut undecided = four & four.swapped();
    let mut nearer_far = nothing;
    while !undecided.is_empty() {
        frontier = frontier.queen_step(&lines) & left;
        left = left - frontier;
        let new = frontier & undecided;
        nearer_far = nearer_far | (new - new.swapped());
        undecided = undecided - new - new.swapped();
    }
    let [one, two, three] = near;
    ([one, two, three, four, empty - reached], nearer_far)
}

/// Returns the king distances, clamped at 15, in binary: a set of squares for each bit, the lowest
/// first. Then returns the squares that each side reaches.
#[cfg_attr(not(unoptimised), inline(always))]
fn flood_kings<P: SidePair>(amazons: P, empty: P) -> ([P; 4], P) {
    let mut digits = [P::both_sides(empty.cpu(), Bitboard::EMPTY); 4];
    let mut rest = empty;
    let mut frontier = amazons;
    let mut distance = 0_u32;
    loop {
        frontier = frontier.king_step() & rest;
        if frontier.is_empty() {
            return (digits, empty - rest);
        }
        rest = rest - frontier;
        distance = (distance + 1).min(15);
        for (digit, plane) in digits.iter_mut().enumerate() {
            if distance >> digit & 1 != 0 {
                *plane = *plane | frontier;
            }
        }
    }
}

/// Compares the king distances of the squares that both sides reach. Returns the squares to which a
/// side is nearer by 1, 2, 3, 4, 5, and 6 or more steps, and the squares at equal distance.
#[cfg_attr(not(unoptimised), inline(always))]
fn king_differences<P: SidePair>(mut digits: [P; 4], reached: P) -> ([P; 6], P) {
    let mut borrow = P::both_sides(reached.cpu(), Bitboard::EMPTY);
    let both = reached & reached.swapped();
    for plane in &mut digits {
        let (own, other) = (*plane, plane.swapped());
        *plane = (own ^ other ^ borrow) & both;
        borrow = (own & borrow) | ((own | borrow) - other);
    }
    let [ones, twos, fours, eights] = digits;
    let any = ones | twos | fours | eights;
    let sooner = any - borrow;
    let six = eights | (fours & twos);
    let low = sooner - six;
    let [small, four] = [low - fours, low & fours];
    let sooner = [
        (small & ones) - twos,
        (small & twos) - ones,
        small & twos & ones,
        four - ones,
        four & ones,
        sooner & six,
    ];
    (sooner, both - any)
}
