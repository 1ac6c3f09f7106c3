//! A worker, and one playout: select, expand, evaluate, back up.
//!
//! [`Worker::playout`] names the steps. `select` descends to a leaf and asks the network about
//! nodes on the way. `back_up` adds the result to all edges up to the root. Before the first
//! playout, [`Worker::expand_root`] prepares the root. The guide of `search` says what each step
//! does and why.

mod back_up;
mod select;

use std::sync::Arc;

use amazons::hash::mix;
use amazons::{AnyPosition, HalfMove, Position, Side};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::arena::{Access, Edge, EdgeId, Lease, Proof, Statistics};
use super::chooser::Chooser;
use super::expansion::Expander;
use super::mean_table::MeanTable;
use super::options::EngineOptions;
use super::parameters::Parameters;
use super::policy_priors::PolicyPriors;
use super::rave::Rave;
use super::selection::EdgePredictor;
use super::tree::Tree;
use super::{bias, ending};
use crate::endgame::Solver;
use crate::territory::View;

/// The number of arena words that each of several workers reserves at a time: about 100 KB.
const LEASE_WORDS: u32 = 12 << 10;

/// The data that all playouts of a search share.
#[derive(Debug)]
pub(super) struct SearchContext {
    pub(super) tree: Arc<Tree>,
    pub(super) parameters: Parameters,
    pub(super) access: Access,
    /// True if workers ask the endgame solver at leaves, for a proof and for the number of
    /// [`dead_squares`](View::dead_squares).
    pub(super) asks_solver: bool,
}

/// Per-thread search state: all data that a worker does not share through the tree.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) expander: Expander,
    pub(super) policy_priors: PolicyPriors,
    pub(super) solver: Solver,
    pub(super) rave: Rave,
    /// The evaluator's mean errors: see the module `bias`.
    pub(super) bias: MeanTable,
    edge_predictor: EdgePredictor,
    lease: Lease,
    rng: Xoshiro256PlusPlus,
    path: Vec<PathStep>,
    /// The random half moves after the leaf of the current playout, which RAVE also counts.
    random_half_moves: Vec<(Side, HalfMove)>,
    /// The share of this worker in [`Report::collisions`](super::report::Report::collisions).
    pub(super) collisions: u64,
}

#[derive(Clone, Copy, Debug)]
struct PathStep {
    edge: EdgeId,
    chooser: Chooser,
    /// The cell of this half move in the bias table; 0 if `bias_share` is 0.
    bucket: usize,
    /// The [correction](super::arena::Totals::correction) that follows from the network's value of
    /// the node below this edge, for the side that chose this edge. The playout adds the correction
    /// to the results of this edge and of all edges above it.
    network_correction: f64,
}

/// The end of a descent. Values and proofs are for `side`, which chose the last edge.
#[derive(Debug)]
struct Leaf<'a> {
    side: Side,
    edge: Edge<'a>,
    statistics: Statistics<'a>,
    earlier_visits: u32,
    state: AnyPosition,
    /// The [`View::dead_squares`] of `state`: those of the side that acts, minus the opponent's.
    dead_squares: i16,
    /// The static value of the leaf; after expansion, the static value of its best child.
    value: f64,
    proof: Proof,
}

impl Worker {
    /// Creates worker `number` of `workers`. Worker 0 uses the seed of `options` unchanged.
    pub(super) fn new(number: usize, workers: usize, options: &EngineOptions) -> Worker {
        let seed = if number == 0 { options.seed } else { mix(&[options.seed, number as u64]) };
        Worker {
            expander: Expander::new(options.evaluator.clone()),
            policy_priors: PolicyPriors::new(options.networks.clone()),
            solver: Solver::new(ending::TABLE_BYTES),
            rave: Rave::default(),
            bias: MeanTable::default(),
            edge_predictor: EdgePredictor::new(),
            lease: Lease::of(if workers == 1 { 0 } else { LEASE_WORDS }),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            path: Vec::new(),
            random_half_moves: Vec::new(),
            collisions: 0,
        }
    }

    /// Allocates the tables that playouts with these parameters use. Evaluates this position once
    /// to allocate the buffers. Does not change any result.
    pub(super) fn warm_up(&mut self, position: &Position, parameters: &Parameters) {
        if parameters.bias_share > 0.0 {
            self.bias.allocate(bias::BUCKETS);
        }
        if parameters.rave_visits > 0.0 {
            self.rave.allocate();
        }
        let view = View::from(position);
        let dead_squares = self.solver.dead_squares(view.empty, view.amazons).unwrap_or(0);
        self.expander.expand(&AnyPosition::Position(*position), dead_squares, parameters);
        if parameters.policy_visits > 0 {
            self.policy_priors.warm_up(position);
        }
    }

    /// Compacts the tree. Expands the root and gives it the policy network's priors, unless an
    /// earlier search has done so. The root stays empty only if the side to move has no move.
    pub(super) fn expand_root(&mut self, tree: &mut Tree, parameters: &Parameters) {
        tree.compact();
        if !tree.ensure_root_statistics() {
            // An empty tree always has enough space for the root and its statistics.
            tree.set_position(tree.position);
        }
        let state = AnyPosition::Position(tree.position);
        if tree.root.is_none() {
            let view = View::from(&state);
            let dead_squares =
                parameters.endgame.then(|| self.solver.dead_squares(view.empty, view.amazons)).flatten();
            let expansion = self.expander.expand(&state, dead_squares.unwrap_or(0), parameters);
            tree.root = expansion.and_then(|(edges, ..)| tree.arena.push(&mut Lease::default(), edges));
            tree.ensure_root_statistics();
        }
        if parameters.policy_visits > 0
            && tree.network_value.is_none()
            && let Some(root) = tree.root
        {
            let node = tree.arena.node(root);
            tree.network_value =
                self.policy_priors.replace_priors(node, &state, parameters, Access::Exclusive, true);
        }
    }

