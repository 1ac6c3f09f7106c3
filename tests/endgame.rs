//! Tests of the endgame solver against exhaustive search, plain counting and published results.

use std::collections::HashMap;
use std::time::Duration;

use crate::common::{mover_wins, position, start};
use quiver::amazons::{Bitboard, Position, Side, Size, Square, SquareContent};
use quiver::endgame::{BestMoveError, Effort, Prospects, Solution, Solver};
use quiver::search::{Cpu, Engine, EngineOptions, Limits, StopReason, Stopwatch};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A position of a random game with this many empty squares; `None` if the game ended earlier.
fn ending(side: usize, empty: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Position> {
    let mut position = start(side);
    while position.empty().count() > empty {
        let played = position.random_move(rng)?;
        position = position.play_unchecked(played);
    }
    Some(position)
}

/// A 10x10 board with these empty squares and first player's amazons; all other squares are burnt.
fn board_with_region(empty: Bitboard, amazons: &[Square]) -> Position {
    let mut position = Position::new(Size::square(10).unwrap());
    for square in position.empty() - empty {
        position.put(square, SquareContent::Burnt).unwrap();
    }
    for &square in amazons {
        position.put(square, SquareContent::Amazon(Side::First)).unwrap();
    }
    position
}

/// The largest number of moves that the first player can make in a row, by exhaustive search.
fn longest_filling(position: &Position, known: &mut HashMap<Position, i32>) -> i32 {
    if let Some(&count) = known.get(position) {
        return count;
    }
    let mut best = 0;
    for played in position.legal_moves_iter() {
        best = best.max(1 + longest_filling(&position.play_unchecked(played).with_mover(Side::First), known));
    }
    known.insert(*position, best);
    best
}

#[test]
fn solver_agrees_with_exhaustive_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
    let mut solver = Solver::new(4 << 20);
    let mut counts = [0; 2];
    for (side, most) in [(6, 10), (8, 11)] {
        for round in 0..2_000 {
            let Some(position) = ending(side, 3 + round % (most - 2), &mut rng) else { continue };
            let won = mover_wins(&position);
            let expected = if won { position.to_move() } else { !position.to_move() };
            let bounds_say = solver.prove(&position, &Effort::nodes(0)).winner;
            assert!(bounds_say.is_none_or(|winner| winner == expected), "{position}");
            let found = solver.prove(&position, &Effort::nodes(100_000)).winner;
            assert_eq!(found, Some(expected), "{position}");
            counts[usize::from(won)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 800), "too few wins or losses: {counts:?}");
}

/// A random connected region, mostly one square wide. Returns the region's empty squares, and its
/// squares on which the caller will place amazons.
fn random_region(squares: usize, amazons: usize, rng: &mut Xoshiro256PlusPlus) -> (Bitboard, Vec<Square>) {
    let board = Size::square(10).unwrap().mask();
    let mut open = Bitboard::of(Square::new(4, 4).unwrap());
    while (open.count() as usize) < squares {
        let edge = (open.king_reach() & board) - open;
        let square = edge.select(rng.next_u32() % edge.count()).unwrap();
        // Most squares that widen the region are left out: wide regions rarely have dead squares.
        if (Bitboard::of(square).king_reach() & open).count() == 1 || rng.next_u32().is_multiple_of(6) {
            open.insert(square);
        }
    }
    let mut chosen = Vec::new();
    for _ in 0..amazons {
        let square = open.select(rng.next_u32() % open.count()).unwrap();
        open.remove(square);
        chosen.push(square);
    }
    (open, chosen)
}

#[test]
fn region_counts_agree_with_brute_force() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut solver = Solver::new(1 << 20);
    let (mut with_dead_squares, mut exact) = (0, 0);
    for round in 0..3_000 {
        let amazons = 1 + round % 3;
        let (empty, chosen) = random_region(4 + round % 6, amazons, &mut rng);
        let position = board_with_region(empty, &chosen);
        let expected = longest_filling(&position, &mut HashMap::new());
        let Solution { bounds: (least, most), .. } = solver.prove(&position, &Effort::nodes(0));
        let within = least <= expected && expected <= most;
        assert!(within, "{least} to {most}, not {expected}: {position}");
        exact += i32::from(least == most);
        with_dead_squares += i32::from(expected < empty.count() as i32);
    }
    assert!(exact > 2_990, "only {exact} of 3000 regions are counted exactly");
    assert!(with_dead_squares > 150, "only {with_dead_squares} of 3000 regions have dead squares");
}

/// Müller and Tegos (2002) proved that one amazon fills a region of overlapping 2x2 blocks.
#[test]
fn overlapping_blocks_are_filled_completely() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let block = |x: u32, y: u32| -> Bitboard {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
        corners.iter().filter_map(|&(dx, dy)| Square::new((x + dx) as u8, (y + dy) as u8)).collect()
    };
    let mut solver = Solver::new(4 << 20);
    for round in 0..300 {
        let mut region = block(4, 4);
        while region.count() < 6 + round % 14 {
            let next = block(rng.next_u32() % 9, rng.next_u32() % 9);
            if !(next & region).is_empty() {
                region |= next;
            }
        }
        let amazon = region.select(rng.next_u32() % region.count()).unwrap();
        let empty = region - Bitboard::of(amazon);
        let position = board_with_region(empty, &[amazon]);
        let count = empty.count() as i32;
        let bounds = solver.prove(&position, &Effort::nodes(0)).bounds;
        assert_eq!(bounds, (count, count), "{position}");
    }
}

