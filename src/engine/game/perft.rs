//! Counting lines of play, the test of every move generator.

use super::moves::FullMove;
use super::position::Position;

/// The number of different lines of `depth` plies from here; 1 for a depth of 0.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        // The last ply is counted, not played.
        1 => position.count_full_moves(position.to_move()),
        _ => position.full_moves().map(|full| perft(&position.play_unchecked(full), depth - 1)).sum(),
    }
}

/// [`perft`] for each first move, in the order of generation; nothing for a depth of 0.
pub fn divide(position: &Position, depth: u32) -> impl Iterator<Item = (FullMove, u64)> + '_ {
    let moves = (depth > 0).then(|| position.full_moves()).into_iter().flatten();
    moves.map(move |full| (full, perft(&position.play_unchecked(full), depth - 1)))
}
