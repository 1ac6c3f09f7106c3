//! Gives nodes the priors and the value of the policy network after their first visits.
//!
//! The network replaces the priors of the root at once, and the priors of another node at its visit
//! number `policy_visits`.

use amazons::{AnyPosition, Bitboard, Position};

use super::arena::{Access, Node};
use super::parameters::Parameters;
use crate::policy::{Inference, Networks};
use crate::simd::Kernel;
use crate::territory::{View, exp_all, logistic};

#[derive(Debug)]
pub(super) struct PolicyPriors {
    networks: Networks,
    inference: Inference,
    /// The network's logits divided by the temperature; later, the exponentials of these numbers.
    priors: Vec<f64>,
}

impl PolicyPriors {
    pub(super) fn new(networks: Networks) -> PolicyPriors {
        PolicyPriors { networks, inference: Inference::default(), priors: Vec::new() }
    }

    /// Runs the network once, because the first run maps memory and may read the shipped network.
    pub(super) fn warm_up(&mut self, position: &Position) {
        self.inference.run(self.networks.on(position.size()), &View::from(position));
    }

    /// Replaces the priors of a node with the softmax of the network's logits. If `with_value`,
    /// returns the network's value in [0,1] for the side to act at the node.
    pub(super) fn replace_priors(
        &mut self,
        node: Node<'_>,
        state: &AnyPosition,
        parameters: &Parameters,
        access: Access,
        with_value: bool,
    ) -> Option<f64> {
        let view = View::from(state);
        let shooter = view.shooter;
        let temperature = match shooter {
            None => parameters.policy_queen_temperature,
            Some(_) => parameters.policy_arrow_temperature,
        };
        let PolicyPriors { networks, inference, priors } = self;
        let squares = move_squares(&node, &view);
        let log_odds = inference.run_for_moves(networks.on(view.size), &view, squares, with_value);
        priors.clear();
        // `extend` would be slower, because it asks the iterator for each edge separately.
        node.edges().for_each(|edge| {
            let logit = inference.logit(shooter.unwrap_or(edge.from()), edge.to());
            priors.push(f64::from(logit) / temperature);
        });
        let largest = priors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        priors.iter_mut().for_each(|prior| *prior -= largest);
        exp_all(priors, Kernel::best());
        let total: f64 = priors.iter().sum();
        node.edges().zip(priors).for_each(|(edge, prior)| edge.set_prior(*prior / total, access));
        log_odds.map(|log_odds| logistic(f64::from(log_odds)))
    }
}

/// The squares on which the moves of a node begin or end.
#[inline]
fn move_squares(node: &Node<'_>, view: &View<'_>) -> Bitboard {
    let mut squares = Bitboard::EMPTY;
    let mut add = |square| squares |= Bitboard::of(square);
    view.shooter.into_iter().for_each(&mut add);
    node.edges().for_each(|edge| {
        add(edge.to());
        if view.shooter.is_none() {
            add(edge.from());
        }
    });
    squares
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::arena::{Arena, Edge, Lease};
    use super::super::expansion::Expander;
    use super::*;
    use crate::search::EngineOptions;
    use amazons::Size;

    #[test]
    fn priors_are_the_softmax_of_the_logits() {
        let position = Position::start(Size::square(8).unwrap()).unwrap();
        let parameters = Parameters { policy_queen_temperature: 2.0, ..Parameters::default() };
        let state = AnyPosition::Position(position);
        let (arena, mut expander) = (Arena::new(0), Expander::new(EngineOptions::default().evaluator));
        let (edges, ..) = expander.expand(&state, 0, &parameters).unwrap();
        let node = arena.node(arena.push(&mut Lease::default(), edges).unwrap());
        let mut policy_priors = PolicyPriors::new(Networks::default());
        policy_priors.replace_priors(node, &state, &parameters, Access::Exclusive, true);
        let mut inference = Inference::default();
        inference.run(Networks::default().on(position.size()), &View::from(&position));
        let mut expected: Vec<f64> = position
            .queen_moves()
            .map(|queen| (f64::from(inference.logit(queen.from, queen.to)) / 2.0).exp())
            .collect();
        let total: f64 = expected.iter().sum();
        expected.iter_mut().for_each(|weight| *weight /= total);
        // Edges are sorted by static value, so the test sorts the expected and the actual priors.
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
