//! Campya: the textbook Monte Carlo tree search of the literature, and a place to learn the method.
//!
//! The player follows Kloetzer (PhD thesis, 2010) as far as that is published. It uses neither the
//! tree nor the endgame solver of [`crate::search`], and serves as a fixed reference opponent.
//!
//! The tree has two levels a ply: the queen move, then the arrow. Each node counts its visits and
//! sums their results. One playout has four steps, in the order of `Tree::playout`:
//!
//! 1. **Select.** From the root, go to the child with the greatest upper confidence bound
//!    `mean + C sqrt(ln N / n)` (UCT, Kocsis and Szepesvári 2006), until a node has no children. `N`
//!    counts the visits of the parent, `n` those of the child: a child is tried because its results
//!    are good or because they are few.
//! 2. **Expand.** A leaf that was visited before gets a child for each half move.
//! 3. **Simulate.** Play a few random plies, then let the published formula ([`campya`]) say who is
//!    ahead.
//! 4. **Back up.** Every node of the path counts the result, seen from the side that moved into it.
//!
//! At the end of the turn the player makes the most visited move.
//!
//! RAVE (rapid action value estimation) makes early visits less blind. One table for the whole tree
//! holds the mean result of all playouts in which a side made a certain half move at any time. That
//! mean enters selection as ten virtual visits, which matter less as real visits arrive.

use std::ops::Range;
use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Choice, Player};
use crate::game::{Bitboard, FullMove, HalfPly, Position, QueenMove, Side, Square};
use crate::search::{EngineOptions, Limits, Report, StopHandle, StopReason};
use crate::territory::{Kernel, View, campya, ln, logistic};

/// `C` of the upper confidence bound, for results in [0,1].
const EXPLORATION: f64 = 0.45;

/// Virtual visits with which a RAVE mean enters selection.
const RAVE_VISITS: f64 = 10.0;

/// Random plies of a simulation before its evaluation.
const RANDOM_PLIES: u32 = 5;

/// The constants by name, as match records list them.
#[cfg(feature = "match")]
pub(super) const CONSTANTS: [(&str, f64); 3] =
    [("exploration", EXPLORATION), ("rave_visits", RAVE_VISITS), ("random_plies", RANDOM_PLIES as f64)];

/// Plays by UCT with RAVE, from an empty tree each turn.
#[derive(Debug)]
pub struct CampyaPlayer {
    position: Position,
    tree: Tree,
    rng: Xoshiro256PlusPlus,
    margin: Duration,
    stop: StopHandle,
}

impl CampyaPlayer {
    /// A player about to play from `position`. Of the options it uses the seed, the memory and the
    /// margin.
    #[must_use]
    pub fn new(options: &EngineOptions, position: &Position) -> CampyaPlayer {
        CampyaPlayer {
            position: *position,
            tree: Tree::new(options.memory),
            rng: Xoshiro256PlusPlus::seed_from_u64(options.seed),
            margin: options.margin,
            stop: StopHandle::default(),
        }
    }

    /// Makes playouts until a limit is reached; at least one. Returns their number and what ended
    /// them.
    fn search(&mut self, limits: &Limits, deadline: Option<Duration>) -> (u64, StopReason) {
        /// Playouts between two looks at the clock: well below a millisecond.
        const PLAYOUTS_PER_CHECK: u64 = 16;
        let most = limits.playouts.unwrap_or(u64::from(u32::MAX));
        for done in 1..most {
            self.tree.playout(&self.position, &mut self.rng);
            if done % PLAYOUTS_PER_CHECK != 1 {
                continue;
            }
            if deadline.is_some_and(|deadline| limits.stopwatch.elapsed() >= deadline) {
                return (done, StopReason::Time);
            }
            if self.stop.is_stopped() {
                return (done, StopReason::Stopped);
            }
        }
        self.tree.playout(&self.position, &mut self.rng);
        (most.max(1), if limits.playouts.is_some() { StopReason::Playouts } else { StopReason::Counters })
    }
}

impl Player for CampyaPlayer {
    fn set_position(&mut self, position: &Position) {
        self.position = *position;
    }

