//! The state of a descent of the tree: before a queen move, or before the arrow.

use super::edge::Edge;
use crate::game::{HalfMove, Moment, QueenMove, Side};

/// The side that chooses at a node, and between what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chooser {
    pub(super) side: Side,
    pub(super) shoots: bool,
}

impl Chooser {
    #[inline]
    pub(super) fn of(state: &Moment) -> Chooser {
        Chooser { side: state.side(), shoots: state.is_half_ply() }
    }

    /// The half move that an edge stands for here.
    #[inline]
    pub(super) fn half_move(self, edge: Edge<'_>) -> HalfMove {
        if self.shoots {
            HalfMove::Arrow(edge.to())
        } else {
            HalfMove::Queen(QueenMove { from: edge.from(), to: edge.to() })
        }
    }
}
