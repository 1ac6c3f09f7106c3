//! Expansion: evaluates the children of a node, orders them and gives them priors.

use super::any_evaluator::AnyEvaluator;
use super::edge::{NewEdge, Proof, share, short};
use super::parameters::Parameters;
use super::selection::proof;
use crate::game::{HalfPly, Moment, QueenMove, Square};
use crate::territory::{View, exp_all, logistic, logistic_all};

/// Evaluates the children of one node at a time. Keeps its buffers, to save allocations.
#[derive(Debug, Default)]
pub(super) struct Expander {
    evaluator: AnyEvaluator,
    /// The moves to choose from; an arrow has the default square as its `from`.
    moves: Vec<QueenMove>,
    odds: Vec<f64>,
    /// The order of the moves, best first: [`key`] of each.
    order: Vec<u64>,
    /// The static value of each, and its weight in the softmax, best first.
    values: Vec<f64>,
    weights: Vec<f64>,
    edges: Vec<NewEdge>,
}

impl Expander {
    pub(super) fn new(evaluator: AnyEvaluator) -> Expander {
        Expander { evaluator, ..Expander::default() }
    }

    /// The children of a state of this [waste](View::waste), best first, and the proof that they give,
    /// for the side that chooses among them; `None` if the side to move has no move.
    pub(super) fn expand(
        &mut self,
        state: &Moment,
        waste: i16,
        parameters: &Parameters,
    ) -> Option<(&[NewEdge], Proof)> {
        self.moves.clear();
        self.odds.clear();
        match state {
            Moment::Position(position) => {
                // `extend` would take twice the time: it asks the iterator for one move after the other.
                position.queen_moves().for_each(|queen| self.moves.push(queen));
                let view = View::from(position).with_waste(waste);
                self.evaluator.queen_moves(&view, &self.moves, &mut self.odds);
                self.order_children(parameters.queen_temperature)
            }
            Moment::HalfPly(half) => {
                let targets = half.arrows();
                let view = View::from(half).with_waste(waste);
                self.evaluator.arrows(&view, targets, &mut self.odds);
                self.moves.extend(targets.iter().map(|to| QueenMove { from: Square::default(), to }));
                self.order_children(parameters.arrow_temperature)
            }
        }
    }

    /// The arrow with the best static value; the last among equals.
    pub(super) fn best_arrow(&self, half: &HalfPly) -> Square {
        let targets = half.arrows();
        let mut odds = Vec::new();
        self.evaluator.arrows(&View::from(half), targets, &mut odds);
        let best = targets.iter().zip(&odds).max_by(|(_, a), (_, b)| a.total_cmp(b));
        // The square just left can always be burnt, so there is one.
        best.map_or(half.shooter(), |(arrow, _)| arrow)
    }

    pub(super) fn static_value(&self, view: &View<'_>) -> f64 {
        let odds = self.evaluator.log_odds(view);
        // Minus infinity: the side to move has no move and has lost.
        if odds == f64::NEG_INFINITY { 0.0 } else { logistic(odds) }
    }

    /// Orders the children, best first, and turns their log-odds into priors by a softmax.
    fn order_children(&mut self, temperature: f64) -> Option<(&[NewEdge], Proof)> {
        self.order.clear();
        // Log-odds are infinite where the opponent cannot move. The softmax needs finite ones.
        self.odds.iter_mut().for_each(|odds| *odds = odds.min(f64::MAX));
        self.order.extend((0..).zip(&self.odds).map(|(place, &odds)| key(odds, place)));
        self.order.sort_unstable();
        let place = |key: u64| usize::from(key as u8);
        self.values.clear();
        self.values.extend(self.order.iter().map(|&key| self.odds[place(key)]));
        let best = *self.values.first()?;
        self.weights.clear();
        self.weights.extend(self.values.iter().map(|&odds| (odds - best) / temperature));
        logistic_all(&mut self.values, self.evaluator.kernel());
        exp_all(&mut self.weights, self.evaluator.kernel());
        let mut total = 0.0;
        self.edges.clear();
        for ((&key, &value), &weight) in self.order.iter().zip(&self.values).zip(&self.weights) {
            let QueenMove { from, to } = self.moves[place(key)];
            let wins = self.odds[place(key)] == f64::MAX;
            let (static_value, proof) = if wins { (1.0, Proof::Win) } else { (value, Proof::Unknown) };
            // As an edge rounds it.
            let static_value = share(short(static_value));
            total += weight;
            self.edges.push(NewEdge { from, to, static_value, prior: weight, proof });
        }
        self.edges.iter_mut().for_each(|edge| edge.prior /= total);
        Some((&self.edges, proof(self.edges.iter().map(|edge| edge.proof))))
    }
}

/// The sort key of a move. Moves with greater log-odds have smaller keys; among equals, earlier
/// moves do. The lowest byte is the move's place and replaces the last eight bits of the log-odds.
///
/// No difference is lost: all log-odds of a node are whole numbers up to 2^40 over one divisor.
fn key(odds: f64, place: u8) -> u64 {
    let bits = odds.to_bits();
    // The bits of negative numbers grow as the numbers fall.
    let descending = if odds.is_sign_negative() { bits } else { !(bits | 1 << 63) };
    descending & !0xff | u64::from(place)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_log_odds_and_then_places_do() {
        let numerators = [0, 1, 2, 3, 1 << 20, (1 << 40) - 2, (1 << 40) - 1, 1 << 40];
        let mut odds: Vec<f64> = numerators
            .iter()
            .flat_map(|&n: &i64| [n as f64 / 1_234_567.0, -n as f64 / 1_234_567.0])
            .collect();
        odds.extend([f64::MAX, f64::NEG_INFINITY, f64::MAX, odds[5]]);
        let mut expected: Vec<(f64, u8)> = odds.iter().copied().zip(0..).collect();
        expected.sort_by(|(a, before), (b, after)| b.total_cmp(a).then(before.cmp(after)));
        let mut keys: Vec<u64> = odds.iter().zip(0..).map(|(&odds, place)| key(odds, place)).collect();
        keys.sort_unstable();
        let places = |keys: &[u64]| keys.iter().map(|&key| key as u8).collect::<Vec<_>>();
        assert_eq!(places(&keys), expected.iter().map(|&(_, place)| place).collect::<Vec<_>>());
    }
}
