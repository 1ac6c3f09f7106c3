//! Counts sequences of legal moves. Two programs compare their counts to test move generators.

use crate::moves::Move;
use crate::position::Position;

/// The number of sequences of `depth` legal full moves from a position; 1 for a depth of 0.
///
/// ```
/// use amazons::{Position, Size, perft};
///
/// let start = Position::start(Size::square(10)?)?;
/// assert_eq!(perft(&start, 1), 2176);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(position.to_move()),
        _ => position
            .legal_moves_iter()
            .map(|candidate| perft(&position.play_unchecked(candidate), depth - 1))
            .sum(),
    }
}

/// Each legal move, and how many sequences of `depth` plies begin with it; empty for a depth of 0.
pub fn divide(position: &Position, depth: u32) -> impl Iterator<Item = (Move, u64)> + '_ {
    let moves = (depth > 0).then(|| position.legal_moves_iter()).into_iter().flatten();
    moves.map(move |candidate| (candidate, perft(&position.play_unchecked(candidate), depth - 1)))
}