    fn advance(&mut self, full: FullMove) {
        self.position = self.position.play_unchecked(full);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        self.choose_among(self.position.size().mask(), limits)
    }

    fn choose_among(&mut self, amazons: Bitboard, limits: &Limits) -> Option<Choice> {
        let mut queen_moves = State::BeforeQueen(self.position).half_moves();
        queen_moves
            .retain(|half_move| matches!(half_move, HalfMove::Queen(queen) if amazons.contains(queen.from)));
        if queen_moves.is_empty() {
            return None;
        }
        self.tree.restart(queen_moves);
        let deadline = limits.deadline(self.margin, self.position.empty().count());
        let (playouts, stop) = self.search(limits, deadline);
        self.stop.reset();
        let (line, value) = self.tree.best_line(&self.position);
        let report = Report {
            best: *line.first()?,
            value,
            proven: false,
            ending: None,
            principal_variation: line,
            candidates: Vec::new(),
            playouts,
            reused: 0,
            depth: self.tree.levels.div_ceil(2) as u32,
            time: limits.stopwatch.elapsed(),
            bound: deadline,
            memory: self.tree.nodes.len() * size_of::<Node>(),
            stop,
        };
        Some(Choice { full: report.best, report: Some(report) })
    }

    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.stop.clone())
    }
}

/// Half of a ply: what a side chooses at one level of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HalfMove {
    Queen(QueenMove),
    Arrow(Square),
}

/// A state of the game in which a side chooses a half move.
#[derive(Clone, Copy, Debug)]
enum State {
    BeforeQueen(Position),
    BeforeArrow(HalfPly),
}

impl State {
    /// The side that chooses.
    fn side(&self) -> Side {
        match self {
            State::BeforeQueen(position) => position.to_move(),
            State::BeforeArrow(half) => half.mover(),
        }
    }

    /// The legal half moves; none if the game is over.
    fn half_moves(&self) -> Vec<HalfMove> {
        match self {
            State::BeforeQueen(position) => position.queen_moves().map(HalfMove::Queen).collect(),
            State::BeforeArrow(half) => half.arrows().iter().map(HalfMove::Arrow).collect(),
        }
    }

    /// The state after a legal half move.
    fn after(&self, half_move: HalfMove) -> State {
        match (self, half_move) {
            (State::BeforeQueen(position), HalfMove::Queen(queen)) => {
                State::BeforeArrow(position.move_queen_unchecked(queen))
            }
            (State::BeforeArrow(half), HalfMove::Arrow(arrow)) => {
                State::BeforeQueen(half.shoot_unchecked(arrow))
            }
            _ => unreachable!("queen moves and arrows alternate"),
        }
    }

    /// The chance of winning for the side that chooses, by the published formula.
    fn evaluate(&self) -> f64 {
        let view = match self {
            State::BeforeQueen(position) => View::from(position),
            State::BeforeArrow(half) => View::from(half),
        };
        let log_odds = campya::log_odds(&view, Kernel::best());
        // A side that cannot move has lost.
        if log_odds == f64::NEG_INFINITY { 0.0 } else { logistic(log_odds) }
    }
}

/// Results of playouts for one side, each in [0,1].
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
struct Node {
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

/// The tree of one turn and its RAVE table.
#[derive(Debug)]
struct Tree {
    /// The root first.
    nodes: Vec<Node>,
    /// Nodes that the memory limit allows.
    capacity: usize,
    /// The results of all playouts by half move: see [`Tree::rave_place`].
    rave: Vec<Results>,
    /// Length of the longest path.
    levels: usize,
}

impl Tree {
    const ROOT: usize = 0;

    /// A square's index is below this number.
    const SQUARES: usize = Square::INDICES;

    /// A tree without nodes that will take at most so many bytes, or half of them if the system
    /// refuses, and so on.
    fn new(memory: usize) -> Tree {
        let mut capacity = (memory / size_of::<Node>()).min(u32::MAX as usize);
        let mut nodes = Vec::new();
        while nodes.try_reserve_exact(capacity).is_err() {
            capacity /= 2;
        }
        Tree { nodes, capacity, rave: Vec::new(), levels: 0 }
    }

