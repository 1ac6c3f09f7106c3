//! Making a node: every child evaluated, ordered and given its prior.

use super::arena::{Arena, Block, Edge, Proof};
use super::parameters::Parameters;
use super::selection::proof;
use crate::game::{HalfPly, Position, Square};
use crate::territory::{View, exp, log_odds, logistic};

/// The children of one node on their way into the arena; kept between expansions to save the allocation.
#[derive(Debug, Default)]
pub(super) struct Expander {
    children: Vec<(f64, Edge)>,
    edges: Vec<Edge>,
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
    /// The queen moves of a position; `None` if the side to move has no move.
    pub(super) fn expand_position(
        &mut self,
        arena: &mut Arena,
        parameters: &Parameters,
        position: &Position,
    ) -> Option<Expansion> {
        self.children.clear();
        for queen in position.queen_moves() {
            let half = position.move_queen_unchecked(queen);
            let odds = log_odds(&View::from(&half));
            self.children.push((odds, Edge::new(queen.from, queen.to, logistic(odds), Proof::Unknown)));
        }
        self.finish(arena, parameters.queen_temperature)
    }

    /// The arrows of a half ply; there is always one.
    pub(super) fn expand_half(
        &mut self,
        arena: &mut Arena,
        parameters: &Parameters,
        half: &HalfPly,
    ) -> Option<Expansion> {
        self.children.clear();
        self.children.extend(arrows(half));
        self.finish(arena, parameters.arrow_temperature)
    }

    /// Orders the children, best first, and turns their log-odds into priors by a softmax.
    fn finish(&mut self, arena: &mut Arena, temperature: f64) -> Option<Expansion> {
        // Stable, so that equals stay in the order of generation on every machine.
        self.children.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let best = self.children.first()?.0;
        let mut total = 0.0;
        for (odds, _) in &mut self.children {
            *odds = exp((*odds - best) / temperature);
            total += *odds;
        }
        self.edges.clear();
        for &(weight, mut edge) in &self.children {
            edge.set_prior(weight / total);
            self.edges.push(edge);
        }
        let best = self.edges[0].static_value();
        Some(Expansion { node: arena.push(&self.edges), best, proof: proof(&self.edges) })
    }
}

/// The arrows of a half ply with their log-odds, for the side that shoots.
fn arrows(half: &HalfPly) -> impl Iterator<Item = (f64, Edge)> + '_ {
    let targets = half.arrows();
    targets.iter().map(|arrow| {
        let next = half.shoot_unchecked(arrow);
        if next.winner().is_some() {
            // The opponent cannot move.
            return (f64::MAX, Edge::new(Square::default(), arrow, 1.0, Proof::Win));
        }
        let odds = -log_odds(&View::from(&next));
        (odds, Edge::new(Square::default(), arrow, logistic(odds), Proof::Unknown))
    })
}

/// The arrow with the best static value.
pub(super) fn best_arrow(half: &HalfPly) -> Square {
    let best = arrows(half).max_by(|(a, _), (b, _)| a.total_cmp(b));
    // The square just left can always be burnt; the shooter stands in for "cannot be".
    best.map_or(half.shooter(), |(_, edge)| edge.to)
}
