//! One playout, from the root down and back up, by one of the workers that share a tree.

use amazons::random::mix;
use amazons::{AnyPosition, HalfMove, Position, Side};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::arena::{EdgeId, Lease};
use super::bias;
use super::cells::Cells;
use super::edge::{Chooser, Edge, Statistics};
use super::ending::EndgameProbe;
use super::expansion::Expander;
use super::parameters::{EngineOptions, Parameters};
use super::policy_priors::PolicyPriors;
use super::pool::SharedSearch;
use super::proof::Proof;
use super::rave::Rave;
use super::selection::{LastTaken, Selection};
use super::tree::Tree;
use crate::territory::{Kernel, View};

/// Words that a worker takes from the arena at a time where there are other workers: some 100 KB.
const LEASE: u32 = 12 << 10;

/// Per-thread search state: everything a worker does not share through the tree.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) expander: Expander,
    pub(super) policy_priors: PolicyPriors,
    pub(super) probe: EndgameProbe,
    pub(super) rave: Rave,
    /// Errors by [`bias::bucket`].
    pub(super) bias: Cells,
    taken: LastTaken,
    lease: Lease,
    rng: Xoshiro256PlusPlus,
    /// The only worker of its tree: it counts without locked instructions, and needs no virtual
    /// loss.
    pub(super) alone: bool,
    /// The edges of the current descent.
    path: Vec<PathStep>,
    /// The half moves of the current light playout, for RAVE.
    played: Vec<(Side, HalfMove)>,
    /// [`Report::collisions`](super::report::Report::collisions) of this worker.
    pub(super) collisions: u64,
}

#[derive(Clone, Copy, Debug)]
struct PathStep {
    edge: EdgeId,
    chooser: Chooser,
    /// The edge's [`bias::bucket`]; 0 where no bias is measured.
    bucket: usize,
    /// The share of the network's value of the node below in the sum of values of this edge and of
    /// all edges above, for the side that chose this edge.
    network_correction: f64,
}

/// The end of a descent. Values and proofs are for `side`, which chose the last edge.
#[derive(Debug)]
struct Leaf<'a> {
    side: Side,
    edge: Edge<'a>,
    statistics: Statistics<'a>,
    /// Visits of the edge before this playout.
    seen: u32,
    /// The state that the edge leads to.
    state: AnyPosition,
    /// The [waste](View::waste) of `state`, for the side that acts in it.
    waste: i16,
    /// The static value; after expansion that of the best child.
    value: f64,
    proof: Proof,
}

impl Worker {
    /// Worker `number` of `workers`; worker 0 draws the same numbers as if it were alone.
    pub(super) fn new(number: usize, workers: usize, options: &EngineOptions) -> Worker {
        let alone = workers == 1;
        let seed = if number == 0 { options.seed } else { mix(&[options.seed, number as u64]) };
        Worker {
            expander: Expander::new(options.evaluator.clone()),
            policy_priors: PolicyPriors::new(options.networks.clone(), alone),
            probe: EndgameProbe::default(),
            rave: Rave::default(),
            bias: Cells::default(),
            taken: LastTaken::new(),
            lease: Lease::of(if alone { 0 } else { LEASE }),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            alone,
            path: Vec::new(),
            played: Vec::new(),
            collisions: 0,
        }
    }

    /// Allocates the tables that playouts with these parameters use, and fills the buffers once with
    /// this position. Changes no result.
    pub(super) fn warm_up(&mut self, position: &Position, parameters: &Parameters) {
        if parameters.bias_share > 0.0 {
            self.bias.open(bias::BUCKETS);
        }
        if parameters.rave_visits > 0.0 {
            self.rave.open();
        }
        let waste = self.probe.waste(&View::from(position)).unwrap_or(0);
        self.expander.expand(&AnyPosition::Position(*position), waste, parameters);
        self.policy_priors.warm_up(position);
    }

