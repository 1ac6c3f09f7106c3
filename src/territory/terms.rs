//! What the learned evaluator counts: a vector of whole numbers, each with a weight for every phase.
//!
//! All are seen from the mover. A count that is better for one side than the other is the mover's less the opponent's, so
//! that swapping sides changes its sign; counts that favour neither are there for what the tempo makes of them.

use super::kernel::{Kernel, Task};
use super::pair::Pair;
use super::view::View;
use crate::game::Square;

/// Distance classes of a square by queen moves: 1, 2, 3, 4 and more, out of reach.
const CLASSES: usize = 5;

/// What each number of [`Terms::counts`] is, in order.
///
/// - `q12`: squares of queen distance 1 to the one side and 2 to the other; `4` is 4 and more, `n` is out of reach.
/// - `q44`: squares of distance 4 and more to both, nearer to the one; so t1 is the sum of all `q` but the `tie`s.
/// - `k3`: squares that one side's kings reach 3 steps sooner; `k6` is 6 and more and `kn` where the other never gets.
/// - `t2`, `c2`: Lieberum's, sums of the `k`, `c2` in sixths: there so that a fit finds their shape at once.
/// - `x21`: squares nearer by 2 or more queen moves and by 1 king step; `-` if the other side is nearer by king. Queen
///   distances from 4 on count as in [`Terms::contest`].
/// - `tie1`, `ties`: squares at equal queen distance (4 and more if both are), at equal king distance.
/// - `move`, `arrow`: 1, and 1 where the arrow is to come; `arrow_` the ties again for half plies alone.
/// - `near_0`.., `far_0`..: amazons by how many contested squares a king gets to from theirs in two steps (0, 1-2, 3-4,
///   ...) and in three (0, 1-3, 4-6, ... 37 and more). Contested is what the other side can also reach.
/// - `waste`: as [`View::waste`] says.
pub const COLUMNS: [&str; Terms::COUNT] = [
    "q12",
    "q13",
    "q14",
    "q1n",
    "q23",
    "q24",
    "q2n",
    "q34",
    "q3n",
    "q4n",
    "q44",
    "k1",
    "k2",
    "k3",
    "k4",
    "k5",
    "k6",
    "kn",
    "t2",
    "c2",
    "x22",
    "x21",
    "x20",
    "x2-1",
    "x2-2",
    "x12",
    "x11",
    "x10",
    "x1-1",
    "x1-2",
    "x02",
    "x01",
    "tie1",
    "tie2",
    "tie3",
    "tie4",
    "ties",
    "move",
    "arrow",
    "arrow_tie1",
    "arrow_tie2",
    "arrow_tie3",
    "arrow_tie4",
    "arrow_ties",
    "near_0",
    "near_1",
    "near_2",
    "near_3",
    "near_4",
    "near_5",
    "near_6",
    "near_7",
    "near_8",
    "near_9",
    "near_10",
    "near_11",
    "near_12",
    "far_0",
    "far_1",
    "far_2",
    "far_3",
    "far_4",
    "far_5",
    "far_6",
    "far_7",
    "far_8",
    "far_9",
    "far_10",
    "far_11",
    "far_12",
    "far_13",
    "waste",
];

/// Where groups of columns begin.
pub(super) const KINGS: usize = 11;
pub(super) const CROSS: usize = 20;
pub(super) const TIES: usize = 32;
pub(super) const TEMPO: usize = 37;
const NEAR: usize = 44;
const FAR: usize = 57;
pub(super) const WASTE: usize = 71;

/// The counts of a position or half ply, and how far the game has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Terms {
    /// As [`COLUMNS`] says, then zeros.
    pub counts: [i16; Terms::PADDED],
    /// Lieberum's w, how much is still contested: the sum of 2^-|difference of queen distances| over the squares
    /// that both sides reach, distances from 4 on counting as 4 (but 1 apart where they differ); in sixteenths of a square.
    pub contest: i16,
    /// Empty squares.
    pub empty: i16,
    /// Whether the mover reaches no square at all: it has lost, if it is to move.
    pub stuck: bool,
}

impl Terms {
    /// How many numbers there are.
    pub const COUNT: usize = 72;

    /// With zeros, to whole registers.
    pub const PADDED: usize = 80;

    /// Parts of a square in [`Terms::contest`].
    pub const CONTEST_UNIT: i16 = 16;

    /// The terms of a position or half ply.
    #[must_use]
    pub fn of(view: &View<'_>, kernel: Kernel) -> Terms {
        kernel.run(view.size, Count(view))
    }

    /// Lieberum's t1: the squares nearer to the mover by queen moves less those nearer to the opponent.
    #[must_use]
    pub fn t1(&self) -> i16 {
        self.counts[..KINGS].iter().sum()
    }

    /// The bin of `near_` columns for so many squares, of at most 24.
    #[inline(always)]
    pub(super) fn near_bin(squares: i16) -> usize {
        NEAR + (squares as usize).div_ceil(2)
    }

