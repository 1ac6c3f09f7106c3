//! Campya: a textbook Monte Carlo tree search from the literature, in one file for readers who are
//! new to the method.
//!
//! The player follows Kloetzer's PhD thesis (2010) wherever the thesis gives details. It is a fixed
//! reference opponent, which uses neither the tree nor the endgame solver of [`crate::search`].
//!
//! The tree has two levels for each ply, one for each half move: queen move and arrow. Each node
//! counts its visits and sums their results. One playout has four steps, in the order of
//! `Campya::playout`:
//!
//! 1. **Select.** From the root, go to the child with the greatest upper confidence bound `mean + C
//!    sqrt(ln N / n)` (UCT, Kocsis and Szepesvári 2006), until a node has no children. `N` counts
//!    the visits of the parent, and `n` the visits of the child. A child with good results or with
//!    few visits therefore has a high bound.
//! 2. **Expand.** A leaf that was visited before gets a child for each legal half move.
//! 3. **Simulate.** Play a few random plies, then evaluate by the published formula
//!    ([`campya`](crate::territory::campya)).
//! 4. **Back up.** Every node of the path adds the result for the side whose half move led to it.
//!
//! At the end of the turn, the player plays the most visited move.
//!
//! RAVE (rapid action value estimation) guides early visits. One table for the whole tree holds,
//! for each half move of a side, the mean result of all playouts in which the side made this half
//! move. Selection gives a child ten virtual visits with this mean. The virtual visits matter less
//! as the child gets real visits.

use std::ops::Range;
use std::time::Duration;

use amazons::{AnyPosition, HalfMove, HalfPly, Move, Position, Side, Size, Square};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Choice, greatest};
use crate::search::{EngineOptions, Limits, Report, StopReason, deadline};
use crate::territory::{View, campya, ln, logistic};

/// The factor `C` of the upper confidence bound, for results in [0,1].
const EXPLORATION: f64 = 0.45;

const RAVE_VISITS: f64 = 10.0;

const RANDOM_PLIES: u32 = 5;

/// The names and values of this player's constants, which the records of matches store.
pub(super) const CONSTANTS: [(&str, f64); 3] =
    [("exploration", EXPLORATION), ("rave_visits", RAVE_VISITS), ("random_plies", RANDOM_PLIES as f64)];

/// Chooses moves by UCT with RAVE, from an empty tree in each turn.
#[derive(Debug)]
pub(super) struct Campya {
    /// The tree, which never exceeds the memory reserved at the start. The root is the first node.
    nodes: Vec<Node>,
    rave: Vec<Results>,
    rng: Xoshiro256PlusPlus,
    margin: Duration,
}

const ROOT: usize = 0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Results {
    visits: u32,
    result_sum: f64,
}

impl Results {
    fn add(&mut self, value: f64) {
        self.visits += 1;
        self.result_sum += value;
    }

    fn mean(self) -> Option<f64> {
        (self.visits > 0).then(|| self.result_sum / f64::from(self.visits))
    }
}

#[derive(Debug, Default)]
struct Node {
    /// The half move that leads to the node; `None` at the root.
    half_move: Option<HalfMove>,
    /// The results of playouts through the node, for the side that made `half_move`.
    results: Results,
    /// The index of the first child and the index after the last child; both 0 before expansion.
    children: (u32, u32),
}

impl Campya {
    /// Creates a player, which uses only the seed, the memory and the time margin of the options.
    pub(super) fn new(options: &EngineOptions, size: Size) -> Campya {
        let mut capacity = (options.memory / size_of::<Node>()).min(u32::MAX as usize);
        let mut nodes = Vec::new();
        while nodes.try_reserve_exact(capacity).is_err() {
            capacity /= 2;
        }
        Campya {
            nodes,
            rave: Vec::new(),
            rng: Xoshiro256PlusPlus::seed_from_u64(options.seed),
            margin: options.parameters.on(size).time_margin(),
        }
    }

