//! The network's priors and value for nodes that are visited again.
//!
//! Expansion gives every node the flat priors of the linear evaluator, which cost nothing more. At
//! the root, and at a node's `policy_visits`-th visit, one worker replaces them.

use super::node::Node;
use super::parameters::Parameters;
use crate::game::{Moment, Position, Size};
use crate::policy::{Inference, Networks};
use crate::territory::{Kernel, View, exp_all, logistic};

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

    /// Runs the network once, whose first run maps its memory and chooses the kernel.
    pub(super) fn warm_up(&mut self, position: &Position) {
        self.inference.run(self.networks.on(position.size()), &View::from(position), None);
    }

    /// Replaces the priors of the node of `state` by the softmax of the network's logits.
    pub(super) fn replace(&mut self, node: &Node<'_>, state: &Moment, parameters: &Parameters) {
        let view = View::from(state);
        let (shooter, temperature) = match state {
            Moment::Position(_) => (None, parameters.policy_queen_temperature),
            Moment::HalfPly(half) => (Some(half.shooter()), parameters.policy_arrow_temperature),
        };
        let PolicyPriors { networks, inference, priors } = self;
        inference.run(networks.on(view.size), &view, shooter);
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
        node.edges().zip(priors).for_each(|(edge, prior)| edge.set_prior(*prior / total));
    }

    /// The network's value of the last node that it gave priors, for the side that chooses there, in
    /// [0,1].
    pub(super) fn value(&self, size: Size) -> f64 {
        logistic(f64::from(self.inference.value(self.networks.on(size))))
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
