//! Strategies of property tests: boards of a given size, and moves that may or may not be legal on
//! them.

use proptest::collection::vec;
use proptest::prelude::*;
use quiver::game::{FullMove, Side, Square, SquareContent};

use super::plain::{Plain, square};

/// A board of this size with up to four amazons a side and anything from none to nearly all of it
/// burnt.
pub(crate) fn boards(width: usize, height: usize) -> impl Strategy<Value = Plain> {
    let squares: Vec<_> = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).collect();
    let order = Just(squares).prop_shuffle();
    let rolls = vec(0..10, width * height);
    (order, rolls, 0..10, 0..=4_usize, 0..=4_usize, any::<bool>()).prop_map(
        move |(order, rolls, heat, first, second, first_moves)| {
            let mut cells = vec![vec![SquareContent::Empty; width]; height];
            for (rank, ((x, y), roll)) in order.into_iter().zip(rolls).enumerate() {
                cells[y][x] = match rank {
                    _ if rank < first => SquareContent::Amazon(Side::First),
                    _ if rank < first + second => SquareContent::Amazon(Side::Second),
                    _ if roll < heat => SquareContent::Burnt,
                    _ => SquareContent::Empty,
                };
            }
            Plain { cells, to_move: if first_moves { Side::First } else { Side::Second } }
        },
    )
}

pub(crate) fn squares() -> impl Strategy<Value = Square> {
    (0..10_usize, 0..10_usize).prop_map(square)
}

pub(crate) fn triples() -> impl Strategy<Value = FullMove> {
    [squares(), squares(), squares()].prop_map(|[from, to, arrow]| FullMove { from, to, arrow })
}
