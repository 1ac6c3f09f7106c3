//! The first step of a playout: the descent from the root to a leaf.

use amazons::AnyPosition;

use super::super::arena::{Edge, Node, NodeId, Proof, Totals};
use super::super::bias::HalfMoveNumber;
use super::super::chooser::Chooser;
use super::super::selection::SelectionInputs;
use super::{Leaf, PathStep, SearchContext, Worker};
use crate::simd::Kernel;

impl Worker {
    /// At each node, follows the edge with the greatest score, until an edge is proven or leads out
    /// of the tree; `None` if all edges of the root are proven lost.
    pub(super) fn select<'a>(&mut self, context: &'a SearchContext) -> Option<Leaf<'a>> {
        let SearchContext { tree, parameters, access, .. } = context;
        let mut state = AnyPosition::Position(tree.position);
        // The node of `state`, and the number of the node's visits before this playout.
        let (mut node_id, mut visits) = (tree.root?, tree.visits());
        // The half move that leads to the node; the default at the root or if `bias_share` is 0.
        let mut last_half_move = HalfMoveNumber::default();
        loop {
            let node = tree.arena.node(node_id);
            let chooser = Chooser::of(&state);
            let selection = SelectionInputs::new(&node, visits, chooser, &self.rave, parameters);
            let selected = selection.select_edge(Kernel::best());
            let place = selected.map(|place| self.edge_predictor.record(node_id, place));
            let id = place.and_then(|place| tree.arena.ensure_statistics(&mut self.lease, &node, place));
            let Some(id) = id else {
                return self.leaf_at_node(context, &node, state, visits, selected.is_none());
            };
            let (edge, statistics) = tree.arena.edge(id);
            let before = statistics.totals();
            statistics.add_virtual_loss(*access, parameters.virtual_loss);
            let mut bucket = 0;
            if parameters.bias_share > 0.0 {
                let half_move = HalfMoveNumber::new(chooser, edge);
                bucket = half_move.bucket_after(last_half_move);
                last_half_move = half_move;
                self.bias.prefetch(bucket);
            }
            self.path.push(PathStep { edge: id, chooser, bucket, network_correction: 0.0 });
            state = state.after(chooser.half_move(edge));
            let is_open = edge.proof() == Proof::Unknown;
            let Some(child) = statistics.child().filter(|_| is_open) else {
                return Some(Leaf {
                    side: chooser.side,
                    edge,
                    statistics,
                    earlier_visits: before.visits,
                    state,
                    dead_squares: 0,
                    value: edge.static_value(),
                    proof: edge.proof(),
                });
            };
            self.ask_network(context, edge, before, child, &state);
            (node_id, visits) = (child, before.visits);
        }
    }

    /// At visit `policy_visits` of the node `child`, gives the node the network's priors. Also
    /// computes a correction from the network's value, and stores this correction in the last step
    /// of the path. `edge` leads to the node, and `before` has the totals of this edge before this
    /// playout.
    #[inline(always)]
    fn ask_network(
        &mut self,
        context: &SearchContext,
        edge: Edge<'_>,
        before: Totals,
        child: NodeId,
        state: &AnyPosition,
    ) {
        let SearchContext { tree, parameters, access, .. } = context;
        let due = parameters.policy_visits > 0 && before.visits + 1 >= parameters.policy_visits;
        if !due || !edge.claim_policy_priors(*access) {
            return;
        }
        let with_value = parameters.value_visits > 0.0 && before.visits > 0 && !edge.had_policy_priors();
        let node = tree.arena.node(child);
        let value = self.policy_priors.replace_priors(node, state, parameters, *access, with_value);
        if let (Some(value), Some(step)) = (value, self.path.last_mut()) {
            let value = if state.to_move() == step.chooser.side { value } else { 1.0 - value };
            step.network_correction = before.correction(value, parameters.value_visits);
        }
    }

    /// Ends the descent at `node`, which becomes the leaf, because all its edges are proven lost
    /// (`all_lost`) or the arena has no space for the statistics of the selected edge. Returns
    /// `None` if `node` is the root: its edges have statistics, so all of them must be proven lost.
    #[cold]
    fn leaf_at_node<'a>(
        &self,
        context: &'a SearchContext,
        node: &Node<'_>,
        state: AnyPosition,
        earlier_visits: u32,
        all_lost: bool,
    ) -> Option<Leaf<'a>> {
        let &PathStep { edge, chooser: above, .. } = self.path.last()?;
        let (edge, statistics) = context.tree.arena.edge(edge);
        let for_above = above.side == state.to_move();
        // Edge 0 had the best static value at expansion. Ignores later changes of static values.
        let best = node.edge(0).static_value();
        let lost = if for_above { Proof::Loss } else { Proof::Win };
        Some(Leaf {
            side: above.side,
            edge,
            statistics,
            earlier_visits,
            state,
            dead_squares: 0,
            value: if for_above { best } else { 1.0 - best },
            proof: if all_lost { lost } else { edge.proof() },
        })
    }
}
