//! The terms of the learned evaluator: counts in named columns, each with a weight for every phase.
//!
//! Most counts are the mover's number minus the opponent's, so their sign changes when the sides
//! are swapped. The columns of ties, `move` and `arrow` favour neither side: their weights say what
//! the right to move is worth.

use std::ops::Range;

use super::reference::Grid;
use super::view::View;

/// The names of [`Terms::counts`], in the same order.
#[rustfmt::skip]
pub const COLUMNS: [&str; Terms::COUNT] = [
    "q12", "q13", "q14", "q1n", "q23", "q24", "q2n", "q34", "q3n", "q4n", "q44",
    "k1", "k2", "k3", "k4", "k5", "k6", "kn", "t2", "c2",
    "x22", "x21", "x20", "x2-1", "x2-2", "x12", "x11", "x10", "x1-1", "x1-2", "x02", "x01",
    "tie1", "tie2", "tie3", "tie4", "ties", "move", "arrow",
    "arrow_tie1", "arrow_tie2", "arrow_tie3", "arrow_tie4", "arrow_ties",
    "near_0", "near_1", "near_2", "near_3", "near_4", "near_5", "near_6", "near_7", "near_8",
    "near_9", "near_10", "near_11", "near_12",
    "far_0", "far_1", "far_2", "far_3", "far_4", "far_5", "far_6", "far_7", "far_8", "far_9",
    "far_10", "far_11", "far_12", "far_13", "defect",
];

/// Counts of squares by the queen distances of both sides. `q12` counts squares at distance 1 from
/// the nearer side and 2 from the other side. A `4` means 4 or more, `n` means unreachable, and
/// `q44` means two different distances of 4 or more. All these counts add up to Lieberum's t1.
const NEARER_BY_QUEEN: Range<usize> = between("q12", "q44");
/// Counts of squares by the number of king steps by which one side is nearer. `k6` means 6 or more
/// steps, and `kn` means that only the nearer side can reach the square.
const FIRST_NEARER_BY_KING: usize = column("k1");
/// Lieberum's t2, and six times his c2. Both are weighted sums of `k1` to `kn`, so they add no
/// information, but a fit finds weights proportional to t2 or c2 faster with them.
pub(super) const KING_SUMS: usize = column("t2");
/// Counts of squares by how much nearer one side is in queen moves and in king steps, where 2 means
/// 2 or more. In `x21` a side is 2 queen moves and 1 king step nearer. In `x2-1` a side is 2 queen
/// moves nearer but 1 king step farther. [`Terms::contest`] says how queen distances of 4 or more
/// are compared.
const FIRST_QUEEN_KING_CROSS: usize = column("x22");
/// Counts of squares at equal distance from both sides: in queen moves in `tie1` to `tie4` (4 or
/// more), and in king steps in `ties`.
pub(super) const TIES: Range<usize> = between("tie1", "ties");
/// The column `move`, which is always 1. The next column, `arrow`, is 1 only in half plies.
pub(super) const MOVE_COLUMN: usize = column("move");
/// Columns that are equal to those of [`TIES`] in half plies, and are 0 in positions.
pub(super) const ARROW_TIES: Range<usize> = between("arrow_tie1", "arrow_ties");
/// Counts of amazons by the number of contested squares within two king steps of the amazon: 0,
/// 1-2, 3-4, and so on. A square is contested if the other side can reach it.
pub(super) const NEAR_FREEDOM: Range<usize> = between("near_0", "near_12");
/// Counts of amazons by the number of contested squares within three king steps of the amazon: 0,
/// 1-3, 4-6, and so on up to 37 or more.
pub(super) const FAR_FREEDOM: Range<usize> = between("far_0", "far_13");
/// The mover's dead squares minus the opponent's: see [`View::dead_squares`].
const DEAD_SQUARES: usize = column("defect");

const fn between(first: &str, last: &str) -> Range<usize> {
    column(first)..column(last) + 1
}

/// The index of the column with this name. The compiler rejects an unknown name.
const fn column(name: &str) -> usize {
    let mut column = 0;
    while !COLUMNS[column].eq_ignore_ascii_case(name) {
        column += 1;
    }
    column
}

