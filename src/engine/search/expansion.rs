//! Expansion of a node: evaluates its children, sorts them and gives them priors.

use amazons::{AnyPosition, HalfMove, HalfPly, QueenMove, Square};

use super::arena::{PackedEdge, Proof, from_units, to_units};
use super::parameters::Parameters;
use crate::simd::{Kernel, MAX_LANES, WordTask, Words};
use crate::territory::{Evaluator, View, exp, logistic};

/// Expands one node at a time. Keeps its buffers to save allocations.
#[derive(Debug, Default)]
pub(super) struct Expander {
    evaluator: Evaluator,
    queen_moves: Vec<QueenMove>,
    /// The arrows of the expanded half ply (after a queen move); empty for a position.
    arrows: Vec<Square>,
    log_odds: Vec<f64>,
    keys: Vec<u64>,
    /// The indexes of the moves, best move first.
    order: Vec<u8>,
    /// The log-odds of the moves, best move first.
    values: Vec<f64>,
    /// The weights of the moves in the softmax of the priors, best move first.
    weights: Vec<f64>,
    edges: Vec<PackedEdge>,
}

impl Expander {
    pub(super) fn new(evaluator: Evaluator) -> Expander {
        Expander { evaluator, ..Expander::default() }
    }

    /// Evaluates all children of `state`, whose [`View::dead_squares`] the caller gives. Returns
    /// the edges, best first, and the static value and the proof (win or unknown) of the best edge.
    /// Values are for the side to move. Returns `None` if the side to move has no move.
    pub(super) fn expand(
        &mut self,
        state: &AnyPosition,
        dead_squares: i16,
        parameters: &Parameters,
    ) -> Option<(&[PackedEdge], f64, Proof)> {
        self.queen_moves.clear();
        self.arrows.clear();
        self.log_odds.clear();
        let temperature = match state {
            AnyPosition::Position(position) => {
                // `extend` takes twice as long, because it calls `next` for each move.
                position.queen_moves().for_each(|queen| self.queen_moves.push(queen));
                let view = View::from(position).with_dead_squares(dead_squares);
                self.evaluator.queen_moves(&view, &self.queen_moves, &mut self.log_odds);
                parameters.queen_temperature
            }
            AnyPosition::HalfPly(half) => {
                let targets = half.arrows();
                let view = View::from(half).with_dead_squares(dead_squares);
                self.evaluator.arrows(&view, targets, &mut self.log_odds);
                self.arrows.extend(targets.iter());
                parameters.arrow_temperature
            }
        };
        let best = Kernel::best().run(RankTask { expander: self, temperature })?;
        Some((&self.edges, from_units(to_units(logistic(best))), proof_by(best)))
    }

    /// The arrow with the best static value; if several are equal, the last of them.
    pub(super) fn best_arrow(&self, half: &HalfPly) -> Square {
        let targets = half.arrows();
        let mut log_odds = Vec::new();
        self.evaluator.arrows(&View::from(half), targets, &mut log_odds);
        let best = targets.iter().zip(&log_odds).max_by(|(_, a), (_, b)| a.total_cmp(b));
        // The amazon can always shoot at the square it left, so the fallback is never used.
        best.map_or(half.shooter(), |(arrow, _)| arrow)
    }

    pub(super) fn static_value(&self, view: &View<'_>) -> f64 {
        let log_odds = self.evaluator.log_odds(view);
        // Minus infinity means that the side to move has no move and has lost.
        if log_odds == f64::NEG_INFINITY { 0.0 } else { logistic(log_odds) }
    }
}

/// Creates an edge for each move that `expander` has evaluated, best first, with priors by a
/// softmax. Returns the best log-odds, or `f64::MAX` if a move wins; `None` if there is no move.
struct RankTask<'a> {
    expander: &'a mut Expander,
    temperature: f64,
}

impl WordTask for RankTask<'_> {
    type Output = Option<f64>;

    /// Uses short loops, which the compiler can vectorise.
    #[inline(always)]
    fn run<W: Words>(self, cpu: W::CpuFeatures) -> Option<f64> {
        let RankTask { expander, temperature } = self;
        let Expander { queen_moves, arrows, log_odds, keys, order, values, weights, edges, .. } = expander;
        let (queen_moves, arrows, log_odds) = (&queen_moves[..], &arrows[..], &log_odds[..]);
        keys.clear();
        keys.extend((0..).zip(log_odds).map(|(place, &log_odds)| sort_key(finite_log_odds(log_odds), place)));
        // Padding keys fill the last register. All padding keys get one rank, after the last move.
        keys.resize(log_odds.len() + MAX_LANES, i64::MAX as u64);
        order.clear();
        order.resize(log_odds.len() + 1, 0);
        // Comparing all pairs is faster than sorting, whose branches the processor cannot predict.
        for first in (0..log_odds.len()).step_by(W::LANES) {
            let ranks = ranks::<W>(cpu, &keys[first..], &keys[..log_odds.len()]);
            for (place, &rank) in (first as u8..).zip(&ranks[..W::LANES]) {
                order[rank as usize] = place;
            }
        }
        values.clear();
        values.extend(
            order[..log_odds.len()].iter().map(|&place| finite_log_odds(log_odds[usize::from(place)])),
        );
        let best = *values.first()?;
        weights.clear();
        weights.extend(values.iter().map(|&log_odds| (log_odds - best) / temperature));
        weights.iter_mut().for_each(|weight| *weight = exp(*weight));
        let total: f64 = weights.iter().sum();
        edges.clear();
        edges.resize(values.len(), PackedEdge::default());
        for ((edge, &log_odds), &weight) in edges.iter_mut().zip(&*values).zip(&*weights) {
            *edge = PackedEdge::of_values(logistic(log_odds), weight / total);
        }
        if arrows.is_empty() {
            set_moves(edges, order, values, |place| HalfMove::Queen(queen_moves[place]));
        } else {
            set_moves(edges, order, values, |place| HalfMove::Arrow(arrows[place]));
        }
        Some(best)
    }
}

