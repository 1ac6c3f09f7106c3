//! Any board.
//!
//! Each side is one 128-bit half: the bits of its [`Bitboard`]. A step along a row is one shift, as
//! no row crosses the border of the two 64-bit words; two rows are three bytes, so that two or four
//! rows up or down are one shift as well.

use super::{CpuFeatures, Register, operators};
use crate::game::{Bitboard, MAX_AMAZONS, Square};
use crate::territory::pair::{Pair, Slots};

/// Any board: a half of the register a side.
#[derive(Clone, Copy, Debug)]
pub(in crate::territory) struct WidePair<P>(Register<P>);

operators!(WidePair);

/// The neighbours of every square, by [`Square::index`].
static NEIGHBOURS: [Bitboard; Square::INDICES] = {
    let mut neighbours = [Bitboard::EMPTY; Square::INDICES];
    let mut place = 0;
    while place < 100 {
        if let Some(square) = Square::new(place % 10, place / 10) {
            let index = square.index() as usize;
            let set = Bitboard::from_bits(1 << index);
            neighbours[index] = Bitboard::from_bits(set.king_reach().bits() ^ set.bits());
        }
        place += 1;
    }
    neighbours
};

/// The masks of one way: squares entered by one, two and four steps.
#[derive(Clone, Copy)]
pub(in crate::territory) struct Strides<P> {
    one: WidePair<P>,
    two: WidePair<P>,
    four: WidePair<P>,
}

/// The masks of all ways but east, which needs the empty squares alone.
#[derive(Clone, Copy)]
pub(in crate::territory) struct WideLines<P> {
    empty: WidePair<P>,
    west: Strides<P>,
    north: [Strides<P>; 3],
    south: [Strides<P>; 3],
}

impl<P: CpuFeatures> WidePair<P> {
    /// Bits up within each half; none leaves a word but into the next of its half.
    #[inline(always)]
    fn up<const BITS: i32, const REST: i32>(self) -> Self {
        WidePair(self.0.words_up::<BITS>() | self.0.halves_up::<8>().words_down::<REST>())
    }

    #[inline(always)]
    fn down<const BITS: i32, const REST: i32>(self) -> Self {
        WidePair(self.0.words_down::<BITS>() | self.0.halves_down::<8>().words_up::<REST>())
    }

    #[inline(always)]
    fn south(self) -> Self {
        self.up::<12, 52>()
    }

    #[inline(always)]
    fn north(self) -> Self {
        self.down::<12, 52>()
    }

    /// Whole bytes up: three are two rows.
    #[inline(always)]
    fn bytes_up<const BYTES: i32>(self) -> Self {
        WidePair(self.0.halves_up::<BYTES>())
    }

    #[inline(always)]
    fn bytes_down<const BYTES: i32>(self) -> Self {
        WidePair(self.0.halves_down::<BYTES>())
    }

    #[inline(always)]
    fn east<const STEPS: i32>(self) -> Self {
        WidePair(self.0.words_up::<STEPS>())
    }

    #[inline(always)]
    fn west<const STEPS: i32>(self) -> Self {
        WidePair(self.0.words_down::<STEPS>())
    }

    /// All that is open to the east of these squares, which are in the lines' empty squares: adding
    /// to the first square of a run carries through to the run's end.
    #[inline(always)]
    fn carried_east(self, empty: Self) -> Self {
        self | (WidePair(empty.0.words_plus(self.0)) ^ empty)
    }

    #[inline(always)]
    fn halves(cpu: P, own: Bitboard, other: Bitboard) -> Self {
        let (own, other) = (own.bits(), other.bits());
        let words = [own as u64, (own >> 64) as u64, other as u64, (other >> 64) as u64];
        WidePair(Register::from_words(cpu, words))
    }
}

/// The fill one way: `$near` shifts by one step, given once because three ways share its row step;
/// the expressions in `$set` shift by two steps and by four. A macro, since a closure would not be
/// compiled for AVX2.
macro_rules! fill {
    ($from:expr, $near:expr, $lines:expr, $set:ident => $two:expr, $four:expr) => {{
        let $set = $from | ($lines.one & $near);
        let $set = $set | ($lines.two & $two);
        let $set = $set | ($lines.four & $four);
        $set | ($lines.two & $two)
    }};
}

macro_rules! strides {
    ($empty:expr, $near:expr, $set:ident => $two:expr) => {{
        let $set = $empty & $near;
        Strides { one: $empty, two: $set, four: $set & $two }
    }};
}

/// The neighbours of the amazon in a place.
#[inline(always)]
fn around(slot: Option<Square>) -> Bitboard {
    slot.map_or(Bitboard::EMPTY, |square| NEIGHBOURS[usize::from(square.index())])
}

impl<P: CpuFeatures> Pair for WidePair<P> {
    type CpuFeatures = P;
    type Lines = WideLines<P>;
    type Lanes = Register<P>;
    type Surroundings = [WidePair<P>; MAX_AMAZONS];

    #[inline(always)]
    fn cpu(self) -> P {
        self.0.cpu
    }

    #[inline(always)]
    fn nothing(cpu: P) -> Self {
        WidePair(Register::from_words(cpu, [0; 4]))
    }

