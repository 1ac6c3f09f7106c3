//! Tests of move counts against the reference counts in `src/training/positions/perft.txt`, and
//! against random games that another implementation played.

use std::fs;
use std::path::Path;

use crate::common::program::{printed, quiver};
use crate::common::{position, start};
use quiver::amazons::{Side, Size, divide, perft};
use quiver::{Coordinates, Start};
use serde::Deserialize;

/// Checks that `quiver suite --perft` confirms all reference counts up to `most`. `counts` says how
/// many there are.
fn check_reference_counts(most: &str, counts: usize) {
    let text = printed(quiver(&["suite", "--perft", most]));
    assert_eq!(text.lines().filter(|line| line.ends_with(", ok")).count(), counts, "{text}");
}

/// Checks the counts that take less than a second: depths 1 and 2 from eleven positions, depth 3
/// from seven of them, depth 4 from three and depth 5 from one.
#[test]
fn quick_counts_match_the_reference() {
    check_reference_counts("100000000", 33);
}

/// Checks the quick counts, and depth 3 from the start of 10x10, from the start of 8x8, and from a
/// position of a game.
#[test]
#[cfg_attr(debug_assertions, ignore = "11 billion lines: seven seconds, but only in a release build")]
fn slow_counts_match_the_reference() {
    check_reference_counts("10000000000", 36);
}

#[test]
fn even_square_boards_have_start_positions() {
    for (side, start, fen) in [
        (6, Start::Formula, "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w - - 0 1"),
        (8, Start::Formula, "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1"),
        (10, Start::Formula, "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1"),
        (10, Start::Left, "3Q2q3/10/10/Q8q/10/10/Q8q/10/10/3Q2q3 w - - 0 1"),
    ] {
        assert_eq!(start.position(Size::square(side).unwrap()).unwrap().to_string(), fen);
    }
    for (width, height) in [(4, 4), (7, 7), (9, 9), (8, 10)] {
        let size = Size::new(width, height).unwrap();
        assert!(Start::Formula.position(size).is_err(), "{size}");
    }
}

#[test]
fn divide_sums_to_perft() {
    // `perft.txt` has these counts too, but with exchanged sides in the second of these positions.
    for (fen, depth, count) in [
        ("1q2q1/q4q/6/6/Q4Q/1Q2Q1 w", 2, 238_532),
        ("q1q/1*1/Q1Q b", 3, 190),
        ("2**2*1/1*q*1q*1/1*Q*Q**1/2**1*1*/***3*Q/*1*1***q/2*Q*3/2q1*2* b", 3, 73_168),
    ] {
        let position = position(fen);
        let parts: Vec<_> = divide(&position, depth).collect();
        assert!(parts.iter().map(|(candidate, _)| *candidate).eq(position.legal_moves_iter()), "{fen}");
        let below = |candidate| perft(&position.play(candidate).unwrap(), depth - 1);
        assert!(parts.iter().all(|&(candidate, count)| count == below(candidate)), "{fen}");
        assert_eq!(parts.iter().map(|(_, below)| below).sum::<u64>(), count, "{fen}");
        assert_eq!((divide(&position, 0).count(), perft(&position, 0)), (0, 1), "{fen}");
    }
}

/// One recorded game, which is one line of a file in `tests/data/games`.
#[derive(Deserialize)]
struct RandomGame {
    size: usize,
    moves: Vec<[i64; 6]>,
    /// The number of legal full moves before each move.
    legal: Vec<u64>,
    winner: Option<Side>,
}

#[test]
fn random_games_match_recorded_counts() {
    let mut games = 0;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        for (line, game) in (1..).zip(fs::read_to_string(&path).unwrap().lines()) {
            let RandomGame { size, moves, legal, winner } = serde_json::from_str(game).unwrap();
            let place = format!("{}, game {line}", path.display());
            let mut position = start(size);
            assert_eq!(moves.len(), legal.len(), "{place}");
            for (ply, (six, legal)) in moves.into_iter().zip(legal).enumerate() {
                assert_eq!(position.winner(), None, "{place}, ply {ply}");
                assert_eq!(position.count_legal_moves(position.to_move()), legal, "{place}, ply {ply}");
                let candidate = Coordinates(six).full_move().unwrap();
                position =
                    position.play(candidate).unwrap_or_else(|error| panic!("{place}, ply {ply}: {error}"));
            }
            assert_eq!(position.winner(), winner, "{place}");
            games += 1;
        }
    }
    assert_eq!(games, 72);
}
