//! Random games of an independent implementation, replayed.

mod common;

use std::fs;
use std::path::PathBuf;

use common::plain::Plain;
use quiver::game::{FullMove, Position, Size, Square, Start};
use serde_json::Value;

fn start(side: usize) -> Position {
    Start::Formula.position(Size::square(side).unwrap()).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

fn full_move(numbers: &Value) -> FullMove {
    let [x0, y0, x1, y1, x2, y2] = std::array::from_fn(|index| number(&numbers[index]) as u8);
    let square = |x, y| Square::new(x, y).unwrap();
    FullMove { from: square(x0, y0), to: square(x1, y1), arrow: square(x2, y2) }
}

#[test]
fn random_games_have_their_counts_and_winners() {
    let mut games = 0;
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let (name, text) = (path.display(), fs::read_to_string(&path).unwrap());
        for (line, game) in text.lines().enumerate() {
            let game: Value = serde_json::from_str(game).unwrap();
            let place = format!("{name}, game {}", line + 1);
            let mut position = start(number(&game["size"]) as usize);
            let mut plain = Plain::of(&position);
            let (moves, legal) = (game["moves"].as_array().unwrap(), game["legal"].as_array().unwrap());
            assert_eq!(moves.len(), legal.len(), "{place}");
            for (ply, (six, legal)) in moves.iter().zip(legal).enumerate() {
                assert_eq!(position.winner(), None, "{place}, ply {ply}");
                let counted = position.count_full_moves(position.to_move());
                assert_eq!(counted, number(legal), "{place}, ply {ply}");
                let full = full_move(six);
                position = position.play(full).unwrap_or_else(|error| panic!("{place}, ply {ply}: {error}"));
                plain = plain.play(full);
                assert_eq!(Plain::of(&position), plain, "{place}, ply {ply}");
            }
            assert_eq!(serde_json::to_value(position.winner()).unwrap(), game["winner"], "{place}");
            games += 1;
        }
    }
    assert_eq!(games, 72);
}