    /// Forgets everything and expands the root to these half moves.
    fn restart(&mut self, half_moves: Vec<HalfMove>) {
        self.levels = 0;
        self.rave.clear();
        self.rave.resize(2 * Tree::SQUARES * (Tree::SQUARES + 1), Results::default());
        self.nodes.clear();
        self.nodes.push(Node::new(None));
        self.add_children(Tree::ROOT, half_moves);
    }

    /// One playout.
    fn playout(&mut self, position: &Position, rng: &mut Xoshiro256PlusPlus) {
        let mut state = State::BeforeQueen(*position);
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

        let value_for_first = simulate(state, rng, &mut played);

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
        let mut best = None;
        let mut best_bound = f64::NEG_INFINITY;
        for child in self.children(node) {
            let Node { half_move: Some(half_move), results, .. } = self.nodes[child] else { continue };
            let elsewhere = self.rave[Tree::rave_place(side, half_move)].mean();
            let bound = upper_confidence_bound(results, elsewhere, log);
            if bound > best_bound {
                (best, best_bound) = (Some((child, half_move)), bound);
            }
        }
        best
    }

    /// Gives a leaf its children, if the memory limit leaves room for them.
    fn expand(&mut self, node: usize, state: &State) {
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

    /// The place of a half move in the RAVE table: by side, then arrows by square and queen moves
    /// by both squares.
    fn rave_place(side: Side, half_move: HalfMove) -> usize {
        let place = match half_move {
            HalfMove::Arrow(square) => usize::from(square.index()),
            HalfMove::Queen(QueenMove { from, to }) => {
                Tree::SQUARES * (1 + usize::from(from.index())) + usize::from(to.index())
            }
        };
        side.index() * Tree::SQUARES * (Tree::SQUARES + 1) + place
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
    fn best_line(&self, position: &Position) -> (Vec<FullMove>, f64) {
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

/// What selection maximises: the mean of real and virtual visits, and a term that is large while
/// both are few. `log` is the logarithm of the parent's visits, `elsewhere` the RAVE mean.
fn upper_confidence_bound(own: Results, elsewhere: Option<f64>, log: f64) -> f64 {
    let (virtual_visits, virtual_sum) =
        elsewhere.map_or((0.0, 0.0), |mean| (RAVE_VISITS, RAVE_VISITS * mean));
    let visits = f64::from(own.count) + virtual_visits;
    if visits == 0.0 {
        return f64::INFINITY;
    }
    (own.sum + virtual_sum) / visits + EXPLORATION * (log / visits).sqrt()
}

/// Plays random plies, after the arrow that may be to come, then evaluates. Returns the first
/// player's chance of winning and adds the half moves to `played`.
fn simulate(mut state: State, rng: &mut Xoshiro256PlusPlus, played: &mut Vec<(Side, HalfMove)>) -> f64 {
    let mut plies_left = RANDOM_PLIES;
    loop {
        let half_move = match &state {
            State::BeforeArrow(half) => Some(HalfMove::Arrow(half.random_arrow(rng))),
            State::BeforeQueen(_) if plies_left == 0 => None,
            State::BeforeQueen(position) => {
                plies_left -= 1;
                position.random_queen_move(rng).map(HalfMove::Queen)
            }
        };
        let Some(half_move) = half_move else { break };
        played.push((state.side(), half_move));
        state = state.after(half_move);
    }
    let value = state.evaluate();
    if state.side() == Side::First { value } else { 1.0 - value }
}

/// The arrow after which the formula gives the opponent the least chance, the first among equals.
fn best_arrow(half: &HalfPly) -> Square {
    let opponent = |arrow: Square| State::BeforeQueen(half.shoot_unchecked(arrow)).evaluate();
    let arrows = half.arrows();
    let best = arrows.iter().min_by(|&a, &b| opponent(a).total_cmp(&opponent(b)));
    // There always is one: the square that the queen has left.
    best.unwrap_or(half.shooter())
}

#[cfg(test)]
mod tests {
    use super::super::RandomPlayer;
    use super::*;
    use crate::game::{Fen, Size, Start};

    fn player(seed: u64, memory: usize, position: &Position) -> CampyaPlayer {
        CampyaPlayer::new(&EngineOptions { seed, memory, ..EngineOptions::default() }, position)
    }

    fn start(side: usize) -> Position {
        Start::Formula.position(Size::square(side).unwrap()).unwrap()
    }

    /// The moves of a game against itself.
    fn game(seed: u64, side: usize) -> Vec<FullMove> {
        let mut position = start(side);
        let mut player = player(seed, 1 << 20, &position);
        let mut moves = Vec::new();
        while let Some(choice) = player.choose(&Limits::playouts(200)) {
            position = position.play(choice.full).expect("a legal move");
            player.advance(choice.full);
            moves.push(choice.full);
        }
        assert!(!position.can_move(position.to_move()));
        moves
    }

    #[test]
    fn plays_legally_to_the_end_and_repeats_by_seed() {
        for side in [6, 8, 10] {
            assert_eq!(game(3, side), game(3, side));
        }
        assert_ne!(game(3, 6), game(4, 6));
    }

    #[test]
    fn beats_the_random_player() {
        for (seed, side) in [(1, Side::First), (2, Side::Second), (3, Side::First), (4, Side::Second)] {
            let mut position = start(8);
            let (mut campya, mut random) =
                (player(seed, 4 << 20, &position), RandomPlayer::new(seed, &position));
            loop {
                let limits = Limits::playouts(100);
                let chosen =
                    if position.to_move() == side { campya.choose(&limits) } else { random.choose(&limits) };
                let Some(choice) = chosen else { break };
                position = position.play(choice.full).unwrap();
                campya.advance(choice.full);
                random.advance(choice.full);
            }
            assert_eq!(position.winner(), Some(side), "seed {seed}");
        }
    }

    #[test]
    fn stops_at_its_limits() {
        let mut player = player(1, 1 << 20, &start(10));
        let mut report = |limits: &Limits| player.choose(limits).unwrap().report.unwrap();
        let counted = report(&Limits::playouts(5_000));
        assert_eq!((counted.stop, counted.playouts), (StopReason::Playouts, 5_000));
        // 5,000 playouts want more than a megabyte.
        assert!(counted.memory <= 1 << 20 && counted.memory > 1 << 19, "{}", counted.memory);
        assert_eq!(report(&Limits::playouts(1)).playouts, 1);
        let timed = report(&Limits::per_move(Duration::from_millis(40)));
        assert!(timed.stop == StopReason::Time && timed.bound == Some(Duration::from_millis(36)));
        assert!(timed.time >= Duration::from_millis(36) && timed.playouts > 1);
        assert_eq!(report(&Limits::per_move(Duration::ZERO)).playouts, 1);
        player.stop_handle().unwrap().stop();
        let stopped = player.choose(&Limits::playouts(1_000)).unwrap().report.unwrap();
        assert_eq!(stopped.stop, StopReason::Stopped);
    }

    #[test]
    fn moves_only_the_amazons_allowed() {
        let position = start(10);
        let mut player = player(1, 1 << 20, &position);
        for &amazon in position.amazons(Side::First) {
            let choice = player.choose_among(Bitboard::of(amazon), &Limits::playouts(50)).unwrap();
            assert_eq!(choice.full.from, amazon);
        }
        let theirs: Bitboard = position.amazons(Side::Second).iter().copied().collect();
        assert!(player.choose_among(theirs, &Limits::playouts(50)).is_none());
    }

    /// Whether the side to move wins, by trying everything.
    fn wins(position: &Position) -> bool {
        position.full_moves().any(|full| !wins(&position.play_unchecked(full)))
    }

    #[test]
    fn finds_a_winning_move_among_losing_ones() {
        // Three squares against two: the first player wins if its first move leaves it two more.
        let position = "Q3*2q/******** w".parse::<Fen>().unwrap().0;
        let wins_after = |full: FullMove| !wins(&position.play(full).unwrap());
        let won = position.full_moves().filter(|&full| wins_after(full)).count();
        assert!(won > 0 && won < position.full_moves().count(), "{won}");
        for seed in 1..9 {
            let choice = player(seed, 1 << 20, &position).choose(&Limits::playouts(2_000)).unwrap();
            assert!(wins_after(choice.full), "{}", choice.full);
        }
    }

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
