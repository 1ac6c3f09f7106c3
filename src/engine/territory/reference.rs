//! Computes distances one square at a time, and shares no code with the floods of `distance`.
//! [`Terms`](super::Terms) uses this module. Tests and `quiver bench` compare the floods with it.

use amazons::{Bitboard, Square};

/// A board with a border, whose cells are closed to moves like burnt squares and amazons.
#[derive(Clone, Debug)]
pub struct Grid {
    open: [bool; Grid::CELLS],
}

impl Grid {
    /// The number of cells: twelve rows of sixteen, for ten by ten squares and a border.
    pub(crate) const CELLS: usize = 12 * 16;

    const DIRECTIONS: [isize; 8] = [1, 17, 16, 15, -1, -17, -16, -15];

    /// A grid in which only the empty squares are open.
    pub fn new(empty: Bitboard) -> Grid {
        let mut open = [false; Grid::CELLS];
        for square in empty {
            open[Grid::cell(square)] = true;
        }
        Grid { open }
    }

    /// The index of a square's cell.
    pub fn cell(square: Square) -> usize {
        16 * (usize::from(square.y()) + 1) + usize::from(square.x()) + 1
    }

    /// The cell of a square and the eight cells around it, row by row.
    pub(crate) fn around(square: Square) -> [usize; 9] {
        [-17, -16, -15, -1, 0, 1, 15, 16, 17]
            .map(|direction| Grid::cell(square).wrapping_add_signed(direction))
    }

    /// The number of queen moves, or of king moves if `max_steps` is 1, from the nearest of these
    /// amazons to each cell, by breadth-first search. Cells that are unreachable or farther than
    /// `max_distance` have 0.
    pub fn distances(&self, amazons: &[Square], max_steps: usize, max_distance: u8) -> [u8; Grid::CELLS] {
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
            // The distance of an amazon's cell stays 0, because this cell is not open.
            let next = distances[from] + 1;
            if next > max_distance {
                break;
            }
            for direction in Grid::DIRECTIONS {
                let mut cell = from.wrapping_add_signed(direction);
                let mut steps = 0;
                while self.open[cell] && steps < max_steps {
                    if distances[cell] == 0 {
                        distances[cell] = next;
                        queue[end] = cell as u8;
                        end += 1;
                    }
                    cell = cell.wrapping_add_signed(direction);
                    steps += 1;
                }
            }
        }
        distances
    }
}