    /// Chooses a move after at least one playout; `None` if the side to move has no move.
    pub(super) fn choose(&mut self, position: &Position, limits: &Limits) -> Option<Choice> {
        /// The number of playouts between two clock checks. These playouts take well below 1 ms.
        const PLAYOUTS_PER_CLOCK_CHECK: u64 = 16;
        let limits = limits.started();
        let queen_moves = AnyPosition::Position(*position).half_moves();
        if queen_moves.is_empty() {
            return None;
        }
        self.rave.clear();
        self.rave.resize(2 * HalfMove::INDICES, Results::default());
        self.nodes.clear();
        self.nodes.push(Node::default());
        self.add_children(ROOT, queen_moves);
        let deadline = deadline(&limits, self.margin, position.empty().count());
        let is_late = || deadline.is_some_and(|deadline| limits.elapsed() >= deadline);
        let (mut playouts, mut levels) = (0, 0);
        let stop = loop {
            levels = levels.max(self.playout(position));
            playouts += 1;
            if limits.playouts.is_some_and(|most| playouts >= most) {
                break StopReason::Playouts;
            }
            if playouts == u64::from(u32::MAX) {
                break StopReason::Counters;
            }
            if playouts % PLAYOUTS_PER_CLOCK_CHECK == 1 {
                if is_late() {
                    break StopReason::Time;
                }
                if limits.stop.is_stopped() {
                    break StopReason::Stopped;
                }
            }
        };
        let (line, value) = self.most_visited_line(position);
        let report = Report {
            best: *line.first()?,
            value,
            network_value: None,
            proven: false,
            ending: None,
            principal_variation: line,
            candidates: Vec::new(),
            playouts,
            collisions: 0,
            reused: 0,
            depth: levels.div_ceil(2) as u32,
            time: limits.elapsed(),
            bound: deadline,
            memory: self.nodes.len() * size_of::<Node>(),
            stop: Some(stop),
        };
        Some(Choice { chosen: report.best, report: Some(report) })
    }

    /// Runs a playout. Returns the number of half moves from the root to the leaf.
    fn playout(&mut self, position: &Position) -> usize {
        let mut state = AnyPosition::Position(*position);
        let mut node = ROOT;
        let mut path = Vec::new();
        let mut played = Vec::new();
        // Select one child after another. Expand a leaf that was visited before.
        loop {
            if self.children(node).is_empty() && self.nodes[node].results.visits > 0 {
                let half_moves = state.half_moves();
                if self.nodes.len() + half_moves.len() <= self.nodes.capacity() {
                    self.add_children(node, half_moves);
                }
            }
            let Some((child, half_move)) = self.select(node, state.to_move()) else { break };
            played.push((state.to_move(), half_move));
            state = state.after(half_move);
            node = child;
            path.push(node);
        }

        // Simulate.
        let end = state.after_random_plies(RANDOM_PLIES, &mut self.rng, |side, half_move| {
            played.push((side, half_move))
        });
        let value = evaluate(&end);
        let value_for_first = if end.to_move() == Side::First { value } else { 1.0 - value };

        // Back up the result along the path. `played` has the path's half moves, then random ones.
        let value_for = |side| if side == Side::First { value_for_first } else { 1.0 - value_for_first };
        self.nodes[ROOT].results.add(value_for(!position.to_move()));
        for (&node, &(side, _)) in path.iter().zip(&played) {
            self.nodes[node].results.add(value_for(side));
        }
        for (side, half_move) in played {
            self.rave[rave_index(side, half_move)].add(value_for(side));
        }
        path.len()
    }

    /// The child with the greatest upper confidence bound, the first if several are equal.
    fn select(&self, node: usize, side: Side) -> Option<(usize, HalfMove)> {
        let log = ln(f64::from(self.nodes[node].results.visits.max(1)));
        greatest(self.children(node).filter_map(|child| {
            let Node { half_move, results, .. } = self.nodes[child];
            let rave_mean = self.rave[rave_index(side, half_move?)].mean();
            Some((upper_confidence_bound(results, rave_mean, log), (child, half_move?)))
        }))
    }

    fn add_children(&mut self, node: usize, half_moves: Vec<HalfMove>) {
        let first = self.nodes.len() as u32;
        let child = |half_move| Node { half_move: Some(half_move), ..Node::default() };
        self.nodes.extend(half_moves.into_iter().map(child));
        self.nodes[node].children = (first, self.nodes.len() as u32);
    }

    fn children(&self, node: usize) -> Range<usize> {
        let (first, end) = self.nodes[node].children;
        first as usize..end as usize
    }

    /// The most visited child, its half move and its mean result; `None` if no child was visited.
    fn best_child(&self, node: usize) -> Option<(usize, HalfMove, f64)> {
        let visited = |child: usize| {
            let Node { half_move, results, .. } = self.nodes[child];
            Some((results.visits, results.mean()?, child, half_move?))
        };
        let visited = self.children(node).filter_map(visited);
        let best = visited.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        best.map(|(_, mean, child, half_move)| (child, half_move, mean))
    }

    /// The most visited moves from the root on, and the mean result of the first move.
    fn most_visited_line(&self, position: &Position) -> (Vec<Move>, f64) {
        let (mut line, mut value, mut node) = (Vec::new(), 0.5, ROOT);
        while let Some((queen_child, HalfMove::Queen(queen), queen_mean)) = self.best_child(node) {
            let (child, arrow, mean) = match self.best_child(queen_child) {
                Some((child, HalfMove::Arrow(arrow), mean)) => (child, arrow, mean),
                // If the search tried no arrow after the best queen move, `best_arrow` chooses one.
                _ if line.is_empty() => {
                    (queen_child, best_arrow(&position.move_queen_unchecked(queen)), queen_mean)
                }
                _ => break,
            };
            value = if line.is_empty() { mean } else { value };
            line.push(Move::new(queen, arrow));
            node = child;
        }
        (line, value)
    }
}

