//! Evaluates a policy network for one position at a time, in one thread.

use std::ops::Range;

use amazons::{Bitboard, Square};

use super::kernel::{self, CHANNELS, Convolution, Layer, MAX_ACTIVATION, NeighbourPair, Sums};
use super::network::{CONVOLUTIONS, Network, NetworkWeights, VALUE_INPUTS};
use super::planes::{MAX_SQUARES, NO_SQUARE, PADDING, Planes};
use crate::simd::Kernel;
use crate::territory::View;

const TAPS: usize = 9;
/// The index of tap (0, 0) among a convolution's nine taps (offsets). The head has only this tap.
const OWN_TAP: usize = 4;
/// The number of head outputs for moves to a square. As many follow for moves from the square.
const SQUARE_OUTPUTS: usize = CHANNELS / 2;

/// The working memory for evaluating networks, and the result of the last evaluation.
#[derive(Clone, Debug)]
pub struct Inference {
    kernel: Kernel,
    planes: Planes,
    hidden: [Vec<u8>; 2],
    neighbours: [Vec<NeighbourPair>; TAPS],
    /// The squares for which the head is computed, as indexes into the list of unburnt squares.
    requested: Vec<u8>,
    /// For each tap (offset), pairs of a square and its neighbour: the square's index in
    /// `requested`, and the neighbour's index in the list of unburnt squares.
    requested_neighbours: [Vec<NeighbourPair>; TAPS],
    sums: Vec<Sums>,
    outputs: Vec<[f32; CHANNELS]>,
}

impl Default for Inference {
    fn default() -> Inference {
        Inference::new(Kernel::best())
    }
}

impl Inference {
    /// Creates the working memory for evaluations by this kernel.
    pub fn new(kernel: Kernel) -> Inference {
        let hidden = || vec![0; MAX_SQUARES * CHANNELS];
        let neighbours = || std::array::from_fn(|_| vec![[0; 2]; MAX_SQUARES]);
        Inference {
            kernel,
            planes: Planes::default(),
            hidden: [hidden(), hidden()],
            neighbours: neighbours(),
            requested: Vec::with_capacity(MAX_SQUARES),
            requested_neighbours: neighbours(),
            sums: vec![Sums([0; CHANNELS]); MAX_SQUARES],
            outputs: vec![[0.0; CHANNELS]; MAX_SQUARES],
        }
    }

    /// Evaluates a position or a half ply (after a queen move, before its arrow). Returns the
    /// log-odds that the side to act wins.
    pub fn run(&mut self, network: &Network, view: &View<'_>) -> f32 {
        let [own, other] = view.amazons.map(|amazons| amazons.iter().copied().collect::<Bitboard>());
        self.run_for_moves(network, view, view.empty | own | other, true).expect("asked for")
    }

