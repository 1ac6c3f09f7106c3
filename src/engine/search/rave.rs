//! RAVE: a move's average result elsewhere in the tree counts as virtual visits that fade as real
//! visits arrive.
//!
//! Each worker has one table for the whole tree, by side and half move. The engine adds the
//! workers' results up after each search. A table at each node would get too few results: amazons
//! move, so that few moves recur there (Kloetzer, PhD thesis 2010). The table holds a count and a
//! sum for each move (262 KB). It also holds their means in 16 bits (66 KB). Selection reads only
//! the means and four totals. The table does not hold gains, because every playout changes the mean
//! that all gains refer to.

use super::edge::{Edge, UNIT};
use super::state::{Chooser, HalfMove};
use crate::game::{Side, Square};

const SQUARES: usize = Square::INDICES;

/// The factor of each count when a ply is played, since earlier results then mean less.
const AGING: f32 = 0.5;

/// Counts stop here, while adding one still changes an `f32`: beyond, the mean would drift.
const MOST_SAMPLES: f32 = (1 << 23) as f32;

/// A count of samples and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cell {
    count: f32,
    sum: f32,
}

impl Cell {
    #[inline]
    pub(super) fn add(&mut self, value: f64) {
        if self.count < MOST_SAMPLES {
            self.count += 1.0;
            self.sum += value as f32;
        }
    }

    /// The mean of the values; `None` if there are none.
    #[inline]
    fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| f64::from(self.sum) / f64::from(self.count))
    }

    /// The mean of the values and of `zeros` more samples of value 0.
    #[inline]
    pub(super) fn shrunk_mean(&self, zeros: f64) -> f64 {
        f64::from(self.sum) / (f64::from(self.count) + zeros)
    }

    /// Halves the weight of all samples. The mean stays: the factor is a power of two.
    pub(super) fn age(&mut self) {
        self.count *= AGING;
        self.sum *= AGING;
    }

    /// Adds the samples that `other` has gained over `before`.
    pub(super) fn merge(&mut self, other: &Cell, before: &Cell) {
        self.count += other.count - before.count;
        self.sum += other.sum - before.sum;
    }

    /// The mean in units of [`UNIT`], at least one of them; 0 if there are no values.
    fn packed_mean(&self) -> u16 {
        // Rounding may take a mean above 1, and the cast saturates.
        let units = (self.sum / self.count * 65_535.0 + 0.5) as u16;
        if self.count > 0.0 { units.max(1) } else { 0 }
    }
}

/// The table of one worker; empty until [`Rave::open`].
#[derive(Clone, Debug, Default)]
pub(super) struct Rave {
    /// By side, square left, and square reached or burnt; arrows have the row of index 0, which no
    /// square has. Then all queen moves and all arrows of each side.
    cells: Vec<Cell>,
    /// The [packed mean](Cell::packed_mean) of each move's cell, then one more 0.
    means: Vec<u16>,
}

const _: () = assert!(Square::new(0, 0).unwrap().index() > 0);

impl Rave {
    /// Cells of the moves of one side.
    const MOVES: usize = SQUARES * SQUARES;
    const TOTALS: usize = 2 * Rave::MOVES;
    const CELLS: usize = Rave::TOTALS + 4;

    /// Allocates the table at the first call.
    pub(super) fn open(&mut self) {
        self.cells.resize(Rave::CELLS, Cell::default());
        self.means.resize(Rave::TOTALS + 1, 0);
    }

    fn cell(side: Side, half: HalfMove) -> usize {
        let index = |square: Square| usize::from(square.index());
        let (from, to) = match half {
            HalfMove::Queen(from, to) => (index(from), index(to)),
            HalfMove::Arrow(to) => (0, index(to)),
        };
        side as usize * Rave::MOVES + from * SQUARES + to
    }

    fn total(side: Side, shoots: bool) -> usize {
        Rave::TOTALS + 2 * side as usize + usize::from(shoots)
    }

    /// Adds a half move of a playout, with the playout's value for the side that made it.
    pub(super) fn add(&mut self, side: Side, half: HalfMove, value: f64) {
        let cell = Rave::cell(side, half);
        self.cells[cell].add(value);
        self.means[cell] = self.cells[cell].packed_mean();
        self.cells[Rave::total(side, matches!(half, HalfMove::Arrow(_)))].add(value);
    }

