//! The network computed plainly, to test and time the kernels against: a grid, a loop over outputs,
//! no blocks.
//!
//! It reads the same weights and shares no other code with [`Inference`](super::Inference).

use super::layer::{CHANNELS, Layer, POOLED};
use super::network::Network;
use super::planes::{COUNT, ONE};
use crate::game::{Bitboard, Square};
use crate::territory::View;
use crate::territory::reference::Grid;

const SIDE: usize = 10;

/// Channels of every square, zero where it is burnt.
type Activations = [[Vec<i32>; SIDE]; SIDE];

/// The head's outputs at every square that is not burnt, and the value's log-odds.
pub fn outputs(
    network: &Network,
    view: &View<'_>,
    shooter: Option<Square>,
) -> (Vec<(Square, [f32; 32])>, f32) {
    let weights = &network.0;
    let live = view.amazons.iter().copied().flatten().collect::<Bitboard>() | view.empty;
    let mut activations = planes(view, shooter, live);
    let total = |activations: &Activations, channel: usize| {
        live.iter().map(|square| at(activations, square)[channel]).sum::<i32>()
    };
    let mut totals: Vec<i32> = Vec::new();
    for (number, layer) in weights.convolutions.iter().enumerate() {
        let mut bias = layer.bias;
        if number == POOLED {
            for channel in 0..CHANNELS {
                let mean =
                    (total(&activations, channel) as f32 / live.count() as f32).round_ties_even() as i32;
                for (output, bias) in bias.iter_mut().enumerate() {
                    *bias += weight(&weights.pooled, 0, output, channel) * mean;
                }
            }
        }
        let mut next = blank(CHANNELS);
        for square in live {
            for output in 0..CHANNELS {
                let sum = bias[output] + around(layer, &activations, square, output);
                let scaled = (sum as f32 * layer.scale[output]).clamp(0.0, 127.0);
                next[usize::from(square.y())][usize::from(square.x())][output] =
                    scaled.round_ties_even() as i32;
            }
        }
        activations = next;
        totals.extend((0..CHANNELS).map(|channel| total(&activations, channel)));
    }
    let head = |square| {
        std::array::from_fn(|output| {
            let products = (0..CHANNELS)
                .map(|channel| weight(&weights.head, 0, output, channel) * at(&activations, square)[channel]);
            (weights.head.bias[output] + products.sum::<i32>()) as f32 * weights.head.scale[output]
        })
    };
    let value = weights.value.reference(&totals, live.count() as usize);
    (live.iter().map(|square| (square, head(square))).collect(), value)
}

fn planes(view: &View<'_>, shooter: Option<Square>, live: Bitboard) -> Activations {
    let grid = Grid::new(view.empty);
    let queen = view.amazons.map(|amazons| grid.distances(amazons, SIDE));
    let king = view.amazons.map(|amazons| grid.distances(amazons, 1));
    let mut planes = blank(COUNT);
    for square in live {
        let of = &mut planes[usize::from(square.y())][usize::from(square.x())];
        let one = |holds: bool| if holds { i32::from(ONE) } else { 0 };
        for side in [0, 1] {
            of[side] = one(view.amazons[side].contains(&square));
            if view.empty.contains(square) {
                let cell = Grid::cell(square);
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
        of[3] = one(shooter == Some(square));
        of[4] = one(shooter.is_some());
        of[5] = one(true);
    }
    planes
}

fn blank(channels: usize) -> Activations {
    std::array::from_fn(|_| std::array::from_fn(|_| vec![0; channels]))
}

fn at(activations: &Activations, square: Square) -> &[i32] {
    &activations[usize::from(square.y())][usize::from(square.x())]
}

fn weight(layer: &Layer, tap: usize, output: usize, input: usize) -> i32 {
    i32::from(layer.weights[tap * layer.groups + input / 4].0[output][input % 4])
}

fn around(layer: &Layer, activations: &Activations, square: Square, output: usize) -> i32 {
    let (x, y) = (i32::from(square.x()), i32::from(square.y()));
    let mut sum = 0;
    for (tap, (dy, dx)) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))).enumerate() {
        let row = usize::try_from(y + dy).ok().and_then(|y| activations.get(y));
        let Some(inputs) = row.and_then(|row| row.get(usize::try_from(x + dx).ok()?)) else { continue };
        let products =
            inputs.iter().enumerate().map(|(input, value)| weight(layer, tap, output, input) * value);
        sum += products.sum::<i32>();
    }
    sum
}