    /// The bin of `far_` columns for so many squares, of at most 48.
    #[inline(always)]
    pub(super) fn far_bin(squares: i16) -> usize {
        FAR + (squares as usize).div_ceil(3).min(13)
    }

    /// Counts with nothing in them.
    pub(super) const ZERO: Terms = Terms { counts: [0; Terms::PADDED], contest: 0, empty: 0, stuck: false };
}

/// Counts the terms of a view.
pub(super) struct Count<'a>(pub(super) &'a View<'a>);

impl Task for Count<'_> {
    type Output = Terms;

    #[inline(always)]
    fn run<P: Pair>(self) -> Terms {
        let View { empty, amazons, half, waste, .. } = *self.0;
        count::<P>(P::same(empty), amazons, half, waste)
    }
}

/// The terms for amazons of the mover and the opponent on a board with these squares empty.
#[inline(always)]
pub(super) fn count<P: Pair>(empty: P, amazons: [&[Square]; 2], half: bool, waste: i16) -> Terms {
    let mut terms = Terms::ZERO;
    terms.counts[WASTE] = waste;
    let all = P::of(amazons);
    let queens = Queens::flood(all, empty);
    let kings = Kings::flood(all, queens.reached);
    let freedom = Freedom { empty, contested: queens.reached.exchanged(), terms: &mut terms };
    freedom.count(amazons);

    let classes = queens.classes;
    // No closures and no `map` over pairs here and below: what they do would not be compiled for the kernel.
    let [a1, a2, a3, a4, an] = classes;
    let [b1, b2, b3] = [a1.exchanged(), a2.exchanged(), a3.exchanged()];
    let [b4, bn] = [a4.exchanged(), an.exchanged()];
    let [d12, d13, d14, d1n] = [a1 & b2, a1 & b3, a1 & b4, a1 & bn];
    let [d23, d24, d2n, d34] = [a2 & b3, a2 & b4, a2 & bn, a3 & b4];
    let [d3n, d4n, d44] = [a3 & bn, a4 & bn, queens.nearer_far];
    let [tie1, tie2, tie3] = [a1 & b1, a2 & b2, a3 & b3];
    let tie4 = (a4 & b4) - d44 - d44.exchanged();

    let first = P::counts([d12, d13, d14, d1n]);
    let second = P::counts([d23, d24, d2n, d34]);
    let third = P::counts([d3n, d4n, d44, empty]);
    let ties = P::counts([tie1, tie2, tie3, tie4]);
    terms.put(0, difference(first));
    terms.put(4, difference(second));
    terms.put(8, difference(third));
    terms.empty = third[0][3];
    // An amazon that can move at all reaches some square in one move.
    terms.stuck = first[0].iter().sum::<i16>() + ties[0][0] == 0;
    let sum = |counts: [[i16; 4]; 2], index: usize| counts[0][index] + counts[1][index];
    terms.contest = 16 * ties[0].iter().sum::<i16>()
        + 8 * (sum(first, 0) + sum(second, 0) + sum(second, 3) + sum(third, 2))
        + 4 * (sum(first, 1) + sum(second, 1))
        + 2 * sum(first, 2);

    // After `empty` went with the third, its column is a king's.
    let [k1, k2, k3, k4, k5, k6] = kings.sooner;
    let low = P::counts([k1, k2, k3, k4]);
    let high = P::counts([k5, k6, kings.only, kings.tied]);
    let [[a, b, c, d], [e, f, g, _]] = [difference(low), difference(high)];
    terms.put(KINGS, [a, b, c, d]);
    terms.put(KINGS + 4, [e, f, g, a + b + c + d + e + f + g]);
    terms.counts[KINGS + 8] = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * (f + g);

    let queen = [d12 | d23 | d34 | d44, d13 | d14 | d1n | d24 | d2n | d3n | d4n];
    let king = [k1, k2 | k3 | k4 | k5 | k6 | kings.only];
    let worse = [king[0].exchanged(), king[1].exchanged()];
    let equal = tie1 | tie2 | tie3 | tie4;
    for (index, nearer) in [(CROSS, queen[1]), (CROSS + 5, queen[0])] {
        let by_king = [nearer & king[1], nearer & king[0], nearer & kings.tied, nearer & worse[0]];
        terms.put(index, difference(P::counts(by_king)));
    }
    let rest = [queen[1] & worse[1], queen[0] & worse[1], equal & king[1], equal & king[0]];
    let [far, near, two, one] = difference(P::counts(rest));
    terms.counts[CROSS + 4] = far;
    terms.counts[CROSS + 9] = near;
    terms.counts[CROSS + 10] = two;
    terms.counts[CROSS + 11] = one;

    terms.put(TIES, ties[0]);
    terms.counts[TIES + 4] = high[0][3];
    terms.counts[TEMPO] = 1;
    if half {
        terms.counts[TEMPO + 1] = 1;
        terms.put(TEMPO + 2, ties[0]);
        terms.counts[TEMPO + 6] = high[0][3];
    }
    terms
}

