//! What a search has found at the nodes of its tree: the figures of a report.

use std::iter;

use super::edge::{Edge, NodeId};
use super::engine::Engine;
use super::node::Node;
use super::report::Candidate;
use super::selection::choose;
use crate::game::FullMove;

const CANDIDATES: usize = 20;

impl Engine {
    /// The edge to play at a node, by a lower confidence bound where `final_bound` is above 0.
    pub(super) fn best(&self, node: NodeId) -> Option<Edge<'_>> {
        let node = self.tree.arena.node(node);
        choose(&node, self.parameters.final_bound).map(|index| node.edge(index))
    }

    /// The best full moves from a node on, as long as whole plies have been searched, each with its
    /// visits.
    fn follow(&self, mut node: Option<NodeId>) -> impl Iterator<Item = (FullMove, u64)> {
        iter::from_fn(move || {
            let queen = self.best(node?)?;
            let arrow = self.best(queen.child()?)?;
            node = arrow.child();
            Some((FullMove::new(queen.queen_move(), arrow.to()), u64::from(arrow.visits())))
        })
    }

    /// The best full moves from the root on, at least one, with its value for the side that moves, in
    /// [0,1], and whether that is proven; `None` if the root has no edges. Where the arrows of the best
    /// queen move were never expanded, the static value of each decides.
    pub(super) fn expected_line(&self, root: NodeId) -> Option<(Vec<FullMove>, f64, bool)> {
        let queen = self.best(root)?;
        let last = queen.child().and_then(|node| self.best(node)).unwrap_or(queen);
        let mut line: Vec<FullMove> = self.follow(Some(root)).map(|(full, _)| full).collect();
        if line.is_empty() {
            let half = self.tree.position.move_queen_unchecked(queen.queen_move());
            line.push(FullMove::new(queen.queen_move(), self.worker.expander.best_arrow(&half)));
        }
        Some((line, value(last), last.proof().value().is_some()))
    }

    pub(super) fn candidates(&self, root: NodeId) -> Vec<Candidate> {
        // Other workers may change the edges meanwhile, so their figures are read once.
        let mut list: Vec<(u64, f64, Edge<'_>, Edge<'_>)> = Vec::new();
        for queen in self.tree.arena.node(root).edges() {
            let Some(node) = queen.child() else { continue };
            let arrows = self.tree.arena.node(node).edges().filter(|arrow| arrow.visits() > 0);
            list.extend(arrows.map(|arrow| (arrow.visits().into(), value(arrow), queen, arrow)));
        }
        list.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        list.truncate(CANDIDATES);
        let candidate = |(visits, value, queen, arrow): (u64, f64, Edge<'_>, Edge<'_>)| {
            let full = FullMove::new(queen.queen_move(), arrow.to());
            let line = iter::once((full, visits)).chain(self.follow(arrow.child()));
            let (line, line_visits) = line.unzip();
            let (prior, static_value) = (queen.prior() * arrow.prior(), arrow.static_value());
            Candidate { full, visits, value, prior, static_value, line, line_visits }
        };
        list.into_iter().map(candidate).collect()
    }
}

/// The moves of the edges with their visits, most visited first; equals keep their order.
pub(super) fn by_visits<'a, T>(node: &Node<'a>, what: impl Fn(Edge<'a>) -> T) -> Vec<(T, u32)> {
    let mut counts: Vec<(T, u32)> = node.edges().map(|edge| (what(edge), edge.visits())).collect();
    counts.sort_by_key(|&(_, visits)| std::cmp::Reverse(visits));
    counts
}

/// The value of an edge: its proof, else the mean of its playouts, else its static value.
pub(super) fn value(edge: Edge<'_>) -> f64 {
    edge.proof().value().or(edge.mean()).unwrap_or(edge.static_value())
}
