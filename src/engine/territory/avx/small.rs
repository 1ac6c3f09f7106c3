//! Boards up to 8x8.
//!
//! One word a side, each in two of the four words, so that one operation goes two ways for both
//! sides.

use super::{CpuFeatures, Register, operators};
use crate::game::{Bitboard, Square};
use crate::territory::packed::{Packed, Small};
use crate::territory::pair::{Pair, Slots};

/// A board up to 8x8: two words of the register a side, which are the same.
#[derive(Clone, Copy, Debug)]
pub(in crate::territory) struct SmallPair<P>(Register<P>);

operators!(SmallPair);

/// What a queen's move on a board up to 8x8 goes by: its eight ways two at a time, words of each
/// half apart.
#[derive(Clone, Copy)]
pub(in crate::territory) struct SmallLines<P> {
    /// Squares entered by one, two and four steps: east and south, south-east and south-west, and
    /// the four opposite.
    ways: [[SmallPair<P>; 3]; 4],
}

const FIRST_COLUMN: u64 = Small::FIRST_COLUMN;
const LAST_COLUMN: u64 = Small::LAST_COLUMN;

impl<P: CpuFeatures> SmallPair<P> {
    /// The same two words in both halves.
    #[inline(always)]
    fn in_halves(self, first: u64, second: u64) -> Register<P> {
        Register::from_words(self.0.cpu, [first, second, first, second])
    }

    /// Shifted up by these numbers of bits: the first word of each half, and the second.
    #[inline(always)]
    fn up(self, first: u64, second: u64) -> Self {
        SmallPair(self.0.words_up_by(self.in_halves(first, second)))
    }

    #[inline(always)]
    fn down(self, first: u64, second: u64) -> Self {
        SmallPair(self.0.words_down_by(self.in_halves(first, second)))
    }

    /// These squares without the columns that a step the way of each word cannot enter.
    #[inline(always)]
    fn without(self, first: u64, second: u64) -> Self {
        SmallPair(self.0.without(self.in_halves(first, second)))
    }

    /// Squares entered by one (these), two and four steps up.
    #[inline(always)]
    fn strides_up(self, a: u64, b: u64) -> [Self; 3] {
        let two = self & self.up(a, b);
        [self, two, two & two.up(2 * a, 2 * b)]
    }

    #[inline(always)]
    fn strides_down(self, a: u64, b: u64) -> [Self; 3] {
        let two = self & self.down(a, b);
        [self, two, two & two.down(2 * a, 2 * b)]
    }

    /// These squares and all that is open up from them.
    #[inline(always)]
    fn filled_up(self, strides: &[Self; 3], a: u64, b: u64) -> Self {
        let filled = self | (strides[0] & self.up(a, b));
        let filled = filled | (strides[1] & filled.up(2 * a, 2 * b));
        filled | (strides[2] & filled.up(4 * a, 4 * b))
    }

    #[inline(always)]
    fn filled_down(self, strides: &[Self; 3], a: u64, b: u64) -> Self {
        let filled = self | (strides[0] & self.down(a, b));
        let filled = filled | (strides[1] & filled.down(2 * a, 2 * b));
        filled | (strides[2] & filled.down(4 * a, 4 * b))
    }

    /// Both words of each half put together.
    #[inline(always)]
    fn gathered(self) -> Self {
        SmallPair(self.0 | self.0.words_exchanged())
    }
}

/// The neighbours of every square of a small board, by [`Square::index`].
static NEIGHBOURS: [u64; Square::INDICES] = {
    let mut neighbours = [0; Square::INDICES];
    let mut place = 0;
    while place < 64 {
        let bit = 1 << place;
        let row = bit | (bit << 1 & !FIRST_COLUMN) | (bit >> 1 & !LAST_COLUMN);
        if let Some(square) = Square::new(place % 8, place / 8) {
            neighbours[square.index() as usize] = (row | row << 8 | row >> 8) & !bit;
        }
        place += 1;
    }
    neighbours
};

/// The squares as a word.
#[inline(always)]
fn bits(squares: &[Square]) -> u64 {
    squares.iter().fold(0, |set, &square| set | Small::of(square).bits())
}

/// The neighbours of the amazon in a place.
#[inline(always)]
fn around(slot: Option<Square>) -> u64 {
    slot.map_or(0, |square| NEIGHBOURS[usize::from(square.index())])
}

