//! Lieberum's terms, as exact integers: what the literature's evaluators are made of.

use super::distance::{KingLevels, Levels, QueenLevels, king_levels, queen_levels};
use super::kernel::{Kernel, KernelTask};
use super::pair::OneBoard;
use super::view::View;
use crate::game::{Bitboard, Square, queen_reach};

/// Lieberum's terms ("An evaluation function for the game of amazons", 2005), seen from the mover:
/// positive is good for the side that acts next. Fractions are held as whole numbers of the unit
/// named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lieberum {
    /// Empty squares that the mover is nearer to by queen distance, less those the opponent is;
    /// squares.
    pub t1: i32,
    /// Empty squares at equal finite queen distance; squares.
    pub ties: i32,
    /// As `t1` by king distance; squares.
    pub t2: i32,
    /// Sum of 2 (2^-D1 mover - 2^-D1 opponent) over the empty squares; units of 1 /
    /// [`Lieberum::FINE`].
    pub c1: i32,
    /// Sum of the king distance by which the mover is nearer, at most 6 either way a square; units
    /// of 1/6.
    pub c2: i32,
    /// The mover's amazons' lack of freedom: sum of 30 / (5 + alpha) over amazons, for the mover
    /// and the opponent; units of 1 / [`Lieberum::FINE`], each amazon rounded down.
    pub confinement: [i32; 2],
    /// The squares still contested: sum of 2^-|D1 mover - D1 opponent| over the squares both can
    /// reach; units of 1 / [`Lieberum::FINE`]. Zero when only filling is left.
    pub contest: i32,
}

impl Lieberum {
    /// Parts of one in the fine units.
    pub const FINE: i32 = 1 << 15;

    /// The terms of a position or half ply.
    #[must_use]
    pub fn of(view: &View<'_>, kernel: Kernel) -> Lieberum {
        kernel.run(view.size, CountLieberum(view))
    }
}

/// Counts the terms of a view.
struct CountLieberum<'a>(&'a View<'a>);

impl KernelTask for CountLieberum<'_> {
    type Output = Lieberum;

    #[inline(always)]
    fn run<P: OneBoard>(self, cpu: P::CpuFeatures) -> Lieberum {
        let view = self.0;
        let (amazons, empty) = (P::sides(cpu, view.amazons), P::same(cpu, view.empty));
        let queen = queen_levels(amazons, empty);
        let mut terms = Lieberum::default();
        terms.count_queen_distances(&queen);
        terms.count_king_distances(&king_levels(amazons, empty));
        let reached = queen.reached().boards();
        terms.confinement = [0, 1].map(|side: usize| {
            let amazons = view.amazons[side].iter();
            amazons.map(|&square| confinement(square, view.empty, reached[1 - side])).sum()
        });
        terms
    }
}

/// The mover's count less the opponent's.
#[inline(always)]
fn balance<P: OneBoard>(set: P) -> i32 {
    let [own, other] = set.count();
    own - other
}

impl Lieberum {
    /// t1, ties, c1 and the contest.
    #[inline(always)]
    fn count_queen_distances<P: OneBoard>(&mut self, levels: &QueenLevels<P>) {
        self.t1 = balance(nearer(levels));
        self.c1 = levels.sets().iter().zip(0..).map(|(&set, k)| balance(set) * (Lieberum::FINE >> k)).sum();
        self.ties = sooner(levels, 0).count()[0];
        self.contest = self.ties * Lieberum::FINE;
        for difference in 1..levels.sets().len() {
            let [own, other] = sooner(levels, difference).count();
            self.contest += (own + other) * (Lieberum::FINE >> difference);
        }
    }

    /// t2 and c2. Where both sides reach, the sum of differences is the difference of sums, but for
    /// the few squares where it is more than 6.
    #[inline(always)]
    fn count_king_distances<P: OneBoard>(&mut self, levels: &KingLevels<P>) {
        self.t2 = balance(nearer(levels));
        let both = levels.reached() & levels.reached().exchanged();
        self.c2 = 6 * balance(levels.reached() - both);
        self.c2 -=
            levels.sets().iter().zip(1..).map(|(&set, distance)| balance(set & both) * distance).sum::<i32>();
        for difference in 7..levels.sets().len() {
            self.c2 -= (difference as i32 - 6) * balance(sooner(levels, difference));
        }
    }
}

/// The squares that each side reaches sooner than the other, which may not reach them at all.
#[inline(always)]
fn nearer<P: OneBoard, const MAX: usize>(levels: &Levels<P, MAX>) -> P {
    let mut reached = levels.reached() - levels.reached();
    let mut nearer = reached;
    for &set in levels.sets() {
        reached = reached | set.exchanged();
        nearer = nearer | (set - reached);
    }
    nearer
}

/// The squares that each side reaches exactly this many levels sooner than the other.
#[inline(always)]
fn sooner<P: OneBoard, const MAX: usize>(levels: &Levels<P, MAX>, difference: usize) -> P {
    let later = levels.sets().get(difference..).unwrap_or(&[]);
    levels
        .sets()
        .iter()
        .zip(later)
        .fold(levels.reached() - levels.reached(), |all, (&sooner, later)| all | (sooner & later.exchanged()))
}

/// 30 / (5 + alpha) of one amazon (Kloetzer 2010, appendix B), where alpha (Lieberum 2005) is the
/// sum of 2^-steps times the number of empty neighbours, over the squares in its queen's reach that
/// are contested.
#[inline]
fn confinement(amazon: Square, empty: Bitboard, contested: Bitboard) -> i32 {
    // In parts of 512, since a queen's move is at most nine steps long.
    let mut alpha = 0;
    for square in queen_reach(amazon, empty) & contested {
        let steps = square.x().abs_diff(amazon.x()).max(square.y().abs_diff(amazon.y()));
        let neighbours = (Bitboard::of(square).king_reach() & empty).count() - 1;
        alpha += neighbours << (9 - steps);
    }
    30 * 512 * Lieberum::FINE / (5 * 512 + alpha as i32)
}
