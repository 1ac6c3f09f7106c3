//! Making a node: every child evaluated, ordered and given its prior.

use super::arena::{Arena, Lease};
use super::edge::{Block, Edge, NewEdge, Proof};
use super::ending::Endings;
use super::parameters::Parameters;
use super::playout::Leaf;
use super::selection::proof;
use crate::game::{HalfPly, Position, QueenMove, Square};
use crate::policy::{Inference, Networks};
use crate::territory::{Evaluator, exp, ln, logistic};

/// The evaluator, what tells it of endings, and the children of one node on their way into the arena, kept between expansions to save the
/// allocations.
#[derive(Debug)]
pub(super) struct Expander {
    pub(super) endings: Endings,
    evaluator: Evaluator,
    networks: Networks,
    inference: Inference,
    /// The moves to choose from, or the arrows, with the default square as where they come from.
    moves: Vec<QueenMove>,
    /// Of each that it wins, for who chooses.
    odds: Vec<f64>,
    /// These, with their places above, best first.
    order: Vec<(f64, u8)>,
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
    pub(super) fn new(evaluator: Evaluator, networks: Networks) -> Expander {
        Expander {
            endings: Endings::default(),
            evaluator,
            networks,
            inference: Inference::default(),
            moves: Vec::new(),
            odds: Vec::new(),
            order: Vec::new(),
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
        self.evaluator.queen_moves(position, &self.moves, waste, &mut self.odds);
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
        self.evaluator.arrows(half, &targets, waste, &mut self.odds);
        self.moves.clear();
        self.moves.extend(targets.iter().map(|to| QueenMove { from: Square::default(), to }));
        self.finish(arena, lease, parameters.arrow_temperature)
    }

    /// The arrow with the best static value; the last among equals.
    pub(super) fn best_arrow(&self, half: &HalfPly) -> Square {
        let targets = half.arrows();
        let mut odds = Vec::new();
        self.evaluator.arrows(half, &targets, 0, &mut odds);
        let best = targets.iter().zip(&odds).max_by(|(_, a), (_, b)| a.total_cmp(b));
        // The square just left can always be burnt; the shooter stands in for "cannot be".
        best.map_or(half.shooter(), |(arrow, _)| arrow)
    }

    /// Replaces the priors of a node by the policy network's: the softmax of its logits, times the old priors to the
    /// power of `policy_mix`.
    pub(super) fn sharpen(&mut self, edges: &[Edge], leaf: &Leaf, parameters: &Parameters) {
        let view = leaf.view();
        let (shooter, temperature) = match leaf {
            Leaf::Position(_) => (None, parameters.policy_queen_temperature),
            Leaf::Half(half) => (Some(half.shooter()), parameters.policy_arrow_temperature),
        };
        self.inference.run(self.networks.on(view.size), &view, shooter);
        self.odds.clear();
        self.odds.extend(edges.iter().map(|edge| {
            let logit = self.inference.logit(shooter.unwrap_or(edge.from()), edge.to());
            let before =
                if parameters.policy_mix > 0.0 { parameters.policy_mix * ln(edge.prior()) } else { 0.0 };
            f64::from(logit) / temperature + before
        }));
        let best = self.odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.odds.iter_mut().for_each(|odds| *odds = exp(*odds - best));
        let total: f64 = self.odds.iter().sum();
        edges.iter().zip(&self.odds).for_each(|(edge, weight)| edge.set_prior(weight / total));
    }

    /// Orders the children, best first, and turns their log-odds into priors by a softmax.
    fn finish(&mut self, arena: Option<&Arena>, lease: &mut Lease, temperature: f64) -> Option<Expansion> {
        self.order.clear();
        // Where the opponent cannot move, odds are infinite; finite, their softmax is a number.
        self.order.extend((0..).zip(&self.odds).map(|(place, &odds)| (odds.min(f64::MAX), place)));
        // Equals stay in the order of generation, so that they do on every machine.
        self.order.sort_unstable_by(|(a, before), (b, after)| b.total_cmp(a).then(before.cmp(after)));
        let (best, _) = *self.order.first()?;
        let mut total = 0.0;
        self.edges.clear();
        for &(odds, place) in &self.order {
            let QueenMove { from, to } = self.moves[usize::from(place)];
            let (static_value, proof) =
                if odds == f64::MAX { (1.0, Proof::Win) } else { (logistic(odds), Proof::Unknown) };
            let weight = exp((odds - best) / temperature);
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
