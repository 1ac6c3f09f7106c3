//! The tree: selection, expansion, simulation, backup, and the RAVE table.

use std::ops::Range;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::{EXPLORATION, RANDOM_PLIES, RAVE_VISITS};
use crate::game::{FullMove, HalfMove, HalfPly, Moment, Position, Side, Square};
use crate::players::greatest;
use crate::territory::{Kernel, View, campya, ln, logistic};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Results {
    count: u32,
    sum: f64,
}

impl Results {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

#[derive(Debug)]
pub(super) struct Node {
    /// The half move that leads here; `None` at the root.
    half_move: Option<HalfMove>,
    /// For the side that made it.
    results: Results,
    /// The children's places in the tree, from the first up to the second; equal before expansion.
    children: (u32, u32),
}

impl Node {
    fn new(half_move: Option<HalfMove>) -> Node {
        Node { half_move, results: Results::default(), children: (0, 0) }
    }
}

#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    capacity: usize,
    rave: Vec<Results>,
    pub(super) levels: usize,
}

impl Tree {
    const ROOT: usize = 0;

    /// An empty tree of at most `memory` bytes. Where the system refuses them, the tree asks for
    /// half, and so on.
    pub(super) fn new(memory: usize) -> Tree {
        let mut capacity = (memory / size_of::<Node>()).min(u32::MAX as usize);
        let mut nodes = Vec::new();
        while nodes.try_reserve_exact(capacity).is_err() {
            capacity /= 2;
        }
        Tree { nodes, capacity, rave: Vec::new(), levels: 0 }
    }

    pub(super) fn restart(&mut self, half_moves: Vec<HalfMove>) {
        self.levels = 0;
        self.rave.clear();
        self.rave.resize(2 * HalfMove::INDICES, Results::default());
        self.nodes.clear();
        self.nodes.push(Node::new(None));
        self.add_children(Tree::ROOT, half_moves);
    }

    pub(super) fn playout(&mut self, position: &Position, rng: &mut Xoshiro256PlusPlus) {
        let mut state = Moment::Position(*position);
        let mut node = Tree::ROOT;
        let mut path = Vec::new();
        let mut played = Vec::new();
        // Select, and expand where the tree ends.
        loop {
            if self.children(node).is_empty() && self.nodes[node].results.count > 0 {
                self.expand(node, &state);
            }
            let Some((child, half_move)) = self.select(node, state.side()) else { break };
            played.push((state.side(), half_move));
            state = state.after(half_move);
            node = child;
            path.push(node);
        }
        self.levels = self.levels.max(path.len());

        // Simulate.
        let end =
            state.after_random_plies(RANDOM_PLIES, rng, |side, half_move| played.push((side, half_move)));
        let value = evaluate(&end);
        let value_for_first = if end.to_move() == Side::First { value } else { 1.0 - value };

        // Back up. The path is the first part of what was played.
        let value_for = |side| if side == Side::First { value_for_first } else { 1.0 - value_for_first };
        self.nodes[Tree::ROOT].results.add(value_for(!position.to_move()));
        for (&node, &(side, _)) in path.iter().zip(&played) {
            self.nodes[node].results.add(value_for(side));
        }
        for (side, half_move) in played {
            self.rave[Tree::rave_place(side, half_move)].add(value_for(side));
        }
    }

    /// The child with the greatest upper confidence bound, the first among equals; `None` if there
    /// are no children.
    fn select(&self, node: usize, side: Side) -> Option<(usize, HalfMove)> {
        let log = ln(f64::from(self.nodes[node].results.count.max(1)));
        greatest(self.children(node).filter_map(|child| {
            let Node { half_move, results, .. } = self.nodes[child];
            let elsewhere = self.rave[Tree::rave_place(side, half_move?)].mean();
            Some((upper_confidence_bound(results, elsewhere, log), (child, half_move?)))
        }))
    }

    /// Gives a leaf its children, if the memory limit leaves room for them.
    fn expand(&mut self, node: usize, state: &Moment) {
        let half_moves = state.half_moves();
        if self.nodes.len() + half_moves.len() <= self.capacity {
            self.add_children(node, half_moves);
        }
    }