#[inline(always)]
fn set_moves(edges: &mut [PackedEdge], order: &[u8], values: &[f64], move_at: impl Fn(usize) -> HalfMove) {
    for ((edge, &place), &log_odds) in edges.iter_mut().zip(order).zip(values) {
        edge.set_move(move_at(usize::from(place)), proof_by(log_odds));
    }
}

/// The proof of a move from its finite log-odds: `f64::MAX` means that the opponent cannot move.
#[inline(always)]
fn proof_by(log_odds: f64) -> Proof {
    if log_odds == f64::MAX { Proof::Win } else { Proof::Unknown }
}

/// Counts, for each of the first `W::LANES` elements of `keys`, the smaller elements of `all`.
#[inline(always)]
fn ranks<W: Words>(cpu: W::CpuFeatures, keys: &[u64], all: &[u64]) -> [u64; MAX_LANES] {
    let own = W::load(cpu, keys.first_chunk().expect("there are more keys than lanes"));
    let mut ranks = W::splat(cpu, 0);
    for &other in all {
        ranks = ranks + W::splat(cpu, other).less_than(own);
    }
    let mut negative = [0; MAX_LANES];
    ranks.store(&mut negative);
    negative.map(u64::wrapping_neg)
}

/// Makes log-odds finite for the softmax. They are infinite if the opponent cannot move.
#[inline(always)]
fn finite_log_odds(log_odds: f64) -> f64 {
    log_odds.min(f64::MAX)
}

/// The sort key of a move, as a signed number. A move with greater log-odds has a smaller key. The
/// lowest byte is the index of the move, so that the earlier of two equal moves comes first.
///
/// The engine's evaluator computes log-odds as whole numbers up to 2^40, divided by the `unit` of
/// the weights. So two unequal log-odds of this evaluator differ in the bits above the lowest byte,
/// and the index of the move cannot change their order.
#[inline(always)]
fn sort_key(log_odds: f64, place: u8) -> u64 {
    let bits = log_odds.to_bits();
    // Read as an integer, the bits of a negative number are larger when the number is smaller.
    let descending = if log_odds.is_sign_negative() { bits & !(1 << 63) } else { !bits };
    descending & !0xff | u64::from(place)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_rank_moves_by_log_odds() {
        let numerators = [0, 1, 2, 3, 1 << 20, (1 << 40) - 2, (1 << 40) - 1, 1 << 40];
        let mut log_odds: Vec<f64> = numerators
            .iter()
            .flat_map(|&n: &i64| [n as f64 / 1_234_567.0, -(n as f64) / 1_234_567.0])
            .collect();
        log_odds.extend([f64::INFINITY, f64::NEG_INFINITY, f64::MAX, log_odds[5]]);
        let arrows: Vec<Square> = (0..log_odds.len() as u8).map(Square::from_index_unchecked).collect();
        let mut expected: Vec<(f64, u8)> =
            log_odds.iter().map(|log_odds| log_odds.min(f64::MAX)).zip(0..).collect();
        expected.sort_by(|(a, before), (b, after)| b.total_cmp(a).then(before.cmp(after)));
        let (best, temperature) = (expected[0].0, 0.7);
        let total: f64 = expected.iter().map(|(log_odds, _)| exp((log_odds - best) / temperature)).sum();
        let expected: Vec<u64> = expected
            .into_iter()
            .map(|(log_odds, place)| {
                let proof = if log_odds == f64::MAX { Proof::Win } else { Proof::Unknown };
                let prior = exp((log_odds - best) / temperature) / total;
                let arrow = HalfMove::Arrow(arrows[usize::from(place)]);
                PackedEdge::new(arrow, logistic(log_odds), prior, proof).0
            })
            .collect();
        for kernel in Kernel::available() {
            let expander =
                &mut Expander { arrows: arrows.clone(), log_odds: log_odds.clone(), ..Expander::default() };
            let rank = |expander: &mut Expander| kernel.run(RankTask { expander, temperature });
            assert_eq!(rank(expander), Some(best), "{}", kernel.name());
            let edges: Vec<u64> = expander.edges.iter().map(|edge| edge.0).collect();
            assert_eq!(edges, expected, "{}", kernel.name());
            expander.log_odds.clear();
            assert_eq!(rank(expander), None);
        }
    }
}