const fn columns<const N: usize>(names: [&str; N]) -> [usize; N] {
    let mut columns = [0; N];
    let mut index = 0;
    while index < N {
        columns[index] = column(names[index]);
        index += 1;
    }
    columns
}

/// The columns that are counted directly, in the order of [`Counts`](super::counts::Counts).
pub(super) const COUNTED_COLUMNS: [[usize; 16]; 2] = [
    columns([
        "q12", "q13", "q14", "q1n", "q23", "q24", "q2n", "q34", "q3n", "q4n", "q44", "tie1", "tie2", "tie3",
        "tie4", "defect",
    ]),
    columns([
        "k1", "k2", "k3", "k4", "k5", "k6", "kn", "ties", "x22", "x21", "x20", "x2-1", "x12", "x11", "x10",
        "x1-1",
    ]),
];

/// The columns that are derived from other columns. Each derived column is the sum of the listed
/// columns times the listed factors, and comes after these columns in [`COLUMNS`].
pub(super) const DERIVED_COLUMNS: [(usize, &[usize], &[i16]); 6] = [
    (column("t2"), &columns(["k1", "k2", "k3", "k4", "k5", "k6", "kn"]), &[1; 7]),
    (column("c2"), &columns(["k1", "k2", "k3", "k4", "k5", "k6", "kn"]), &[1, 2, 3, 4, 5, 6, 6]),
    (
        column("x2-2"),
        &columns(["q13", "q14", "q1n", "q24", "q2n", "q3n", "q4n", "x22", "x21", "x20", "x2-1"]),
        &[1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1],
    ),
    (
        column("x1-2"),
        &columns(["q12", "q23", "q34", "q44", "x12", "x11", "x10", "x1-1"]),
        &[1, 1, 1, 1, -1, -1, -1, -1],
    ),
    (
        column("x02"),
        &columns(["k2", "k3", "k4", "k5", "k6", "kn", "x22", "x12", "x2-2", "x1-2"]),
        &[1, 1, 1, 1, 1, 1, -1, -1, 1, 1],
    ),
    (column("x01"), &columns(["k1", "x21", "x11", "x2-1", "x1-1"]), &[1, -1, -1, 1, 1]),
];

/// The column in `group` for an amazon that reaches `squares` contested squares. The first column
/// is for 0 squares, and each further column for `width` successive numbers of squares.
fn freedom_column(group: Range<usize>, squares: usize, width: usize) -> usize {
    (group.start + squares.div_ceil(width)).min(group.end - 1)
}

const UNREACHABLE: i16 = i16::MAX;

/// Replaces 0, with which [`Grid::distances`] marks unreachable squares, by [`UNREACHABLE`].
fn or_unreached(distance: u8) -> i16 {
    if distance == 0 { UNREACHABLE } else { distance.into() }
}

/// The counts of a position or half ply, and two measures of the phase of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The counts in the order of [`COLUMNS`]. Most are the mover's number minus the opponent's.
    pub counts: [i16; Terms::COUNT],
    /// Lieberum's w, which measures how contested the board is: the sum of 2^-|difference of queen
    /// distances| over the squares that both sides reach, in sixteenths of a square. Distances
    /// above 4 count as 4, except that two different distances of 4 or more have the difference 1.
    pub contest: i16,
    /// The number of empty squares.
    pub empty: i16,
    /// True if no amazon of the mover can move. In a position, the mover has then lost.
    pub stuck: bool,
}

impl Terms {
    /// The number of columns.
    pub const COUNT: usize = 72;

    /// The number of units of [`Terms::contest`] that make up one square.
    pub const CONTEST_UNIT: i16 = 16;

