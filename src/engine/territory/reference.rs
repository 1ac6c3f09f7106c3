//! Plain reference implementations of the evaluator's features, one square at a time.
//!
//! Tests and `quiver bench` compare the fast ones with them. They share no code with the floods,
//! and read like the definitions.

use super::terms::{TermGroup, Terms};
use super::view::View;
use crate::game::{Bitboard, Square};

/// A board with a border, so that a walk ends at its edge as it ends at an arrow.
#[derive(Clone, Debug)]
pub struct Grid {
    open: [bool; Grid::CELLS],
}

/// Steps of queen or king from each cell's nearest amazon; 0 where none gets.
pub type CellDistances = [u8; Grid::CELLS];

impl Grid {
    /// Twelve rows of sixteen cells: ten by ten squares and a border.
    pub(crate) const CELLS: usize = 12 * 16;

    const WAYS: [isize; 8] = [1, 17, 16, 15, -1, -17, -16, -15];

    /// The grid of these empty squares.
    pub fn new(empty: Bitboard) -> Grid {
        let mut open = [false; Grid::CELLS];
        for square in empty {
            open[Grid::cell(square)] = true;
        }
        Grid { open }
    }

    /// The cell of a square.
    pub fn cell(square: Square) -> usize {
        16 * (usize::from(square.y()) + 1) + usize::from(square.x()) + 1
    }

    /// The cell of a square and the eight around it, row by row.
    pub(crate) fn around(square: Square) -> [usize; 9] {
        [-17, -16, -15, -1, 0, 1, 15, 16, 17].map(|way| Grid::cell(square).wrapping_add_signed(way))
    }

    /// Distances from `amazons` by breadth-first search with an array for a queue: in queen moves,
    /// each walked square by square until it is blocked, or in king moves where `longest` is 1.
    pub fn distances(&self, amazons: &[Square], longest: usize) -> CellDistances {
        self.distances_within(amazons, longest, u8::MAX)
    }

    fn distances_within(&self, amazons: &[Square], longest: usize, most: u8) -> CellDistances {
        let mut distances = [0; Grid::CELLS];
        let mut queue = [0u8; 104];
        let mut end = 0;
        for &amazon in amazons {
            queue[end] = Grid::cell(amazon) as u8;
            end += 1;
        }
        let mut begin = 0;
        while begin < end {
            let from = usize::from(queue[begin]);
            begin += 1;
            // An amazon's own cell is not open and keeps its 0.
            let next = distances[from] + 1;
            if next > most {
                break;
            }
            for way in Grid::WAYS {
                let mut cell = from.wrapping_add_signed(way);
                let mut steps = 0;
                while self.open[cell] && steps < longest {
                    if distances[cell] == 0 {
                        distances[cell] = next;
                        queue[end] = cell as u8;
                        end += 1;
                    }
                    cell = cell.wrapping_add_signed(way);
                    steps += 1;
                }
            }
        }
        distances
    }
}

/// The log-odds of [`campya`](super::campya::log_odds) as the formula reads, with the cuts of
/// [`Distances`](super::Distances).
pub fn campya(view: &View<'_>) -> f64 {
    let grid = Grid::new(view.empty);
    let [queen, king] = [(10, 15), (1, 24)].map(|(longest, most)| {
        view.amazons.map(|amazons| grid.distances(amazons, longest).map(|distance| distance.min(most)))
    });
    let cells = || view.empty.iter().map(Grid::cell);
    if cells().all(|cell| queen[0][cell] != 1) {
        return f64::NEG_INFINITY;
    }
    // A side that cannot get there is farther than any that can.
    let order = |distance: u8| distance.wrapping_sub(1);
    let nearer = |of: &[CellDistances; 2]| {
        let signs = cells().map(|cell| order(of[1][cell]).cmp(&order(of[0][cell])) as i32);
        f64::from(signs.sum::<i32>())
    };
    let both = cells().filter(|&cell| queen.iter().all(|distances| distances[cell] > 0));
    let shares = both.map(|cell| 0.5_f64.powi(queen[0][cell].abs_diff(queen[1][cell]).into()));
    let share = (shares.sum::<f64>() / 40.0).min(1.0);
    let [own, other] = [0, 1].map(|side| {
        let contested = |cell: usize| queen[1 - side][cell] > 0;
        view.amazons[side].iter().map(|&amazon| confinement(&grid, amazon, contested)).sum::<f64>()
    });
    (nearer(&queen) + share * nearer(&king) + 0.8 * share * (other - own)) / 20.0
}