#[test]
fn prospects_bound_every_proof() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(77);
    let mut solver = Solver::new(1 << 20);
    let mut decided = 0;
    for round in 0..3_000 {
        let Some(position) = ending(6 + 2 * (round as usize % 3), 4 + round % 40, &mut rng) else { continue };
        let prospects = Prospects::from(&position);
        let [reached, exclusive] =
            [prospects.reached, prospects.exclusive].map(|sets| sets.map(Bitboard::count));
        assert!((0..2).all(|side| exclusive[side] <= reached[side]));
        assert_eq!(reached[0] - exclusive[0], reached[1] - exclusive[1]);
        let Solution { winner, bounds: (least, most), .. } = solver.prove(&position, &Effort::nodes(0));
        assert!(-(reached[1] as i32) <= least && most <= reached[0] as i32, "{position}");
        assert!(winner.is_none() || prospects.may_be_decided(position.to_move()), "{position}");
        decided += i32::from(winner.is_some());
    }
    assert!(decided > 300, "{decided}");
}

/// A dead square is a square that only one side reaches but that gives this side no move. The
/// solver counts the mover's dead squares minus the opponent's dead squares.
#[test]
fn dead_squares_are_counted_for_the_mover() {
    for (fen, expected) in [
        // No side has two squares that only it reaches, so dead squares are not counted (`None`).
        ("Q3/4/4/3q w", None),
        // The amazon on b4 can move only once, to a3 or c3. So one of these two squares is dead.
        ("*****/*Q***/1*1**/*****/****q w", Some(1)),
        ("*****/*Q***/1*1**/*****/****q b", Some(-1)),
        // The amazon on a4 fills b4 to d4, so no square is dead.
        ("Q3/****/****/***q w", Some(0)),
        // To keep the opponent out, an amazon that blocks the way must burn the square that it
        // leaves. If all empty squares are on the amazon's left, none of them is dead. If they are
        // on its left and right, it can fill only one part, and the other part's squares are dead.
        ("3Qq w", Some(0)),
        ("**q*/**Q*/2*1 w", Some(1)),
        // No square is dead if the opponent has no amazon, or if a second own amazon reaches d1.
        ("****/**Q*/2*1 w", Some(0)),
        ("**q**/**Q**/2*1Q w", Some(0)),
        // Both sides have two squares, but the first player gets only one move.
        ("**2q/*****/*Q***/1*1**/***** b", Some(-1)),
    ] {
        let position = position(fen);
        let amazons = [position.to_move(), !position.to_move()].map(|side| position.amazons(side));
        assert_eq!(Solver::new(1 << 16).dead_squares(position.empty(), amazons), expected, "{fen}");
    }
}

#[test]
fn best_move_wins_against_any_reply() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut solver = Solver::new(4 << 20);
    let mut played = 0;
    for round in 0..400 {
        let Some(mut position) = ending(8, 6 + round % 14, &mut rng) else { continue };
        let effort = Effort::nodes(20_000);
        let Some(winner) = solver.prove(&position, &effort).winner else { continue };
        while position.winner().is_none() {
            let played = if position.to_move() != winner && round % 2 == 0 {
                position.random_move(&mut rng).unwrap()
            } else {
                solver.best_move(&position, winner, &effort).expect("a move, which wins if it can")
            };
            position = position.play(played).unwrap();
        }
        assert_eq!(position.winner(), Some(winner));
        played += 1;
    }
    assert!(played > 200, "{played}");
}

/// At the first node, the solver counts some thousand regions, which takes half a second.
#[test]
fn proof_stops_within_a_node() {
    let position = position("**q1**q**1/*3*Q*1q1/1q2Q1***Q/*Q***5/4*5/10/6*3/10/10/10 w - - 0 1");
    let calls = std::cell::Cell::new(0);
    let stop = || {
        calls.set(calls.get() + 1);
        calls.get() == 3
    };
    let solution = Solver::new(1 << 20).prove(&position, &Effort { nodes: u64::MAX, stop: &stop });
    assert_eq!((solution.winner, solution.nodes, calls.get()), (None, 1, 3));
}

#[test]
fn best_moves_reach_the_counted_margin() {
    // The first player has a region of five squares, the second player a region of three.
    let mut position = position("Q2*1q/3*2 w");
    let mut solver = Solver::new(1 << 20);
    let solution = solver.prove(&position, &Effort::nodes(0));
    assert_eq!((solution.winner, solution.margin(), solution.bounds), (Some(Side::First), Some(2), (2, 2)));
    let mut plies = 0;
    while let Ok(played) = solver.best_move(&position, Side::First, &Effort::nodes(0)) {
        position = position.play(played).unwrap();
        plies += 1;
    }
    let none = solver.best_move(&position, Side::First, &Effort::nodes(0));
    assert_eq!(none, Err(BestMoveError::NoMove));
    // After its three moves, the second player has no further move.
    assert_eq!((plies, position.winner()), (7, Some(Side::First)));
    assert_eq!(position.empty().count(), 1);
}

