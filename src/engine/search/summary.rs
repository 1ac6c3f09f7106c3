//! Reads the figures of a report from the tree.

use super::edge::{Edge, NodeId};
use super::expansion::Expander;
use super::node::Node;
use super::report::Candidate;
use super::selection::choose;
use super::tree::Tree;
use crate::game::FullMove;

const CANDIDATES: usize = 20;

/// The best full moves from the root on, by a lower confidence bound where `bound` is above 0, as long
/// as whole plies have been searched; with the value of the first for the side that moves, in [0,1], and
/// whether that is proven. `None` if the root has no edges. Where the arrows of the best queen move were
/// never expanded, the static value of each decides.
pub(super) fn expected_line(
    tree: &Tree,
    root: NodeId,
    expander: &Expander,
    bound: f64,
) -> Option<(Vec<FullMove>, f64, bool)> {
    let queen = best(tree, root, bound)?;
    let last = queen.child().and_then(|node| best(tree, node, bound)).unwrap_or(queen);
    let mut line: Vec<FullMove> = follow(tree, Some(root), bound).map(|(full, _)| full).collect();
    if line.is_empty() {
        let half = tree.position.move_queen_unchecked(queen.queen_move());
        line.push(FullMove::new(queen.queen_move(), expander.best_arrow(&half)));
    }
    Some((line, value(last), last.proof().value().is_some()))
}

/// The best full moves from a node on, each with its visits.
fn follow(tree: &Tree, mut node: Option<NodeId>, bound: f64) -> impl Iterator<Item = (FullMove, u64)> {
    std::iter::from_fn(move || {
        let queen = node.and_then(|node| best(tree, node, bound))?;
        let arrow = queen.child().and_then(|node| best(tree, node, bound))?;
        node = arrow.child();
        Some((FullMove::new(queen.queen_move(), arrow.to()), u64::from(arrow.visits())))
    })
}

pub(super) fn best(tree: &Tree, node: NodeId, bound: f64) -> Option<Edge<'_>> {
    let node = tree.arena.node(node);
    choose(&node, bound).map(|index| node.edge(index))
}

pub(super) fn candidates(tree: &Tree, root: NodeId, bound: f64) -> Vec<Candidate> {
    let mut list: Vec<(Candidate, Option<NodeId>)> = Vec::new();
    for queen in tree.arena.node(root).edges() {
        let Some(node) = queen.child() else { continue };
        for arrow in tree.arena.node(node).edges().filter(|arrow| arrow.visits() > 0) {
            let candidate = Candidate {
                full: FullMove::new(queen.queen_move(), arrow.to()),
                line: Vec::new(),
                line_visits: Vec::new(),
                visits: u64::from(arrow.visits()),
                value: value(arrow),
                prior: queen.prior() * arrow.prior(),
                static_value: arrow.static_value(),
            };
            list.push((candidate, arrow.child()));
        }
    }
    list.sort_by(|(a, _), (b, _)| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
    list.truncate(CANDIDATES);
    let with_line = |(mut candidate, node): (Candidate, Option<NodeId>)| {
        let own = [(candidate.full, candidate.visits)].into_iter();
        (candidate.line, candidate.line_visits) = own.chain(follow(tree, node, bound)).unzip();
        candidate
    };
    list.into_iter().map(with_line).collect()
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
