//! Both sides' sets of squares at once: what the evaluator computes with.
//!
//! Every operation of the evaluator is the same for the mover and the opponent, so the two travel
//! together. The implementations give the same bits: [`Both`], portable, over the words of
//! [`super::packed`]; and, on processors that have it, one register of 256 bits for the two, with
//! AVX2 or AVX-512 (`avx`).

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

use super::packed::{Packed, Way};
use crate::game::{Bitboard, MAX_AMAZONS, Square};

/// The amazons of a side, each in a place of its own.
pub(crate) type Slots = [Option<Square>; MAX_AMAZONS];

/// Weights of the lanes of two [`Lanes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub [[i16; 16]; 2]);

/// Sixteen numbers of sixteen bits.
pub(crate) trait Lanes:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// As [`Pair::CpuFeatures`].
    type CpuFeatures: Copy;

    /// These numbers.
    fn new(cpu: Self::CpuFeatures, lanes: &[i16; 16]) -> Self;

    /// The numbers.
    fn values(self) -> [i16; 16];

    /// The sum of the numbers, each times its weight.
    fn weighted_sum(self, weights: &[i16; 16]) -> i32;

    /// The sum of the numbers of both, each times its weight, for each row.
    fn weighted_sums(both: [Self; 2], rows: [&Row; 4]) -> [i32; 4];
}

/// A set of squares for each side, the mover's first. Operators work on each side apart; `a - b` is
/// set difference.
///
/// Squares off the board may be in the results of [`Pair::queen_step`] and [`Pair::king_step`]:
/// intersect them with the empty squares.
pub(crate) trait Pair:
    Copy
    + Debug
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Sub<Output = Self>
{
    /// Shows that the processor has the instructions of this implementation.
    type CpuFeatures: Copy;

    /// What the empty squares alone say about queen moves; both sides and all levels share it.
    type Lines: Copy;

    /// Sixteen counts.
    type Lanes: Lanes<CpuFeatures = Self::CpuFeatures>;

    /// The neighbours of single amazons, up to four of each side.
    type Surroundings: Copy;

    /// The features that this value was made with.
    fn cpu(self) -> Self::CpuFeatures;

    /// No square for either side.
    fn nothing(cpu: Self::CpuFeatures) -> Self;

    /// The same set for both sides.
    fn same(cpu: Self::CpuFeatures, set: Bitboard) -> Self;

    /// The squares of some amazons, for each side.
    fn of(cpu: Self::CpuFeatures, amazons: [&[Square]; 2]) -> Self;

    /// The lines that these empty squares, the same for both sides, leave open.
    fn lines(self) -> Self::Lines;

    /// These squares and all that a queen's move from them may enter, by way of the empty squares.
    fn queen_step(self, lines: &Self::Lines) -> Self;

    /// These squares and their neighbours.
    fn king_step(self) -> Self;

    /// The empty squares among these and their empty neighbours.
    #[inline(always)]
    fn two_steps(self, empty: Self) -> Self {
        (self & empty).king_step() & empty
    }

    /// The other side's set for each.
    fn exchanged(self) -> Self;

    /// Whether both sets are empty.
    fn is_empty(self) -> bool;

    /// Whether the mover's set is empty.
    fn is_empty_for_mover(self) -> bool;

    /// How many squares each of sixteen pairs holds: the mover's counts, then the opponent's.
    fn tally(sets: [Self; 16]) -> [Self::Lanes; 2];

    /// The neighbours of each of some amazons.
    fn surroundings(cpu: Self::CpuFeatures, amazons: [&Slots; 2]) -> Self::Surroundings;

    /// The amazons of both, which are in different places.
    fn joined(a: Self::Surroundings, b: Self::Surroundings) -> Self::Surroundings;

    /// Counts the contested squares that a king reaches from each amazon over empty squares. Eight
    /// lanes a side: amazons 0 and 1 within two steps, the same within three, then amazons 2 and 3
    /// likewise. A count is at most 24 within two steps and 48 within three.
    fn freedom(amazons: Self::Surroundings, empty: Self, contested: Self) -> Self::Lanes;

    /// How many squares each side's set holds.
    fn count(self) -> [i32; 2];

    /// The two sets as boards.
    fn boards(self) -> [Bitboard; 2];
}

/// Sixteen numbers in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Array([i16; 16]);

macro_rules! each_lane {
    ($operator:ident, $method:ident, $a:ident $b:ident => $result:expr) => {
        impl $operator for Array {
            type Output = Array;

            #[inline(always)]
            fn $method(self, other: Array) -> Array {
                Array(std::array::from_fn(|lane| {
                    let ($a, $b) = (self.0[lane], other.0[lane]);
                    $result
                }))
            }
        }
    };
}

each_lane!(Add, add, a b => a + b);
each_lane!(Sub, sub, a b => a - b);
each_lane!(BitAnd, bitand, a b => a & b);
each_lane!(BitOr, bitor, a b => a | b);

/// The sum of products.
#[inline(always)]
fn product(numbers: &[i16; 16], weights: &[i16; 16]) -> i32 {
    numbers.iter().zip(weights).map(|(&number, &weight)| i32::from(number) * i32::from(weight)).sum()
}

impl Lanes for Array {
    type CpuFeatures = ();

    #[inline(always)]
    fn new((): (), lanes: &[i16; 16]) -> Array {
        Array(*lanes)
    }

    #[inline(always)]
    fn values(self) -> [i16; 16] {
        self.0
    }

    #[inline(always)]
    fn weighted_sum(self, weights: &[i16; 16]) -> i32 {
        product(&self.0, weights)
    }

