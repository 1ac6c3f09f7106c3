//! The solver: a proof-number search of the regions in which both sides can move.
//!
//! A position is a sum of regions. A region whose value is known exactly is an integer in the sense
//! of combinatorial game theory. One number replaces all exactly known regions: the spare moves of
//! the side that is ahead in them. Spare moves are all alike, so a node tries only one. All other
//! regions are open. Their bounds decide most sums. The solver searches the undecided sums by proof
//! numbers, depth first (df-pn, Nagai 2002), and stores results in a table. The table's key does
//! not depend on the number of spare moves or the order of moves in separate regions.

use std::mem;

use amazons::{Bitboard, Move, Position, Side, Square, queen_reach};

use super::bounds::{Prospects, RegionEvaluator, RegionValue, SumPart};
use super::filling::FillingSearch;
use super::region::Region;
use super::sum::Sum;
use super::table::{AlwaysReplaceTable, ProofNumbers, SumTable};

mod play;

pub use play::BestMoveError;

/// The limits of a proof: a number of nodes, and a function that may stop the search earlier.
///
/// ```
/// use quiver_engine::{Effort, Position, Solver};
/// use std::time::{Duration, Instant};
///
/// let position: Position = "Q4*q2 w".parse()?;
/// let begun = Instant::now();
/// let effort = Effort { nodes: 1_000, stop: &|| begun.elapsed() > Duration::from_secs(1) };
/// assert!(Solver::new(1 << 16).prove(&position, &effort).winner.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// The largest number of nodes of a proof. A node takes some 5 to 50 microseconds if few
    /// squares are contested, and up to a second in a large region in which the possible moves are
    /// slow to count.
    pub nodes: u64,
    /// A function that stops the search by returning true. At every node, the solver calls it for
    /// every square to which an amazon can move.
    pub stop: &'a dyn Fn() -> bool,
}

impl Effort<'_> {
    /// An effort of this many nodes without a time limit. Results are then reproducible.
    pub fn nodes(nodes: u64) -> Effort<'static> {
        Effort { nodes, stop: &|| false }
    }
}

#[derive(Clone, Copy, Debug)]
struct CandidateMove {
    key: u64,
    spare_moves: i32,
    numbers: ProofNumbers,
    step: SumStep,
}

#[derive(Clone, Copy, Debug)]
enum SumStep {
    Move { part: usize, candidate: Move },
    Spare,
}

/// Proves which side wins, and keeps its results from one position to the next.
///
/// ```
/// use quiver_engine::endgame::{Effort, Solver};
/// use quiver_engine::amazons::{Position, Side};
///
/// // A wall divides the board: four moves for the first player, two for the second.
/// let position: Position = "Q4*q2 w".parse()?;
/// let solution = Solver::new(1 << 16).prove(&position, &Effort::nodes(100));
/// assert_eq!((solution.winner, solution.bounds), (Some(Side::First), (2, 2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    evaluator: RegionEvaluator,
    table: SumTable,
    /// A stack of the open regions (no exact value) of each sum, from the root to the current sum.
    parts: Vec<SumPart>,
    /// The moves of each sum from the root to the current sum, in this order.
    children: Vec<CandidateMove>,
    /// A reused buffer of moves, each with an index into `regions`. The regions that exist after
    /// the move end before this index.
    steps_and_ends: Vec<(SumStep, usize)>,
    /// A reused buffer of the regions that exist after the moves of `steps_and_ends`.
    regions: Vec<SumPart>,
    nodes: u64,
    given_up: bool,
}

/// The result of [`Solver::prove`].
///
/// ```
/// use quiver_engine::{Effort, Position, Side, Solution, Solver};
///
/// let position: Position = "Q4*q2 w".parse()?;
/// let solution: Solution = Solver::new(1 << 16).prove(&position, &Effort::nodes(100));
/// assert_eq!((solution.winner, solution.margin()), (Some(Side::First), Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The winner; `None` if the effort was not enough to prove one.
    pub winner: Option<Side>,
    /// The smallest and largest possible value of the position in moves for the first player,
    /// before any search. The two are equal if every region is counted exactly.
    pub bounds: (i32, i32),
    /// The number of nodes that the solver expanded.
    pub nodes: u64,
}

