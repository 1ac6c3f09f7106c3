//! Compares the evaluator with a simple computation that handles one square at a time.

use crate::common::plain::images;
use crate::common::start;
use crate::common::strategies::random_board;
use quiver::amazons::{AnyPosition, Position};
use quiver::simd::Kernel;
use quiver::territory::reference::Grid;
use quiver::territory::{Distances, Evaluator, Terms, View, Weights};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;

/// Positions of random games, some of them between a queen move and its arrow, and random boards
/// with obstacles.
fn sample(seed: u64) -> Vec<AnyPosition> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut sample = Vec::new();
    for size in [6, 8, 10, 10] {
        let mut position = start(size);
        loop {
            sample.push(AnyPosition::Position(position));
            let Some(queen) = position.random_queen_move(&mut rng) else { break };
            let half = position.move_queen_unchecked(queen);
            sample.push(AnyPosition::HalfPly(half));
            position = half.shoot_unchecked(half.random_arrow(&mut rng));
        }
    }
    // Random boards with many obstacles and long paths, and with 0 to 4 amazons of each side.
    for _ in 0..200 {
        let [width, height] = [0, 1].map(|_| 1 + rng.next_u32() as usize % 10);
        let amazons = [0, 1].map(|_| rng.next_u32() as usize % 5);
        let maze = random_board(width, height, amazons, width * height / 2, &mut rng);
        sample.push(AnyPosition::Position(maze.position()));
    }
    sample
}

/// Replaces the weights in a shipped file by random numbers. Returns the JSON and its weights.
fn random_weights(file: &str, rng: &mut Xoshiro256PlusPlus) -> (Value, Weights) {
    let mut file: Value = serde_json::from_str(file).unwrap();
    for table in ["contest", "empty"] {
        for row in file[table].as_array_mut().unwrap() {
            let weights = row.as_array_mut().unwrap().iter_mut();
            weights.for_each(|weight| *weight = (rng.next_u32() as i16 / 200).into());
        }
    }
    let error = file.to_string().parse::<Weights>().unwrap_err().to_string();
    let (_, checksum) = error.split_once("checksum ").unwrap();
    file["checksum"] = checksum[..16].into();
    let weights = file.to_string().parse().unwrap();
    (file, weights)
}

/// The log-odds, a weighted sum of the terms. Each table has rows of weights for some values
/// (knots) of `contest` or `empty`. For a value between two knots, the weights are interpolated.
fn plain_log_odds(file: &Value, terms: &Terms) -> f64 {
    if terms.stuck {
        return f64::NEG_INFINITY;
    }
    let numbers = |value: &Value| -> Vec<i64> { serde_json::from_value(value.clone()).unwrap() };
    let sum = |table: &str, value: i16, unit: i64| -> i64 {
        let knots: Vec<i64> =
            numbers(&file[format!("{table}_knots")]).iter().map(|knot| knot * unit).collect();
        let value = i64::from(value).clamp(knots[0], knots[knots.len() - 1]);
        let below = (0..knots.len() - 1).rev().find(|&knot| knots[knot] <= value).unwrap_or(0);
        let span = knots[below + 1] - knots[below];
        let share = ((value - knots[below]) * 256 + span / 2) / span;
        let [lower, upper] = [below, below + 1].map(|row| numbers(&file[table][row]));
        let weights = lower.iter().zip(&upper).map(|(lower, upper)| lower * (256 - share) + upper * share);
        weights.zip(terms.counts).map(|(weight, count)| weight * i64::from(count)).sum()
    };
    let total = sum("contest", terms.contest, Terms::CONTEST_UNIT.into()) + sum("empty", terms.empty, 1);
    total as f64 / (file["scale"].as_f64().unwrap() * 256.0)
}

#[test]
fn log_odds_are_the_weighted_sum_of_plain_terms() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(70);
    for seed in 0..10 {
        let (small, of_small) =
            random_weights(include_str!("../src/engine/territory/weights/8.json"), &mut rng);
        let (large, of_large) =
            random_weights(include_str!("../src/engine/territory/weights/10.json"), &mut rng);
        let evaluator = Evaluator::default().with_weights(of_small.into()).with_weights(of_large.into());
        for (state, dead_squares) in sample(seed).iter().zip((-9..10).cycle()) {
            let view = View::from(state).with_dead_squares(dead_squares);
            let file = if view.size.is_large() { &large } else { &small };
            let plain = plain_log_odds(file, &Terms::of(&view));
            for kernel in Kernel::available() {
                let log_odds = evaluator.clone().with_kernel(kernel).log_odds(&view);
                assert_eq!(log_odds, plain, "{} {view:?}", kernel.name());
            }
        }
    }
}

/// `dead_squares` is the mover's number of dead squares minus the opponent's. A batch evaluates all
/// children of a state with the state's `dead_squares`. The number is negated for children after an
/// arrow, because the other side is then to move.
#[test]
fn batches_agree_with_single_evaluations() {
    for (seed, dead_squares) in [(60, 0), (61, 3), (62, -2)] {
        for state in sample(seed) {
            let view = View::from(&state).with_dead_squares(dead_squares);
            for evaluator in Kernel::available().map(|kernel| Evaluator::default().with_kernel(kernel)) {
                let value =
                    |view: View<'_>, dead_squares| evaluator.log_odds(&view.with_dead_squares(dead_squares));
                let mut odds = Vec::new();
                let each: Vec<f64> = match &state {
                    AnyPosition::Position(position) => {
                        let moves: Vec<_> = position.queen_moves().collect();
                        evaluator.queen_moves(&view, &moves, &mut odds);
                        let halves = moves.iter().map(|&queen| position.move_queen_unchecked(queen));
                        halves.map(|half| value(View::from(&half), dead_squares)).collect()
                    }
                    AnyPosition::HalfPly(half) => {
                        evaluator.arrows(&view, half.arrows(), &mut odds);
                        let positions = half.arrows().iter().map(|arrow| half.shoot_unchecked(arrow));
                        positions.map(|next| -value(View::from(&next), -dead_squares)).collect()
                    }
                };
                assert_eq!(odds, each, "{view:?}");
            }
        }
    }
}

#[test]
fn distances_agree_with_breadth_first_search() {
    for seed in 20..30 {
        for view in sample(seed).iter().map(View::from) {
            let grid = Grid::new(view.empty);
            for (kernel, side) in Kernel::available().flat_map(|kernel| [(kernel, 0), (kernel, 1)]) {
                let distances = Distances::of(&view, kernel);
                assert_eq!(distances, Distances::of(&view, Kernel::Portable), "{} {view:?}", kernel.name());
                let plain = [10, 1].map(|longest| grid.distances(view.amazons[side], longest, u8::MAX));
                for square in view.empty {
                    let steps = plain.map(|distances| usize::from(distances[Grid::cell(square)]));
                    let cut = |steps: usize, most| (steps > 0).then_some(steps.min(most));
                    assert_eq!(distances.queen(side, square), cut(steps[0], 15), "{square} {view:?}");
                    assert_eq!(distances.king(side, square), cut(steps[1], 24), "{square} {view:?}");
                }
            }
        }
    }
}

#[test]
fn symmetric_positions_have_equal_log_odds() {
    let evaluator = Evaluator::default();
    let log_odds = |position: &Position| evaluator.log_odds(&View::from(position));
    for state in sample(40) {
        let AnyPosition::Position(position) = state else { continue };
        for image in images(&position) {
            assert_eq!(log_odds(&image), log_odds(&position), "{position}");
        }
    }
}
