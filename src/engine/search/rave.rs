//! RAVE: a move's average result elsewhere in the tree counts as virtual visits that fade as real
//! visits arrive.
//!
//! Each worker has one table for the whole tree, by side and half move. The engine adds the
//! workers' results up after each search. A table at each node would get too few results: amazons
//! move, so that few moves recur there (Kloetzer, PhD thesis 2010). The table holds a count and a
//! sum for each move (262 KB). It also holds their means in 16 bits (66 KB). Selection reads only
//! the means and four totals. The table does not hold gains, because every playout changes the mean
//! that all gains refer to.

use super::edge::{Chooser, Edge, UNIT};
use crate::game::{HalfMove, Side, Square};

/// The factor of each count when a ply is played, since earlier results then mean less.
const AGING: f32 = 0.5;

/// Counts stop here, while adding one still changes an `f32`: beyond, the mean would drift.
const MOST_SAMPLES: f32 = (1 << 23) as f32;

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

    #[inline]
    fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| f64::from(self.sum) / f64::from(self.count))
    }

    /// The mean of the values and of `zeros` more samples of value 0.
    #[inline]
    pub(super) fn shrunk_mean(&self, zeros: f64) -> f64 {
        f64::from(self.sum) / (f64::from(self.count) + zeros)
    }

    /// The mean in units of [`UNIT`], at least one of them; 0 if there are no values.
    fn packed_mean(&self) -> u16 {
        // Rounding may take a mean above 1, and the cast saturates.
        let units = (self.sum / self.count * 65_535.0 + 0.5) as u16;
        if self.count > 0.0 { units.max(1) } else { 0 }
    }
}

/// A table of one worker's playouts, which the engine merges after each search; empty until opened.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells(pub(super) Vec<Cell>);

impl Cells {
    /// Allocates the cells at the first call.
    pub(super) fn open(&mut self, count: usize) {
        self.0.resize(count, Cell::default());
    }

    pub(super) fn add(&mut self, place: usize, value: f64) {
        self.0[place].add(value);
    }

    /// Ages the table by one ply: halves the weight of all samples. Means stay, since the factor is a
    /// power of two.
    pub(super) fn age(&mut self) {
        for cell in &mut self.0 {
            cell.count *= AGING;
            cell.sum *= AGING;
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(Cell::default());
    }

    /// Adds the samples that another worker has gained since both had the table `before`.
    pub(super) fn merge(&mut self, other: &Cells, before: &Cells) {
        self.open(self.0.len().max(other.0.len()));
        for (place, (cell, other)) in self.0.iter_mut().zip(&other.0).enumerate() {
            let before = before.0.get(place).copied().unwrap_or_default();
            cell.count += other.count - before.count;
            cell.sum += other.sum - before.sum;
        }
    }
}

/// The table of one worker; empty until [`Rave::open`].
#[derive(Clone, Debug, Default)]
pub(super) struct Rave {
    /// By side and [`HalfMove::index`]. Then all queen moves and all arrows of each side.
    cells: Cells,
    /// The [packed mean](Cell::packed_mean) of each move's cell, then one more 0.
    means: Vec<u16>,
}

impl Rave {
    const MOVES: usize = HalfMove::INDICES;
    const TOTALS: usize = 2 * Rave::MOVES;
    const CELLS: usize = Rave::TOTALS + 4;

    pub(super) fn open(&mut self) {
        self.cells.open(Rave::CELLS);
        self.means.resize(Rave::TOTALS + 1, 0);
    }

    fn cell(side: Side, half: HalfMove) -> usize {
        side as usize * Rave::MOVES + half.index()
    }

    fn total(side: Side, shoots: bool) -> usize {
        Rave::TOTALS + 2 * side as usize + usize::from(shoots)
    }

    /// Adds a half move of a playout, with the playout's value for the side that made it.
    pub(super) fn add(&mut self, side: Side, half: HalfMove, value: f64) {
        let cell = Rave::cell(side, half);
        self.cells.add(cell, value);
        self.means[cell] = self.cells.0[cell].packed_mean();
        self.cells.add(Rave::total(side, matches!(half, HalfMove::Arrow(_))), value);
    }

    #[inline]
    pub(super) fn gains(&self, chooser: Chooser) -> Gains<'_> {
        let Chooser { side, shoots } = chooser;
        let base = self.cells.0.get(Rave::total(side, shoots)).and_then(Cell::mean).unwrap_or(0.0);
        let means = self.means.get(side as usize * Rave::MOVES..).and_then(<[u16]>::first_chunk);
        let squares = if shoots { Square::INDICES - 1 } else { Rave::MOVES - 1 };
        Gains { means, squares, base }
    }

    pub(super) fn age(&mut self) {
        self.cells.age();
    }

    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.means.fill(0);
    }

    /// Adds what another worker has learned since both had the table `before`.
    pub(super) fn merge(&mut self, other: &Rave, before: &Rave) {
        self.cells.merge(&other.cells, &before.cells);
        self.means.resize(self.means.len().max(other.means.len()), 0);
        let cells = self.cells.0.iter().take(Rave::TOTALS);
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
        let mut packed = rave.means.iter().zip(rave.cells.0.iter().take(Rave::TOTALS));
        assert!(packed.all(|(mean, cell)| *mean == cell.packed_mean()));
        rave.cells.0.get(Rave::cell(side, half))?.mean()
    }

    fn add_full(rave: &mut Rave, full: FullMove, value: f64) {
        rave.add(Side::First, HalfMove::Queen(full.queen()), value);
        rave.add(Side::First, HalfMove::Arrow(full.arrow), value);
    }

    #[test]
    fn table_separates_sides_and_halves_and_merges_exactly() {
        let full: FullMove = "a1-j10/a1".parse().unwrap();
        let (queen, arrow) = (HalfMove::Queen(full.queen()), HalfMove::Arrow(full.arrow));
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
