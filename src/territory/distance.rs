//! Queen and king distances by flood: every square of a level at once.
//!
//! A level of queen distance is a fill, in eight directions, of the level before it through the empty squares.
//! The fill doubles its stride (1, 2, 4, and on long boards 2 more for the last squares of a line); which strides are
//! open depends on the empty squares alone, so both sides and all levels share those masks.

use super::packed::{Packed, Way};
use crate::game::{Bitboard, Square};

/// The empty squares at each distance from a set of amazons, up to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels<P, const MAX: usize> {
    sets: [P; MAX],
    count: usize,
    reached: P,
}

/// Queen distances: few boards need more than five, and 2^-15 of a square decides nothing.
pub type QueenLevels<P> = Levels<P, 15>;

/// King distances: differences beyond 6 are not told apart, so the far end of a long corridor may be cut.
pub type KingLevels<P> = Levels<P, 24>;

impl<P: Packed, const MAX: usize> Levels<P, MAX> {
    /// Floods from `amazons`: `step` gives all squares one step from a set, occupied ones included.
    #[inline(always)]
    fn flood(amazons: P, empty: P, step: impl Fn(P) -> P) -> Levels<P, MAX> {
        let mut levels = Levels { sets: [P::default(); MAX], count: 0, reached: P::default() };
        let mut frontier = amazons;
        loop {
            frontier = (step(frontier) & empty) - levels.reached;
            if frontier.is_empty() {
                return levels;
            }
            levels.reached |= frontier;
            // Beyond the last level that is kept, squares count as on it.
            levels.count = (levels.count + 1).min(MAX);
            levels.sets[levels.count - 1] |= frontier;
        }
    }

    /// The levels that hold squares: element k the empty squares at distance k + 1, the last of `MAX` those at
    /// `MAX` or more.
    #[inline(always)]
    #[must_use]
    pub fn sets(&self) -> &[P] {
        &self.sets[..self.count]
    }

    /// The empty squares that can be reached at all.
    #[inline(always)]
    #[must_use]
    pub fn reached(&self) -> P {
        self.reached
    }

    /// The distance of an empty square, at most `MAX`; `None` if it cannot be reached.
    #[must_use]
    pub fn distance(&self, square: Square) -> Option<usize> {
        let holds = |&set: &P| -> bool { Into::<Bitboard>::into(set).contains(square) };
        self.sets().iter().position(holds).map(|level| level + 1)
    }
}

/// The empty squares of a board and what they alone say about queen moves.
#[derive(Clone, Copy, Debug)]
pub struct OpenLines<P> {
    empty: P,
    /// Per way: squares entered by one, two and four steps over empty squares.
    strides: [[P; 3]; 8],
}

/// Squares entered by one, two and four steps over empty squares.
#[inline(always)]
fn strides<P: Packed>(empty: P, way: Way) -> [P; 3] {
    let one = empty.entered(way);
    let two = one & one.shift(way, 1);
    [one, two, two & two.shift(way, 2)]
}

/// `from` and all that is open this way from it.
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

/// The same for all eight ways, written out so that every shift is by a constant.
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

impl<P: Packed> OpenLines<P> {
    /// The masks for these empty squares.
    #[inline(always)]
    #[must_use]
    pub fn new(empty: Bitboard) -> OpenLines<P> {
        let mut lines = OpenLines { empty: P::from(empty), strides: [[P::default(); 3]; 8] };
        each_way!(|way, index| lines.strides[index] = strides(lines.empty, way));
        lines
    }

    /// Queen distances from `amazons`.
    #[inline(always)]
    #[must_use]
    pub fn queen_levels(&self, amazons: Bitboard) -> QueenLevels<P> {
        Levels::flood(P::from(amazons), self.empty, |from| {
            let mut reach = from;
            each_way!(|way, index| reach |= fill(from, way, &self.strides[index]));
            reach
        })
    }

    /// King distances from `amazons`.
    #[inline(always)]
    #[must_use]
    pub fn king_levels(&self, amazons: Bitboard) -> KingLevels<P> {
        Levels::flood(P::from(amazons), self.empty, P::king_reach)
    }
}