impl<P: CpuFeatures> Pair for SmallPair<P> {
    type CpuFeatures = P;
    type Lines = SmallLines<P>;
    type Lanes = Register<P>;
    /// Two amazons of either side in each: in this order in the words of each half.
    type Surroundings = [SmallPair<P>; 2];

    #[inline(always)]
    fn cpu(self) -> P {
        self.0.cpu
    }

    #[inline(always)]
    fn nothing(cpu: P) -> Self {
        SmallPair(Register::from_words(cpu, [0; 4]))
    }

    #[inline(always)]
    fn same(cpu: P, set: Bitboard) -> Self {
        SmallPair(Register::from_words(cpu, [Small::from(set).bits(); 4]))
    }

    #[inline(always)]
    fn of(cpu: P, amazons: [&[Square]; 2]) -> Self {
        let (own, other) = (bits(amazons[0]), bits(amazons[1]));
        SmallPair(Register::from_words(cpu, [own, own, other, other]))
    }

    #[inline(always)]
    fn lines(self) -> SmallLines<P> {
        let (first, last) = (FIRST_COLUMN, LAST_COLUMN);
        SmallLines {
            ways: [
                self.without(first, 0).strides_up(1, 8),
                self.without(first, last).strides_up(9, 7),
                self.without(last, 0).strides_down(1, 8),
                self.without(last, first).strides_down(9, 7),
            ],
        }
    }

    #[inline(always)]
    fn queen_step(self, lines: &SmallLines<P>) -> Self {
        let ways = &lines.ways;
        let up = self.filled_up(&ways[0], 1, 8) | self.filled_up(&ways[1], 9, 7);
        let down = self.filled_down(&ways[2], 1, 8) | self.filled_down(&ways[3], 9, 7);
        (up | down).gathered()
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        let east = SmallPair(self.0.words_up::<1>()).without(FIRST_COLUMN, FIRST_COLUMN);
        let west = SmallPair(self.0.words_down::<1>()).without(LAST_COLUMN, LAST_COLUMN);
        let row = (self | east | west).0;
        SmallPair(row | row.words_up::<8>() | row.words_down::<8>())
    }

    #[inline(always)]
    fn exchanged(self) -> Self {
        SmallPair(self.0.halves_exchanged())
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.is_zero()
    }

    #[inline(always)]
    fn is_empty_for_mover(self) -> bool {
        self.0.first_half_is_zero()
    }

    #[inline(always)]
    fn tally([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]: [Self; 16]) -> [Register<P>; 2] {
        Register::tally([
            a.0.bits_of_doubled_words(e.0),
            b.0.bits_of_doubled_words(f.0),
            c.0.bits_of_doubled_words(g.0),
            d.0.bits_of_doubled_words(h.0),
            i.0.bits_of_doubled_words(m.0),
            j.0.bits_of_doubled_words(n.0),
            k.0.bits_of_doubled_words(o.0),
            l.0.bits_of_doubled_words(p.0),
        ])
    }

    #[inline(always)]
    fn surroundings(cpu: P, amazons: [&Slots; 2]) -> Self::Surroundings {
        let [a, b, c, d] = *amazons[0];
        let [e, f, g, h] = *amazons[1];
        [
            SmallPair(Register::from_words(cpu, [around(a), around(b), around(e), around(f)])),
            SmallPair(Register::from_words(cpu, [around(c), around(d), around(g), around(h)])),
        ]
    }

    #[inline(always)]
    fn joined([a, b]: Self::Surroundings, [c, d]: Self::Surroundings) -> Self::Surroundings {
        [a | c, b | d]
    }

    #[inline(always)]
    fn freedom([a, b]: Self::Surroundings, empty: Self, contested: Self) -> Register<P> {
        let (a, b) = (a.two_steps(empty), b.two_steps(empty));
        let (far_a, far_b) = (a.king_step() & contested, b.king_step() & contested);
        let (near_a, near_b) = (a & contested, b & contested);
        Register::side_by_side([
            near_a.0.bits_of_words(),
            near_b.0.bits_of_words(),
            far_a.0.bits_of_words(),
            far_b.0.bits_of_words(),
        ])
    }

    #[inline(always)]
    fn count(self) -> [i32; 2] {
        let [own, _, other, _] = self.0.words();
        [own.count_ones() as i32, other.count_ones() as i32]
    }

    fn boards(self) -> [Bitboard; 2] {
        let words = self.0.words();
        [words[0], words[2]].map(|word| Small::from_bits(word).into())
    }
}
