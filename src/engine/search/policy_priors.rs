//! The network's priors and value for nodes that are visited again.
//!
//! Expansion gives every node the flat priors of the linear evaluator, which cost nothing more. At
//! the root, and at a node's `policy_visits`-th visit, one worker replaces them.

use super::node::Node;
use super::parameters::Parameters;
use crate::game::{Bitboard, Moment, Position};
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
        state: &Moment,
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
mod tests;
