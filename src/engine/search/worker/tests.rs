use amazons::Size;

use super::super::arena::NodeId;
use super::super::engine::Engine;
use super::*;
use crate::policy::Networks;
use crate::search::Limits;

#[test]
fn leaf_expanded_elsewhere_is_a_collision() {
    let start = Position::start(Size::square(8).unwrap()).unwrap();
    let mut engine = Engine::new(&EngineOptions { memory: 1 << 20, ..EngineOptions::default() }, &start);
    engine.ponder(&Limits::playouts(0)).unwrap();
    let root = engine.tree.arena.node(engine.tree.root.unwrap());
    assert!(root.edges().all(|edge| edge.claim_expansion(Access::Exclusive)));
    for _ in 0..2 {
        let report = engine.ponder(&Limits::playouts(3)).unwrap();
        assert_eq!((report.playouts, report.collisions, report.depth), (3, 3, 1));
    }
}

/// Checks each unproven edge with exactly `due` visits in the subtree of `node`. At the last visit,
/// the network's value must have replaced the results of all earlier visits.
fn check_corrections(tree: &Tree, node: NodeId, state: &AnyPosition, due: u32, checked: &mut [u32; 2]) {
    let arrows = matches!(state, AnyPosition::HalfPly(_));
    for edge in tree.arena.node(node).edges() {
        let Some(child) = edge.child() else { continue };
        let child_state = state.after(Chooser::of(state).half_move(edge));
        if edge.visits() > due {
            check_corrections(tree, child, &child_state, due, checked);
        } else if edge.visits() == due && edge.proof() == Proof::Unknown {
            let (node, parameters) = (tree.arena.node(child), Parameters::default());
            let mut priors = PolicyPriors::new(Networks::default());
            let value =
                priors.replace_priors(node, &child_state, &parameters, Access::Exclusive, true).unwrap();
            // After an arrow, the network's value is for the opponent.
            let value = if arrows { 1.0 - value } else { value };
            let n = f64::from(due);
            let last = n * edge.mean().unwrap() - (n - 1.0) * value;
            assert!((-1e-6..=1.0 + 1e-6).contains(&last), "{last} of {value}");
            checked[usize::from(arrows)] += 1;
        }
    }
}

#[test]
fn network_value_replaces_earlier_results() {
    // The second player has more space, so the values of the two sides differ.
    let position: Position = "q3q3/8/8/3**3/2****2/1*QQ**2/1*QQ***1/q1*****q w".parse().unwrap();
    let mut options = EngineOptions { memory: 16 << 20, ..EngineOptions::default() };
    options.parameters.value_visits = Some(1_000.0);
    let parameters = options.parameters.on(position.size());
    let mut worker = Worker::new(0, 1, &options);
    let mut tree = Tree::new(options.memory, position);
    worker.expand_root(&mut tree, &parameters);
    let due = parameters.policy_visits;
    let (tree, access) = (Arc::new(tree), Access::Exclusive);
    let context = SearchContext { tree, parameters, access, asks_solver: false };
    (0..400).for_each(|_| assert!(worker.playout(&context) > 0));
    let (root, state) = (context.tree.root.unwrap(), AnyPosition::Position(position));
    let mut checked = [0; 2];
    check_corrections(&context.tree, root, &state, due, &mut checked);
    assert!(checked.iter().all(|&edges| edges > 0), "{checked:?}");
}

/// Checks the sum of results of every edge in the subtree of `node`. The sum may leave the range
/// from 0 to the edge's visits by at most `value_visits` for each corrected node below the edge.
/// Returns the number of corrected nodes below `node`, which are those with the network's priors.
fn check_bounds(tree: &Tree, node: NodeId, value_visits: f64) -> u32 {
    let mut count = 0;
    for edge in tree.arena.node(node).edges() {
        let corrections_below = edge.child().map_or(0, |child| check_bounds(tree, child, value_visits));
        let corrected = corrections_below + u32::from(edge.has_policy_priors());
        if let Some(totals) = edge.statistics.map(Statistics::totals).filter(|it| it.visits > 0) {
            let visits = f64::from(totals.visits);
            let sum = totals.mean() * visits;
            // Each addition is rounded to the unit of the sum.
            let slack = f64::from(corrected) * value_visits + visits * 2.0 / Statistics::ONE;
            assert!((-slack..=visits + slack).contains(&sum), "{sum} of {visits}, {corrected} corrected");
        }
        count += corrected;
    }
    count
}

#[test]
fn sums_stay_within_corrections() {
    let position: Position = "q3q3/8/8/3**3/2****2/1*QQ**2/1*QQ***1/q1*****q w".parse().unwrap();
    for (threads, virtual_loss) in [(1, 1), (4, 1), (4, 3)] {
        let mut options = EngineOptions { memory: 16 << 20, threads, ..EngineOptions::default() };
        options.parameters.virtual_loss = Some(virtual_loss);
        options.parameters.endgame = Some(false);
        let mut engine = Engine::new(&options, &position);
        engine.search(&Limits::playouts(4_000)).unwrap();
        let value_visits = engine.parameters.value_visits;
        let corrected = check_bounds(&engine.tree, engine.tree.root.unwrap(), value_visits);
        assert!(value_visits > 0.0 && corrected > 100, "{corrected} corrected");
    }
}
