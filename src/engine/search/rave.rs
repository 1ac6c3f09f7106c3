//! RAVE: selection also uses the mean result of a move elsewhere in the tree. This mean weighs as
//! much as a fixed number of visits, so that its share falls as the move gets real visits.
//!
//! Each worker has one table for the whole tree, with a cell for each side and half move (queen
//! move or arrow). A table at each node would get too few results, because few moves of a node are
//! played again later, when amazons have moved (Kloetzer, PhD thesis 2010). A cell holds a count
//! and a sum (262 KB for all cells). A second list has the means of the cells in 16 bits (66 KB).
//! The gain of a queen move is its mean minus the mean of all queen moves of the side, and likewise
//! for arrows. The table stores no gains, because every playout changes all of them.

use amazons::{HalfMove, Side, Square};

use super::arena::{Edge, VALUE_UNIT};
use super::chooser::Chooser;
use super::mean_table::{MeanCell, MeanTable};

/// The RAVE table of one worker; empty before [`Rave::allocate`].
#[derive(Clone, Debug, Default)]
pub(super) struct Rave {
    /// A cell for each side and half move, then four totals: queen moves and arrows of each side.
    mean_table: MeanTable,
    /// The [packed mean](MeanCell::packed_mean) of each cell except the totals, then a padding 0.
    means: Vec<u16>,
}

impl Rave {
    const MOVES: usize = HalfMove::INDICES;
    const FIRST_TOTAL: usize = 2 * Rave::MOVES;
    const CELLS: usize = Rave::FIRST_TOTAL + 4;

    pub(super) fn allocate(&mut self) {
        self.mean_table.allocate(Rave::CELLS);
        self.means.resize(Rave::FIRST_TOTAL + 1, 0);
    }

    fn cell_index(side: Side, half: HalfMove) -> usize {
        side as usize * Rave::MOVES + half.index()
    }

    fn total_index(side: Side, shoots: bool) -> usize {
        Rave::FIRST_TOTAL + 2 * side as usize + usize::from(shoots)
    }

    /// Adds a half move of a playout, with the playout's value for the side of the half move.
    pub(super) fn add(&mut self, side: Side, half: HalfMove, value: f32) {
        let cell = Rave::cell_index(side, half);
        self.mean_table.add(cell, value);
        self.means[cell] = self.mean_table.0[cell].packed_mean();
        self.mean_table.add(Rave::total_index(side, matches!(half, HalfMove::Arrow(_))), value);
    }

    #[inline]
    pub(super) fn gains(&self, chooser: Chooser) -> Gains<'_> {
        let Chooser { side, shoots } = chooser;
        let base =
            self.mean_table.0.get(Rave::total_index(side, shoots)).and_then(MeanCell::mean).unwrap_or(0.0);
        let means = self.means.get(side as usize * Rave::MOVES..).and_then(<[u16]>::first_chunk);
        let means = means.unwrap_or(&[0; Rave::MOVES + 1]);
        let index_mask = if shoots { Square::INDICES - 1 } else { Rave::MOVES - 1 };
        Gains { means, index_mask, base: base as f32 }
    }

    pub(super) fn age(&mut self) {
        self.mean_table.age();
    }

    pub(super) fn clear(&mut self) {
        self.mean_table.clear();
        self.means.fill(0);
    }

    pub(super) fn merge(&mut self, other: &Rave, original: &Rave) {
        self.mean_table.merge(&other.mean_table, &original.mean_table);
        self.means.resize(self.means.len().max(other.means.len()), 0);
        let mean_table = self.mean_table.0.iter().take(Rave::FIRST_TOTAL);
        self.means.iter_mut().zip(mean_table).for_each(|(mean, cell)| *mean = cell.packed_mean());
    }
}

/// The RAVE gains of one side's queen moves or arrows: each mean minus the mean of all these moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gains<'a> {
    /// The mean of each move, indexed by [`HalfMove::index`]; 0 if no playout had the move. One
    /// number of padding follows, because vector loads read two numbers.
    pub(super) means: &'a [u16; Rave::MOVES + 1],
    /// The mask that turns an [`Edge::square_pair_index`] into an index of `means`. The mask keeps
    /// both squares of a queen move, but only the target square of an arrow.
    pub(super) index_mask: usize,
    pub(super) base: f32,
}

impl Gains<'_> {
    #[inline]
    pub(super) fn gain(&self, edge: Edge<'_>) -> f32 {
        match self.means[edge.square_pair_index() & self.index_mask] {
            0 => 0.0,
            mean => f32::from(mean) * VALUE_UNIT as f32 - self.base,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amazons::Move;

    fn mean(rave: &Rave, side: Side, half: HalfMove) -> Option<f64> {
        let mut packed = rave.means.iter().zip(rave.mean_table.0.iter().take(Rave::FIRST_TOTAL));
        assert!(packed.all(|(mean, cell)| *mean == cell.packed_mean()));
        rave.mean_table.0.get(Rave::cell_index(side, half))?.mean()
    }

    fn add_both_halves(rave: &mut Rave, played: Move, value: f32) {
        rave.add(Side::First, HalfMove::Queen(played.queen()), value);
        rave.add(Side::First, HalfMove::Arrow(played.arrow), value);
    }

    #[test]
    fn table_separates_sides_and_halves_and_merges_exactly() {
        let played: Move = "a1-j10/a1".parse().unwrap();
        let (queen, arrow) = (HalfMove::Queen(played.queen()), HalfMove::Arrow(played.arrow));
        let mut one = Rave::default();
        assert_eq!(mean(&one, Side::First, queen), None);
        one.allocate();
        add_both_halves(&mut one, played, 1.0);
        let original = one.clone();
        let mut two = one.clone();
        add_both_halves(&mut one, played, 0.0);
        two.add(Side::Second, arrow, 0.25);
        one.merge(&two, &original);
        assert_eq!(mean(&one, Side::First, queen), Some(0.5));
        assert_eq!(mean(&one, Side::First, arrow), Some(0.5));
        assert_eq!(mean(&one, Side::Second, arrow), Some(0.25));
        assert_eq!(mean(&one, Side::Second, queen), None);
        assert_eq!(one.gains(Chooser { side: Side::First, shoots: true }).base, 0.5);
        one.age();
        assert_eq!(mean(&one, Side::First, queen), Some(0.5));
        add_both_halves(&mut one, played, 1.0);
        assert_eq!(mean(&one, Side::First, queen), Some(0.75));
        one.clear();
        assert_eq!(mean(&one, Side::First, queen), None);
    }
}
