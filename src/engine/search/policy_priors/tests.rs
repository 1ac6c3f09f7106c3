//! Priors and corrections, by a worker's playouts.

use std::sync::Arc;

use super::super::arena::{Arena, Lease};
use super::super::edge::{Chooser, Edge, NodeId, Proof};
use super::super::expansion::Expander;
use super::super::options::EngineOptions;
use super::super::pool::SharedSearch;
use super::super::tree::Tree;
use super::super::worker::Worker;
use super::*;
use crate::game::{Position, Size};

fn priors(state: &Moment, parameters: &Parameters) -> (Vec<f64>, Vec<f64>) {
    let arena = Arena::new(0);
    let mut expander = Expander::new(EngineOptions::default().evaluator);
    let (edges, ..) = expander.expand(state, 0, parameters).unwrap();
    let node = arena.node(arena.push(&mut Lease::default(), edges).unwrap());
    let of = || node.edges().map(Edge::prior).collect();
    let before = of();
    PolicyPriors::new(Networks::default(), true).replace(&node, state, parameters, true);
    (before, of())
}

/// Checks the edges with as many visits as a node has that has just been given priors, below this node.
fn check_corrections(tree: &Tree, node: NodeId, state: &Moment, due: u32, checked: &mut [u32; 2]) {
    let arrows = matches!(state, Moment::HalfPly(_));
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
    let position = "q3q3/8/8/3**3/2****2/1*QQ**2/1*QQ***1/q1*****q w".parse::<Position>().unwrap();
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
    let (root, state) = (tree.root.unwrap(), Moment::Position(position));
    check_corrections(&tree, root, &state, parameters.policy_visits, &mut checked);
    assert!(checked.iter().all(|&edges| edges > 0), "{checked:?}");
}

#[test]
fn priors_are_the_softmax_of_the_logits() {
    let position = Position::start(Size::square(8).unwrap()).unwrap();
    let parameters = Parameters { policy_queen_temperature: 2.0, ..Parameters::default() };
    let state = Moment::Position(position);
    let (before, after) = priors(&state, &parameters);
    assert_ne!(before, after);
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
    for (got, expected) in sorted(after).into_iter().zip(sorted(expected)) {
        assert!((got - expected).abs() < 2.0 / 65_535.0, "{got} {expected}");
    }
}
