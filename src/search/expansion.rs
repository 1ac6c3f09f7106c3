//! Making a node: every child evaluated, ordered and given its prior.

use super::arena::{Arena, Lease};
use super::edge::{Block, NewEdge, Proof};
use super::ending::Endings;
use super::parameters::Parameters;
use super::selection::proof;
use crate::game::{HalfPly, Position, QueenMove, Square};
use crate::territory::{Evaluator, exp, logistic};

/// The evaluator, what tells it of endings, and the children of one node on their way into the arena, kept between expansions to save the
/// allocations.
#[derive(Debug)]
pub(super) struct Expander {
    pub(super) endings: Endings,
    evaluator: Evaluator,
    moves: Vec<QueenMove>,
    odds: Vec<f64>,
    children: Vec<(f64, NewEdge)>,
    edges: Vec<NewEdge>,
}

/// What came of an expansion, for the side that chooses among the children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion {
    /// The new node; `None` if the arena has no room for it.
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
            children: Vec::new(),
            edges: Vec::new(),
        }
    }

    pub(super) fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The queen moves of a position of this [waste](crate::territory::View::waste); `None` if the side to move has no move.
    pub(super) fn expand_position(
        &mut self,
        arena: &Arena,
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
            self.evaluator.queen_moves(position, &self.moves, waste, &mut self.odds);
        }
        let edge = |(queen, &odds): (&QueenMove, &f64)| {
            (odds, NewEdge::new(queen.from, queen.to, logistic(odds), Proof::Unknown))
        };
        self.children.clear();
        self.children.extend(self.moves.iter().zip(&self.odds).map(edge));
        self.finish(arena, lease, parameters.queen_temperature)
    }

    /// The arrows of a half ply of this waste; there is always one.
    pub(super) fn expand_half(
        &mut self,
        arena: &Arena,
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
            self.evaluator.arrows(half, &targets, waste, &mut self.odds);
        }
        let edge = |(arrow, &odds): (Square, &f64)| {
            if odds == f64::INFINITY {
                // The opponent cannot move. Finite, so that its softmax is.
                (f64::MAX, NewEdge::new(Square::default(), arrow, 1.0, Proof::Win))
            } else {
                (odds, NewEdge::new(Square::default(), arrow, logistic(odds), Proof::Unknown))
            }
        };
        self.children.clear();
        self.children.extend(targets.iter().zip(&self.odds).map(edge));
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

    /// Orders the children, best first, and turns their log-odds into priors by a softmax.
    fn finish(&mut self, arena: &Arena, lease: &mut Lease, temperature: f64) -> Option<Expansion> {
        // Stable, so that equals stay in the order of generation on every machine.
        self.children.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let (best, first) = *self.children.first()?;
        let mut total = 0.0;
        for (odds, _) in &mut self.children {
            *odds = exp((*odds - best) / temperature);
            total += *odds;
        }
        self.edges.clear();
        self.edges
            .extend(self.children.iter().map(|&(weight, edge)| NewEdge { prior: weight / total, ..edge }));
        Some(Expansion {
            node: arena.push(lease, &self.edges),
            best: first.static_value,
            proof: proof(self.edges.iter().map(|edge| edge.proof)),
        })
    }
}
