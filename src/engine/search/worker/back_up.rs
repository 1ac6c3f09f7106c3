//! The last step of a playout: adds the result to the path's edges and to the RAVE and bias tables.

use amazons::Side;

use super::super::arena::Proof;
use super::super::bias::{BUCKETS, mean_error};
use super::super::tree::Tree;
use super::{Leaf, PathStep, SearchContext, Worker};

impl Worker {
    /// The value of a leaf, corrected by the evaluator's mean error at similar half moves. Adds the
    /// error of each edge of the path to the bias table: the leaf's value minus the edge's static
    /// value. The error of the last edge is computed from the uncorrected value of the leaf,
    /// because a corrected value would confirm the correction.
    pub(super) fn correct_bias(&mut self, context: &SearchContext, leaf: &Leaf<'_>, value: f64) -> f64 {
        let bias_share = context.parameters.bias_share;
        if bias_share == 0.0 {
            return value;
        }
        self.bias.allocate(BUCKETS);
        let mut result = value;
        if let (Proof::Unknown, Some(&PathStep { bucket, .. })) = (leaf.proof, self.path.last()) {
            result = (value + bias_share * mean_error(&self.bias, bucket)).clamp(0.0, 1.0);
        }
        let mut value_seen = value;
        for &PathStep { edge, chooser, bucket, .. } in self.path.iter().rev() {
            let seen_by = if chooser.side == leaf.side { value_seen } else { 1.0 - value_seen };
            let static_value = context.tree.arena.edge(edge).0.static_value();
            self.bias.add(bucket, (seen_by - static_value) as f32);
            value_seen = result;
        }
        result
    }

    /// Adds the value of a leaf to every edge of the path, last edge first. Each edge also gets the
    /// network's corrections of the nodes below it. Passes a proof up to the first unproven node.
    pub(super) fn back_up(&mut self, context: &SearchContext, leaf: &Leaf<'_>, value: f64) {
        let SearchContext { tree, parameters, access, .. } = context;
        let value_for = |side| if side == leaf.side { value } else { 1.0 - value };
        // The proof of the edge below the current edge, for `side_below`, which chose the edge
        // below. Before the first step of the loop, `proof` is the proof of the leaf.
        let (mut proof, mut side_below) = (leaf.proof, None);
        // The sum of the network's corrections at and below the current edge, for the leaf's side.
        let mut corrections = 0.0;
        for step in self.path.iter().rev() {
            let side = step.chooser.side;
            let sign = if side == leaf.side { 1.0 } else { -1.0 };
            corrections += sign * step.network_correction;
            let (edge, statistics) = tree.arena.edge(step.edge);
            if let (Some(side_below), true) = (side_below, proof != Proof::Unknown) {
                let node = statistics.child().map_or(Proof::Unknown, |child| tree.proof_of(child));
                proof = if side_below == side { node } else { node.reversed() };
            }
            if proof != Proof::Unknown {
                edge.set_proof(proof);
            }
            side_below = Some(side);
            statistics.add_result(*access, parameters.virtual_loss, value_for(side) + sign * corrections);
        }
        tree.add_root_visit(*access);
        if proof != Proof::Unknown {
            tree.update_root_proof();
        }
        if parameters.rave_visits > 0.0 {
            // Converts the values of both sides to `f32` before the loops of `update_rave`. In a
            // loop, each conversion would wait for a division that uses the same register.
            self.update_rave(tree, Side::BOTH.map(|side| value_for(side) as f32));
        }
    }

    fn update_rave(&mut self, tree: &Tree, values: [f32; 2]) {
        self.rave.allocate();
        for &PathStep { edge, chooser, .. } in &self.path {
            let (edge, _) = tree.arena.edge(edge);
            self.rave.add(chooser.side, chooser.half_move(edge), values[chooser.side.index()]);
        }
        for &(side, half) in &self.random_half_moves {
            self.rave.add(side, half, values[side.index()]);
        }
    }
}