/// Checks that the solver proves the winner that Müller and Song published for their start
/// position. Each side has four amazons, two in its first row and two at the ends of the next row.
fn published(fen: &str, nodes: u64, winner: Side) {
    let solution = Solver::new(256 << 20).prove(&position(fen), &Effort::nodes(nodes));
    assert_eq!(solution.winner, Some(winner), "{fen}");
}

#[test]
fn small_boards_have_their_published_winners() {
    published("1qq1/q2q/Q2Q/1QQ1 w", 1_000_000, Side::Second);
    published("1q1q1/q3q/Q3Q/1Q1Q1 w", 1_000_000, Side::First);
}

#[test]
#[ignore = "takes a minute: some 700,000 nodes"]
fn five_by_five_has_its_published_winner() {
    published("1q1q1/q3q/5/Q3Q/1Q1Q1 w", u64::MAX, Side::First);
}

#[test]
fn engine_never_loses_a_proven_win() {
    let mut proven = 0;
    for seed in 0..12 {
        let mut position = start(6);
        let options = EngineOptions { memory: 16 << 20, seed, ..EngineOptions::default() };
        let mut engines = [Engine::new(&options, &position), Engine::new(&options, &position)];
        let mut winner: Option<Side> = None;
        while position.winner().is_none() {
            let report = engines[position.to_move().index()].search(&Limits::playouts(100)).unwrap();
            if let Some(ending) = report.ending {
                let value = f64::from(u8::from(ending.winner == position.to_move()));
                assert!(report.proven && report.value == value);
                assert!(winner.is_none_or(|winner| winner == ending.winner), "{position}");
                winner = Some(ending.winner);
            }
            position = position.play(report.best).unwrap();
            engines.iter_mut().for_each(|engine| engine.advance(report.best).unwrap());
        }
        assert!(winner.is_none() || winner == position.winner(), "seed {seed}");
        proven += i32::from(winner.is_some());
    }
    assert!(proven >= 10, "{proven} games of 12 with a proof");
}

fn cpu_limits(micros: u64) -> Limits {
    let stopwatch = Some(Stopwatch::cpu(Cpu::Thread));
    Limits { stopwatch, ..Limits::per_move(Duration::from_micros(micros)) }
}

/// The side to move wins, but an engine with 0.25 ms a move played c1-b1/c1 and lost the game.
#[test]
fn bounds_give_the_winning_move_without_time() {
    let moves = include_str!("data/faults/won-at-1ms.moves").split_whitespace();
    let position = moves.fold(start(8), |position, played| position.play(played.parse().unwrap()).unwrap());
    let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
    let report = Engine::new(&options, &position).search(&cpu_limits(0)).unwrap();
    assert_eq!((report.value, report.proven, report.playouts), (1.0, true, 0));
    let after = position.play(report.best).unwrap();
    let solution = Solver::new(1 << 20).prove(&after, &Effort::nodes(20_000));
    assert_eq!(solution.winner, Some(Side::First), "{}", report.best);
}

#[test]
fn short_turns_keep_every_proven_win() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(61);
    let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
    let mut solver = Solver::new(4 << 20);
    let (mut kept, mut by_bounds) = (0, 0);
    for board in [8, 10] {
        let mut engine = Engine::new(&options, &start(board));
        for round in 0..500 {
            let Some(mut position) = ending(board, 8 + round % 32, &mut rng) else { continue };
            let limit = [0, 100, 1_000][round as usize % 3];
            let mut proven = false;
            let begun = position;
            engine.set_position(&position);
            let mover = position.to_move();
            while position.winner().is_none() {
                let played = if position.to_move() == mover {
                    let bounds = solver.prove(&position, &Effort::nodes(0)).winner;
                    let report = engine.search(&cpu_limits(limit)).unwrap();
                    let won = report.proven && report.value == 1.0;
                    // If there is only one move, the engine plays it without a proof.
                    let known = proven || bounds == Some(mover);
                    let is_kept = won || !known || report.stop == Some(StopReason::OnlyMove);
                    assert!(
                        is_kept,
                        "{begun}: {position} at {limit} us, {bounds:?} by bounds, proven before: {proven}"
                    );
                    proven |= won;
                    by_bounds += u32::from(bounds == Some(mover));
                    report.best
                } else {
                    position.random_move(&mut rng).unwrap()
                };
                position = position.play(played).unwrap();
                engine.advance(played).unwrap();
            }
            assert!(!proven || position.winner() == Some(mover), "{begun} at {limit} us");
            kept += u32::from(proven);
        }
    }
    assert!(kept > 300 && by_bounds > 1_000, "{kept} games with a proof, {by_bounds} turns won by bounds");
}
