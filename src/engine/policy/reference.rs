//! The network computed plainly, to test and time the kernels against: a grid, a loop over outputs,
//! no blocks.
//!
//! It reads the same weights and shares no other code with [`Inference`](super::Inference).

use super::layer::{CHANNELS, Layer, POOLED};
use super::network::Network;
use super::planes::ONE;
use crate::game::{Bitboard, Square};
use crate::territory::View;
use crate::territory::reference::Grid;

/// Channels of every cell, zero where it is burnt or not on the board. The planes are the first.
type Activations = Vec<[i32; CHANNELS]>;

/// The head's outputs at every square that is not burnt, and the value's log-odds.
pub fn outputs(network: &Network, view: &View<'_>) -> (Vec<(Square, [f32; 32])>, f32) {
    let weights = &network.0;
    let live = view.amazons.into_iter().flatten().copied().collect::<Bitboard>() | view.empty;
    let mut activations = planes(view, live);
    let sums = |activations: &Activations| -> [i32; CHANNELS] {
        std::array::from_fn(|channel| {
            live.iter().map(|square| activations[Grid::cell(square)][channel]).sum()
        })
    };
    let mut totals: Vec<i32> = Vec::new();
    for (number, layer) in weights.convolutions.iter().enumerate() {
        let mut bias = layer.bias;
        if number == POOLED {
            let mean = |total: i32| (total as f32 / live.count() as f32).round_ties_even() as i32;
            let means = sums(&activations).map(mean);
            for (output, bias) in bias.iter_mut().enumerate() {
                *bias += products(&weights.pooled, 0, output, &means);
            }
        }
        let mut next = vec![[0; CHANNELS]; Grid::CELLS];
        for square in live {
            for output in 0..CHANNELS {
                let around = Grid::around(square).into_iter().enumerate();
                let sums = around.map(|(tap, cell)| products(layer, tap, output, &activations[cell]));
                let scaled = (bias[output] + sums.sum::<i32>()) as f32 * layer.scale[output];
                next[Grid::cell(square)][output] = scaled.clamp(0.0, 127.0).round_ties_even() as i32;
            }
        }
        activations = next;
        totals.extend(sums(&activations));
    }
    let head = |square| {
        std::array::from_fn(|output| {
            let sum = products(&weights.head, 0, output, &activations[Grid::cell(square)]);
            (weights.head.bias[output] + sum) as f32 * weights.head.scale[output]
        })
    };
    let value = weights.value.reference(&totals, live.count() as usize);
    (live.iter().map(|square| (square, head(square))).collect(), value)
}

fn planes(view: &View<'_>, live: Bitboard) -> Activations {
    let grid = Grid::new(view.empty);
    let queen = view.amazons.map(|amazons| grid.distances(amazons, 10));
    let king = view.amazons.map(|amazons| grid.distances(amazons, 1));
    let mut planes = vec![[0; CHANNELS]; Grid::CELLS];
    for square in live {
        let cell = Grid::cell(square);
        let of = &mut planes[cell];
        let one = |holds: bool| if holds { i32::from(ONE) } else { 0 };
        for side in [0, 1] {
            of[side] = one(view.amazons[side].contains(&square));
            if view.empty.contains(square) {
                let class = match queen[side][cell] {
                    0 => 4,
                    distance => usize::from(distance.min(4)) - 1,
                };
                of[6 + 5 * side + class] = one(true);
                let moves = king[side][cell];
                of[16 + side] = i32::from(ONE) / 7 * if moves == 0 { 7 } else { i32::from(moves.min(7)) };
            }
        }
        of[2] = one(view.empty.contains(square));
        of[3] = one(view.shooter == Some(square));
        of[4] = one(view.shooter.is_some());
        of[5] = one(true);
    }
    planes
}

/// The sum of a cell's inputs, each times the weight that it has at a tap for an output.
fn products(layer: &Layer, tap: usize, output: usize, inputs: &[i32; CHANNELS]) -> i32 {
    let groups = &layer.weights[tap * layer.groups..][..layer.groups];
    let weights = groups.iter().flat_map(|group| group.0[output]);
    weights.zip(inputs).map(|(weight, input)| i32::from(weight) * input).sum()
}