impl Solution {
    /// The number of moves by which the winner is ahead; `None` if a region is not counted exactly.
    /// 0 means that both sides have equally many moves, so the side to move loses.
    pub fn margin(&self) -> Option<u32> {
        let (least, most) = self.bounds;
        (least == most).then(|| least.unsigned_abs())
    }
}

impl Solver {
    /// Creates a solver and allocates its tables: about `bytes` bytes, at least some kilobytes.
    pub fn new(bytes: usize) -> Solver {
        // An entry takes 16 bytes, and the number of entries of a table is a power of two.
        let slots = |bytes: usize| 1 << (bytes / 16).max(64).ilog2();
        let region_slots = slots(bytes / 4);
        Solver {
            evaluator: RegionEvaluator {
                filling_search: FillingSearch::new(region_slots),
                known: AlwaysReplaceTable::new(region_slots),
            },
            table: SumTable::new(slots(bytes / 2)),
            parts: Vec::new(),
            children: Vec::new(),
            steps_and_ends: Vec::new(),
            regions: Vec::new(),
            nodes: 0,
            given_up: false,
        }
    }

    /// Searches for the winner within the effort. If `effort` allows no nodes, only bounds and
    /// stored results can prove the winner.
    pub fn prove(&mut self, position: &Position, effort: &Effort) -> Solution {
        self.reset_search();
        let sum = self.sum(&Region::whole(position));
        let numbers = self.proof_numbers(sum, position.to_move(), effort);
        let winner = match numbers {
            ProofNumbers { phi: 0, .. } => Some(position.to_move()),
            ProofNumbers { delta: 0, .. } => Some(!position.to_move()),
            _ => None,
        };
        let RegionValue { least, most, .. } = sum.value(Side::First);
        Solution { winner, bounds: (least, most), nodes: self.nodes }
    }

    /// Counts the dead squares. An exclusive square, which only one side reaches, is dead if it is
    /// not certain to give this side a move. Returns the mover's number of dead squares minus the
    /// opponent's, or `None` if each side has fewer than two exclusive squares. `amazons[0]` are
    /// the mover's amazons.
    ///
    /// The evaluator counts every exclusive square as a move. Its term `defect` (the literature's
    /// word for the number of dead squares) corrects this count. The result is exact in small or
    /// simple regions with amazons of only one side. In other regions, each side's number is an
    /// upper bound, which may decrease as more results are stored.
    pub fn dead_squares(&mut self, empty: Bitboard, amazons: [&[Square]; 2]) -> Option<i16> {
        // The mover takes the place of the first player. This does not change the numbers of moves.
        let region = Region::new(empty, amazons);
        let reach = Prospects::of(&region);
        let squares = reach.exclusive.map(|squares| squares.count() as i32);
        // A single exclusive square certainly gives its side a move, so that side has no dead
        // square.
        if squares[0].max(squares[1]) < 2 {
            return None;
        }
        let [own, other] = Side::BOTH
            .map(|side| squares[side.index()] - self.evaluator.certain_moves(&region, &reach, side));
        Some((own - other) as i16)
    }

    fn reset_search(&mut self) {
        self.parts.clear();
        self.children.clear();
        (self.nodes, self.given_up) = (0, false);
    }

    /// The proof numbers of a sum, from its bounds, the table, or a search with the nodes that
    /// `effort` still allows. The sum's open regions (no exact value) must be the last in `parts`.
    fn proof_numbers(&mut self, sum: Sum, mover: Side, effort: &Effort) -> ProofNumbers {
        const NO_THRESHOLD: ProofNumbers =
            ProofNumbers { phi: ProofNumbers::INFINITE, delta: ProofNumbers::INFINITE };
        if let Some(numbers) = sum.verdict(mover) {
            return numbers;
        }
        let known = self.table.look_up(sum.key(mover), sum.spare_moves(mover));
        match known {
            Some(numbers) if numbers.is_proven() || self.nodes >= effort.nodes => numbers,
            _ if self.nodes >= effort.nodes => sum.estimate(mover),
            _ => self.search(sum, mover, NO_THRESHOLD, effort),
        }
    }