    /// The gains of moves elsewhere, for the side that chooses at a node.
    #[inline]
    pub(super) fn gains(&self, chooser: Chooser) -> Gains<'_> {
        let Chooser { side, shoots } = chooser;
        let base = self.cells.get(Rave::total(side, shoots)).and_then(Cell::mean).unwrap_or(0.0);
        let means = self.means.get(side as usize * Rave::MOVES..).and_then(<[u16]>::first_chunk);
        let squares = if shoots { SQUARES - 1 } else { Rave::MOVES - 1 };
        Gains { means, squares, base }
    }

    /// Ages the table by one ply.
    pub(super) fn age(&mut self) {
        self.cells.iter_mut().for_each(Cell::age);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.cells.fill(Cell::default());
        self.means.fill(0);
    }

    /// Adds what another worker has learned since both had the table `before`.
    pub(super) fn merge(&mut self, other: &Rave, before: &Rave) {
        for ((cell, other), before) in self.cells.iter_mut().zip(&other.cells).zip(&before.cells) {
            cell.merge(other, before);
        }
        let cells = self.cells.iter().take(Rave::TOTALS);
        self.means.iter_mut().zip(cells).for_each(|(mean, cell)| *mean = cell.packed_mean());
    }
}

/// By how much the mean value of a move exceeds that of all moves of its kind by the same side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gains<'a> {
    /// `None` before the table is open. Behind the side's moves stands one more number, since vector
    /// loads take two.
    pub(super) means: Option<&'a [u16; Rave::MOVES + 1]>,
    /// The bits of [`Edge::squares`] that count: both squares, or for arrows the square burnt.
    pub(super) squares: usize,
    pub(super) base: f64,
}

impl Gains<'_> {
    /// The gain of an edge's move; 0 if no playout had it.
    #[inline]
    pub(super) fn of(&self, edge: Edge<'_>) -> f64 {
        match self.means.map_or(0, |means| means[edge.squares() & self.squares]) {
            0 => 0.0,
            mean => f64::from(mean) * UNIT - self.base,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::FullMove;

    #[test]
    fn mean_stays_where_it_is_after_millions_of_samples() {
        let mut cell = Cell::default();
        // A third is no binary fraction: sums are rounded at every addition.
        for _ in 0..30_000_000 {
            cell.add(1.0 / 3.0);
        }
        let mean = cell.mean().unwrap();
        assert!((mean - 1.0 / 3.0).abs() < 0.05, "{mean}");
    }

    /// The mean value of the playouts with this move in them; `None` if there was none.
    fn mean(rave: &Rave, side: Side, half: HalfMove) -> Option<f64> {
        let mut packed = rave.means.iter().zip(rave.cells.iter().take(Rave::TOTALS));
        assert!(packed.all(|(mean, cell)| *mean == cell.packed_mean()));
        rave.cells.get(Rave::cell(side, half))?.mean()
    }

    fn add_full(rave: &mut Rave, full: FullMove, value: f64) {
        rave.add(Side::First, HalfMove::Queen(full.from, full.to), value);
        rave.add(Side::First, HalfMove::Arrow(full.arrow), value);
    }

    #[test]
    fn table_separates_sides_and_halves_and_merges_exactly() {
        let full: FullMove = "a1-j10/a1".parse().unwrap();
        let (queen, arrow) = (HalfMove::Queen(full.from, full.to), HalfMove::Arrow(full.arrow));
        let mut one = Rave::default();
        assert_eq!(mean(&one, Side::First, queen), None);
        one.open();
        add_full(&mut one, full, 1.0);
        let before = one.clone();
        let mut two = one.clone();
        add_full(&mut one, full, 0.0);
        two.add(Side::Second, arrow, 0.25);
        one.merge(&two, &before);
        assert_eq!(mean(&one, Side::First, queen), Some(0.5));
        assert_eq!(mean(&one, Side::First, arrow), Some(0.5));
        assert_eq!(mean(&one, Side::Second, arrow), Some(0.25));
        assert_eq!(mean(&one, Side::Second, queen), None);
        assert_eq!(one.gains(Chooser { side: Side::First, shoots: true }).base, 0.5);
        one.age();
        assert_eq!(mean(&one, Side::First, queen), Some(0.5));
        add_full(&mut one, full, 1.0);
        assert_eq!(mean(&one, Side::First, queen), Some(0.75));
        one.clear();
        assert_eq!(mean(&one, Side::First, queen), None);
    }
}