/// The learned evaluator's terms, as [`COLUMNS`](super::COLUMNS) reads.
pub fn terms(view: &View<'_>) -> Terms {
    let grid = Grid::new(view.empty);
    let queen = view.amazons.map(|amazons| grid.distances(amazons, 10));
    let king = view.amazons.map(|amazons| grid.distances(amazons, 1));
    let mut terms = Terms::ZERO;
    terms.stuck = true;
    for cell in view.empty.iter().map(Grid::cell) {
        terms.empty += 1;
        terms.stuck &= queen[0][cell] != 1;
        let by_queen = count_queen(&mut terms, queen[0][cell], queen[1][cell], view.shooter.is_some());
        let by_king = count_king(&mut terms, king[0][cell], king[1][cell], view.shooter.is_some());
        // Crossed, 2 standing for 2 and more; seen from the side that is nearer by queen, or else
        // by king.
        let sign = if by_queen != 0 { by_queen.signum() } else { by_king.signum() };
        if sign != 0 {
            let step = |by: i16| (2 - sign * by.clamp(-2, 2)) as usize;
            terms.counts[TermGroup::Cross.first() + 5 * step(by_queen) + step(by_king)] += sign;
        }
    }
    terms.counts[TermGroup::Waste.first()] = view.waste;
    terms.counts[TermGroup::Tempo.first()] = 1;
    terms.counts[TermGroup::Tempo.first() + 1] = i16::from(view.shooter.is_some());
    for (side, sign) in [(0, 1), (1, -1)] {
        for &amazon in view.amazons[side] {
            let steps = grid.distances_within(&[amazon], 1, 3);
            let [mut near, mut far] = [0, 0];
            for cell in view.empty.iter().map(Grid::cell) {
                if queen[1 - side][cell] > 0 && steps[cell] > 0 {
                    near += usize::from(steps[cell] <= 2);
                    far += 1;
                }
            }
            terms.counts[Terms::near(near)] += sign;
            terms.counts[Terms::far(far)] += sign;
        }
    }
    terms
}

/// Counts a square by the queen distances of both sides, 0 for out of reach, and returns by how
/// much the mover is nearer.
fn count_queen(terms: &mut Terms, own: u8, other: u8, half: bool) -> i16 {
    /// The first column of each nearer class; its first is that of the next class.
    const FIRST: [usize; 4] = [0, 4, 7, 9];
    let class = |distance: u8| if distance == 0 { 4 } else { usize::from(distance.min(4)) - 1 };
    let (sign, near, far) = if own == 0 || (other > 0 && other < own) {
        (-1, class(other), class(own))
    } else {
        (1, class(own), class(other))
    };
    if own == other {
        if own > 0 {
            terms.contest += 16;
            terms.counts[TermGroup::Ties.first() + near] += 1;
            terms.counts[TermGroup::ArrowTies.first() + near] += i16::from(half);
        }
        return 0;
    }
    if far == near {
        // Both are 4 and more, and differ.
        terms.contest += 8;
        terms.counts[TermGroup::Nearer.columns().end - 1] += sign;
        return sign;
    }
    terms.counts[FIRST[near] + far - near - 1] += sign;
    if far == 4 {
        return 2 * sign;
    }
    terms.contest += 16 >> (far - near);
    sign * (far - near) as i16
}

/// The same by king distances.
fn count_king(terms: &mut Terms, own: u8, other: u8, half: bool) -> i16 {
    let (own, other) = (i16::from(own.min(15)), i16::from(other.min(15)));
    let (column, sixths, sign) = match (own, other) {
        (0, 0) => return 0,
        (_, 0) => (6, 6, 1),
        (0, _) => (6, 6, -1),
        _ if own == other => {
            terms.counts[TermGroup::Ties.columns().end - 1] += 1;
            terms.counts[TermGroup::ArrowTies.columns().end - 1] += i16::from(half);
            return 0;
        }
        _ => {
            let sixths = (other - own).abs().min(6);
            (sixths as usize - 1, sixths, (other - own).signum())
        }
    };
    terms.counts[TermGroup::Kings.first() + column] += sign;
    terms.counts[TermGroup::KingSums.first()] += sign;
    terms.counts[TermGroup::KingSums.first() + 1] += sign * sixths;
    sign * sixths
}

/// 30 / (5 + alpha) of one amazon, rounded down to 1/32,768.
fn confinement(grid: &Grid, amazon: Square, contested: impl Fn(usize) -> bool) -> f64 {
    let mut alpha = 0.0;
    for way in Grid::WAYS {
        let mut cell = Grid::cell(amazon).wrapping_add_signed(way);
        let mut weight = 0.5;
        while grid.open[cell] {
            if contested(cell) {
                let open = Grid::WAYS.iter().filter(|&&way| grid.open[cell.wrapping_add_signed(way)]).count();
                alpha += weight * open as f64;
            }
            cell = cell.wrapping_add_signed(way);
            weight /= 2.0;
        }
    }
    (30.0 / (5.0 + alpha) * 32_768.0).floor() / 32_768.0
}