    /// Evaluates only moves between `squares`. Burnt squares and squares outside this set get no
    /// [outputs](Inference::outputs). Returns the log-odds only if `with_value` is true.
    pub fn run_for_moves(
        &mut self,
        network: &Network,
        view: &View<'_>,
        squares: Bitboard,
        with_value: bool,
    ) -> Option<f32> {
        let weights = &network.0;
        self.planes.read(view);
        let count = self.planes.squares().len();
        self.find_neighbours();
        self.find_requested_neighbours(squares, if with_value { OWN_TAP..OWN_TAP + 1 } else { 0..TAPS });
        let kernel = self.kernel;
        let Inference {
            planes,
            hidden: [last, next],
            neighbours,
            requested,
            requested_neighbours,
            sums,
            outputs,
            ..
        } = self;
        let (mut last, mut next) = (last, next);
        let [neighbours, requested_neighbours] =
            [&*neighbours, requested_neighbours].map(|lists| lists.each_ref().map(Vec::as_slice));
        let mut totals = [[0; CHANNELS]; CONVOLUTIONS];
        for (number, layer) in weights.convolutions.iter().enumerate() {
            let (mut input, mut initial_sums) = (planes.bytes().as_flattened(), layer.bias);
            if number > 0 {
                std::mem::swap(&mut last, &mut next);
                input = &last[..CHANNELS * count];
                let means =
                    totals[number - 1].map(|total| (f32::from(total) / count as f32).round_ties_even() as u8);
                initial_sums = add_means(kernel, &weights.means[number - 1], &layer.bias, &means);
            }
            // Only the value head reads the totals of the last convolution. Without the value head,
            // the last convolution computes only the requested squares.
            let all_squares = with_value || number + 1 < CONVOLUTIONS;
            let (neighbours, squares) =
                if all_squares { (&neighbours, count) } else { (&requested_neighbours, requested.len()) };
            let (initial_sums, sums) = (&initial_sums, &mut sums[..squares]);
            kernel::run(kernel, Convolution { layer, initial_sums, input, neighbours, sums });
            totals[number] = kernel::activate(kernel, layer, sums, next);
        }
        let head_neighbours =
            if with_value { requested_neighbours[OWN_TAP] } else { &neighbours[OWN_TAP][..requested.len()] };
        let sums = &mut sums[..requested.len()];
        let (layer, initial_sums) = (&weights.head, &weights.head.bias);
        kernel::run(
            kernel,
            Convolution { layer, initial_sums, input: next, neighbours: &[head_neighbours], sums },
        );
        for (&list_index, sums) in requested.iter().zip(sums) {
            let output = &mut outputs[usize::from(list_index)];
            for ((output, sum), scale) in output.iter_mut().zip(sums.0).zip(layer.scale) {
                *output = sum as f32 * scale;
            }
        }
        with_value.then(|| value_head_log_odds(weights, kernel, &totals, count))
    }

    /// The head's outputs at an unburnt square: first as the target of a move, then as its origin.
    pub fn outputs(&self, square: Square) -> &[f32; 32] {
        &self.outputs[self.planes.list_index(square)]
    }

    /// The logit of the queen move from one square to another, or of the arrow from the shooter to
    /// a square, according to the last evaluation.
    ///
    /// Each square has 16 outputs for its role (origin or target). The logit is the dot product of
    /// the first 15 outputs of both squares, plus the 16th output of each. Panics if one of the
    /// squares is burnt.
    pub fn logit(&self, from: Square, to: Square) -> f32 {
        let to = &self.outputs(to)[..SQUARE_OUTPUTS];
        let from = &self.outputs(from)[SQUARE_OUTPUTS..];
        let mut terms: [f32; SQUARE_OUTPUTS] = std::array::from_fn(|n| from[n] * to[n]);
        terms[SQUARE_OUTPUTS - 1] = from[SQUARE_OUTPUTS - 1] + to[SQUARE_OUTPUTS - 1];
        // The additions have a fixed order, so that every machine computes the same bits.
        let mut half = SQUARE_OUTPUTS / 2;
        while half > 0 {
            for n in 0..half {
                terms[n] += terms[n + half];
            }
            half /= 2;
        }
        terms[0]
    }

    /// Lists, for each tap (offset), the pairs of an unburnt square and its unburnt neighbour.
    fn find_neighbours(&mut self) {
        /// The offsets from a square's index to its four neighbours with higher indexes.
        const HIGHER_NEIGHBOUR_OFFSETS: [u8; OWN_TAP] = [1, 11, 12, 13];
        self.neighbours.iter_mut().for_each(|neighbours| neighbours.resize(MAX_SQUARES, [0; 2]));
        let (before, own_and_behind) = self.neighbours.split_at_mut(OWN_TAP);
        let (own, behind) = own_and_behind.split_first_mut().expect("nine taps");
        let count = self.planes.squares().len();
        (0..).zip(&mut own[..]).take(count).for_each(|(list_index, pair)| *pair = [list_index, list_index]);
        own.truncate(count);
        // Each offset (tap) has a list of pairs of neighbours. Two neighbours are added to two lists:
        // in one order for the offset between them, and in the other order for the opposite offset.
        for ((step, behind), before) in
            HIGHER_NEIGHBOUR_OFFSETS.into_iter().zip(behind).zip(before.iter_mut().rev())
        {
            let mut count = 0;
            for (list_index, square) in (0..).zip(self.planes.squares()) {
                let neighbour = self.planes.list_indexes[PADDING + usize::from(square.index() + step)];
                // To avoid a branch, writes a pair even if `neighbour` is `NO_SQUARE`. `count` then
                // does not grow, so the pair is overwritten or truncated.
                (behind[count], before[count]) = ([list_index, neighbour], [neighbour, list_index]);
                count += usize::from(neighbour != NO_SQUARE);
            }
            behind.truncate(count);
            before.truncate(count);
        }
    }

