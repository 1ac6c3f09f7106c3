//! The solver of endings against full search, and against what is published.

use std::collections::HashMap;

use quiver::endgame::{Effort, Solver};
use quiver::game::{Fen, Position, Side, Size, Start};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Whether the side to move wins, by trying everything.
fn wins(position: &Position, known: &mut HashMap<Position, bool>) -> bool {
    if let Some(&won) = known.get(position) {
        return won;
    }
    let won = position.full_moves().any(|full| !wins(&position.play_unchecked(full), known));
    known.insert(*position, won);
    won
}

/// A position of a random game with just so many empty squares; `None` if that game ended before.
fn ending(side: usize, empty: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Position> {
    let mut position = Start::Formula.position(Size::square(side).unwrap()).unwrap();
    while position.empty().count() > empty {
        let full = position.random_full_move(rng)?;
        position = position.play_unchecked(full);
    }
    Some(position)
}

#[test]
fn verdicts_agree_with_full_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
    let mut solver = Solver::new(4 << 20);
    let mut counts = [0; 2];
    for (side, most, games) in [(6, 10, 2_000), (8, 11, 2_000)] {
        for round in 0..games {
            let Some(position) = ending(side, 3 + round % (most - 2), &mut rng) else { continue };
            let winner = solver.prove(&position, &Effort::nodes(100_000)).winner;
            let won = wins(&position, &mut HashMap::new());
            let expected = if won { position.to_move() } else { !position.to_move() };
            assert_eq!(winner, Some(expected), "{}", Fen(position));
            counts[usize::from(won)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 800), "too one-sided to say much: {counts:?}");
}
