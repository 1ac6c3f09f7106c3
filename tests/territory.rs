//! The evaluator against a plain one that looks at one square at a time.

mod common;

use common::plain::images;
use common::start;
use common::strategies::random_board;
use quiver::game::{Fen, HalfPly, Position};
use quiver::territory::reference::{self, Grid};
use quiver::territory::{COLUMNS, Distances, Evaluator, Kernel, Terms, View};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Positions and half plies of random games on boards of every kind.
fn sample(seed: u64) -> Vec<(Position, Option<HalfPly>)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut sample = Vec::new();
    for size in [6, 8, 10, 10] {
        let mut position = start(size);
        loop {
            let queen = position.random_queen_move(&mut rng);
            sample.push((position, queen.map(|queen| position.move_queen_unchecked(queen))));
            let Some(queen) = queen else { break };
            let half = position.move_queen_unchecked(queen);
            position = half.shoot_unchecked(half.random_arrow(&mut rng));
        }
    }
    // Mazes, where distances are long, with any number of amazons.
    for _ in 0..200 {
        let [width, height] = [0, 1].map(|_| 1 + rng.next_u32() as usize % 10);
        let amazons = [0, 1].map(|_| rng.next_u32() as usize % 5);
        let maze = random_board(width, height, amazons, width * height / 2, &mut rng);
        sample.push((Position::try_from(&maze.setup()).unwrap(), None));
    }
    sample
}

fn views(sample: &[(Position, Option<HalfPly>)]) -> impl Iterator<Item = View<'_>> {
    sample.iter().flat_map(|(position, half)| {
        std::iter::once(View::from(position)).chain(half.as_ref().map(View::from))
    })
}

#[test]
fn terms_agree_with_the_plain_ones() {
    for seed in 0..10 {
        for (view, waste) in views(&sample(seed)).zip((-9..10).cycle()) {
            let view = view.with_waste(waste);
            let plain = reference::terms(&view);
            for kernel in Kernel::available() {
                let terms = Terms::of(&view, kernel);
                let differ = |column: usize| terms.counts[column] != plain.counts[column];
                let columns: Vec<_> = (0..COLUMNS.len()).filter(|&c| differ(c)).map(|c| COLUMNS[c]).collect();
                assert_eq!(terms, plain, "{} in {columns:?}: {view:?}", kernel.name());
            }
        }
    }
}

/// Children have the waste of the node that they stand in, seen from who acts there.
#[test]
fn children_are_worth_the_same_one_by_one_and_at_once() {
    for (seed, waste) in [(60, 0), (61, 3), (62, -2)] {
        for (position, half) in sample(seed) {
            for evaluator in Kernel::available().map(|kernel| Evaluator::default().with_kernel(kernel)) {
                let (mut odds, moves) = (Vec::new(), position.queen_moves().collect::<Vec<_>>());
                evaluator.queen_moves(&View::from(&position).with_waste(waste), &moves, &mut odds);
                let halves = moves.iter().map(|&queen| position.move_queen_unchecked(queen));
                let each = halves.map(|half| evaluator.log_odds(&View::from(&half).with_waste(waste)));
                assert_eq!(odds, each.collect::<Vec<_>>(), "{}", Fen(position));
                let Some(half) = half else { continue };
                let arrows = half.arrows();
                odds.clear();
                evaluator.arrows(&View::from(&half).with_waste(waste), arrows, &mut odds);
                let positions = arrows.iter().map(|arrow| half.shoot_unchecked(arrow));
                let each = positions.map(|next| -evaluator.log_odds(&View::from(&next).with_waste(-waste)));
                assert_eq!(odds, each.collect::<Vec<_>>(), "{}", Fen(position));
            }
        }
    }
}

#[test]
fn distances_agree_with_breadth_first_search() {
    for seed in 20..30 {
        for view in views(&sample(seed)) {
            let grid = Grid::new(view.empty);
            for (kernel, side) in Kernel::available().flat_map(|kernel| [(kernel, 0), (kernel, 1)]) {
                let distances = Distances::of(&view, kernel);
                let plain = [10, 1].map(|longest| grid.distances(view.amazons[side], longest));
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
fn mirror_images_and_swapped_sides_are_worth_the_same() {
    let evaluator = Evaluator::default();
    let log_odds = |position: &Position| evaluator.log_odds(&View::from(position));
    for (position, _) in sample(40) {
        for image in images(&position) {
            assert_eq!(log_odds(&image), log_odds(&position), "{}", Fen(position));
        }
    }
}