    fn find_requested_neighbours(&mut self, squares: Bitboard, taps: Range<usize>) {
        /// The offsets from a square's index to its 3x3 neighbours, increased by [`PADDING`].
        const PADDED_NEIGHBOUR_OFFSETS: [u8; TAPS] = [0, 1, 2, 12, 13, 14, 24, 25, 26];
        self.requested.clear();
        let list_indexes =
            squares.iter().map(|square| self.planes.list_indexes[PADDING + usize::from(square.index())]);
        self.requested.extend(list_indexes.filter(|&list_index| list_index != NO_SQUARE));
        for (step, pairs) in
            PADDED_NEIGHBOUR_OFFSETS[taps.clone()].iter().zip(&mut self.requested_neighbours[taps])
        {
            pairs.resize(MAX_SQUARES, [0; 2]);
            let mut count = 0;
            for (index, &list_index) in (0..).zip(&self.requested) {
                let square = self.planes.squares()[usize::from(list_index)];
                let neighbour = self.planes.list_indexes[usize::from(square.index() + step)];
                pairs[count] = [index, neighbour];
                count += usize::from(neighbour != NO_SQUARE);
            }
            pairs.truncate(count);
        }
    }
}

/// The initial sums of a convolution: its `bias`, plus a linear map (`layer`) of the mean of each
/// input channel.
fn add_means(
    kernel: Kernel,
    layer: &Layer,
    bias: &[i32; CHANNELS],
    means: &[u8; CHANNELS],
) -> [i32; CHANNELS] {
    let mut sums = [Sums([0; CHANNELS])];
    let neighbours: &[&[NeighbourPair]] = &[&[[0, 0]]];
    kernel::run(kernel, Convolution { layer, initial_sums: bias, input: means, neighbours, sums: &mut sums });
    sums[0].0
}

/// The log-odds that the side to act wins, from each channel's sum over all unburnt squares, whose
/// number is `unburnt_count`.
fn value_head_log_odds(
    weights: &NetworkWeights,
    kernel: Kernel,
    totals: &[[u16; CHANNELS]; CONVOLUTIONS],
    unburnt_count: usize,
) -> f32 {
    let mut inputs = [0; VALUE_INPUTS.next_multiple_of(4)];
    inputs[..VALUE_INPUTS - 1].copy_from_slice(totals.as_flattened());
    inputs[VALUE_INPUTS - 1] = MAX_ACTIVATION as u16 * unburnt_count as u16;
    let (layer, output) = (&weights.value, &weights.output);
    let mut sums = layer.bias;
    kernel::add_pair_products(kernel, &mut sums, &inputs, &layer.pairs);
    let hidden = sums.iter().zip(layer.scale).map(|(&sum, scale)| (sum as f32 * scale).max(0.0));
    // The additions have a fixed order, so that every machine computes the same bits.
    hidden.zip(output).fold(output[CHANNELS], |sum, (hidden, weight)| sum + hidden * weight)
}

#[cfg(test)]
mod tests {
    use amazons::{Position, Size};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::super::network::{LAYERS, crc32};
    use super::super::reference;
    use super::*;