fn rave_index(side: Side, half_move: HalfMove) -> usize {
    side.index() * HalfMove::INDICES + half_move.index()
}

/// The chance of winning for the side to move, by the formula of Campya's evaluator.
fn evaluate(position: &Position) -> f64 {
    let log_odds = campya::log_odds(&View::from(position));
    // A side that cannot move has lost.
    if log_odds == f64::NEG_INFINITY { 0.0 } else { logistic(log_odds) }
}

/// The arrow that gives the opponent the smallest chance of winning.
fn best_arrow(half: &HalfPly) -> Square {
    let best = greatest(half.arrows().iter().map(|arrow| (-evaluate(&half.shoot_unchecked(arrow)), arrow)));
    // There is always an arrow: the square that the amazon left.
    best.unwrap_or(half.shooter())
}

/// The mean result of a child plus a term that is larger for fewer visits. The child's results are
/// `own` plus virtual visits with the mean `rave_mean`. `log` is `ln` of the parent's visits.
fn upper_confidence_bound(own: Results, rave_mean: Option<f64>, log: f64) -> f64 {
    let (virtual_visits, virtual_sum) =
        rave_mean.map_or((0.0, 0.0), |mean| (RAVE_VISITS, RAVE_VISITS * mean));
    let visits = f64::from(own.visits) + virtual_visits;
    if visits == 0.0 {
        return f64::INFINITY;
    }
    (own.result_sum + virtual_sum) / visits + EXPLORATION * (log / visits).sqrt()
}

#[cfg(test)]
mod tests {
    use amazons::hash::mix;

    use super::*;
    use crate::players::{LEVELS, PlayerKind};

    fn start(side: usize) -> Position {
        Position::start(Size::square(side).unwrap()).unwrap()
    }

    /// A digest of the game that two players play from the start position.
    fn play(kinds: [PlayerKind; 2], seed: u64, side: usize, playouts: u64) -> u64 {
        let mut position = start(side);
        let options = EngineOptions { seed, memory: 1 << 20, ..EngineOptions::default() };
        let mut players = kinds.map(|kind| kind.build(&options, &position));
        let mut digest = 0;
        while let Some(choice) = players[position.to_move().index()].choose(&Limits::playouts(playouts)) {
            position = position.play(choice.chosen).expect("a legal move");
            players.iter_mut().for_each(|player| player.advance(choice.chosen));
            digest = mix(&[digest, position.hash64()]);
        }
        digest
    }

    /// Campya must play the same games as at commit 0e2b423, whose evaluation formula was checked
    /// against a plain implementation on random boards.
    #[test]
    fn games_match_recorded_digests() {
        for (seed, side, game) in [
            (3, 6, 0x5345_1e19_4bfb_62f4),
            (3, 8, 0x85c1_e3e2_7fb3_1043),
            (3, 10, 0x71e6_99eb_7320_877e),
            (4, 8, 0xaa75_472f_e246_2d37),
        ] {
            let digest = play([PlayerKind::Campya; 2], seed, side, 200);
            assert_eq!(digest, game, "seed {seed}, {side}x{side}: got {digest:#018x}");
        }
    }

    #[test]
    fn levels_repeat_games_by_seed() {
        // Level 1 plays without a search, level 9 with a search.
        let game = |seed, side| play([LEVELS[0], LEVELS[8]].map(PlayerKind::Level), seed, side, 1_000);
        for side in [6, 8, 10] {
            assert_eq!(game(3, side), game(3, side));
        }
        assert_ne!(game(3, 6), game(4, 6));
    }

    #[test]
    fn stops_at_its_limits() {
        let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
        let mut player = PlayerKind::Campya.build(&options, &start(10));
        let mut report = |limits: &Limits| player.choose(limits).unwrap().report.unwrap();
        let counted = report(&Limits::playouts(5_000));
        assert_eq!((counted.stop, counted.playouts), (Some(StopReason::Playouts), 5_000));
        // The nodes of 5,000 playouts need more memory than the 1 MiB that the player has.
        assert!(counted.memory <= 1 << 20 && counted.memory > 1 << 19, "{}", counted.memory);
        assert_eq!(report(&Limits::playouts(1)).playouts, 1);
        let timed = report(&Limits::per_move(Duration::from_millis(40)));
        assert!(timed.stop == Some(StopReason::Time) && timed.bound == Some(Duration::from_millis(36)));
        assert!(timed.time >= Duration::from_millis(36) && timed.playouts > 1);
        assert_eq!(report(&Limits::per_move(Duration::ZERO)).playouts, 1);
        let limits = Limits::playouts(1_000);
        limits.stop.stop();
        assert_eq!(report(&limits).stop, Some(StopReason::Stopped));
    }
}
