//! One playout: select, expand, evaluate, back up.
//!
//! [`Worker::playout`] names the steps. `select` descends to a leaf and asks the network about nodes
//! on the way, `back_up` carries the result to the root, and `root` makes the root ready before the
//! first playout. The guide of this folder says what each step does and why.

mod back_up;
mod root;
mod select;

use std::sync::Arc;

use amazons::hash::mix;
use amazons::{AnyPosition, HalfMove, Position, Side};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::arena::{Access, Edge, EdgeId, Lease, Proof, Statistics};
use super::bias::{Bias, Bucket};
use super::chooser::Chooser;
use super::ending::EndgameProbe;
use super::expansion::Expander;
use super::options::EngineOptions;
use super::parameters::Parameters;
use super::policy_priors::PolicyPriors;
use super::rave::Rave;
use super::selection::LastTaken;
use super::tree::Tree;
use crate::territory::View;

/// Words that a worker takes from the arena at a time where there are other workers: some 100 KB.
const LEASE: u32 = 12 << 10;

/// What all playouts of one search have in common.
#[derive(Debug)]
pub(super) struct SearchContext {
    pub(super) tree: Arc<Tree>,
    pub(super) parameters: Parameters,
    /// The access of each worker to the tree.
    pub(super) access: Access,
    /// True if leaves ask the endgame solver for proofs and for their waste, an input of the evaluator.
    pub(super) asks_solver: bool,
}

/// Per-thread search state: everything a worker does not share through the tree.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) expander: Expander,
    pub(super) policy_priors: PolicyPriors,
    pub(super) probe: EndgameProbe,
    pub(super) rave: Rave,
    pub(super) bias: Bias,
    last_taken: LastTaken,
    lease: Lease,
    rng: Xoshiro256PlusPlus,
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
    /// The default where no bias is measured.
    bucket: Bucket,
    /// The network's correction of the sum of values of this edge and of all edges above, for the side
    /// that chose this edge: see [`Figures::correction`](super::arena::Figures::correction).
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
        let seed = if number == 0 { options.seed } else { mix(&[options.seed, number as u64]) };
        Worker {
            expander: Expander::new(options.evaluator.clone()),
            policy_priors: PolicyPriors::new(options.networks.clone()),
            probe: EndgameProbe::default(),
            rave: Rave::default(),
            bias: Bias::default(),
            last_taken: LastTaken::new(),
            lease: Lease::of(if workers == 1 { 0 } else { LEASE }),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            path: Vec::new(),
            played: Vec::new(),
            collisions: 0,
        }
    }

    /// Allocates the tables that playouts with these parameters use, and fills the buffers once with
    /// this position. Changes no result.
    pub(super) fn warm_up(&mut self, position: &Position, parameters: &Parameters) {
        if parameters.bias_share > 0.0 {
            self.bias.open();
        }
        if parameters.rave_visits > 0.0 {
            self.rave.open();
        }
        let waste = self.probe.waste(&View::from(position)).unwrap_or(0);
        self.expander.expand(&AnyPosition::Position(*position), waste, parameters);
        if parameters.policy_visits > 0 {
            self.policy_priors.warm_up(position);
        }
    }

    /// One playout: selects a leaf, expands it, evaluates it, and backs the result up.
    ///
    /// Returns the number of levels descended; 0 if the root has no edge worth a playout.
    pub(super) fn playout(&mut self, search: &SearchContext) -> usize {
        self.path.clear();
        self.played.clear();
        let Some(mut leaf) = self.select(search) else {
            // All edges of the root are lost. The workers that proved the last two may each have
            // missed the other's proof.
            search.tree.prove_root();
            return 0;
        };
        if leaf.proof == Proof::Unknown && search.asks_solver {
            self.ask_solver(search, &mut leaf);
        }
        if leaf.proof == Proof::Unknown {
            self.expand(search, &mut leaf);
        }
        let value = match leaf.proof.value() {
            Some(proven) => proven,
            None => self.evaluate(search, &leaf),
        };
        let result = self.correct_bias(search, &leaf, value);
        self.back_up(search, &leaf, result);
        self.path.len()
    }

    /// Asks the endgame solver whether bounds prove the winner (at new leaves only), and how much
    /// waste the leaf has.
    fn ask_solver(&mut self, search: &SearchContext, leaf: &mut Leaf<'_>) {
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
        let Parameters { playout_weight, bias_share, expansion_visits, .. } = search.parameters;
        let is_used = playout_weight < 1.0 && (bias_share > 0.0 || expansion_visits > 1);
        if leaf.seen == 0 && is_used {
            let value = self.expander.static_value(&View::from(&leaf.state).with_waste(waste));
            let value = if leaf.opponent_acts_next() { 1.0 - value } else { value };
            leaf.value = leaf.edge.set_static_value(value, search.access);
        }
    }

    /// From its `expansion_visits`-th visit on, gives a leaf its children and the value of the best
    /// one.
    ///
    /// The value does not depend on whether the children join the tree, so that a full arena does
    /// not change values. Where another worker is creating the same node, the leaf keeps its own
    /// value.
    fn expand(&mut self, search: &SearchContext, leaf: &mut Leaf<'_>) {
        let SearchContext { tree, parameters, access, .. } = search;
        if leaf.seen + 1 < parameters.expansion_visits {
            return;
        }
        if !leaf.edge.claim(*access) {
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
    fn evaluate(&mut self, search: &SearchContext, leaf: &Leaf<'_>) -> f64 {
        let Parameters { playout_weight, playout_plies, rave_visits, .. } = search.parameters;
        if playout_weight == 0.0 {
            return leaf.value;
        }
        let end: Position = leaf.state.after_random_plies(playout_plies, &mut self.rng, |side, half| {
            if rave_visits > 0.0 {
                self.played.push((side, half));
            }
        });
        // The waste of the leaf stands for that of the last position, to save a count.
        let waste = if end.to_move() == leaf.state.to_move() { leaf.waste } else { -leaf.waste };
        let value = self.expander.static_value(&View::from(&end).with_waste(waste));
        let value = if end.to_move() == leaf.side { value } else { 1.0 - value };
        leaf.value + playout_weight * (value - leaf.value)
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