    fn add_children(&mut self, node: usize, half_moves: Vec<HalfMove>) {
        let first = self.nodes.len() as u32;
        self.nodes.extend(half_moves.into_iter().map(|half_move| Node::new(Some(half_move))));
        self.nodes[node].children = (first, self.nodes.len() as u32);
    }

    fn children(&self, node: usize) -> Range<usize> {
        let (first, end) = self.nodes[node].children;
        first as usize..end as usize
    }

    fn rave_place(side: Side, half_move: HalfMove) -> usize {
        side.index() * HalfMove::INDICES + half_move.index()
    }

    /// The most visited child and its mean; the best mean decides among equals. `None` before a
    /// visit.
    fn best_child(&self, node: usize) -> Option<(usize, HalfMove, f64)> {
        let visited = |child: usize| {
            let Node { half_move, results, .. } = self.nodes[child];
            Some((results.count, results.mean()?, child, half_move?))
        };
        let visited = self.children(node).filter_map(visited);
        let best = visited.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        best.map(|(_, mean, child, half_move)| (child, half_move, mean))
    }

    /// The line of best children, the move to play first, and the value of that move.
    pub(super) fn best_line(&self, position: &Position) -> (Vec<FullMove>, f64) {
        let mut line = Vec::new();
        let mut value = 0.5;
        let mut node = Tree::ROOT;
        while let Some((queen_child, HalfMove::Queen(queen), queen_mean)) = self.best_child(node) {
            let arrow = match self.best_child(queen_child) {
                Some((child, HalfMove::Arrow(arrow), mean)) => {
                    (node, value) = (child, if line.is_empty() { mean } else { value });
                    arrow
                }
                // No arrow was tried yet: at the root the formula decides, below it the line ends.
                _ if line.is_empty() => {
                    (node, value) = (queen_child, queen_mean);
                    best_arrow(&position.move_queen_unchecked(queen))
                }
                _ => break,
            };
            line.push(FullMove::new(queen, arrow));
        }
        (line, value)
    }
}

/// The chance of winning for the side to move, by the published formula.
fn evaluate(position: &Position) -> f64 {
    let log_odds = campya::log_odds(&View::from(position), Kernel::best());
    // A side that cannot move has lost.
    if log_odds == f64::NEG_INFINITY { 0.0 } else { logistic(log_odds) }
}

/// The arrow after which the formula gives the opponent the least chance, the first among equals.
fn best_arrow(half: &HalfPly) -> Square {
    let opponent = |arrow: Square| evaluate(&half.shoot_unchecked(arrow));
    let arrows = half.arrows();
    let best = arrows.iter().min_by(|&a, &b| opponent(a).total_cmp(&opponent(b)));
    // There always is one: the square that the queen has left.
    best.unwrap_or(half.shooter())
}

/// The quantity that selection maximises: the mean of real and virtual visits, and a term that is
/// large while both are few. `log` is the logarithm of the parent's visits, `elsewhere` the RAVE
/// mean.
fn upper_confidence_bound(own: Results, elsewhere: Option<f64>, log: f64) -> f64 {
    let (virtual_visits, virtual_sum) =
        elsewhere.map_or((0.0, 0.0), |mean| (RAVE_VISITS, RAVE_VISITS * mean));
    let visits = f64::from(own.count) + virtual_visits;
    if visits == 0.0 {
        return f64::INFINITY;
    }
    (own.sum + virtual_sum) / visits + EXPLORATION * (log / visits).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_visits_count_like_real_ones_until_those_outweigh_them() {
        let own = Results { count: 10, sum: 4.0 };
        // (4 + 10 * 0.8) / 20 + 0.45 sqrt(5 / 20) = 0.6 + 0.225
        assert!((upper_confidence_bound(own, Some(0.8), 5.0) - 0.825).abs() < 1e-12);
        // 4 / 10 + 0.45 sqrt(2.5 / 10) = 0.4 + 0.225
        assert!((upper_confidence_bound(own, None, 2.5) - 0.625).abs() < 1e-12);
        assert_eq!(upper_confidence_bound(Results::default(), None, 5.0), f64::INFINITY);
        // 0.8 + 0.45 sqrt(2.5 / 10)
        assert!((upper_confidence_bound(Results::default(), Some(0.8), 2.5) - 1.025).abs() < 1e-12);
    }
}
