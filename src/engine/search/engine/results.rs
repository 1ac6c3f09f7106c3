//! Reads the results of a search from the tree, which other workers may change at the same time.

use std::iter;

use amazons::Move;

use super::Engine;
use super::run::RunningSearch;
use crate::search::arena::{Edge, NodeId};
use crate::search::clock::RootState;
use crate::search::report::{Candidate, Report, StopReason};
use crate::search::selection::index_to_play;

const MAX_CANDIDATES: usize = 20;

impl Engine {
    pub(super) fn edge_to_play(&self, node: NodeId) -> Option<Edge<'_>> {
        let node = self.tree.arena.node(node);
        index_to_play(&node, self.parameters.final_bound).map(|index| node.edge(index))
    }

    /// The best line from a node on, as full moves with their visits, until the tree ends.
    fn best_line(&self, mut node: Option<NodeId>) -> impl Iterator<Item = (Move, u64)> {
        iter::from_fn(move || {
            let queen = self.edge_to_play(node?)?;
            let arrow = self.edge_to_play(queen.child()?)?;
            node = arrow.child();
            Some((Move::new(queen.queen_move(), arrow.to()), u64::from(arrow.visits())))
        })
    }

    /// The report of a search that has ended for the reason `stop`, or that still runs; `None` if
    /// the root has no edges. If the best queen move was never expanded, the arrow is chosen by
    /// static value.
    pub(super) fn report(&self, search: &RunningSearch<'_>, stop: Option<StopReason>) -> Option<Report> {
        // The edges of the first move are read only once, because other workers may change them.
        let queen = self.edge_to_play(self.tree.root?)?;
        let arrow = queen.child().and_then(|node| self.edge_to_play(node));
        let to = arrow.map(Edge::to).unwrap_or_else(|| {
            let half = self.tree.position.move_queen_unchecked(queen.queen_move());
            self.worker.expander.best_arrow(&half)
        });
        let best = Move::new(queen.queen_move(), to);
        let rest = self.best_line(arrow.and_then(Edge::child)).map(|(played, _)| played);
        let last = arrow.unwrap_or(queen);
        Some(Report {
            best,
            value: last.value(),
            network_value: self.tree.network_value,
            proven: last.proof().value().is_some(),
            ending: None,
            principal_variation: iter::once(best).chain(rest).collect(),
            candidates: self.candidates(),
            playouts: u64::from(self.tree.visits() - search.reused),
            collisions: search.collisions,
            reused: u64::from(search.reused),
            depth: search.shared.deepest_level().div_ceil(2),
            time: search.limits.elapsed(),
            bound: search.bounds.hard,
            memory: self.tree.arena.used_bytes(),
            stop,
        })
    }

    /// The state of the root after `playouts` playouts; `None` if no full move has visits.
    pub(super) fn root_state(&self, playouts: u32) -> Option<RootState> {
        // The edge to play at a node, and how many more visits it has than any other edge.
        let leading = |node| {
            let node = self.tree.arena.node(node);
            let best = index_to_play(&node, self.parameters.final_bound)?;
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

    fn candidates(&self) -> Vec<Candidate> {
        let arena = &self.tree.arena;
        let mut found = Vec::new();
        for queen in self.tree.root.into_iter().flat_map(|root| arena.node(root).edges()) {
            let Some(node) = queen.child() else { continue };
            let arrows = arena.node(node).edges().filter(|arrow| arrow.visits() > 0);
            // Other workers may change visits and values during the sort, so the sort uses copies.
            found.extend(arrows.map(|arrow| {
                let candidate = Candidate {
                    played: Move::new(queen.queen_move(), arrow.to()),
                    visits: arrow.visits().into(),
                    value: arrow.value(),
                    proven: arrow.proof().value().is_some(),
                    prior: queen.prior() * arrow.prior(),
                    static_value: arrow.static_value(),
                    line: Vec::new(),
                    line_visits: Vec::new(),
                };
                (candidate, arrow)
            }));
        }
        found.sort_by(|(a, _), (b, _)| b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)));
        found.truncate(MAX_CANDIDATES);
        let with_line = |(candidate, arrow): (Candidate, Edge<'_>)| {
            let first = (candidate.played, candidate.visits);
            let (line, line_visits) = iter::once(first).chain(self.best_line(arrow.child())).unzip();
            Candidate { line, line_visits, ..candidate }
        };
        found.into_iter().map(with_line).collect()
    }
}
