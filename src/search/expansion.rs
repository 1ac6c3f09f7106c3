//! Expansion: evaluates the children of a node, orders them and gives them priors.

use super::edge::{NewEdge, Proof};
use super::parameters::Parameters;
use super::selection::proof;
use super::state::NodeState;
use crate::game::{HalfPly, QueenMove, Square};
use crate::territory::{Evaluator, View, exp_all, logistic, logistic_all};

/// Evaluates the children of one node at a time. Keeps its buffers, to save allocations.
#[derive(Debug)]
pub(super) struct Expander {
    evaluator: Evaluator,
    /// The moves to choose from; an arrow has the default square as its `from`.
    moves: Vec<QueenMove>,
    /// Log-odds of each, for the side that chooses.
    odds: Vec<f64>,
    /// The same with the place of the move, best first.
    order: Vec<(f64, u8)>,
    /// The static value of each, and its weight in the softmax, best first.
    values: Vec<f64>,
    weights: Vec<f64>,
    edges: Vec<NewEdge>,
}

/// The children of a node, best first, for the side that chooses among them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion<'a> {
    pub(super) edges: &'a [NewEdge],
    /// What the children prove.
    pub(super) proof: Proof,
}

impl Expansion<'_> {
    /// The static value of the best child.
    pub(super) fn best(&self) -> f64 {
        self.edges[0].static_value
    }
}

impl Expander {
    pub(super) fn new(evaluator: Evaluator) -> Expander {
        Expander {
            evaluator,
            moves: Vec::new(),
            odds: Vec::new(),
            order: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// The children of a state of this [waste](View::waste); `None` if the side to move has no
    /// move.
    pub(super) fn expand(
        &mut self,
        state: &NodeState,
        waste: i16,
        parameters: &Parameters,
    ) -> Option<Expansion<'_>> {
        self.moves.clear();
        self.odds.clear();
        match state {
            NodeState::Position(position) => {
                self.moves.extend(position.queen_moves());
                let view = View::from(position).with_waste(waste);
                self.evaluator.queen_moves(&view, &self.moves, &mut self.odds);
                self.order_children(parameters.queen_temperature)
            }
            NodeState::HalfPly(half) => {
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

    /// The static value of a view, for the side that acts next.
    pub(super) fn static_value(&self, view: &View<'_>) -> f64 {
        let odds = self.evaluator.log_odds(view);
        // Minus infinity: the side to move has no move and has lost.
        if odds == f64::NEG_INFINITY { 0.0 } else { logistic(odds) }
    }

    /// Orders the children, best first, and turns their log-odds into priors by a softmax.
    fn order_children(&mut self, temperature: f64) -> Option<Expansion<'_>> {
        self.order.clear();
        // Log-odds are infinite where the opponent cannot move. The softmax needs finite ones.
        self.order.extend((0..).zip(&self.odds).map(|(place, &odds)| (odds.min(f64::MAX), place)));
        // Equals stay in the order of generation, so that the order is the same on every machine.
        self.order.sort_unstable_by(|(a, before), (b, after)| b.total_cmp(a).then(before.cmp(after)));
        let (best, _) = *self.order.first()?;
        self.values.clear();
        self.values.extend(self.order.iter().map(|&(odds, _)| odds));
        self.weights.clear();
        self.weights.extend(self.order.iter().map(|&(odds, _)| (odds - best) / temperature));
        logistic_all(&mut self.values, self.evaluator.kernel());
        exp_all(&mut self.weights, self.evaluator.kernel());
        let mut total = 0.0;
        self.edges.clear();
        for ((&(odds, place), &value), &weight) in self.order.iter().zip(&self.values).zip(&self.weights) {
            let QueenMove { from, to } = self.moves[usize::from(place)];
            let (static_value, proof) =
                if odds == f64::MAX { (1.0, Proof::Win) } else { (value, Proof::Unknown) };
            total += weight;
            self.edges.push(NewEdge { prior: weight, ..NewEdge::new(from, to, static_value, proof) });
        }
        self.edges.iter_mut().for_each(|edge| edge.prior /= total);
        Some(Expansion { edges: &self.edges, proof: proof(self.edges.iter().map(|edge| edge.proof)) })
    }
}