    /// One playout: selects a leaf, expands it, evaluates it, and backs the result up.
    ///
    /// Returns the number of levels descended; 0 if the root has no edge worth a playout.
    pub(super) fn playout(&mut self, shared: &SharedSearch) -> usize {
        self.path.clear();
        self.played.clear();
        let Some(mut leaf) = self.select_leaf(shared) else {
            // All edges of the root are lost. The workers that proved the last two may each have
            // missed the other's proof.
            shared.tree.prove_root();
            return 0;
        };
        if leaf.proof == Proof::Unknown && shared.endgame {
            self.ask_solver(shared, &mut leaf);
        }
        if leaf.proof == Proof::Unknown {
            self.expand(shared, &mut leaf);
        }
        let value = match leaf.proof.value() {
            Some(proven) => proven,
            None => self.evaluate(shared, &leaf),
        };
        let result = self.correct_bias(shared, &leaf, value);
        self.back_up(shared, &leaf, result);
        self.path.len()
    }

    /// Follows the best edge of each node until one leads out of the tree or is proven.
    fn select_leaf<'a>(&mut self, shared: &'a SharedSearch) -> Option<Leaf<'a>> {
        let (tree, parameters) = shared.parts();
        let mut state = AnyPosition::Position(tree.position);
        let (mut node, mut visits) = (tree.root?, tree.visits());
        let mut before_edge = 0;
        let leaf = |side, id, seen, state| {
            let (edge, statistics) = tree.arena.edge(id);
            let (value, proof) = (edge.static_value(), edge.proof());
            Leaf { side, edge, statistics, seen, state, waste: 0, value, proof }
        };
        loop {
            let chooser = Chooser::of(&state);
            let here = tree.arena.node(node);
            let selection = Selection::new(&here, visits, chooser, &self.rave, parameters);
            let selected = selection.run(Kernel::best());
            let taken = selected.map(|place| self.taken.predicted(node, place));
            let id = taken.and_then(|place| tree.arena.visit(&mut self.lease, &here, place));
            let Some(id) = id else {
                // The playout ends at this node, as at a leaf. Either all edges are lost: at the
                // root that ends the search, below the root another worker has just proven it. Or
                // the arena has no room for statistics; the root always has them.
                let &PathStep { edge, chooser: above, .. } = self.path.last()?;
                let mut leaf = leaf(above.side, edge, visits, state);
                // Edge 0 was the best at expansion. Later changes of static values are ignored
                // here.
                let best = here.edge(0).static_value();
                let for_above = above.side == chooser.side;
                leaf.value = if for_above { best } else { 1.0 - best };
                if selected.is_none() {
                    leaf.proof = if for_above { Proof::Loss } else { Proof::Win };
                }
                return Some(leaf);
            };
            let (edge, statistics) = tree.arena.edge(id);
            let before = statistics.figures();
            let seen = before.visits;
            if !self.alone {
                statistics.enter(parameters.virtual_loss);
            }
            let half = chooser.half_move(edge);
            let mut bucket = 0;
            if parameters.bias_share > 0.0 {
                let half = bias::half_move(chooser, edge);
                bucket = bias::bucket(before_edge, half);
                before_edge = half;
                self.bias.prefetch(bucket);
            }
            self.path.push(PathStep { edge: id, chooser, bucket, network_correction: 0.0 });
            state = state.after(half);
            let Some(child) = statistics.child().filter(|_| edge.proof() == Proof::Unknown) else {
                return Some(leaf(chooser.side, id, seen, state));
            };
            let due = parameters.policy_visits > 0 && seen + 1 >= parameters.policy_visits;
            if due && edge.claim_policy_priors(self.alone) {
                let with_value = parameters.value_visits > 0.0 && seen > 0;
                let node = tree.arena.node(child);
                let value = self.policy_priors.replace(&node, &state, parameters, with_value);
                if let (Some(value), Some(step)) = (value, self.path.last_mut()) {
                    let value = if state.side() == chooser.side { value } else { 1.0 - value };
                    // The value replaces the results of this many visits. A single worker never
                    // replaces more than there are, so that all means stay in [0,1]. Playouts of other
                    // workers that are under way here count as visits without a result, so that the
                    // correction then favours the side that chooses. With two workers the value
                    // gains as much as with one (tuning/reports/policy.md).
                    let replaced = parameters.value_visits.min(f64::from(seen));
                    step.network_correction = replaced * (value - before.mean());
                }
            }
            (node, visits) = (child, seen);
        }
    }

    /// Asks the endgame solver whether bounds prove the winner (at new leaves only), and how much
    /// waste the leaf has.
    fn ask_solver(&mut self, shared: &SharedSearch, leaf: &mut Leaf<'_>) {
        if let (AnyPosition::Position(position), 0) = (&leaf.state, leaf.seen) {
            leaf.proof = self.probe.at_leaf(position);
            if leaf.proof != Proof::Unknown {
                return;
            }
        }
        let Some(waste) = self.probe.waste(&View::from(&leaf.state)) else { return };
        leaf.waste = waste;
        // Expansion evaluated this leaf with its parent's waste. Evaluate it again with its own, unless
        // the best child's value takes its place at once and no bias is measured from it.
        let Parameters { playout_weight, bias_share, expansion_visits, .. } = shared.parameters;
        let is_used = playout_weight < 1.0 && (bias_share > 0.0 || expansion_visits > 1);
        if leaf.seen == 0 && is_used {
            let value = self.expander.static_value(&View::from(&leaf.state).with_waste(waste));
            let value = if leaf.opponent_acts_next() { 1.0 - value } else { value };
            leaf.value = leaf.edge.set_static_value(value, self.alone);
        }
    }

    /// From its `expansion_visits`-th visit on, gives a leaf its children and the value of the best
    /// one.
    ///
    /// The value does not depend on whether the children join the tree, so that a full arena does
    /// not change values. Where another worker is creating the same node, the leaf keeps its own
    /// value.
    fn expand(&mut self, shared: &SharedSearch, leaf: &mut Leaf<'_>) {
        let (tree, parameters) = shared.parts();
        if leaf.seen + 1 < parameters.expansion_visits {
            return;
        }
        if !leaf.edge.claim(self.alone) {
            // In a full arena a playout also ends at an edge whose node exists.
            self.collisions += u64::from(leaf.statistics.child().is_none());
            return;
        }
        let Some((edges, best, proof)) = self.expander.expand(&leaf.state, leaf.waste, parameters) else {
            // The opponent cannot move.
            leaf.edge.give_up();
            leaf.proof = Proof::Win;
            return;
        };
        // Most leaves are visited only once. When the arena is short, children join the tree from
        // the leaf's second visit on.
        let has_room = leaf.seen > 0 || !tree.arena.is_short();
        match has_room.then(|| tree.arena.push(&mut self.lease, edges)).flatten() {
            Some(node) => leaf.statistics.publish(node),
            None => leaf.edge.give_up(),
        }
        let (best, proof) =
            if leaf.opponent_acts_next() { (1.0 - best, proof.reversed()) } else { (best, proof) };
        leaf.proof = proof;
        leaf.value = best;
    }

    /// The value of a leaf: the static value mixed with that of a light playout, a few random plies
    /// later.
    fn evaluate(&mut self, shared: &SharedSearch, leaf: &Leaf<'_>) -> f64 {
        let Parameters { playout_weight, playout_plies, rave_visits, .. } = shared.parameters;
        if playout_weight == 0.0 {
            return leaf.value;
        }
        let end: Position = leaf.state.after_random_plies(playout_plies, &mut self.rng, |side, half| {
            if rave_visits > 0.0 {
                self.played.push((side, half));
            }
        });
        // The waste of the leaf stands for that of the last position, to save a count.
        let waste = if end.to_move() == leaf.state.side() { leaf.waste } else { -leaf.waste };
        let value = self.expander.static_value(&View::from(&end).with_waste(waste));
        let value = if end.to_move() == leaf.side { value } else { 1.0 - value };
        leaf.value + playout_weight * (value - leaf.value)
    }

    /// The value of a leaf less the evaluator's mean error at like half moves. Adds the errors of
    /// all edges of the path to the table: at the leaf against the value before the correction,
    /// which would otherwise confirm itself.
    fn correct_bias(&mut self, shared: &SharedSearch, leaf: &Leaf<'_>, value: f64) -> f64 {
        let (tree, &Parameters { bias_share, .. }) = shared.parts();
        if bias_share == 0.0 {
            return value;
        }
        self.bias.open(bias::BUCKETS);
        let mut result = value;
        if let (Proof::Unknown, Some(&PathStep { bucket, .. })) = (leaf.proof, self.path.last()) {
            result = (value + bias_share * bias::mean(&self.bias, bucket)).clamp(0.0, 1.0);
        }
        let mut value_seen = value;
        for &PathStep { edge, chooser, bucket, .. } in self.path.iter().rev() {
            let seen_by = if chooser.side == leaf.side { value_seen } else { 1.0 - value_seen };
            self.bias.add(bucket, (seen_by - tree.arena.edge(edge).0.static_value()) as f32);
            value_seen = result;
        }
        result
    }

    /// Adds the value of a leaf to every edge of the path, last first, with the corrections of the
    /// nodes below it, and carries proofs as far up as they go.
    fn back_up(&mut self, shared: &SharedSearch, leaf: &Leaf<'_>, value: f64) {
        let (tree, parameters) = shared.parts();
        let value_for = |side| if side == leaf.side { value } else { 1.0 - value };
        let mut proof = leaf.proof;
        let mut side_below: Option<Side> = None;
        // The sum of the corrections on the way up, for the side of the leaf.
        let mut corrections = 0.0;
        let path = self.path.iter().rev();
        for &PathStep { edge: id, chooser: Chooser { side, .. }, network_correction, .. } in path {
            let sign = if side == leaf.side { 1.0 } else { -1.0 };
            corrections += sign * network_correction;
            let added = value_for(side) + sign * corrections;
            let (edge, statistics) = tree.arena.edge(id);
            if proof != Proof::Unknown {
                if let Some(side_below) = side_below {
                    // The edge below is proven. Check whether that proves the node between them.
                    let node = statistics.child().map_or(Proof::Unknown, |child| tree.proof_of(child));
                    proof = if side_below == side { node } else { node.reversed() };
                }
                if proof != Proof::Unknown {
                    edge.set_proof(proof);
                }
            }
            side_below = Some(side);
            if self.alone {
                statistics.add_alone(added);
            } else {
                statistics.leave(parameters.virtual_loss, added);
            }
        }
        tree.add_visit(self.alone);
        if proof != Proof::Unknown {
            tree.prove_root();
        }
        if parameters.rave_visits > 0.0 {
            // Both values are rounded here once: each conversion would wait for the division before it,
            // which the compiler gives the same register.
            self.update_rave(tree, Side::BOTH.map(|side| value_for(side) as f32));
        }
    }

    /// Adds the values of a playout for both sides to the RAVE results of its half moves, in the tree and
    /// after it.
    fn update_rave(&mut self, tree: &Tree, values: [f32; 2]) {
        self.rave.open();
        for &PathStep { edge, chooser, .. } in &self.path {
            let (edge, _) = tree.arena.edge(edge);
            self.rave.add(chooser.side, chooser.half_move(edge), values[chooser.side.index()]);
        }
        for &(side, half) in &self.played {
            self.rave.add(side, half, values[side.index()]);
        }
    }
}

impl Leaf<'_> {
    /// True if the opponent of `side` acts next: only before an arrow does the same side act again.
    fn opponent_acts_next(&self) -> bool {
        !self.state.is_half_ply()
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