    /// Runs one playout: selects a leaf, expands it, evaluates it, and backs up the result.
    ///
    /// Returns the number of levels descended, or 0 if the root has no edge for a playout.
    pub(super) fn playout(&mut self, context: &SearchContext) -> usize {
        self.path.clear();
        self.random_half_moves.clear();
        let Some(mut leaf) = self.select(context) else {
            // All edges of the root are lost, but the root's proof may be missing: if two workers
            // proved the last two edges at the same time, neither may have seen the other's proof.
            context.tree.update_root_proof();
            return 0;
        };
        if leaf.proof == Proof::Unknown && context.asks_solver {
            self.ask_solver(context, &mut leaf);
        }
        if leaf.proof == Proof::Unknown {
            self.expand(context, &mut leaf);
        }
        let value = match leaf.proof.value() {
            Some(proven) => proven,
            None => self.evaluate(context, &leaf),
        };
        let result = self.correct_bias(context, &leaf, value);
        self.back_up(context, &leaf, result);
        self.path.len()
    }

    /// If the leaf is new, asks the endgame solver for a proof. Also asks for the leaf's
    /// [dead squares](View::dead_squares), which the evaluator uses.
    fn ask_solver(&mut self, context: &SearchContext, leaf: &mut Leaf<'_>) {
        if let (AnyPosition::Position(position), 0) = (&leaf.state, leaf.earlier_visits) {
            leaf.proof = ending::prove_leaf(&mut self.solver, position);
            if leaf.proof != Proof::Unknown {
                return;
            }
        }
        let view = View::from(&leaf.state);
        let Some(dead_squares) = self.solver.dead_squares(view.empty, view.amazons) else { return };
        leaf.dead_squares = dead_squares;
        // The parent's expansion evaluated this leaf with the parent's dead squares. Evaluates the
        // leaf again with the leaf's dead squares, unless the new static value would not be used.
        let Parameters { playout_weight, bias_share, expansion_visits, .. } = context.parameters;
        let is_used = playout_weight < 1.0 && (bias_share > 0.0 || expansion_visits > 1);
        if leaf.earlier_visits == 0 && is_used {
            let value = self.expander.static_value(&view.with_dead_squares(dead_squares));
            // Converts the value from the side that acts at the leaf to the side that chose the
            // edge. In a half ply, both are the same side.
            let value = if leaf.state.is_half_ply() { value } else { 1.0 - value };
            leaf.value = leaf.edge.set_static_value(value, context.access);
        }
    }

    /// At its `expansion_visits`-th visit, gives a leaf its children and the best child's value.
    ///
    /// The leaf gets the best child's value even if the tree has no space for the children. If
    /// another worker is already expanding the same leaf, this call does not change the leaf.
    fn expand(&mut self, context: &SearchContext, leaf: &mut Leaf<'_>) {
        let SearchContext { tree, parameters, access, .. } = context;
        if leaf.earlier_visits + 1 < parameters.expansion_visits {
            return;
        }
        if !leaf.edge.claim_expansion(*access) {
            // An expanded leaf is no collision: a playout can end at it if the arena is full.
            self.collisions += u64::from(leaf.statistics.child().is_none());
            return;
        }
        let Some((edges, best, proof)) = self.expander.expand(&leaf.state, leaf.dead_squares, parameters)
        else {
            // The opponent cannot move.
            leaf.edge.release_expansion_claim();
            leaf.proof = Proof::Win;
            return;
        };
        match tree.arena.push(&mut self.lease, edges) {
            Some(node) => leaf.statistics.publish_child(node),
            None => leaf.edge.release_expansion_claim(),
        }
        (leaf.value, leaf.proof) =
            if leaf.state.is_half_ply() { (best, proof) } else { (1.0 - best, proof.reversed()) };
    }

    /// The value of a leaf: its static value mixed with the static value after a few random plies.
    fn evaluate(&mut self, context: &SearchContext, leaf: &Leaf<'_>) -> f64 {
        let Parameters { playout_weight, playout_plies, rave_visits, .. } = context.parameters;
        if playout_weight == 0.0 {
            return leaf.value;
        }
        let end: Position = leaf.state.after_random_plies(playout_plies, &mut self.rng, |side, half| {
            if rave_visits > 0.0 {
                self.random_half_moves.push((side, half));
            }
        });
        // Uses the leaf's dead squares for the position after the random plies, because counting
        // them again would take time.
        let dead_squares =
            if end.to_move() == leaf.state.to_move() { leaf.dead_squares } else { -leaf.dead_squares };
        let value = self.expander.static_value(&View::from(&end).with_dead_squares(dead_squares));
        let value = if end.to_move() == leaf.side { value } else { 1.0 - value };
        leaf.value + playout_weight * (value - leaf.value)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