    #[inline(always)]
    fn weighted_sums([first, second]: [Array; 2], rows: [&Row; 4]) -> [i32; 4] {
        rows.map(|Row(row)| product(&first.0, &row[0]) + product(&second.0, &row[1]))
    }
}

/// The portable pair: one packed board a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Both<P>([P; 2]);

/// Squares entered by one, two and four steps over empty squares, for each of the eight ways.
type Strides<P> = [[P; 3]; 8];

macro_rules! each_side {
    ($operator:ident, $method:ident, $a:ident $b:ident => $result:expr) => {
        impl<P: Packed> $operator for Both<P> {
            type Output = Both<P>;

            #[inline(always)]
            fn $method(self, other: Both<P>) -> Both<P> {
                let own = {
                    let ($a, $b) = (self.0[0], other.0[0]);
                    $result
                };
                let ($a, $b) = (self.0[1], other.0[1]);
                Both([own, $result])
            }
        }
    };
}

each_side!(BitAnd, bitand, a b => a & b);
each_side!(BitOr, bitor, a b => a | b);
each_side!(BitXor, bitxor, a b => (a | b) - (a & b));
each_side!(Sub, sub, a b => a - b);

/// An expression for all eight ways, written out so that every shift is by a constant.
macro_rules! each_way {
    (|$way:ident, $index:ident| $body:expr) => {
        each_way!(|$way, $index| $body; 0 East, 1 West, 2 South, 3 North, 4 SouthEast, 5 NorthWest, 6 SouthWest, 7 NorthEast)
    };
    (|$way:ident, $index:ident| $body:expr; $($number:literal $name:ident),+) => {{
        $({
            let ($way, $index) = (Way::$name, $number);
            $body
        })+
    }};
}

/// `from` and all that is open this way from it, by doubling steps.
#[inline(always)]
fn fill<P: Packed>(from: P, way: Way, [one, two, four]: &[P; 3]) -> P {
    let mut filled = from | (*one & from.shift(way, 1));
    filled |= *two & filled.shift(way, 2);
    filled |= *four & filled.shift(way, 4);
    if P::LONG {
        filled |= *two & filled.shift(way, 2);
    }
    filled
}

impl<P: Packed> Pair for Both<P> {
    type CpuFeatures = ();
    type Lines = Strides<P>;
    type Lanes = Array;
    type Surroundings = [Both<P>; MAX_AMAZONS];

    #[inline(always)]
    fn cpu(self) {}

    #[inline(always)]
    fn nothing((): ()) -> Both<P> {
        Both([P::default(); 2])
    }

    #[inline(always)]
    fn same((): (), set: Bitboard) -> Both<P> {
        Both([P::from(set); 2])
    }

    #[inline(always)]
    fn of((): (), amazons: [&[Square]; 2]) -> Both<P> {
        let set =
            |side: usize| amazons[side].iter().fold(P::default(), |set: P, &square| set | P::of(square));
        Both([set(0), set(1)])
    }

    #[inline(always)]
    fn lines(self) -> Strides<P> {
        let empty = self.0[0];
        let mut lines = [[P::default(); 3]; 8];
        each_way!(|way, index| {
            let one = empty.entered(way);
            let two = one & one.shift(way, 1);
            lines[index] = [one, two, two & two.shift(way, 2)];
        });
        lines
    }

    #[inline(always)]
    fn queen_step(self, lines: &Strides<P>) -> Both<P> {
        let step = |from: P| {
            let mut reach = from;
            each_way!(|way, index| reach |= fill(from, way, &lines[index]));
            reach
        };
        Both([step(self.0[0]), step(self.0[1])])
    }

    #[inline(always)]
    fn king_step(self) -> Both<P> {
        Both([self.0[0].king_reach(), self.0[1].king_reach()])
    }

    #[inline(always)]
    fn exchanged(self) -> Both<P> {
        Both([self.0[1], self.0[0]])
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        (self.0[0] | self.0[1]).is_empty()
    }

    #[inline(always)]
    fn is_empty_for_mover(self) -> bool {
        self.0[0].is_empty()
    }

    #[inline(always)]
    fn tally(sets: [Both<P>; 16]) -> [Array; 2] {
        let side = |side: usize| Array(sets.map(|set| set.0[side].count() as i16));
        [side(0), side(1)]
    }

    #[inline(always)]
    fn surroundings((): (), amazons: [&Slots; 2]) -> Self::Surroundings {
        let around = |side: usize, slot: usize| {
            let set = amazons[side][slot].map_or(P::default(), P::of);
            set.king_reach() - set
        };
        std::array::from_fn(|slot| Both([around(0, slot), around(1, slot)]))
    }

    #[inline(always)]
    fn joined(a: Self::Surroundings, b: Self::Surroundings) -> Self::Surroundings {
        std::array::from_fn(|slot| a[slot] | b[slot])
    }

    #[inline(always)]
    fn freedom(amazons: Self::Surroundings, empty: Both<P>, contested: Both<P>) -> Array {
        let near = amazons.map(|around| around.two_steps(empty));
        let far = near.map(|set| set.king_step() & contested);
        let near = near.map(|set| set & contested);
        let [n, f] = [near, far].map(|sets| sets.map(|set| set.0.map(|set| set.count() as i16)));
        let side = |s: usize| [n[0][s], n[1][s], f[0][s], f[1][s], n[2][s], n[3][s], f[2][s], f[3][s]];
        let (own, other) = (side(0), side(1));
        Array(std::array::from_fn(|lane| if lane < 8 { own[lane] } else { other[lane - 8] }))
    }

    #[inline(always)]
    fn count(self) -> [i32; 2] {
        self.0.map(Packed::count)
    }

    fn boards(self) -> [Bitboard; 2] {
        self.0.map(Into::into)
    }
}
