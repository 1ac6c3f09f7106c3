//! The network's priors and value for nodes that are visited again.
//!
//! Expansion gives every node the flat priors of the linear evaluator, which cost nothing more. At
//! the root, and at a node's `policy_visits`-th visit, one worker replaces them.

use super::node::Node;
use super::parameters::Parameters;
use super::state::NodeState;
use crate::policy::{Inference, Networks};
use crate::territory::{Kernel, exp_all, logistic};

/// Gives nodes the priors of the policy network. Keeps its buffers, to save allocations.
#[derive(Debug)]
pub(super) struct PolicyPriors {
    networks: Networks,
    inference: Inference,
    /// Logarithms of the priors, then the priors before they are divided by their sum.
    priors: Vec<f64>,
}

impl PolicyPriors {
    pub(super) fn new(networks: Networks) -> PolicyPriors {
        PolicyPriors { networks, inference: Inference::default(), priors: Vec::new() }
    }

    /// Replaces the priors of the node of `state` by the softmax of the network's logits. Returns the
    /// network's value for the side that chooses there, in [0,1].
    pub(super) fn replace(&mut self, node: &Node<'_>, state: &NodeState, parameters: &Parameters) -> f64 {
        let view = state.view();
        let (shooter, temperature) = match state {
            NodeState::Position(_) => (None, parameters.policy_queen_temperature),
            NodeState::HalfPly(half) => (Some(half.shooter()), parameters.policy_arrow_temperature),
        };
        let PolicyPriors { networks, inference, priors } = self;
        let network = networks.on(view.size);
        inference.run(network, &view, shooter);
        priors.clear();
        priors.extend(node.edges().map(|edge| {
            let logit = inference.logit(shooter.unwrap_or(edge.from()), edge.to());
            f64::from(logit) / temperature
        }));
        let largest = priors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        priors.iter_mut().for_each(|prior| *prior -= largest);
        exp_all(priors, Kernel::best());
        let total: f64 = priors.iter().sum();
        node.edges().zip(priors).for_each(|(edge, prior)| edge.set_prior(*prior / total));
        logistic(f64::from(inference.value(network)))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::arena::{Arena, Lease};
    use super::super::edge::Edge;
    use super::super::expansion::Expander;
    use super::*;
    use crate::game::{Position, Size, Start};
    use crate::territory::{Evaluator, View};

    /// The priors of a state's moves before and after the network.
    fn priors(state: &NodeState, parameters: &Parameters) -> (Vec<f64>, Vec<f64>) {
        let arena = Arena::new(0);
        let mut expander = Expander::new(Evaluator::default());
        let expansion = expander.expand(state, 0, parameters).unwrap();
        let node = arena.node(arena.push(&mut Lease::default(), expansion.edges).unwrap());
        let of = || node.edges().map(Edge::prior).collect();
        let before = of();
        PolicyPriors::new(Networks::default()).replace(&node, state, parameters);
        (before, of())
    }

    fn start() -> Position {
        Start::Formula.position(Size::square(8).unwrap()).unwrap()
    }

    #[test]
    fn priors_are_the_softmax_of_the_logits() {
        let position = start();
        let parameters = Parameters { policy_queen_temperature: 2.0, ..Parameters::default() };
        let state = NodeState::Position(position);
        let (before, after) = priors(&state, &parameters);
        assert_ne!(before, after);
        let mut inference = Inference::default();
        inference.run(Networks::default().on(position.size()), &View::from(&position), None);
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
        for (got, expected) in sorted(after).into_iter().zip(sorted(expected)) {
            assert!((got - expected).abs() < 2.0 / 65_535.0, "{got} {expected}");
        }
    }
}