/// The mover's counts less the opponent's.
#[inline(always)]
fn difference([own, other]: [[i16; 4]; 2]) -> [i16; 4] {
    std::array::from_fn(|index| own[index] - other[index])
}

impl Terms {
    #[inline(always)]
    fn put(&mut self, index: usize, counts: [i16; 4]) {
        self.counts[index..index + 4].copy_from_slice(&counts);
    }
}

/// Queen distances by class.
struct Queens<P> {
    classes: [P; CLASSES],
    /// Of the squares at distance 4 and more from both sides, those that each is nearer to.
    nearer_far: P,
    reached: P,
}

impl<P: Pair> Queens<P> {
    #[inline(always)]
    fn flood(amazons: P, empty: P) -> Queens<P> {
        let lines = empty.lines();
        let one = amazons.queen_step(&lines) & empty;
        let two = (one.queen_step(&lines) & empty) - one;
        let mut seen = one | two;
        let mut rest = empty - seen;
        if rest.is_empty() {
            let none = P::nothing();
            return Queens { classes: [one, two, none, none, none], nearer_far: none, reached: seen };
        }
        let three = two.queen_step(&lines) & rest;
        seen = seen | three;
        rest = rest - three;
        // What is out of reach of queens is out of reach of kings, whose floods are cheaper.
        let mut reached = seen;
        loop {
            let further = reached | (reached.king_step() & rest);
            if further == reached {
                break;
            }
            reached = further;
        }
        let four = reached - seen;
        // Beyond the third level only squares that are far from both sides are worth telling apart.
        let open = four & four.exchanged();
        let mut nearer_far = P::nothing();
        let mut frontier = three;
        let mut undecided = open;
        while !undecided.is_empty() {
            frontier = (frontier.queen_step(&lines) & empty) - seen;
            seen = seen | frontier;
            let new = frontier & undecided;
            nearer_far = nearer_far | (new - new.exchanged());
            undecided = undecided - new - new.exchanged();
        }
        Queens { classes: [one, two, three, four, rest - four], nearer_far, reached }
    }
}

/// King distances by their difference.
struct Kings<P> {
    /// Squares that both sides reach, and each 1, 2, 3, 4, 5, 6 or more steps sooner.
    sooner: [P; 6],
    /// Squares that both reach at once.
    tied: P,
    /// Squares that each alone reaches.
    only: P,
}

impl<P: Pair> Kings<P> {
    /// Distances are held as binary numbers, a digit a plane, and subtracted as such; from 15 on they count as 15.
    #[inline(always)]
    fn flood(amazons: P, reached: P) -> Kings<P> {
        let mut planes = [P::nothing(); 4];
        let mut rest = reached;
        let mut frontier = amazons;
        for distance in 1..=15 {
            if rest.is_empty() {
                break;
            }
            frontier = frontier.king_step() & rest;
            // The fifteenth step takes all that is left.
            let here = if distance < 15 { frontier } else { rest };
            rest = rest - frontier;
            for (digit, plane) in planes.iter_mut().enumerate() {
                if distance >> digit & 1 != 0 {
                    *plane = *plane | here;
                }
            }
        }
        // The other side's distance less one's own.
        let mut borrow = P::nothing();
        let both = reached & reached.exchanged();
        for plane in &mut planes {
            let (own, other) = (*plane, plane.exchanged());
            *plane = (own ^ other ^ borrow) & both;
            borrow = (own & borrow) | ((own | borrow) - other);
        }
        let [ones, twos, fours, eights] = planes;
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
        Kings { sooner, tied: both - any, only: reached - reached.exchanged() }
    }
}

/// How far kings get from single amazons.
struct Freedom<'a, P> {
    empty: P,
    /// What the other side can reach.
    contested: P,
    terms: &'a mut Terms,
}

impl<P: Pair> Freedom<'_, P> {
    /// Counts each amazon into its bins, two of either side at a time.
    #[inline(always)]
    fn count(self, amazons: [&[Square]; 2]) {
        let most = amazons[0].len().max(amazons[1].len());
        for index in (0..most).step_by(2) {
            let pairs = [0, 1].map(|next| amazons.map(|squares| squares.get(index + next).copied()));
            let (near, far) = self.around(pairs[0]);
            let (next_near, next_far) = self.around(pairs[1]);
            let counts = P::counts([near, far, next_near, next_far]);
            for (side, sign) in [(0, 1), (1, -1)] {
                for (next, pair) in pairs.iter().enumerate() {
                    if pair[side].is_some() {
                        self.terms.counts[Terms::near_bin(counts[side][2 * next])] += sign;
                        self.terms.counts[Terms::far_bin(counts[side][2 * next + 1])] += sign;
                    }
                }
            }
        }
    }

    /// The contested squares that a king reaches in two steps, and in three, from an amazon of either side.
    #[inline(always)]
    fn around(&self, pair: [Option<Square>; 2]) -> (P, P) {
        let near = (P::neighbours(pair) & self.empty).king_step() & self.empty;
        (near & self.contested, near.king_step() & self.contested)
    }
}