    #[inline(always)]
    fn same(cpu: P, set: Bitboard) -> Self {
        WidePair(Register::in_both_halves(cpu, set.bits()))
    }

    #[inline(always)]
    fn of(cpu: P, amazons: [&[Square]; 2]) -> Self {
        let [own, other] = amazons;
        WidePair::halves(cpu, own.iter().collect(), other.iter().collect())
    }

    #[inline(always)]
    fn lines(self) -> WideLines<P> {
        let (south, north) = (self.south(), self.north());
        WideLines {
            empty: self,
            west: strides!(self, self.west::<1>(), set => set.west::<2>()),
            north: [
                strides!(self, north, set => set.bytes_down::<3>()),
                strides!(self, north.east::<1>(), set => set.bytes_down::<3>().east::<2>()),
                strides!(self, north.west::<1>(), set => set.bytes_down::<3>().west::<2>()),
            ],
            south: [
                strides!(self, south, set => set.bytes_up::<3>()),
                strides!(self, south.east::<1>(), set => set.bytes_up::<3>().east::<2>()),
                strides!(self, south.west::<1>(), set => set.bytes_up::<3>().west::<2>()),
            ],
        }
    }

    #[inline(always)]
    fn queen_step(self, lines: &WideLines<P>) -> Self {
        let east = (self.east::<1>() & lines.empty).carried_east(lines.empty);
        let west = fill!(self, self.west::<1>(), lines.west, set => set.west::<2>(), set.west::<4>());
        let (near, up) = (self.north(), &lines.north);
        let north = fill!(self, near, up[0], set => set.bytes_down::<3>(), set.bytes_down::<6>());
        let north_east = fill!(
            self, near.east::<1>(), up[1],
            set => set.bytes_down::<3>().east::<2>(), set.bytes_down::<6>().east::<4>()
        );
        let north_west = fill!(
            self, near.west::<1>(), up[2],
            set => set.bytes_down::<3>().west::<2>(), set.bytes_down::<6>().west::<4>()
        );
        let (near, down) = (self.south(), &lines.south);
        let south = fill!(self, near, down[0], set => set.bytes_up::<3>(), set.bytes_up::<6>());
        let south_east = fill!(
            self, near.east::<1>(), down[1],
            set => set.bytes_up::<3>().east::<2>(), set.bytes_up::<6>().east::<4>()
        );
        let south_west = fill!(
            self, near.west::<1>(), down[2],
            set => set.bytes_up::<3>().west::<2>(), set.bytes_up::<6>().west::<4>()
        );
        ((east | west) | (north | south)) | ((north_east | south_west) | (north_west | south_east))
    }

    #[inline(always)]
    fn king_step(self) -> Self {
        let row = self | self.east::<1>() | self.west::<1>();
        row | row.south() | row.north()
    }

    #[inline(always)]
    fn exchanged(self) -> Self {
        WidePair(self.0.halves_exchanged())
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
            a.0.bits_of_halves(e.0),
            b.0.bits_of_halves(f.0),
            c.0.bits_of_halves(g.0),
            d.0.bits_of_halves(h.0),
            i.0.bits_of_halves(m.0),
            j.0.bits_of_halves(n.0),
            k.0.bits_of_halves(o.0),
            l.0.bits_of_halves(p.0),
        ])
    }

    #[inline(always)]
    fn surroundings(cpu: P, amazons: [&Slots; 2]) -> Self::Surroundings {
        let [a, b, c, d] = *amazons[0];
        let [e, f, g, h] = *amazons[1];
        [
            WidePair::halves(cpu, around(a), around(e)),
            WidePair::halves(cpu, around(b), around(f)),
            WidePair::halves(cpu, around(c), around(g)),
            WidePair::halves(cpu, around(d), around(h)),
        ]
    }

    #[inline(always)]
    fn joined([a, b, c, d]: Self::Surroundings, [e, f, g, h]: Self::Surroundings) -> Self::Surroundings {
        [a | e, b | f, c | g, d | h]
    }

    #[inline(always)]
    fn freedom([a, b, c, d]: Self::Surroundings, empty: Self, contested: Self) -> Register<P> {
        let (a, b) = (a.two_steps(empty), b.two_steps(empty));
        let (c, d) = (c.two_steps(empty), d.two_steps(empty));
        let [near_a, near_b, near_c, near_d] = [a & contested, b & contested, c & contested, d & contested];
        let [far_a, far_b] = [a.king_step() & contested, b.king_step() & contested];
        let [far_c, far_d] = [c.king_step() & contested, d.king_step() & contested];
        Register::side_by_side([
            near_a.0.bits_of_halves(near_c.0),
            near_b.0.bits_of_halves(near_d.0),
            far_a.0.bits_of_halves(far_c.0),
            far_b.0.bits_of_halves(far_d.0),
        ])
    }

    #[inline(always)]
    fn count(self) -> [i32; 2] {
        let [a, b, c, d] = self.0.words();
        [(a.count_ones() + b.count_ones()) as i32, (c.count_ones() + d.count_ones()) as i32]
    }

    fn boards(self) -> [Bitboard; 2] {
        let [a, b, c, d] = self.0.words().map(u128::from);
        [a | b << 64, c | d << 64].map(Bitboard::from_bits)
    }
}
