//! Better priors for nodes that are visited again: the policy network's.
//!
//! Expansion gives every node the flat priors of the linear evaluator, which cost nothing more. At
//! the root, and at a node's `policy_visits`-th visit, one worker replaces them.

use super::edge::Edge;
use super::parameters::Parameters;
use super::state::State;
use crate::policy::{Inference, Networks};
use crate::territory::{exp, ln};

/// Gives nodes the priors of the policy network. Keeps its buffers, to save allocations.
#[derive(Debug)]
pub(super) struct Sharpener {
    networks: Networks,
    inference: Inference,
    /// Logarithms of the priors, then the priors, before they are divided by their sum.
    weights: Vec<f64>,
}

impl Sharpener {
    pub(super) fn new(networks: Networks) -> Sharpener {
        Sharpener { networks, inference: Inference::default(), weights: Vec::new() }
    }

    /// Replaces the priors of the node of `state` by the softmax of the network's logits, times the
    /// old priors to the power of `policy_mix`.
    pub(super) fn sharpen(&mut self, edges: &[Edge], state: &State, parameters: &Parameters) {
        let view = state.view();
        let (shooter, temperature) = match state {
            State::Position(_) => (None, parameters.policy_queen_temperature),
            State::HalfPly(half) => (Some(half.shooter()), parameters.policy_arrow_temperature),
        };
        let Sharpener { networks, inference, weights } = self;
        inference.run(networks.on(view.size), &view, shooter);
        let mix = parameters.policy_mix;
        weights.clear();
        weights.extend(edges.iter().map(|edge| {
            let logit = inference.logit(shooter.unwrap_or(edge.from()), edge.to());
            f64::from(logit) / temperature + if mix > 0.0 { mix * ln(edge.prior()) } else { 0.0 }
        }));
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        weights.iter_mut().for_each(|weight| *weight = exp(*weight - most));
        let total: f64 = weights.iter().sum();
        edges.iter().zip(weights).for_each(|(edge, weight)| edge.set_prior(*weight / total));
    }
}
