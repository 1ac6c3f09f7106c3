//! The first step of a playout: the descent from the root to a leaf.

use amazons::AnyPosition;

use super::super::arena::{Edge, EdgeId, Node, NodeId, Proof, Statistics, Totals};
use super::super::bias::{Bucket, HalfMoveNumber};
use super::super::chooser::Chooser;
use super::super::policy_priors::RevisitedNode;
use super::super::selection::Selection;
use super::{Leaf, PathStep, SearchContext, Worker};
use crate::simd::Kernel;

struct Descent {
    node: NodeId,
    /// The visits of the edge that leads to the node, before this playout.
    visits: u32,
    state: AnyPosition,
    /// The half move that leads to the node; the default if `bias_share` is 0.
    half_move: HalfMoveNumber,
}

struct TakenEdge<'a> {
    chooser: Chooser,
    edge: Edge<'a>,
    statistics: Statistics<'a>,
    /// The totals of the edge before this playout.
    before: Totals,
}

impl Worker {
    /// At each node, follows the edge with the greatest score, until an edge is proven or leads out
    /// of the tree; `None` if all edges of the root are proven lost.
    pub(super) fn select<'a>(&mut self, context: &'a SearchContext) -> Option<Leaf<'a>> {
        let SearchContext { tree, parameters, .. } = context;
        let mut descent = Descent {
            node: tree.root?,
            visits: tree.visits(),
            state: AnyPosition::Position(tree.position),
            half_move: HalfMoveNumber::default(),
        };
        loop {
            let node = tree.arena.node(descent.node);
            let chooser = Chooser::of(&descent.state);
            let selection = Selection::new(&node, descent.visits, chooser, &self.rave, parameters);
            let selected = selection.run(Kernel::best());
            let place = selected.map(|place| self.edge_predictor.record(descent.node, place));
            let id = place.and_then(|place| tree.arena.ensure_statistics(&mut self.lease, &node, place));
            let Some(id) = id else { return self.leaf_at_node(context, &node, descent, selected.is_none()) };
            let taken = self.take(context, id, chooser, &mut descent);
            let is_open = taken.edge.proof() == Proof::Unknown;
            let Some(child) = taken.statistics.child().filter(|_| is_open) else {
                return Some(Leaf::after(&taken, descent.state));
            };
            self.ask_network(context, &taken, child, &descent.state);
            (descent.node, descent.visits) = (child, taken.before.visits);
        }
    }

    #[inline(always)]
    fn take<'a>(
        &mut self,
        context: &'a SearchContext,
        id: EdgeId,
        chooser: Chooser,
        descent: &mut Descent,
    ) -> TakenEdge<'a> {
        let SearchContext { tree, parameters, access, .. } = context;
        let (edge, statistics) = tree.arena.edge(id);
        let before = statistics.totals();
        statistics.add_virtual_loss(*access, parameters.virtual_loss);
        let mut bucket = Bucket::default();
        if parameters.bias_share > 0.0 {
            let half_move = HalfMoveNumber::new(chooser, edge);
            bucket = half_move.after(descent.half_move);
            descent.half_move = half_move;
            self.bias.prefetch(bucket);
        }
        self.path.push(PathStep { edge: id, chooser, bucket, network_correction: 0.0 });
        descent.state = descent.state.after(chooser.half_move(edge));
        TakenEdge { chooser, edge, statistics, before }
    }

    /// At visit `policy_visits` of the node `child`, gives the node the network's priors, and
    /// stores the correction by the network's value in the last step of the path.
    #[inline(always)]
    fn ask_network(
        &mut self,
        context: &SearchContext,
        taken: &TakenEdge<'_>,
        child: NodeId,
        state: &AnyPosition,
    ) {
        let SearchContext { tree, parameters, access, .. } = context;
        let TakenEdge { chooser, edge, before, .. } = taken;
        let due = parameters.policy_visits > 0 && before.visits + 1 >= parameters.policy_visits;
        if !due || !edge.claim_policy_priors(*access) {
            return;
        }
        let with_value = parameters.value_visits > 0.0 && before.visits > 0;
        let revisited = RevisitedNode { node: tree.arena.node(child), state, access: *access, with_value };
        let value = self.policy_priors.replace(&revisited, parameters);
        if let (Some(value), Some(step)) = (value, self.path.last_mut()) {
            let value = if state.to_move() == chooser.side { value } else { 1.0 - value };
            step.network_correction = before.correction(value, parameters.value_visits);
        }
    }

    /// Ends the descent at a node in the tree: all its edges are proven lost (`all_lost`), or the
    /// arena has no space for the statistics of the selected edge. Returns `None` at the root.
    /// There, all edges are proven lost, because the root always has all its statistics.
    #[cold]
    fn leaf_at_node<'a>(
        &self,
        context: &'a SearchContext,
        node: &Node<'_>,
        descent: Descent,
        all_lost: bool,
    ) -> Option<Leaf<'a>> {
        let &PathStep { edge, chooser: above, .. } = self.path.last()?;
        let (edge, statistics) = context.tree.arena.edge(edge);
        let for_above = above.side == descent.state.to_move();
        // Edge 0 was best at expansion. Later changes of static values do not matter here.
        let best = node.edge(0).static_value();
        let lost = if for_above { Proof::Loss } else { Proof::Win };
        Some(Leaf {
            side: above.side,
            edge,
            statistics,
            earlier_visits: descent.visits,
            state: descent.state,
            defect: 0,
            value: if for_above { best } else { 1.0 - best },
            proof: if all_lost { lost } else { edge.proof() },
        })
    }
}

impl<'a> Leaf<'a> {
    #[inline]
    fn after(taken: &TakenEdge<'a>, state: AnyPosition) -> Leaf<'a> {
        let TakenEdge { chooser, edge, statistics, before } = *taken;
        Leaf {
            side: chooser.side,
            edge,
            statistics,
            earlier_visits: before.visits,
            state,
            defect: 0,
            value: edge.static_value(),
            proof: edge.proof(),
        }
    }
}
