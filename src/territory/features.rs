//! What the evaluator sees: Lieberum's territory terms and the freedom of amazons, as exact integers.

use super::distance::{KingLevels, Levels, OpenLines, QueenLevels};
use super::packed::{Packed, Small, Wide};
use crate::game::{Bitboard, HalfPly, Position, Side, Size, Square, queen_reach};

/// A position or half ply as the evaluator takes it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The squares that may be entered.
    pub empty: &'a Bitboard,
    /// The amazons of the mover, then of the opponent.
    pub amazons: [&'a [Square]; 2],
    /// The mover's queen has moved and its arrow is to come.
    pub half: bool,
    /// The size of the board: weights differ.
    pub size: Size,
}

impl<'a> From<&'a Position> for View<'a> {
    #[inline]
    fn from(position: &'a Position) -> View<'a> {
        let mover = position.to_move();
        View {
            empty: position.empty(),
            amazons: [mover, !mover].map(|side| position.amazons(side)),
            half: false,
            size: position.size(),
        }
    }
}

impl<'a> From<&'a HalfPly> for View<'a> {
    #[inline]
    fn from(half: &'a HalfPly) -> View<'a> {
        let mover: Side = half.mover();
        View {
            empty: half.empty(),
            amazons: [mover, !mover].map(|side| half.amazons(side)),
            half: true,
            size: half.size(),
        }
    }
}

/// Lieberum's terms ("An evaluation function for the game of amazons", 2005), seen from the mover: positive is
/// good for the side that acts next. Fractions are held as whole numbers of the unit named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Empty squares that the mover is nearer to by queen distance, less those the opponent is; squares.
    pub t1: i32,
    /// Empty squares at equal finite queen distance; squares.
    pub ties: i32,
    /// As `t1` by king distance; squares.
    pub t2: i32,
    /// Sum of 2 (2^-D1 mover - 2^-D1 opponent) over the empty squares; units of 1 / [`Features::FINE`].
    pub c1: i32,
    /// Sum of the king distance by which the mover is nearer, at most 6 either way a square; units of 1/6.
    pub c2: i32,
    /// The mover's amazons' lack of freedom: sum of 30 / (5 + alpha) over amazons, for the mover and the
    /// opponent; units of 1 / [`Features::FINE`], each amazon rounded down.
    pub confinement: [i32; 2],
    /// How much is still contested: sum of 2^-|D1 mover - D1 opponent| over the squares both can reach; units of
    /// 1 / [`Features::FINE`]. Zero when only filling is left.
    pub contest: i32,
}

impl Features {
    /// Parts of one in the fine units.
    pub const FINE: i32 = 1 << 15;

    /// The features of a position or half ply.
    #[inline]
    #[must_use]
    pub fn of(view: &View<'_>) -> Features {
        if view.size.width() <= 8 && view.size.height() <= 8 {
            Features::flooded::<Small>(view)
        } else {
            Features::flooded::<Wide>(view)
        }
    }

    /// The features, by floods over sets of this kind.
    #[inline(always)]
    fn flooded<P: Packed>(view: &View<'_>) -> Features {
        let lines = OpenLines::<P>::new(*view.empty);
        let amazons = view.amazons.map(|squares| squares.iter().copied().collect::<Bitboard>());
        // Written out, because mapping over the pair would copy the levels once more.
        let queen = [lines.queen_levels(amazons[0]), lines.queen_levels(amazons[1])];
        let king = [lines.king_levels(amazons[0]), lines.king_levels(amazons[1])];
        let mut features = Features::default();
        features.count_queen_distances(&queen);
        features.count_king_distances(&king);
        for side in [0, 1] {
            let contested: Bitboard = queen[1 - side].reached().into();
            let confined =
                view.amazons[side].iter().map(|&square| confinement(square, view.empty, &contested));
            features.confinement[side] = confined.sum();
        }
        features
    }