    /// The sum of a region's connected parts. Pushes parts without exact value to `parts`.
    fn sum(&mut self, region: &Region) -> Sum {
        let mut sum = Sum::new(self.parts.len());
        self.add_parts(region, &mut sum);
        sum
    }

    /// Adds a region's parts to a sum. The last items of the solver's list `parts` must be the
    /// sum's open regions, which are those without an exact value; new open regions are appended.
    fn add_parts(&mut self, region: &Region, sum: &mut Sum) {
        for region in region.parts() {
            let mut part = SumPart::of(region);
            self.evaluator.evaluate_parts(std::slice::from_mut(&mut part));
            if sum.add_part(&part) {
                self.parts.push(part);
            }
        }
    }

    /// Searches a sum that bounds do not decide. Ends when one of the sum's proof numbers reaches
    /// its limit in `threshold`, or when the effort ends.
    fn search(&mut self, sum: Sum, mover: Side, threshold: ProofNumbers, effort: &Effort) -> ProofNumbers {
        let before = self.nodes;
        self.nodes += 1;
        self.given_up |= self.nodes >= effort.nodes;
        let base = self.children.len();
        let mut numbers = match self.expand_until_win(&sum, mover, effort) {
            Some(true) => ProofNumbers::WON,
            Some(false) => self.combine_children(base).0,
            None => {
                self.given_up = true;
                self.children.truncate(base);
                return sum.estimate(mover);
            }
        };
        while numbers.phi < threshold.phi && numbers.delta < threshold.delta && !self.given_up {
            let (_, index, second) = self.combine_children(base);
            let child = self.children[index];
            let child_threshold = ProofNumbers {
                phi: (threshold.delta - numbers.delta)
                    .saturating_add(child.numbers.phi)
                    .min(ProofNumbers::INFINITE),
                // The threshold is a quarter above the second best child's `delta`, so that the
                // search seldom switches between children.
                delta: threshold.phi.min(second.saturating_add(second / 4 + 1)),
            };
            let parts = self.parts.len();
            let next = self.sum_after_step(&sum, &child.step, mover);
            self.children[index].numbers = self.search(next, !mover, child_threshold, effort);
            self.parts.truncate(parts);
            numbers = self.combine_children(base).0;
        }
        self.children.truncate(base);
        if !self.given_up || numbers.is_proven() {
            let nodes = self.nodes - before;
            self.table.store(sum.key(mover), sum.spare_moves(mover), numbers, nodes);
        }
        numbers
    }

    /// Computes a sum's proof numbers from its moves, which are `children[base..]`. Also returns
    /// the index of the move with the smallest `delta`, and the second smallest `delta`.
    #[inline]
    fn combine_children(&self, base: usize) -> (ProofNumbers, usize, u32) {
        let (mut best, mut second, mut index) = (ProofNumbers::INFINITE, ProofNumbers::INFINITE, base);
        let (mut total, mut worst) = (0_u32, 0);
        for (at, child) in self.children.iter().enumerate().skip(base) {
            let ProofNumbers { phi, delta } = child.numbers;
            if delta < best {
                (second, best, index) = (best, delta, at);
            } else if delta < second {
                second = delta;
            }
            total = total.saturating_add(phi);
            worst = worst.max(phi);
        }
        let numbers = if best == 0 {
            ProofNumbers::WON
        } else if best >= ProofNumbers::INFINITE {
            ProofNumbers::LOST
        } else {
            ProofNumbers { phi: best, delta: (worst + total / 8).min(ProofNumbers::INFINITE - 1) }
        };
        (numbers, index, second)
    }

