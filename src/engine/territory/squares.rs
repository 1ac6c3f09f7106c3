//! Sets of squares for the floods, with one set in each lane of [`Words`].
//!
//! A step may leave the board. Callers must intersect its result with the squares of the board.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Sub};

use amazons::{Bitboard, Square};

use crate::simd::{MAX_LANES, Words, operators};

/// A direction of a queen: how one step changes `x`, which grows to the east, and `y`, which grows
/// to the south. Opposite directions shift the bits by the same number, to higher or to lower bits.
type Direction = [i32; 2];

const EAST: Direction = [1, 0];
const WEST: Direction = [-1, 0];
const SOUTH: Direction = [0, 1];
const NORTH: Direction = [0, -1];

/// Expands an expression for every direction except east, so that all shifts are by constants.
/// `queen_step` fills to the east by an addition.
macro_rules! each_direction {
    (|$direction:ident, $index:ident| $body:expr) => {
        each_direction!(|$direction, $index| $body;
            0 WEST, 1 SOUTH, 2 NORTH, 3 [1, 1], 4 [-1, -1], 5 [-1, 1], 6 [1, -1])
    };
    (|$direction:ident, $index:ident| $body:expr; $($number:literal $name:expr),+) => {
        [$({
            let $index: usize = $number;
            let $direction: Direction = $name;
            $body
        }),+]
    };
}

/// A set of squares in every lane. `a - b` is set difference.
pub(crate) trait Squares:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Sub<Output = Self>
{
    type Words: Words;

    /// Sets of the same form, but in the words of [`Words::Batch`], which may have more lanes.
    type Batch: Squares<Words = <Self::Words as Words>::Batch>;

    /// True if a line may be longer than eight squares.
    const HAS_LONG_LINES: bool;

    /// Removes the squares that a shift by one step reaches only by wrapping around the edge.
    fn without_wrap(self, direction: Direction) -> Self;

    /// Shifts all squares by `steps` steps. Squares may leave the board or wrap around its edge.
    fn shift(self, direction: Direction, steps: u32) -> Self;

    /// Adds the words as numbers, without a carry from the lower to the higher word.
    fn plus(self, other: Self) -> Self;

    /// The lower and the higher word of one set. The higher word is 0 for small boards.
    fn words(set: Bitboard) -> [u64; 2];

    fn board(words: [u64; 2]) -> Bitboard;

    fn from_words(words: [Self::Words; 2]) -> Self;

    fn to_words(self) -> [Self::Words; 2];

    fn of(square: Square) -> [u64; 2];

    #[cfg_attr(not(unoptimised), inline(always))]
    fn queen_step_masks(self) -> QueenStepMasks<Self> {
        let directions = each_direction!(|direction, _index| {
            let one = self.without_wrap(direction);
            let two = one & one.shift(direction, 1);
            ShiftMasks { one, two, four: two & two.shift(direction, 2) }
        });
        QueenStepMasks { east: self.without_wrap(EAST), directions }
    }

