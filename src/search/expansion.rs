//! Making a node: every child evaluated, ordered and given its prior.

use super::arena::{Arena, Lease};
use super::edge::{Block, NewEdge, Proof};
use super::ending::Endings;
use super::parameters::Parameters;
use super::selection::proof;
use crate::game::{HalfPly, Position, QueenMove, Square};
use crate::territory::{Evaluator, View, exp_all, logistic_all};

/// The evaluator, what tells it of endings, and the children of one node on their way into the arena, kept between expansions to save the
/// allocations.
#[derive(Debug)]
pub(super) struct Expander {
    pub(super) endings: Endings,
    evaluator: Evaluator,
    /// The moves to choose from, or the arrows, with the default square as where they come from.
    moves: Vec<QueenMove>,
    /// Of each that it wins, for who chooses.
    odds: Vec<f64>,
    /// These, with their places above, best first.
    order: Vec<(f64, u8)>,
    /// Of each its static value and its weight in the softmax, best first.
    values: Vec<f64>,
    weights: Vec<f64>,
    edges: Vec<NewEdge>,
}

/// What came of an expansion, for the side that chooses among the children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion {
    /// The new node; `None` if there is no arena, or no room in it.
    pub(super) node: Option<Block>,
    /// The static value of the best child.
    pub(super) best: f64,
    /// What the children prove.
    pub(super) proof: Proof,
}

impl Expander {
    pub(super) fn new(evaluator: Evaluator) -> Expander {
        Expander {
            endings: Endings::default(),
            evaluator,
            moves: Vec::new(),
            odds: Vec::new(),
            order: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            edges: Vec::new(),
        }
    }

    pub(super) fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The queen moves of a position of this [waste](crate::territory::View::waste); `None` if the side to move has no move.
    pub(super) fn expand_position(
        &mut self,
        arena: Option<&Arena>,
        lease: &mut Lease,
        parameters: &Parameters,
        position: &Position,
        waste: i16,
    ) -> Option<Expansion> {
        self.moves.clear();
        self.moves.extend(position.queen_moves());
        self.odds.clear();
        if parameters.child_evaluation == 0 {
            self.odds.resize(self.moves.len(), 0.0);
        } else {
            self.evaluator.queen_moves(&View::from(position).with_waste(waste), &self.moves, &mut self.odds);
        }
        self.finish(arena, lease, parameters.queen_temperature)
    }

    /// The arrows of a half ply of this waste; there is always one.
    pub(super) fn expand_half(
        &mut self,
        arena: Option<&Arena>,
        lease: &mut Lease,
        parameters: &Parameters,
        half: &HalfPly,
        waste: i16,
    ) -> Option<Expansion> {
        let targets = half.arrows();
        self.odds.clear();
        if parameters.child_evaluation == 0 {
            self.odds.resize(targets.count() as usize, 0.0);
        } else {
            self.evaluator.arrows(&View::from(half).with_waste(waste), &targets, &mut self.odds);
        }
        self.moves.clear();
        self.moves.extend(targets.iter().map(|to| QueenMove { from: Square::default(), to }));
        self.finish(arena, lease, parameters.arrow_temperature)
    }

    /// The arrow with the best static value; the last among equals.
    pub(super) fn best_arrow(&self, half: &HalfPly) -> Square {
        let targets = half.arrows();
        let mut odds = Vec::new();
        self.evaluator.arrows(&View::from(half), &targets, &mut odds);
        let best = targets.iter().zip(&odds).max_by(|(_, a), (_, b)| a.total_cmp(b));
        // The square just left can always be burnt; the shooter stands in for "cannot be".
        best.map_or(half.shooter(), |(arrow, _)| arrow)
    }

    /// Orders the children, best first, and turns their log-odds into priors by a softmax.
    fn finish(&mut self, arena: Option<&Arena>, lease: &mut Lease, temperature: f64) -> Option<Expansion> {
        self.order.clear();
        // Where the opponent cannot move, odds are infinite; finite, their softmax is a number.
        self.order.extend((0..).zip(&self.odds).map(|(place, &odds)| (odds.min(f64::MAX), place)));
        // Equals stay in the order of generation, so that they do on every machine.
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
        Some(Expansion {
            node: arena.and_then(|arena| arena.push(lease, &self.edges)),
            best: self.edges[0].static_value,
            proof: proof(self.edges.iter().map(|edge| edge.proof)),
        })
    }
}