    /// A network with random weights, of which `extreme` percent are -128 or 127.
    fn random_network(extreme: u64, rng: &mut Xoshiro256PlusPlus) -> Network {
        let mut bytes =
            b"{\"policy\":{\"format\":3,\"board\":8,\"channels\":32,\"convolutions\":4}}\n".to_vec();
        for (_, inputs, taps) in LAYERS {
            // The largest biases set all activations of a channel to 0, or all to 127.
            let mut bias = || [0, 1, 5000, 1 << 30, -1 << 30][(rng.next_u64() % 5) as usize];
            bytes.extend((0..CHANNELS).flat_map(|_| i32::to_le_bytes(bias())));
            // To test rounding, the scales 0.5 and 1/256 put some outputs halfway between integers.
            let mut scale = || [0.5, 1.0 / 256.0, 0.003, 1e6][(rng.next_u64() % 4) as usize];
            bytes.extend((0..CHANNELS).flat_map(|_| f32::to_le_bytes(scale())));
            bytes.extend((0..CHANNELS * inputs * taps).map(|_| match rng.next_u64() {
                n if n % 100 < extreme => [128, 127][(n / 100 % 2) as usize],
                n => ((n / 100 % 61) as i8 - 30) as u8,
            }));
        }
        bytes.extend((0..=CHANNELS).flat_map(|n| f32::to_le_bytes(n as f32 - 15.0)));
        bytes.extend(crc32(&bytes).to_le_bytes());
        Network::from_bytes(&bytes).unwrap()
    }

    #[test]
    fn all_kernels_equal_the_reference() {
        let mut inferences: Vec<Inference> = Kernel::available().map(Inference::new).collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let small = "q2Q/4/4/Q2q w".parse::<Position>().unwrap();
        let burnt = "* w".parse::<Position>().unwrap();
        for inference in &mut inferences {
            inference.run(&Network::shipped(burnt.size()), &View::from(&burnt));
        }
        let starts = [10, 8, 6].map(|side| Position::start(Size::square(side).unwrap()).unwrap());
        let mut cases: Vec<(Position, Network)> =
            starts.into_iter().chain([small]).map(|start| (start, Network::shipped(start.size()))).collect();
        // Together these networks make the AVX2 kernel use all items of `CHAIN_SHAPES`.
        cases.extend([100, 7, 2].map(|extreme| (small, random_network(extreme, &mut rng))));
        for (mut position, network) in cases {
            assert_eq!(network.board(), if position.size().is_large() { 10 } else { 8 });
            while let Some(played) = position.random_move(&mut rng) {
                let half = position.move_queen_unchecked(played.queen());
                for view in [View::from(&position), View::from(&half)] {
                    let (expected, value) = reference::outputs(&network, &view);
                    for inference in &mut inferences {
                        let got = inference.run(&network, &view);
                        assert_eq!(got.to_bits(), value.to_bits(), "{:?}: {got} {value}", inference.kernel);
                        check_outputs(inference, &expected);
                        let some: Vec<_> = expected.iter().copied().step_by(3).collect();
                        let squares = some.iter().map(|(square, _)| *square).collect();
                        for with_value in [true, false] {
                            inference.run_for_moves(&network, &view, squares, with_value);
                            check_outputs(inference, &some);
                        }
                    }
                }
                position = half.shoot_unchecked(played.arrow);
            }
        }
    }

    fn check_outputs(inference: &Inference, expected: &[(Square, [f32; CHANNELS])]) {
        for (square, expected) in expected {
            let [got, expected] = [inference.outputs(*square), expected].map(|it| it.map(f32::to_bits));
            assert_eq!(got, expected, "{:?} at {square}", inference.kernel);
        }
    }

    #[test]
    fn logit_is_the_bilinear_form_of_its_squares() {
        let position = Position::start(Size::square(8).unwrap()).unwrap();
        let mut inference = Inference::default();
        inference.run(&Network::shipped(position.size()), &View::from(&position));
        for queen in position.queen_moves() {
            let (from, to) = (inference.outputs(queen.from), inference.outputs(queen.to));
            let products: f64 = (0..15).map(|n| f64::from(to[n]) * f64::from(from[16 + n])).sum();
            let expected = products + f64::from(to[15]) + f64::from(from[31]);
            let got = f64::from(inference.logit(queen.from, queen.to));
            assert!((got - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{got} {expected}");
        }
    }
}