    /// t1, ties, c1 and the contest. Squares are gathered by what they count for and counted once.
    #[inline(always)]
    fn count_queen_distances<P: Packed>(&mut self, levels: &[QueenLevels<P>; 2]) {
        let [own, other] = levels;
        self.t1 = nearer(own, other).count() - nearer(other, own).count();
        let nearness = |levels: &QueenLevels<P>| -> i32 {
            levels.sets().iter().enumerate().map(|(k, set)| set.count() * (Features::FINE >> k)).sum()
        };
        self.c1 = nearness(own) - nearness(other);
        self.ties = apart(own, other, 0).count();
        self.contest = self.ties * Features::FINE;
        for difference in 1..own.sets().len().max(other.sets().len()) {
            let squares = apart(own, other, difference) | apart(other, own, difference);
            self.contest += squares.count() * (Features::FINE >> difference);
        }
    }

    /// t2 and c2. Where both sides reach, the sum of differences is the difference of sums, but for the few
    /// squares where it is more than 6.
    #[inline(always)]
    fn count_king_distances<P: Packed>(&mut self, levels: &[KingLevels<P>; 2]) {
        let [own, other] = levels;
        self.t2 = nearer(own, other).count() - nearer(other, own).count();
        let both = own.reached() & other.reached();
        let sum = |levels: &KingLevels<P>| -> i32 {
            levels.sets().iter().zip(1..).map(|(set, distance)| (*set & both).count() * distance).sum()
        };
        let only = (own.reached() - both).count() - (other.reached() - both).count();
        self.c2 = 6 * only + sum(other) - sum(own);
        for difference in 7..own.sets().len().max(other.sets().len()) {
            let excess = difference as i32 - 6;
            self.c2 -=
                excess * (apart(own, other, difference).count() - apart(other, own, difference).count());
        }
    }
}

/// The squares that one side reaches sooner than the other, which may not reach them at all.
#[inline(always)]
fn nearer<P: Packed, const MAX: usize>(one: &Levels<P, MAX>, other: &Levels<P, MAX>) -> P {
    let mut reached = P::default();
    let mut nearer = P::default();
    for (level, set) in one.sets().iter().enumerate() {
        reached |= other.sets().get(level).copied().unwrap_or(P::default());
        nearer |= *set - reached;
    }
    nearer
}

/// The squares that one side reaches exactly so many levels sooner than the other.
#[inline(always)]
fn apart<P: Packed, const MAX: usize>(one: &Levels<P, MAX>, other: &Levels<P, MAX>, difference: usize) -> P {
    let later = other.sets().get(difference..).unwrap_or(&[]);
    one.sets().iter().zip(later).fold(P::default(), |all, (sooner, later)| all | (*sooner & *later))
}

/// 30 / (5 + alpha) of one amazon (Kloetzer 2010, appendix B), where alpha (Lieberum 2005) is the sum of 2^-steps
/// times the number of empty neighbours, over the squares in its queen's reach that are contested.
#[inline]
fn confinement(amazon: Square, empty: &Bitboard, contested: &Bitboard) -> i32 {
    // In parts of 512, since a queen's move is at most nine steps long.
    let mut alpha = 0;
    for square in &(queen_reach(amazon, empty) & *contested) {
        let steps = square.x().abs_diff(amazon.x()).max(square.y().abs_diff(amazon.y()));
        alpha += empty_neighbours(square, empty) << (9 - steps);
    }
    30 * 512 * Features::FINE / (5 * 512 + alpha as i32)
}

/// How many of the up to eight neighbours of an empty square are empty.
#[inline]
fn empty_neighbours(square: Square, empty: &Bitboard) -> u32 {
    let rows = empty.rows();
    let y = usize::from(square.y());
    // Shifted up by one, so that column 0 has a column to its left.
    let three = |row: u16| (u32::from(row) << 1 >> square.x()) & 7;
    let above = if y > 0 { three(rows[y - 1]) } else { 0 };
    let around = above << 6 | three(rows[y + 1]) << 3 | three(rows[y]);
    around.count_ones() - 1
}
