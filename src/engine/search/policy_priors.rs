//! The network's priors and value for nodes that are visited again.
//!
//! Expansion gives every node the flat priors of the linear evaluator, which cost nothing more. At
//! the root, and at a node's `policy_visits`-th visit, one worker replaces them.

use amazons::{AnyPosition, Bitboard, Position};

use super::node::Node;
use super::parameters::Parameters;
use crate::policy::{Inference, Networks};
use crate::territory::{Kernel, View, exp_all, logistic};

/// Gives nodes the priors of the policy network. Keeps its buffers, to save allocations.
#[derive(Debug)]
pub(super) struct PolicyPriors {
    networks: Networks,
    inference: Inference,
    /// Logarithms of the priors, then the priors before they are divided by their sum.
    priors: Vec<f64>,
    /// True if no other worker changes the nodes.
    alone: bool,
}

impl PolicyPriors {
    pub(super) fn new(networks: Networks, alone: bool) -> PolicyPriors {
        PolicyPriors { networks, inference: Inference::default(), priors: Vec::new(), alone }
    }

    /// Runs the network once, whose first run maps its memory and chooses the kernel.
    pub(super) fn warm_up(&mut self, position: &Position) {
        self.inference.run(self.networks.on(position.size()), &View::from(position));
    }

    /// Replaces the priors of the node of `state` by the softmax of the network's logits. Returns the
    /// network's value, in [0,1], for the side that chooses there, if asked `with_value`.
    pub(super) fn replace(
        &mut self,
        node: &Node<'_>,
        state: &AnyPosition,
        parameters: &Parameters,
        with_value: bool,
    ) -> Option<f64> {
        let view = View::from(state);
        let shooter = view.shooter;
        let temperature = match shooter {
            None => parameters.policy_queen_temperature,
            Some(_) => parameters.policy_arrow_temperature,
        };
        let PolicyPriors { networks, inference, priors, alone } = self;
        let mut squares = Bitboard::EMPTY;
        let mut add = |square| squares |= Bitboard::of(square);
        shooter.into_iter().for_each(&mut add);
        node.edges().for_each(|edge| {
            add(edge.to());
            if shooter.is_none() {
                add(edge.from());
            }
        });
        let log_odds = inference.run_for_moves(networks.on(view.size), &view, squares, with_value);
        priors.clear();
        // `extend` would take longer: it asks the iterator for one edge after the other.
        node.edges().for_each(|edge| {
            let logit = inference.logit(shooter.unwrap_or(edge.from()), edge.to());
            priors.push(f64::from(logit) / temperature);
        });
        let largest = priors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        priors.iter_mut().for_each(|prior| *prior -= largest);
        exp_all(priors, Kernel::best());
        let total: f64 = priors.iter().sum();
        node.edges().zip(priors).for_each(|(edge, prior)| edge.set_prior(*prior / total, *alone));
        log_odds.map(|log_odds| logistic(f64::from(log_odds)))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;

    use amazons::{Position, Size};

    use super::super::arena::{Arena, Lease};
    use super::super::edge::{Chooser, Edge, NodeId};
    use super::super::expansion::Expander;
    use super::super::parameters::EngineOptions;
    use super::super::pool::SharedSearch;
    use super::super::proof::Proof;
    use super::super::tree::Tree;
    use super::super::worker::Worker;
    use super::*;

    /// Checks the edges with as many visits as a node has that has just been given priors, below this node.
    fn check_corrections(tree: &Tree, node: NodeId, state: &AnyPosition, due: u32, checked: &mut [u32; 2]) {
        let arrows = matches!(state, AnyPosition::HalfPly(_));
        for edge in tree.arena.node(node).edges() {
            let Some(child) = edge.child() else { continue };
            let below = state.after(Chooser::of(state).half_move(edge));
            if edge.visits() > due {
                check_corrections(tree, child, &below, due, checked);
            } else if edge.visits() == due && edge.proof() == Proof::Unknown {
                let mut priors = PolicyPriors::new(Networks::default(), true);
                let value = priors.replace(&tree.arena.node(child), &below, &Parameters::default(), true);
                let value = value.unwrap();
                // An arrow's node has the opponent's value.
                let value = if arrows { 1.0 - value } else { value };
                let n = f64::from(due);
                let last = n * edge.mean().unwrap() - (n - 1.0) * value;
                assert!((-1e-6..=1.0 + 1e-6).contains(&last), "{last} of {value}");
                checked[usize::from(arrows)] += 1;
            }
        }
    }

    #[test]
    fn value_stands_for_the_results_before_it() {
        // The second side has more room, so the values of the two sides differ.
        let position: Position = "q3q3/8/8/3**3/2****2/1*QQ**2/1*QQ***1/q1*****q w".parse().unwrap();
        let mut options = EngineOptions { memory: 16 << 20, ..EngineOptions::default() };
        for pair in ["value_visits=1000", "endgame=0"] {
            options.parameters.set_pair(pair).unwrap();
        }
        let parameters = options.parameters.on(position.size());
        let mut worker = Worker::new(0, 1, &options);
        let mut tree = Tree::new(options.memory, position);
        tree.expand_root(&mut worker, &parameters);
        let mut checked = [0; 2];
        let tree = Arc::new(tree);
        let search = SharedSearch::new(&tree, &parameters, Some(400), false);
        while search.playout(&mut worker) {}
        let (root, state) = (tree.root.unwrap(), AnyPosition::Position(position));
        check_corrections(&tree, root, &state, parameters.policy_visits, &mut checked);
        assert!(checked.iter().all(|&edges| edges > 0), "{checked:?}");
    }

    #[test]
    fn priors_are_the_softmax_of_the_logits() {
        let position = Position::start(Size::square(8).unwrap()).unwrap();
        let parameters = Parameters { policy_queen_temperature: 2.0, ..Parameters::default() };
        let state = AnyPosition::Position(position);
        let (arena, mut expander) = (Arena::new(0), Expander::new(EngineOptions::default().evaluator));
        let (edges, ..) = expander.expand(&state, 0, &parameters).unwrap();
        let node = arena.node(arena.push(&mut Lease::default(), edges).unwrap());
        PolicyPriors::new(Networks::default(), true).replace(&node, &state, &parameters, true);
        let mut inference = Inference::default();
        inference.run(Networks::default().on(position.size()), &View::from(&position));
        let mut expected: Vec<f64> = position
            .queen_moves()
            .map(|queen| (f64::from(inference.logit(queen.from, queen.to)) / 2.0).exp())
            .collect();
        let total: f64 = expected.iter().sum();
        expected.iter_mut().for_each(|weight| *weight /= total);
        // A node's edges are in the order of their static values.
        let sorted = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values
        };
        let after = sorted(node.edges().map(Edge::prior).collect());
        for (got, expected) in after.into_iter().zip(sorted(expected)) {
            assert!((got - expected).abs() < 2.0 / 65_535.0, "{got} {expected}");
        }
    }
}
