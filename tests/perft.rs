//! Counts of lines of play against the reference numbers of `src/contest/positions/perft.txt`.

mod common;

use common::plain::images;
use quiver::game::{Fen, Position, Size, Start, divide, perft};

/// Counts up to here take a fraction of a second and belong to every test run.
const QUICK: u64 = 100_000_000;

struct Case {
    fen: &'static str,
    position: Position,
    /// (depth, count)
    counts: Vec<(u32, u64)>,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("../src/contest/positions/perft.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(case).collect()
}

fn case(line: &'static str) -> Case {
    let mut parts = line.split(';').map(str::trim);
    let fen = parts.next().expect("a FEN");
    let counts = parts.map(|part| {
        let (depth, count) = part.strip_prefix('D').and_then(|part| part.split_once(' ')).expect(part);
        (depth.parse().expect(part), count.parse().expect(part))
    });
    Case { fen, position: fen.parse::<Fen>().expect(fen).0, counts: counts.collect() }
}

#[test]
fn quick_counts_are_the_reference() {
    let mut checked = 0;
    for case in cases() {
        assert_eq!(perft(&case.position, 0), 1);
        for (depth, count) in case.counts.into_iter().filter(|&(_, count)| count <= QUICK) {
            assert_eq!(perft(&case.position, depth), count, "{} at depth {depth}", case.fen);
            checked += 1;
        }
    }
    assert_eq!(checked, 33, "depths 1 and 2 of eleven boards, 3 of seven, 4 of three, 5 of one");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "11 billion lines: seven seconds, but only in a release build")]
fn slow_counts_are_the_reference() {
    let slow = |case: &Case| case.counts.iter().any(|&(_, count)| count > QUICK);
    let slow: Vec<Case> = cases().into_iter().filter(slow).collect();
    assert_eq!(slow.len(), 3, "the starts of 10x10 and 8x8, and the middle of a game");
    for case in slow {
        for (depth, count) in case.counts {
            assert_eq!(perft(&case.position, depth), count, "{} at depth {depth}", case.fen);
        }
    }
}

#[test]
fn the_first_cases_are_the_start_positions() {
    for (case, side) in cases().iter().zip([10, 8, 6]) {
        let start = Start::Formula.position(Size::square(side).unwrap()).unwrap();
        assert_eq!(case.position, start, "{}", case.fen);
    }
}

#[test]
fn a_divided_count_adds_up_over_the_legal_moves() {
    for case in cases() {
        for (depth, count) in case.counts.into_iter().filter(|&(_, count)| count <= 1_000_000) {
            let parts: Vec<_> = divide(&case.position, depth).collect();
            assert!(parts.iter().map(|(full, _)| *full).eq(case.position.full_moves()), "{}", case.fen);
            assert_eq!(parts.iter().map(|(_, below)| below).sum::<u64>(), count, "{}", case.fen);
            for (full, below) in parts {
                assert_eq!(below, perft(&case.position.play(full).unwrap(), depth - 1), "{full}");
            }
        }
        assert_eq!(divide(&case.position, 0).count(), 0);
    }
}

/// Turning the board and swapping the players changes no count: sixteen views of one position.
#[test]
fn every_view_of_a_position_has_its_count() {
    for case in cases() {
        let expected = perft(&case.position, 1);
        for view in images(&case.position) {
            assert_eq!(perft(&view, 1), expected, "{}", Fen(view));
        }
    }
}
