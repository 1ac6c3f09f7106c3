//! Reads the results of a search from the tree: best move, expected line and candidates.

use std::iter;

use amazons::Move;

use super::arena::{Edge, NodeId};
use super::clock::RootState;
use super::expansion::Expander;
use super::report::Candidate;
use super::selection::choose_edge;
use super::tree::Tree;

const MAX_CANDIDATES: usize = 20;

pub(super) struct ExpectedLine {
    /// The best full moves from the root on, at least one.
    pub(super) line: Vec<Move>,
    /// The value of the first move for the side that plays it, in [0,1].
    pub(super) value: f64,
    pub(super) proven: bool,
}

/// Reads a tree, which workers may change at the same time.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeReader<'a> {
    pub(super) tree: &'a Tree,
    pub(super) final_bound: f64,
}

impl<'a> TreeReader<'a> {
    pub(super) fn best(self, node: NodeId) -> Option<Edge<'a>> {
        let node = self.tree.arena.node(node);
        choose_edge(&node, self.final_bound).map(|index| node.edge(index))
    }

    /// The best full moves from a node on, with their visits, up to the last searched arrow.
    fn follow(self, mut node: Option<NodeId>) -> impl Iterator<Item = (Move, u64)> {
        iter::from_fn(move || {
            let queen = self.best(node?)?;
            let arrow = self.best(queen.child()?)?;
            node = arrow.child();
            Some((Move::new(queen.queen_move(), arrow.to()), u64::from(arrow.visits())))
        })
    }

    /// The line that the search expects from the root on; `None` if the root has no edges. If the
    /// best queen move was never expanded, the arrow is chosen by static value.
    pub(super) fn expected_line(self, expander: &Expander) -> Option<ExpectedLine> {
        // The edges of the first move are read only once, because other workers may change them.
        let queen = self.best(self.tree.root?)?;
        let arrow = queen.child().and_then(|node| self.best(node));
        let to = arrow.map(Edge::to).unwrap_or_else(|| {
            let half = self.tree.position.move_queen_unchecked(queen.queen_move());
            expander.best_arrow(&half)
        });
        let played = Move::new(queen.queen_move(), to);
        let rest = self.follow(arrow.and_then(Edge::child)).map(|(played, _)| played);
        let last = arrow.unwrap_or(queen);
        let proof = last.proof().value();
        Some(ExpectedLine {
            line: iter::once(played).chain(rest).collect(),
            value: proof.unwrap_or_else(|| last.value()),
            proven: proof.is_some(),
        })
    }

    /// The state of the root after `playouts` playouts; `None` if no full move has visits.
    pub(super) fn root_state(self, playouts: u32) -> Option<RootState> {
        // The edge to play at a node, and its lead in visits over the most visited other edge.
        let leading = |node| {
            let node = self.tree.arena.node(node);
            let best = choose_edge(&node, self.final_bound)?;
            let rivals = node.edges().enumerate().filter(|&(index, _)| index != best);
            let most = rivals.map(|(_, edge)| edge.visits()).max().unwrap_or(0);
            let leader = node.edge(best);
            Some((leader, leader.visits().saturating_sub(most)))
        };
        let (queen, queen_lead) = leading(self.tree.root?)?;
        let (arrow, arrow_lead) = leading(queen.child()?)?;
        Some(RootState {
            leader: Move::new(queen.queen_move(), arrow.to()),
            value: arrow.mean()?,
            lead: u64::from(queen_lead.min(arrow_lead)),
            playouts: playouts.into(),
        })
    }

    pub(super) fn candidates(self) -> Vec<Candidate> {
        struct Searched<'a> {
            visits: u64,
            value: f64,
            proven: bool,
            queen: Edge<'a>,
            arrow: Edge<'a>,
        }
        // The numbers of each edge are read only once, because other workers may change them.
        let mut list = Vec::new();
        for queen in self.tree.root.into_iter().flat_map(|root| self.tree.arena.node(root).edges()) {
            let Some(node) = queen.child() else { continue };
            let arrows = self.tree.arena.node(node).edges().filter(|arrow| arrow.visits() > 0);
            list.extend(arrows.map(|arrow| {
                let proven = arrow.proof().value().is_some();
                Searched { visits: arrow.visits().into(), value: arrow.value(), proven, queen, arrow }
            }));
        }
        list.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
        list.truncate(MAX_CANDIDATES);
        let candidate = |Searched { visits, value, proven, queen, arrow }: Searched<'_>| {
            let played = Move::new(queen.queen_move(), arrow.to());
            let line = iter::once((played, visits)).chain(self.follow(arrow.child()));
            let (line, line_visits) = line.unzip();
            let (prior, static_value) = (queen.prior() * arrow.prior(), arrow.static_value());
            Candidate { played, visits, value, proven, prior, static_value, line, line_visits }
        };
        list.into_iter().map(candidate).collect()
    }
}
