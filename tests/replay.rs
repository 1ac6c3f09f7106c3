//! Random games of an independent implementation, replayed.

mod common;

use std::fs;
use std::path::Path;

use common::plain::Plain;
use quiver::game::{Coordinates, Position, Side, Size};
use serde::Deserialize;

/// A line of `tests/data/games`.
#[derive(Deserialize)]
struct RandomGame {
    size: usize,
    moves: Vec<[i64; 6]>,
    /// The legal full moves before each move.
    legal: Vec<u64>,
    winner: Option<Side>,
}

#[test]
fn random_games_have_their_counts_and_winners() {
    let mut games = 0;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        for (line, game) in (1..).zip(fs::read_to_string(&path).unwrap().lines()) {
            let RandomGame { size, moves, legal, winner } = serde_json::from_str(game).unwrap();
            let place = format!("{}, game {line}", path.display());
            let mut position = Position::start(Size::square(size).unwrap()).unwrap();
            let mut plain = Plain::of(&position);
            assert_eq!(moves.len(), legal.len(), "{place}");
            for (ply, (six, legal)) in moves.into_iter().zip(legal).enumerate() {
                assert_eq!(position.winner(), None, "{place}, ply {ply}");
                assert_eq!(position.count_full_moves(position.to_move()), legal, "{place}, ply {ply}");
                let full = Coordinates(six).full_move().unwrap();
                position = position.play(full).unwrap_or_else(|error| panic!("{place}, ply {ply}: {error}"));
                plain = plain.play(full);
                assert_eq!(Plain::of(&position), plain, "{place}, ply {ply}");
            }
            assert_eq!(position.winner(), winner, "{place}");
            games += 1;
        }
    }
    assert_eq!(games, 72);
}
