//! Which edge a playout takes.

use super::arena::{Edge, Proof};
use super::parameters::Parameters;

/// The edge to descend: the greatest value plus exploration term, in the PUCT form (Rosin 2011; Silver et al. 2017):
/// `Q + c P sqrt(N) / (1 + n)`. An edge not yet visited stands at its static value less the first-play reduction.
///
/// `visits` is how often the node has been passed. Edges proven lost are left out; `None` if all are.
#[inline]
pub(super) fn select(edges: &[Edge], visits: u32, parameters: &Parameters) -> Option<usize> {
    let explore = parameters.exploration * f64::from(visits.max(1)).sqrt();
    let mut best = None;
    let mut best_score = f64::NEG_INFINITY;
    for (index, edge) in edges.iter().enumerate() {
        if edge.proof == Proof::Loss {
            continue;
        }
        let value = edge.mean().unwrap_or_else(|| edge.static_value() - parameters.fpu_reduction);
        let score = value + explore * edge.prior() / (1.0 + f64::from(edge.visits));
        if score > best_score {
            (best, best_score) = (Some(index), score);
        }
    }
    best
}

/// The edge to play: a proven win if there is one, otherwise the most visited that is not proven lost, and among
/// all lost the most visited; equals by mean, then by static value.
pub(super) fn choose(edges: &[Edge]) -> Option<usize> {
    let rank = |edge: &Edge| {
        let proof = match edge.proof {
            Proof::Win => 2,
            Proof::Unknown => 1,
            Proof::Loss => 0,
        };
        (proof, edge.visits)
    };
    let mut best: Option<(usize, &Edge)> = None;
    for (index, edge) in edges.iter().enumerate() {
        let better = best.is_none_or(|(_, leader)| {
            rank(edge) > rank(leader)
                || rank(edge) == rank(leader)
                    && (edge.mean(), edge.static_value()) > (leader.mean(), leader.static_value())
        });
        if better {
            best = Some((index, edge));
        }
    }
    best.map(|(index, _)| index)
}

/// What the proofs of a node's edges say of the node, for the side that chooses there.
pub(super) fn proof(edges: &[Edge]) -> Proof {
    let mut all_lost = true;
    for edge in edges {
        match edge.proof {
            Proof::Win => return Proof::Win,
            Proof::Unknown => all_lost = false,
            Proof::Loss => {}
        }
    }
    if all_lost { Proof::Loss } else { Proof::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Square;

    fn edge(static_value: f64, prior: f64, playouts: &[f64], proof: Proof) -> Edge {
        let mut edge = Edge::new(Square::default(), Square::default(), static_value, proof);
        edge.set_prior(prior);
        playouts.iter().for_each(|&value| edge.add(value));
        edge
    }

    #[test]
    fn selection_weighs_value_prior_and_visits() {
        let parameters = Parameters { exploration: 0.5, fpu_reduction: 0.1, ..Parameters::default() };
        let seen = edge(0.5, 0.5, &[0.6, 0.6], Proof::Unknown);
        // 0.6 + 0.5 sqrt(2) 0.5 / 3 = 0.718 against 0.5 - 0.1 + 0.5 sqrt(2) 0.5 = 0.754, and 0.684 at a prior of 0.4
        let fresh = |prior| edge(0.5, prior, &[], Proof::Unknown);
        assert_eq!(select(&[seen, fresh(0.5)], 2, &parameters), Some(1));
        assert_eq!(select(&[seen, fresh(0.4)], 2, &parameters), Some(0));
        let lost = edge(0.9, 0.9, &[], Proof::Loss);
        assert_eq!(select(&[lost, seen], 2, &parameters), Some(1));
        assert_eq!(select(&[lost, lost], 2, &parameters), None);
    }

    #[test]
    fn the_choice_goes_by_proof_then_visits_then_value() {
        let many = edge(0.5, 0.5, &[0.2, 0.2, 0.2], Proof::Unknown);
        let few = edge(0.9, 0.5, &[0.9], Proof::Unknown);
        let better = edge(0.5, 0.5, &[0.2, 0.3, 0.2], Proof::Unknown);
        let won = edge(0.5, 0.5, &[], Proof::Win);
        let lost = edge(0.5, 0.5, &[0.5; 9], Proof::Loss);
        assert_eq!(choose(&[few, many]), Some(1));
        assert_eq!(choose(&[many, better]), Some(1));
        assert_eq!(choose(&[many, won, lost]), Some(1));
        assert_eq!(choose(&[lost, few]), Some(1));
        assert_eq!(choose(&[]), None);
        assert_eq!(proof(&[many, won]), Proof::Win);
        assert_eq!(proof(&[lost, lost]), Proof::Loss);
        assert_eq!(proof(&[lost, few]), Proof::Unknown);
    }
}