    /// These squares, and all squares that one queen move from them reaches over empty squares.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn queen_step(self, lines: &QueenStepMasks<Self>) -> Self {
        let [a, b, c, d, e, f, g] = each_direction!(|direction, index| {
            let ShiftMasks { one, two, four } = lines.directions[index];
            let filled = self | (one & self.shift(direction, 1));
            let filled = filled | (two & filled.shift(direction, 2));
            let filled = filled | (four & filled.shift(direction, 4));
            // The shifts cover 1 + 2 + 4 = 7 steps. A queen move on a 10x10 board may need 2 more.
            if Self::HAS_LONG_LINES { filled | (two & filled.shift(direction, 2)) } else { filled }
        });
        // Fills to the east by addition: the carry runs through all consecutive empty squares.
        let first = self.shift(EAST, 1) & lines.east;
        let east = first | (lines.east - lines.east.plus(first));
        ((a | b) | (c | d)) | ((e | f) | (g | east))
    }

    fn king_step(self) -> Self;

    fn count(self) -> Self::Words;

    /// A word for each lane, which is 0 only if the set in the lane is empty.
    fn nonzero_if_any(self) -> Self::Words;

    /// Takes a lane from `self` if this lane of `condition` is not empty, else from `otherwise`.
    #[inline(always)]
    fn where_nonempty(self, condition: Self, otherwise: Self) -> Self {
        let any = condition.nonzero_if_any();
        let [[a, b], [c, d]] = [self.to_words(), otherwise.to_words()];
        Self::from_words([a.where_nonzero(any, c), b.where_nonzero(any, d)])
    }

    #[inline(always)]
    fn splat(cpu: <Self::Words as Words>::CpuFeatures, [low, high]: [u64; 2]) -> Self {
        Self::from_words([Self::Words::splat(cpu, low), Self::Words::splat(cpu, high)])
    }

    /// Puts square n in lane n. The last square fills the other lanes.
    #[inline(always)]
    fn per_lane(cpu: <Self::Words as Words>::CpuFeatures, squares: &[Square]) -> Self {
        let mut words = [[0; MAX_LANES]; 2];
        for lane in 0..Self::Words::LANES {
            [words[0][lane], words[1][lane]] = Self::of(squares[lane.min(squares.len() - 1)]);
        }
        Self::from_words([Self::Words::load(cpu, &words[0]), Self::Words::load(cpu, &words[1])])
    }
}

/// Masks for shifts in one direction. `one` has the empty squares that a step can reach. `two` has
/// the squares of `one` whose previous square is in `one`. `four` has the squares of `one` whose
/// three previous squares are in `one`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShiftMasks<S> {
    one: S,
    two: S,
    four: S,
}

/// The empty squares, prepared for floods by queen moves. `east` has the squares that a step to the
/// east can reach. `directions` has the masks of the other seven directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueenStepMasks<S> {
    east: S,
    directions: [ShiftMasks<S>; 7],
}

/// A set on boards up to 8x8 in one word, in which the square (x, y) is bit `8 * y + x`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallBoardSet<W>(W);

operators! { [W: Words] SmallBoardSet<W>, |apply, a, b| SmallBoardSet(apply(a.0, b.0)) }

const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
const LAST_COLUMN: u64 = FIRST_COLUMN << 7;

/// The word with a square's bit in [`SmallBoardSet`], for each [`Square::index`].
static SMALL_BITS: [u64; Square::INDICES] = {
    let mut bits = [0; Square::INDICES];
    let mut place = 0;
    while place < 64 {
        if let Some(square) = Square::new(place % 8, place / 8) {
            bits[square.index() as usize] = 1 << place;
        }
        place += 1;
    }
    bits
};

impl<W: Words> Squares for SmallBoardSet<W> {
    type Words = W;
    type Batch = SmallBoardSet<W::Batch>;

    const HAS_LONG_LINES: bool = false;

    #[inline(always)]
    fn without_wrap(self, direction: Direction) -> Self {
        let round = match direction {
            [1, _] => FIRST_COLUMN,
            [-1, _] => LAST_COLUMN,
            _ => return self,
        };
        SmallBoardSet(self.0 & W::splat(self.0.cpu(), !round))
    }

    #[inline(always)]
    fn shift(self, [x, y]: Direction, steps: u32) -> Self {
        let step = x + 8 * y;
        let bits = step.unsigned_abs() * steps;
        SmallBoardSet(if step > 0 { self.0.shift_up(bits) } else { self.0.shift_down(bits) })
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        SmallBoardSet(self.0 + other.0)
    }

    #[inline(always)]
    fn words(set: Bitboard) -> [u64; 2] {
        let row = |y: u32| u64::from((set.bits() >> (4 + 12 * y)) as u8) << (8 * y);
        [(0..8).fold(0, |word, y| word | row(y)), 0]
    }

