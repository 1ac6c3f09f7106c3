//! Both sides' sets of squares at once: what the evaluator computes with.
//!
//! Every operation of the evaluator is the same for the mover and the opponent, so the two travel together. The
//! implementations give the same bits: [`Both`], portable, over the words of [`super::packed`]; and, on processors that have
//! it, one register of 256 bits for the two, with AVX2 or AVX-512 (`avx`).

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Sub};

use super::packed::{Packed, Way};
use crate::game::{Bitboard, Square};

/// A set of squares for each side, the mover's first. Operators work on each side apart; `a - b` is set difference.
///
/// Squares off the board may be in the results of [`Pair::queen_step`] and [`Pair::king_step`], and leave by cutting
/// with the empty squares.
pub trait Pair:
    Copy
    + Debug
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Sub<Output = Self>
{
    /// What the empty squares alone say about queen moves; both sides and all levels share it.
    type Lines: Copy;

    /// No square for either side.
    fn nothing() -> Self;

    /// The same set for both sides.
    fn same(set: &Bitboard) -> Self;

    /// The squares of some amazons, for each side.
    fn of(amazons: [&[Square]; 2]) -> Self;

    /// The neighbours of one square for each side, the square itself not among them; of no square, none.
    fn neighbours(squares: [Option<Square>; 2]) -> Self;

    /// The lines that these empty squares, the same for both sides, leave open.
    fn lines(self) -> Self::Lines;

    /// These squares and all that a queen's move from them may enter, by way of the empty squares.
    fn queen_step(self, lines: &Self::Lines) -> Self;

    /// These squares and their neighbours.
    fn king_step(self) -> Self;

    /// The other side's set for each.
    fn exchanged(self) -> Self;

    /// Whether both sets are empty.
    fn is_empty(self) -> bool;

    /// How many squares each of four pairs holds: the mover's counts, then the opponent's.
    fn counts(sets: [Self; 4]) -> [[i16; 4]; 2];

    /// The two sets as boards.
    fn boards(self) -> [Bitboard; 2];
}

/// The portable pair: one packed board a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Both<P>([P; 2]);

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
    type Lines = Strides<P>;

    #[inline(always)]
    fn nothing() -> Both<P> {
        Both([P::default(); 2])
    }

    #[inline(always)]
    fn same(set: &Bitboard) -> Both<P> {
        Both([P::from(*set); 2])
    }

    #[inline(always)]
    fn of(amazons: [&[Square]; 2]) -> Both<P> {
        let set = |side: usize| {
            amazons[side].iter().fold(P::default(), |set: P, &square| set | P::from(Bitboard::of(square)))
        };
        Both([set(0), set(1)])
    }

    #[inline(always)]
    fn neighbours(squares: [Option<Square>; 2]) -> Both<P> {
        let around = |side: usize| {
            let set = squares[side].map_or(P::default(), |square| P::from(Bitboard::of(square)));
            set.king_reach() - set
        };
        Both([around(0), around(1)])
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
    fn counts(sets: [Both<P>; 4]) -> [[i16; 4]; 2] {
        let side = |side: usize| sets.map(|set| set.0[side].count() as i16);
        [side(0), side(1)]
    }

    fn boards(self) -> [Bitboard; 2] {
        self.0.map(Into::into)
    }
}