    /// Counts the terms of a position or half ply square by square. The
    /// [`Evaluator`](super::Evaluator) computes the same counts faster.
    pub fn of(view: &View<'_>) -> Terms {
        let grid = Grid::new(view.empty);
        let queen = view.amazons.map(|amazons| grid.distances(amazons, 10, u8::MAX));
        let king = view.amazons.map(|amazons| grid.distances(amazons, 1, u8::MAX));
        let mut terms = Terms { counts: [0; Terms::COUNT], contest: 0, empty: 0, stuck: true };
        for cell in view.empty.iter().map(Grid::cell) {
            terms.empty += 1;
            terms.stuck &= queen[0][cell] != 1;
            let by_queen = terms.count_by_queen_distance(queen[0][cell], queen[1][cell]);
            let by_king = terms.count_by_king_distance(king[0][cell], king[1][cell]);
            // Counts the square for the side that is nearer by queen moves, or by king moves if the
            // queen distances are equal. The column depends on how much nearer this side is in
            // queen moves and in king moves, where 2 means 2 or more.
            let sign = if by_queen != 0 { by_queen.signum() } else { by_king.signum() };
            if sign != 0 {
                let step = |by: i16| (2 - sign * by.clamp(-2, 2)) as usize;
                terms.counts[FIRST_QUEEN_KING_CROSS + 5 * step(by_queen) + step(by_king)] += sign;
            }
        }
        terms.counts[DEAD_SQUARES] = view.dead_squares;
        terms.counts[MOVE_COLUMN] = 1;
        if view.shooter.is_some() {
            terms.counts[MOVE_COLUMN + 1] = 1;
            terms.counts.copy_within(TIES, ARROW_TIES.start);
        }
        for (side, sign) in [(0, 1), (1, -1)] {
            for &amazon in view.amazons[side] {
                let steps = grid.distances(&[amazon], 1, 3);
                let [mut near, mut far] = [0, 0];
                for cell in view.empty.iter().map(Grid::cell) {
                    if queen[1 - side][cell] > 0 && steps[cell] > 0 {
                        near += usize::from(steps[cell] <= 2);
                        far += 1;
                    }
                }
                terms.counts[freedom_column(NEAR_FREEDOM, near, 2)] += sign;
                terms.counts[freedom_column(FAR_FREEDOM, far, 3)] += sign;
            }
        }
        terms
    }

    /// Lieberum's t1: the squares nearer to the mover by queen moves, minus the opponent's.
    pub fn t1(&self) -> i16 {
        self.counts[NEARER_BY_QUEEN].iter().sum()
    }

    /// Counts a square by the queen distances of both sides, where 0 means unreachable. Returns how
    /// much nearer the mover is.
    fn count_by_queen_distance(&mut self, own: u8, other: u8) -> i16 {
        /// The first column of `NEARER_BY_QUEEN` for each distance of the nearer side, from 1 to 4
        /// or more.
        const FIRST_COLUMN_BY_DISTANCE: [usize; 4] = [0, 4, 7, 9];
        let (own, other) = (or_unreached(own), or_unreached(other));
        let class = |distance: i16| if distance == UNREACHABLE { 4 } else { distance.min(4) as usize - 1 };
        let (near, far) = (class(own.min(other)), class(own.max(other)));
        if own == other {
            if own < UNREACHABLE {
                self.contest += 16;
                self.counts[TIES.start + near] += 1;
            }
            return 0;
        }
        let sign = (other - own).signum();
        let (column, apart) = match far - near {
            // Both distances are 4 or more, but they differ.
            0 => (NEARER_BY_QUEEN.end - 1, 1),
            apart => (FIRST_COLUMN_BY_DISTANCE[near] + apart - 1, apart),
        };
        self.counts[column] += sign;
        if own.max(other) == UNREACHABLE {
            return 2 * sign;
        }
        self.contest += 16 >> apart;
        sign * apart as i16
    }

    /// Counts a square by king distances in the same way as [`Terms::count_by_queen_distance`].
    fn count_by_king_distance(&mut self, own: u8, other: u8) -> i16 {
        let (own, other) = (or_unreached(own.min(15)), or_unreached(other.min(15)));
        let (sign, sooner) = ((other - own).signum(), (other - own).abs().min(6));
        if sign == 0 {
            self.counts[TIES.end - 1] += i16::from(own < UNREACHABLE);
            return 0;
        }
        let column = if own.max(other) == UNREACHABLE { 6 } else { sooner as usize - 1 };
        self.counts[FIRST_NEARER_BY_KING + column] += sign;
        self.counts[KING_SUMS] += sign;
        self.counts[KING_SUMS + 1] += sign * sooner;
        sign * sooner
    }
}