    /// Pushes the moves of a sum, except moves that are known to lose. Returns true if a move is
    /// known to win; `None` if the effort ended before all moves were examined.
    fn expand_until_win(&mut self, sum: &Sum, mover: Side, effort: &Effort) -> Option<bool> {
        let base = self.children.len();
        if sum.spare_moves(mover) > 0
            && self.push_unless_proven(&sum.use_spare_move(mover), SumStep::Spare, mover)
        {
            return Some(true);
        }
        for part in sum.first_part..self.parts.len() {
            let region = self.parts[part].region;
            for from in region.amazons[mover.index()] {
                for to in queen_reach(from, region.empty) {
                    if (effort.stop)() {
                        return None;
                    }
                    if self.expand_arrows_until_win(sum, part, from, to, mover) {
                        self.children.truncate(base);
                        return Some(true);
                    }
                }
            }
        }
        // Replaces the estimates of `push_unless_proven` by proof numbers from the table, if any.
        let mut won = false;
        for child in &mut self.children[base..] {
            if let Some(numbers) = self.table.look_up(child.key, child.spare_moves) {
                child.numbers = numbers;
                won |= numbers.delta == 0;
            }
        }
        Some(won)
    }

    /// Pushes the moves of the amazon on `from` to `to`, with all possible arrows. Returns true if
    /// bounds prove that one of the moves wins.
    ///
    /// Evaluates the regions for all arrows together, so that cache misses overlap.
    fn expand_arrows_until_win(
        &mut self,
        sum: &Sum,
        part: usize,
        from: Square,
        to: Square,
        mover: Side,
    ) -> bool {
        let region = self.parts[part].region;
        let mut rest = *sum;
        rest.remove(&self.parts[part]);
        let (mut steps_and_ends, mut regions) =
            (mem::take(&mut self.steps_and_ends), mem::take(&mut self.regions));
        steps_and_ends.clear();
        regions.clear();
        for arrow in queen_reach(to, region.empty.with(from)) {
            let candidate = Move { from, to, arrow };
            regions.extend(region.after(mover, candidate).parts().map(SumPart::of));
            steps_and_ends.push((SumStep::Move { part, candidate }, regions.len()));
        }
        self.evaluator.evaluate_parts(&mut regions);
        let (mut first, mut won) = (0, false);
        for &(step, end) in &steps_and_ends {
            let mut next = rest;
            for part in &regions[first..end] {
                next.add_part(part);
            }
            first = end;
            won = self.push_unless_proven(&next, step, mover);
            if won {
                break;
            }
        }
        (self.steps_and_ends, self.regions) = (steps_and_ends, regions);
        won
    }

    /// Pushes `step`, unless bounds prove who wins `next`, the sum after this step. Returns true if
    /// bounds prove that `mover` wins.
    #[inline]
    fn push_unless_proven(&mut self, next: &Sum, step: SumStep, mover: Side) -> bool {
        let opponent = !mover;
        let numbers = next.verdict(opponent).unwrap_or_else(|| next.estimate(opponent));
        if !numbers.is_proven() {
            let (key, spare_moves) = (next.key(opponent), next.spare_moves(opponent));
            self.children.push(CandidateMove { key, spare_moves, numbers, step });
        }
        numbers.delta == 0
    }

    /// The sum after the move `step`. Pushes its open regions (without exact value) to `parts`.
    fn sum_after_step(&mut self, sum: &Sum, step: &SumStep, mover: Side) -> Sum {
        let mut next = *sum;
        next.first_part = self.parts.len();
        match *step {
            SumStep::Move { part, candidate } => {
                let moved = self.parts[part];
                self.parts.extend_from_within(sum.first_part..part);
                self.parts.extend_from_within(part + 1..next.first_part);
                next.remove(&moved);
                self.add_parts(&moved.region.after(mover, candidate), &mut next);
                next
            }
            SumStep::Spare => {
                self.parts.extend_from_within(sum.first_part..);
                next.use_spare_move(mover)
            }
        }
    }
}
