//! The evaluator's features once more, one square at a time: what the fast ones are tested and timed against.
//!
//! Nobody plays by this. It shares no code with the floods, and reads like the definitions.

use super::features::{Features, View};
use crate::game::{Bitboard, Square};

/// A board with a border, so that a walk ends at its edge as it ends at an arrow.
#[derive(Clone, Debug)]
pub struct Grid {
    open: [bool; Grid::CELLS],
}

/// Steps of queen or king from each cell's nearest amazon; 0 where none gets.
pub type Distances = [u8; Grid::CELLS];

impl Grid {
    /// Twelve rows of sixteen cells: ten by ten squares and a border.
    const CELLS: usize = 12 * 16;

    /// From a cell to its eight neighbours.
    const WAYS: [isize; 8] = [1, 17, 16, 15, -1, -17, -16, -15];

    /// The grid of these empty squares.
    #[must_use]
    pub fn new(empty: &Bitboard) -> Grid {
        let mut open = [false; Grid::CELLS];
        for (y, row) in empty.rows()[..10].iter().enumerate() {
            for x in 0..10 {
                open[16 * (y + 1) + x + 1] = row >> x & 1 != 0;
            }
        }
        Grid { open }
    }

    /// The cell of a square.
    #[must_use]
    pub fn cell(square: Square) -> usize {
        16 * (usize::from(square.y()) + 1) + usize::from(square.x()) + 1
    }

    /// Distances from `amazons` by breadth-first search with an array for a queue: in queen moves, each walked square
    /// by square until it is blocked, or in king moves where `longest` is 1.
    #[must_use]
    pub fn distances(&self, amazons: &[Square], longest: usize) -> Distances {
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

/// Lieberum's terms as their definitions read, with the cuts that [`Features`] states: queen distances from 15 and king
/// distances from 24 on count as that.
#[must_use]
pub fn features(view: &View<'_>) -> Features {
    let grid = Grid::new(view.empty);
    let cut = |most: u8| move |distance: u8| (distance > 0).then_some(i32::from(distance.min(most)));
    let queen = view.amazons.map(|amazons| grid.distances(amazons, 10).map(cut(15)));
    let king = view.amazons.map(|amazons| grid.distances(amazons, 1).map(cut(24)));
    let fine = |exponent: i32| Features::FINE >> exponent;
    let mut features = Features::default();
    for cell in view.empty.iter().map(Grid::cell) {
        match [queen[0][cell], queen[1][cell]] {
            [Some(own), Some(other)] => {
                features.t1 += (other - own).signum();
                features.ties += i32::from(own == other);
                features.contest += fine((own - other).abs());
                features.c1 += fine(own - 1) - fine(other - 1);
            }
            [Some(own), None] => {
                features.t1 += 1;
                features.c1 += fine(own - 1);
            }
            [None, Some(other)] => {
                features.t1 -= 1;
                features.c1 -= fine(other - 1);
            }
            [None, None] => {}
        }
        match [king[0][cell], king[1][cell]] {
            [Some(own), Some(other)] => {
                features.t2 += (other - own).signum();
                features.c2 += (other - own).clamp(-6, 6);
            }
            [Some(_), None] => {
                features.t2 += 1;
                features.c2 += 6;
            }
            [None, Some(_)] => {
                features.t2 -= 1;
                features.c2 -= 6;
            }
            [None, None] => {}
        }
    }
    for side in [0, 1] {
        let contested = |cell: usize| queen[1 - side][cell].is_some();
        let confined = view.amazons[side].iter().map(|&amazon| confinement(&grid, amazon, contested));
        features.confinement[side] = confined.sum();
    }
    features
}

/// 30 / (5 + alpha) of one amazon, in the fine units of [`Features`].
fn confinement(grid: &Grid, amazon: Square, contested: impl Fn(usize) -> bool) -> i32 {
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
    (30.0 / (5.0 + alpha) * f64::from(Features::FINE)) as i32
}
