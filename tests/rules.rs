//! Compares the rules with a second, simpler move generator on random boards of every size.

use std::fmt::Debug;

use crate::common::plain::{PlainBoard, square};
use crate::common::strategies::{arbitrary_moves, boards, squares};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{TestCaseResult, TestRunner};
use quiver::amazons::{Bitboard, Move, Side, Square, SquareContent, queen_reach};

/// Checks a property on 100 random boards of each size from 1x1 to 10x10. For each board, the
/// strategy `arguments` generates a new random argument of the property.
fn on_every_size<T: Debug>(
    arguments: impl Strategy<Value = T>,
    property: impl Fn(PlainBoard, T) -> TestCaseResult,
) {
    for width in 1..=10 {
        for height in 1..=10 {
            let mut runner = TestRunner::new(ProptestConfig::with_cases(100));
            let strategy = (boards(width, height), &arguments);
            if let Err(failure) = runner.run(&strategy, |(plain, argument)| property(plain, argument)) {
                panic!("{width}x{height}: {failure}");
            }
        }
    }
}

/// Returns the moves in sorted order, duplicates included.
fn sorted<T: Ord>(moves: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut moves: Vec<T> = moves.into_iter().collect();
    moves.sort_unstable();
    moves
}

/// At most `max_count` of the moves, taken at regular intervals.
fn sample(moves: &[Move], max_count: usize) -> impl Iterator<Item = Move> + '_ {
    moves.iter().copied().step_by(moves.len().div_ceil(max_count).max(1))
}

#[test]
fn position_reports_contents_of_squares() {
    on_every_size(Just(()), |plain, ()| {
        let position = plain.position();
        prop_assert_eq!(PlainBoard::of(&position), plain.clone());
        let held = |content| -> Vec<Square> {
            plain.places().filter(|&(x, y)| plain.cells[y][x] == content).map(square).collect()
        };
        prop_assert_eq!(position.burnt(), held(SquareContent::Burnt).into_iter().collect::<Bitboard>());
        for side in Side::BOTH {
            prop_assert_eq!(position.amazons(side), &held(SquareContent::Amazon(side))[..]);
        }
        // A `Bitboard` yields its squares row by row, and `select(n)` returns square number n.
        let empty = held(SquareContent::Empty);
        let set = position.empty();
        prop_assert_eq!(set.iter().collect::<Vec<_>>(), &empty[..]);
        prop_assert_eq!((set.count() as usize, set.iter().len()), (empty.len(), empty.len()));
        prop_assert!((0..=100).map_while(|n| set.select(n)).eq(empty));
        for from in plain.places() {
            let reached: Bitboard = plain.reachable_places(from).into_iter().map(square).collect();
            prop_assert_eq!(queen_reach(square(from), position.empty()), reached);
        }
        Ok(())
    });
}

#[test]
fn put_replaces_the_content() {
    let start = crate::common::position("q3q/5/1*QQQ/Q3q b");
    let amazon = SquareContent::Amazon;
    for (square, content, expected) in [
        ("a1", SquareContent::Burnt, Ok("q3q/5/1*QQQ/*3q b - - 0 1")),
        ("a1", amazon(Side::Second), Ok("q3q/5/1*QQQ/q3q b - - 0 1")),
        ("a1", amazon(Side::First), Ok("q3q/5/1*QQQ/Q3q b - - 0 1")),
        ("b2", amazon(Side::Second), Ok("q3q/5/1qQQQ/Q3q b - - 0 1")),
        ("b2", SquareContent::Empty, Ok("q3q/5/2QQQ/Q3q b - - 0 1")),
        ("b2", amazon(Side::First), Err("a fifth amazon of the first player on b2: expected at most 4")),
        ("f1", SquareContent::Empty, Err("f1 is not on the board of 5x4: expected a square of the board")),
        ("a5", SquareContent::Empty, Err("a5 is not on the board of 5x4: expected a square of the board")),
    ] {
        let mut position = start;
        let got = position.put(square.parse().unwrap(), content).map(|()| position);
        let got = got.map_err(|error| error.to_string());
        let expected = expected.map(crate::common::position).map_err(str::to_owned);
        assert_eq!(got, expected, "{square}");
        assert!(got.is_ok() || position == start, "{square}");
    }
}

#[test]
fn legal_moves_agree_with_plain_generator() {
    on_every_size(Just(()), |plain, ()| {
        prop_assert_eq!(plain.position().winner(), plain.winner());
        for side in Side::BOTH {
            let plain = PlainBoard { to_move: side, ..plain.clone() };
            let position = plain.position();
            let queens = plain.queen_moves();
            prop_assert_eq!(sorted(position.queen_moves()), sorted(queens.iter().copied()));
            for queen in queens {
                let half = position.move_queen(queen)?;
                prop_assert_eq!(half, position.move_queen_unchecked(queen));
                prop_assert_eq!((half.to_move(), half.shooter()), (side, queen.to));
                prop_assert_eq!(sorted(half.arrows()), sorted(plain.arrows(queen)));
            }
            let legal = plain.legal_moves();
            for played in sample(&legal, 50) {
                let after = position.play(played)?;
                prop_assert_eq!(after, position.play_unchecked(played));
                prop_assert_eq!(after, plain.play(played).position());
            }
            // Moves can also be counted for the side that is not to move.
            for position in [position, position.with_mover(!side)] {
                prop_assert_eq!(position.count_legal_moves(side), legal.len() as u64);
                prop_assert_eq!(position.can_move(side), !legal.is_empty());
            }
            prop_assert_eq!(sorted(position.legal_moves_iter()), sorted(legal));
        }
        Ok(())
    });
}

#[test]
fn play_accepts_exactly_legal_moves() {
    let wild = vec((any::<Index>(), 0..3_usize, squares(), arbitrary_moves()), 40);
    on_every_size(wild, |plain, wild| {
        let position = plain.position();
        let legal = plain.legal_moves();
        for (index, part, square, mut played) in wild {
            // Replaces one square of a legal move. The new move is sometimes legal, mostly illegal.
            if !legal.is_empty() {
                played = *index.get(&legal);
                *[&mut played.from, &mut played.to, &mut played.arrow][part] = square;
            }
            prop_assert_eq!(position.play(played).is_ok(), legal.contains(&played), "{}", played);
        }
        Ok(())
    });
}

#[test]
fn illegal_move_errors_name_the_cause() {
    let position = crate::common::position("3q/1*2/Q2Q w");
    let play = |played: &str| position.play(played.parse().unwrap());
    let illegal = "e1-d1/d2 a1-a4/a3 a1-a2/a4 b1-c1/c2 b2-b1/c1 d3-c3/c2 a1-c3/c2 d1-d3/c3 a1-a1/a2 \
                   a1-a2/b2 a1-a2/a2 a1-a2/d2";
    let refusals: Vec<_> =
        illegal.split(' ').map(|played| format!("{played}: {}", play(played).unwrap_err())).collect();
    insta::assert_snapshot!("illegal-moves", refusals.join("\n"));
    // An arrow may burn the square that the amazon left, or fly over it.
    assert!(["a1-b1/a1", "d1-c1/d1", "a1-a2/a1"].into_iter().all(|played| play(played).is_ok()));
}
