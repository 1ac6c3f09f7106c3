//! The side that acts at a node, and whether it moves an amazon or shoots.

use amazons::{AnyPosition, HalfMove, Side};

use super::arena::Edge;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chooser {
    pub(super) side: Side,
    pub(super) shoots: bool,
}

impl Chooser {
    #[inline]
    pub(super) fn of(state: &AnyPosition) -> Chooser {
        Chooser { side: state.to_move(), shoots: state.is_half_ply() }
    }

    #[inline]
    pub(super) fn half_move(self, edge: Edge<'_>) -> HalfMove {
        if self.shoots { HalfMove::Arrow(edge.to()) } else { HalfMove::Queen(edge.queen_move()) }
    }
}
