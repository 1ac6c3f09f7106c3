//! What the evaluator sees: Lieberum's territory terms and the freedom of amazons, as exact integers.

use super::distance::{KingLevels, OpenLines, QueenLevels};
use crate::game::{Bitboard, HalfPly, Position, Side, Square, queen_reach};

/// A position or half ply as the evaluator takes it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The squares that may be entered.
    pub empty: &'a Bitboard,
    /// The amazons of the mover, then of the opponent.
    pub amazons: [&'a [Square]; 2],
    /// The mover's queen has moved and its arrow is to come.
    pub half: bool,
}

impl<'a> From<&'a Position> for View<'a> {
    #[inline]
    fn from(position: &'a Position) -> View<'a> {
        let mover = position.to_move();
        View {
            empty: position.empty(),
            amazons: [mover, !mover].map(|side| position.amazons(side)),
            half: false,
        }
    }
}

impl<'a> From<&'a HalfPly> for View<'a> {
    #[inline]
    fn from(half: &'a HalfPly) -> View<'a> {
        let mover: Side = half.mover();
        View { empty: half.empty(), amazons: [mover, !mover].map(|side| half.amazons(side)), half: true }
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
    #[inline(always)]
    #[must_use]
    pub fn of(view: &View<'_>) -> Features {
        let lines = OpenLines::new(*view.empty);
        let amazons = view.amazons.map(|squares| squares.iter().copied().collect::<Bitboard>());
        let queen = amazons.map(|amazons| lines.queen_levels(amazons));
        let king = amazons.map(|amazons| lines.king_levels(amazons));
        let mut features = Features::default();
        features.count_queen_distances(&queen);
        features.count_king_distances(&king);
        for side in [0, 1] {
            let contested = Bitboard::from(queen[1 - side].reached());
            let confined =
                view.amazons[side].iter().map(|&square| confinement(square, view.empty, &contested));
            features.confinement[side] = confined.sum();
        }
        features
    }

    /// t1, ties, c1 and the contest, from counts of squares per pair of distances.
    #[inline(always)]
    fn count_queen_distances(&mut self, [own, other]: &[QueenLevels; 2]) {
        let only = |mine: &QueenLevels, theirs: &QueenLevels| (mine.reached() - theirs.reached()).count();
        self.t1 = only(own, other) - only(other, own);
        for (i, own_set) in own.sets().iter().enumerate() {
            for (j, other_set) in other.sets().iter().enumerate() {
                let both = (*own_set & *other_set).count();
                self.t1 += both * (j as i32 - i as i32).signum();
                self.ties += if i == j { both } else { 0 };
                self.contest += both * (Features::FINE >> i.abs_diff(j));
            }
        }
        let nearness = |levels: &QueenLevels| -> i32 {
            levels.sets().iter().enumerate().map(|(k, set)| set.count() * (Features::FINE >> k)).sum()
        };
        self.c1 = nearness(own) - nearness(other);
    }

    /// t2 and c2, likewise.
    #[inline(always)]
    fn count_king_distances(&mut self, [own, other]: &[KingLevels; 2]) {
        let only = |mine: &KingLevels, theirs: &KingLevels| (mine.reached() - theirs.reached()).count();
        self.t2 = only(own, other) - only(other, own);
        self.c2 = 6 * self.t2;
        for (i, own_set) in own.sets().iter().enumerate() {
            for (j, other_set) in other.sets().iter().enumerate() {
                let nearer = (j as i32 - i as i32).clamp(-6, 6);
                if nearer != 0 {
                    let both = (*own_set & *other_set).count();
                    self.t2 += both * nearer.signum();
                    self.c2 += both * nearer;
                }
            }
        }
    }
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
