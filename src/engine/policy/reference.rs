//! The network in plain code, with which tests and benchmarks compare the kernels.
//!
//! This module shares the weights with [`Inference`](super::Inference), but no other code.

use amazons::{Bitboard, Square};

use super::kernel::{CHANNELS, Layer, MAX_ACTIVATION};
use super::network::Network;
use super::planes::ONE;
use crate::territory::View;
use crate::territory::reference::Grid;

/// The input planes or a layer's channels at every [`Grid`] cell; 0 if burnt or off the board.
type Activations = Vec<[i32; CHANNELS]>;

/// Computes the head's outputs at every unburnt square, and the log-odds that the side to act wins.
pub fn outputs(network: &Network, view: &View<'_>) -> (Vec<(Square, [f32; 32])>, f32) {
    let weights = &network.0;
    let unburnt = view.amazons.into_iter().flatten().copied().collect::<Bitboard>() | view.empty;
    let mut activations = planes(view, unburnt);
    let channel_totals = |activations: &Activations| -> [i32; CHANNELS] {
        std::array::from_fn(|channel| {
            unburnt.iter().map(|square| activations[Grid::cell(square)][channel]).sum()
        })
    };
    let mut totals: Vec<i32> = Vec::new();
    for (number, layer) in weights.convolutions.iter().enumerate() {
        let mut initial_sums = layer.bias;
        if number > 0 {
            let mean = |total: i32| (total as f32 / unburnt.count() as f32).round_ties_even() as i32;
            let means = channel_totals(&activations).map(mean);
            initial_sums = add_taps(&weights.means[number - 1], initial_sums, &[&means]);
        }
        let mut next = vec![[0; CHANNELS]; Grid::CELLS];
        for square in unburnt {
            let sums =
                add_taps(layer, initial_sums, &Grid::around(square).map(|cell| &activations[cell][..]));
            let active = |output: f32| output.clamp(0.0, 127.0).round_ties_even() as i32;
            next[Grid::cell(square)] = scaled(layer, sums).map(active);
        }
        activations = next;
        totals.extend(channel_totals(&activations));
    }
    totals.push(i32::from(MAX_ACTIVATION) * unburnt.count() as i32);
    let outputs_of = |layer: &Layer, inputs: &[i32]| scaled(layer, add_taps(layer, layer.bias, &[inputs]));
    let mut value = weights.output[CHANNELS];
    for (hidden, weight) in outputs_of(&weights.value, &totals).into_iter().zip(weights.output) {
        value += hidden.max(0.0) * weight;
    }
    let head = |square| (square, outputs_of(&weights.head, &activations[Grid::cell(square)]));
    (unburnt.iter().map(head).collect(), value)
}

fn planes(view: &View<'_>, unburnt: Bitboard) -> Activations {
    let grid = Grid::new(view.empty);
    let queen = view.amazons.map(|amazons| grid.distances(amazons, 10, u8::MAX));
    let king = view.amazons.map(|amazons| grid.distances(amazons, 1, u8::MAX));
    let mut planes = vec![[0; CHANNELS]; Grid::CELLS];
    for square in unburnt {
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

fn add_taps(layer: &Layer, mut sums: [i32; CHANNELS], taps: &[&[i32]]) -> [i32; CHANNELS] {
    for (groups, inputs) in layer.weights.chunks_exact(layer.groups).zip(taps) {
        for (output, sum) in sums.iter_mut().enumerate() {
            let weights = groups.iter().flat_map(|group| group.0[output]);
            *sum += weights.zip(*inputs).map(|(weight, input)| i32::from(weight) * input).sum::<i32>();
        }
    }
    sums
}

fn scaled(layer: &Layer, sums: [i32; CHANNELS]) -> [f32; CHANNELS] {
    std::array::from_fn(|output| sums[output] as f32 * layer.scale[output])
}
