//! The network's priors and value for nodes that are visited again.
//!
//! Expansion gives every node the flat priors of the linear evaluator, which cost nothing more. At
//! the root, and at a node's `policy_visits`-th visit, one worker replaces them.

use super::node::Node;
use super::parameters::Parameters;
use crate::game::{Bitboard, Moment, Position, Size};
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
        self.inference.run(self.networks.on(position.size()), &View::from(position), None);
    }

    /// Replaces the priors of the node of `state` by the softmax of the network's logits.
    /// Without `value` there is no [`PolicyPriors::value`] afterwards.
    pub(super) fn replace(&mut self, node: &Node<'_>, state: &Moment, parameters: &Parameters, value: bool) {
        let view = View::from(state);
        let (shooter, temperature) = match state {
            Moment::Position(_) => (None, parameters.policy_queen_temperature),
            Moment::HalfPly(half) => (Some(half.shooter()), parameters.policy_arrow_temperature),
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
        inference.run_for_moves(networks.on(view.size), &view, shooter, squares, value);
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
    }

    /// The network's value of the last node that it gave priors, for the side that chooses there, in
    /// [0,1].
    pub(super) fn value(&self, size: Size) -> f64 {
        logistic(f64::from(self.inference.value(self.networks.on(size))))
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
