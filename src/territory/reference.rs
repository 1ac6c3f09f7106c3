//! The evaluator's features once more, one square at a time: what the fast ones are tested and timed against.
//!
//! Nobody plays by this. It shares no code with the floods, and reads like the definitions.

use super::lieberum::Lieberum;
use super::terms::{COLUMNS, Terms};
use super::view::View;
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

/// Lieberum's terms as their definitions read, with the cuts that [`Lieberum`] states: queen distances from 15 and king
/// distances from 24 on count as that.
#[must_use]
pub fn lieberum(view: &View<'_>) -> Lieberum {
    let grid = Grid::new(view.empty);
    let cut = |most: u8| move |distance: u8| (distance > 0).then_some(i32::from(distance.min(most)));
    let queen = view.amazons.map(|amazons| grid.distances(amazons, 10).map(cut(15)));
    let king = view.amazons.map(|amazons| grid.distances(amazons, 1).map(cut(24)));
    let fine = |exponent: i32| Lieberum::FINE >> exponent;
    let mut terms = Lieberum::default();
    for cell in view.empty.iter().map(Grid::cell) {
        match [queen[0][cell], queen[1][cell]] {
            [Some(own), Some(other)] => {
                terms.t1 += (other - own).signum();
                terms.ties += i32::from(own == other);
                terms.contest += fine((own - other).abs());
                terms.c1 += fine(own - 1) - fine(other - 1);
            }
            [Some(own), None] => {
                terms.t1 += 1;
                terms.c1 += fine(own - 1);
            }
            [None, Some(other)] => {
                terms.t1 -= 1;
                terms.c1 -= fine(other - 1);
            }
            [None, None] => {}
        }
        match [king[0][cell], king[1][cell]] {
            [Some(own), Some(other)] => {
                terms.t2 += (other - own).signum();
                terms.c2 += (other - own).clamp(-6, 6);
            }
            [Some(_), None] => {
                terms.t2 += 1;
                terms.c2 += 6;
            }
            [None, Some(_)] => {
                terms.t2 -= 1;
                terms.c2 -= 6;
            }
            [None, None] => {}
        }
    }
    for side in [0, 1] {
        let contested = |cell: usize| queen[1 - side][cell].is_some();
        let confined = view.amazons[side].iter().map(|&amazon| confinement(&grid, amazon, contested));
        terms.confinement[side] = confined.sum();
    }
    terms
}

/// The learned evaluator's terms as [`COLUMNS`] reads: every square and every amazon asked for its columns by name.
#[must_use]
pub fn terms(view: &View<'_>) -> Terms {
    let grid = Grid::new(view.empty);
    let queen = view.amazons.map(|amazons| grid.distances(amazons, 10));
    let king = view.amazons.map(|amazons| grid.distances(amazons, 1));
    let mut terms = Terms::ZERO;
    terms.stuck = true;
    for cell in view.empty.iter().map(Grid::cell) {
        terms.empty += 1;
        terms.stuck &= queen[0][cell] != 1;
        let q = Gap::new(queen.map(|distances| distances[cell]), 250);
        let k = Gap::new(king.map(|distances| distances[cell]), 15);
        terms.contest += match (q.reached, q.near.min(4), q.far.min(4)) {
            ([true, true], near, far) if q.by == 0 || near < far => 16 >> (far - near),
            ([true, true], ..) => 8,
            _ => 0,
        };
        count_queen(&mut terms, &q, view.half);
        count_king(&mut terms, &k, view.half);
        // By both: 2 stands for 2 and more.
        let nearly = q.reached == [true, true] && q.far.min(4) <= q.near.min(4) + 1;
        let by_queen = if nearly { q.by.signum() } else { q.by.clamp(-2, 2) };
        let by_king = k.by.clamp(-2, 2);
        let sign = if by_queen != 0 { by_queen.signum() } else { by_king.signum() };
        if sign != 0 {
            add(&mut terms, &format!("x{}{}", by_queen * sign, by_king * sign), sign);
        }
    }
    add(&mut terms, "move", 1);
    add(&mut terms, "arrow", i16::from(view.half));
    for (side, sign) in [(0, 1), (1, -1)] {
        for amazon in view.amazons[side] {
            let steps = grid.distances(&[*amazon], 1);
            let within = |most: u8| {
                let contested =
                    |cell: &usize| queen[1 - side][*cell] > 0 && (1..=most).contains(&steps[*cell]);
                view.empty.iter().map(Grid::cell).filter(contested).count()
            };
            add(&mut terms, &format!("near_{}", within(2).div_ceil(2)), sign);
            add(&mut terms, &format!("far_{}", within(3).div_ceil(3).min(13)), sign);
        }
    }
    terms
}

/// How the distances of the two sides to one square compare.
struct Gap {
    reached: [bool; 2],
    /// The lesser distance and the greater; of a side that does not get there, 250.
    near: u8,
    far: u8,
    /// By how much the mover is nearer.
    by: i16,
}

impl Gap {
    fn new(distances: [u8; 2], most: u8) -> Gap {
        let reached = distances.map(|distance| distance > 0);
        let [own, other] = distances.map(|distance| if distance == 0 { 250 } else { distance.min(most) });
        Gap { reached, near: own.min(other), far: own.max(other), by: i16::from(other) - i16::from(own) }
    }

    fn is_dead(&self) -> bool {
        self.reached == [false, false]
    }
}

fn count_queen(terms: &mut Terms, gap: &Gap, half: bool) {
    if gap.is_dead() {
        return;
    }
    if gap.by == 0 {
        let tie = format!("tie{}", gap.near.min(4));
        add(terms, &tie, 1);
        add(terms, &format!("arrow_{tie}"), i16::from(half));
        return;
    }
    let far = if gap.reached == [true, true] { gap.far.min(4).to_string() } else { "n".into() };
    add(terms, &format!("q{}{far}", gap.near.min(4)), gap.by.signum());
}

fn count_king(terms: &mut Terms, gap: &Gap, half: bool) {
    if gap.is_dead() {
        return;
    }
    if gap.by == 0 {
        add(terms, "ties", 1);
        add(terms, "arrow_ties", i16::from(half));
        return;
    }
    let sixths = gap.by.abs().min(6);
    let class = if gap.reached == [true, true] { sixths.to_string() } else { "n".into() };
    add(terms, &format!("k{class}"), gap.by.signum());
    add(terms, "t2", gap.by.signum());
    add(terms, "c2", gap.by.signum() * sixths);
}

/// Adds to the column of this name.
fn add(terms: &mut Terms, name: &str, count: i16) {
    let column = COLUMNS.iter().position(|column| *column == name);
    terms.counts[column.expect("a column of this name")] += count;
}

/// 30 / (5 + alpha) of one amazon, in the fine units of [`Lieberum`].
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
    (30.0 / (5.0 + alpha) * f64::from(Lieberum::FINE)) as i32
}
