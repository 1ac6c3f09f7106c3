//! Training examples for the policy network, taken from the nodes of a search tree.

use amazons::random::uniform;
use amazons::{AnyPosition, Position, Square};
use rand_xoshiro::rand_core::Rng;

use super::Engine;
use crate::search::arena::{Edge, Proof};
use crate::search::chooser::Chooser;

/// A random descent stops at a node of `n` visits with the probability `STOP_VISITS / n`. Most
/// descents therefore end at nodes with few visits, the usual inputs of the network in a search.
const STOP_VISITS: u32 = 6;

/// A training example: a search's results for a position or for the state after a queen move.
#[derive(Clone, Debug)]
pub struct PolicyExample {
    /// The position, or the state after a queen move.
    pub state: AnyPosition,
    /// The chance of winning for the side to act, in \[0,1\].
    pub value: f64,
    /// All half moves in `state` with their visits, most visited first. The two squares are the
    /// start and the end of a queen move, or the shooting amazon's square and the arrow's square.
    pub visits: Vec<([Square; 2], u32)>,
}

impl Engine {
    /// Draws a random position from the tree: follows moves in proportion to their visits, and
    /// stops at a random node, usually with few visits. `None` if the moves leave the tree first.
    pub fn draw_position(&self, rng: &mut impl Rng) -> Option<Position> {
        let (mut node, mut state) = (self.tree.root?, AnyPosition::Position(self.tree.position));
        loop {
            let edges = || self.tree.arena.node(node).edges();
            let mut left = uniform(rng, edges().map(|edge| edge.visits()).sum::<u32>().max(1));
            let edge = edges().find(|edge| {
                let is_drawn = left < edge.visits();
                left = left.saturating_sub(edge.visits());
                is_drawn
            })?;
            state = state.after(Chooser::of(&state).half_move(edge));
            match state {
                AnyPosition::Position(position) if uniform(rng, edge.visits()) < STOP_VISITS => {
                    return Some(position);
                }
                _ => node = edge.child()?,
            }
        }
    }

    /// Training examples for the policy network: the root and all nodes with at least `least`
    /// visits, except nodes whose winner is proven or whose moves have no visits, and the nodes
    /// below them.
    pub fn policy_examples(&self, least: u32) -> Vec<PolicyExample> {
        let mut found = Vec::new();
        let root = self.tree.root.map(|root| (root, AnyPosition::Position(self.tree.position)));
        let mut open: Vec<_> = root.into_iter().collect();
        while let Some((node, state)) = open.pop() {
            let chooser = Chooser::of(&state);
            let is_open = |edge: &Edge<'_>| edge.proof() == Proof::Unknown;
            let chosen = self.edge_to_play(node).filter(|edge| edge.visits() > 0 && is_open(edge));
            let Some(chosen) = chosen else { continue };
            // The value of a queen move is the value of its best arrow.
            let arrow = chosen.child().filter(|_| !chooser.shoots).and_then(|node| self.edge_to_play(node));
            let squares = |edge: Edge<'_>| match &state {
                AnyPosition::Position(_) => [edge.from(), edge.to()],
                AnyPosition::HalfPly(half) => [half.shooter(), edge.to()],
            };
            let node = self.tree.arena.node(node);
            let visits = node.by_visits(squares);
            found.push(PolicyExample { state, value: arrow.unwrap_or(chosen).value(), visits });
            let visited = node.edges().filter(|edge| edge.visits() >= least && is_open(edge));
            open.extend(
                visited.filter_map(|edge| Some((edge.child()?, state.after(chooser.half_move(edge))))),
            );
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;
    use crate::search::{EngineOptions, Limits};
    use amazons::{QueenMove, Size};

    #[test]
    fn visited_nodes_are_found_and_drawn() {
        let start = Position::start(Size::square(6).unwrap()).unwrap();
        let options = EngineOptions { memory: 4 << 20, ..EngineOptions::default() };
        let mut engine = Engine::new(&options, &start);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        assert!(engine.draw_position(&mut rng).is_none() && engine.policy_examples(1).is_empty());
        let report = engine.search(&Limits::playouts(600)).unwrap();
        assert!(
            engine.policy_examples(1).iter().all(|it| it.visits[0].1 > 0),
            "every node has a visited move"
        );
        let found = engine.policy_examples(100);
        let sum = |it: &PolicyExample| it.visits.iter().map(|(_, visits)| visits).sum::<u32>();
        assert_eq!((found[0].state, sum(&found[0])), (AnyPosition::Position(start), 600));
        assert_eq!(found[0].value, report.value);
        assert!(found.iter().any(|it| it.state.is_half_ply()) && found.len() > 2);
        for it in &found {
            // The visit that expanded a node is not counted at any of its edges.
            assert!(sum(it) >= 99 && it.visits.is_sorted_by(|a, b| a.1 >= b.1));
            let [from, to] = it.visits[0].0;
            let is_legal = match &it.state {
                AnyPosition::Position(position) => position.move_queen(QueenMove { from, to }).is_ok(),
                AnyPosition::HalfPly(half) => half.shooter() == from && half.shoot(to).is_ok(),
            };
            assert!(is_legal && (0.0..=1.0).contains(&it.value));
        }
        let drawn: Vec<Position> = (0..50).filter_map(|_| engine.draw_position(&mut rng)).collect();
        let plies = |it: &Position| start.empty().count() - it.empty().count();
        assert!(
            drawn.len() > 40 && drawn.iter().any(|it| plies(it) == 1) && drawn.iter().any(|it| plies(it) > 1)
        );
    }
}