    fn board([word, _]: [u64; 2]) -> Bitboard {
        let row = |y: u32| u128::from((word >> (8 * y)) as u8) << (4 + 12 * y);
        Bitboard::from_bits((0..8).fold(0, |bits, y| bits | row(y)))
    }

    #[inline(always)]
    fn from_words([word, _]: [W; 2]) -> Self {
        SmallBoardSet(word)
    }

    #[inline(always)]
    fn to_words(self) -> [W; 2] {
        [self.0, W::splat(self.0.cpu(), 0)]
    }

    #[inline(always)]
    fn of(square: Square) -> [u64; 2] {
        [SMALL_BITS[usize::from(square.index())], 0]
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        let column = self | self.shift(SOUTH, 1) | self.shift(NORTH, 1);
        let east = column.shift(EAST, 1).without_wrap(EAST);
        column | east | column.shift(WEST, 1).without_wrap(WEST)
    }

    #[inline(always)]
    fn count(self) -> W {
        self.0.count_ones()
    }

    #[inline(always)]
    fn nonzero_if_any(self) -> W {
        self.0
    }
}

/// A set on any board in two words, which have the bits of its [`Bitboard`]. No row crosses from
/// one word to the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeBoardSet<W> {
    low: W,
    high: W,
}

operators! { [W: Words] LargeBoardSet<W>, |apply, a, b|
    LargeBoardSet { low: apply(a.low, b.low), high: apply(a.high, b.high) }
}

impl<W: Words> LargeBoardSet<W> {
    #[inline(always)]
    fn up(self, bits: u32) -> Self {
        LargeBoardSet { low: self.low.shift_up(bits), high: self.high.shift_up_from(self.low, bits) }
    }

    #[inline(always)]
    fn down(self, bits: u32) -> Self {
        LargeBoardSet { low: self.low.shift_down_from(self.high, bits), high: self.high.shift_down(bits) }
    }
}

impl<W: Words> Squares for LargeBoardSet<W> {
    type Words = W;
    type Batch = LargeBoardSet<W::Batch>;

    const HAS_LONG_LINES: bool = true;

    // Removes no bits, because bits that leave a row are in the spare columns between rows.
    #[inline(always)]
    fn without_wrap(self, _way: Direction) -> Self {
        self
    }

    #[inline(always)]
    fn shift(self, [x, y]: Direction, steps: u32) -> Self {
        let step = x + 12 * y;
        let bits = step.unsigned_abs() * steps;
        match [x, y] {
            EAST => LargeBoardSet { low: self.low.shift_up(steps), high: self.high.shift_up(steps) },
            WEST => LargeBoardSet { low: self.low.shift_down(steps), high: self.high.shift_down(steps) },
            _ if step > 0 => self.up(bits),
            _ => self.down(bits),
        }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        LargeBoardSet { low: self.low + other.low, high: self.high + other.high }
    }

    #[inline(always)]
    fn words(set: Bitboard) -> [u64; 2] {
        set.halves()
    }

    fn board([low, high]: [u64; 2]) -> Bitboard {
        Bitboard::from_bits(u128::from(low) | u128::from(high) << 64)
    }

    #[inline(always)]
    fn from_words([low, high]: [W; 2]) -> Self {
        LargeBoardSet { low, high }
    }

    #[inline(always)]
    fn to_words(self) -> [W; 2] {
        [self.low, self.high]
    }

    #[inline(always)]
    fn of(square: Square) -> [u64; 2] {
        Self::words(Bitboard::of(square))
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        let row = self | self.shift(EAST, 1) | self.shift(WEST, 1);
        row | row.shift(SOUTH, 1) | row.shift(NORTH, 1)
    }

    #[inline(always)]
    fn count(self) -> W {
        self.low.count_ones() + self.high.count_ones()
    }

    #[inline(always)]
    fn nonzero_if_any(self) -> W {
        self.low | self.high
    }
}
