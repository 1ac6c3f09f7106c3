//! The solver: a proof search over the regions that are still contested.
//!
//! Regions whose value is known exactly are settled: they are whole numbers in the sense of
//! combinatorial games, and one number replaces their sum. Only the side that is ahead in it has
//! settled moves. They are all alike, so each node tries one of them, the spare move. Bounds of the
//! open regions settle most sums. The solver searches the rest by proof numbers, depth first
//! (df-pn, Nagai 2002), with a table. The table's key ignores the order of moves in separate
//! regions and the number of settled moves, so that such sums share an entry.

use std::mem;

use amazons::{Bitboard, Move, Position, Side, Square, queen_reach};

use super::bounds::{Assessor, Prospects, RegionValue, SumPart};
use super::filling::Filler;
use super::region::Region;
use super::sum::Sum;
use super::table::{NewestTable, Numbers, SumTable};

/// The cost that a proof may have.
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
    /// Nodes to expand at most. Each takes some 5 to 50 microseconds where little is contested, and
    /// up to a second in a large region whose fillings are costly to count.
    pub nodes: u64,
    /// Called at every node, and for every square that an amazon may move to; the search stops
    /// when it returns true.
    pub stop: &'a dyn Fn() -> bool,
}

impl Effort<'_> {
    /// An effort of this many nodes and unlimited time: the same result every time.
    pub fn nodes(nodes: u64) -> Effort<'static> {
        Effort { nodes, stop: &|| false }
    }
}

#[derive(Clone, Copy, Debug)]
struct CandidateMove {
    key: u64,
    settled: i32,
    numbers: Numbers,
    step: SumStep,
}

#[derive(Clone, Copy, Debug)]
enum SumStep {
    Move { part: usize, candidate: Move },
    Spare,
}

/// Proves which side wins, and remembers what it found from one position to the next.
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
    pub(super) assessor: Assessor,
    table: SumTable,
    /// The open parts of all sums on the way down, those of the innermost last.
    pub(super) parts: Vec<SumPart>,
    /// The moves of all sums on the way down, those of the innermost last.
    children: Vec<CandidateMove>,
    /// Moves on their way to be considered, each with where its regions begin; one more at the end.
    /// Kept to save the allocation.
    steps: Vec<(SumStep, usize)>,
    /// The regions of those moves. Kept likewise.
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
    /// The winner; `None` if the effort was not enough.
    pub winner: Option<Side>,
    /// The least and the greatest value of the position in moves for the first player, by bounds
    /// alone; equal where all is counted.
    pub bounds: (i32, i32),
    /// Nodes expanded.
    pub nodes: u64,
}

impl Solution {
    /// By how many moves the winner is ahead, where all is counted; 0 if the side to move runs out
    /// of moves first.
    pub fn margin(&self) -> Option<u32> {
        let (least, most) = self.bounds;
        (least == most).then(|| least.unsigned_abs())
    }
}

impl Solver {
    /// A solver of about `bytes` bytes, taken at once; at least some kilobytes.
    pub fn new(bytes: usize) -> Solver {
        // Half for sums, a quarter each for regions and rooms, 16 bytes an entry; rounded down to
        // powers of two.
        let slots = |bytes: usize| 1 << (bytes / 16).max(64).ilog2();
        let rooms = slots(bytes / 4);
        Solver {
            assessor: Assessor { filler: Filler::new(rooms), known: NewestTable::new(rooms) },
            table: SumTable::new(slots(bytes / 2)),
            parts: Vec::new(),
            children: Vec::new(),
            steps: Vec::new(),
            regions: Vec::new(),
            nodes: 0,
            given_up: false,
        }
    }

    /// Searches for the winner within the effort. With no nodes, only bounds and remembered sums
    /// decide.
    pub fn prove(&mut self, position: &Position, effort: &Effort) -> Solution {
        self.begin();
        let sum = self.sum(&Region::whole(position));
        let numbers = self.numbers(sum, position.to_move(), effort);
        let winner = match numbers {
            Numbers { phi: 0, .. } => Some(position.to_move()),
            Numbers { delta: 0, .. } => Some(!position.to_move()),
            _ => None,
        };
        let RegionValue { least, most, .. } = sum.value(Side::First);
        Solution { winner, bounds: (least, most), nodes: self.nodes }
    }

    /// Counts the squares that one side alone reaches and that are not certain to become moves: the
    /// mover's less the opponent's. Takes the amazons of the mover, then of the opponent.
    ///
    /// The evaluator counts each such square as a move, and has a term of its own for this waste.
    /// `None` if neither has two such squares. Exact for private regions that are small or simple;
    /// elsewhere each side's waste is an upper bound, which may be lower where the solver remembers
    /// more.
    pub fn defect(&mut self, empty: Bitboard, amazons: [&[Square]; 2]) -> Option<i16> {
        // The sides here are those of the view, which the filler does not mind.
        let region = Region::new(empty, amazons);
        let reach = Prospects::of(&region);
        let squares = reach.exclusive.map(|squares| squares.count() as i32);
        // One square is always a move.
        if squares[0].max(squares[1]) < 2 {
            return None;
        }
        let [own, other] =
            Side::BOTH.map(|side| squares[side.index()] - self.assessor.certain(&region, &reach, side));
        Some((own - other) as i16)
    }

    pub(super) fn begin(&mut self) {
        self.parts.clear();
        self.children.clear();
        (self.nodes, self.given_up) = (0, false);
    }

    /// The numbers of a sum, known or found with the rest of the effort. Its parts are the last
    /// on the stack.
    pub(super) fn numbers(&mut self, sum: Sum, mover: Side, effort: &Effort) -> Numbers {
        const NONE: Numbers = Numbers { phi: Numbers::INFINITE, delta: Numbers::INFINITE };
        if let Some(numbers) = sum.verdict(mover) {
            return numbers;
        }
        let known = self.table.look_up(sum.key(mover), sum.settled(mover));
        match known {
            Some(numbers) if numbers.is_proven() || self.nodes >= effort.nodes => numbers,
            _ if self.nodes >= effort.nodes => sum.estimate(mover),
            _ => self.search(sum, mover, NONE, effort),
        }
    }

    /// The sum that a region in parts is; its open parts go on the stack.
    pub(super) fn sum(&mut self, region: &Region) -> Sum {
        let mut sum = Sum::new(self.parts.len());
        self.add_parts(region, &mut sum);
        sum
    }

    /// Adds a region in parts to the last sum on the stack.
    fn add_parts(&mut self, region: &Region, sum: &mut Sum) {
        for region in region.parts() {
            let mut part = SumPart::of(region);
            self.assessor.value(std::slice::from_mut(&mut part));
            if sum.add(&part) {
                self.parts.push(part);
            }
        }
    }

    /// Searches a sum that bounds do not settle until either number reaches its threshold or all is
    /// given up.
    fn search(&mut self, sum: Sum, mover: Side, threshold: Numbers, effort: &Effort) -> Numbers {
        let before = self.nodes;
        self.nodes += 1;
        self.given_up |= self.nodes >= effort.nodes;
        let base = self.children.len();
        let mut numbers = match self.expand(&sum, mover, effort) {
            Some(true) => Numbers::WON,
            Some(false) => self.combine(base).0,
            // The moves that are left out may win, so those on the stack prove nothing.
            None => {
                self.given_up = true;
                self.children.truncate(base);
                return sum.estimate(mover);
            }
        };
        while numbers.phi < threshold.phi && numbers.delta < threshold.delta && !self.given_up {
            let (_, index, second) = self.combine(base);
            let child = self.children[index];
            let below = Numbers {
                phi: (threshold.delta - numbers.delta)
                    .saturating_add(child.numbers.phi)
                    .min(Numbers::INFINITE),
                // A little beyond the second best, so that the search does not jump to and fro.
                delta: threshold.phi.min(second.saturating_add(second / 4 + 1)),
            };
            let parts = self.parts.len();
            let next = self.follow(&sum, &child.step, mover);
            self.children[index].numbers = self.search(next, !mover, below, effort);
            self.parts.truncate(parts);
            numbers = self.combine(base).0;
        }
        self.children.truncate(base);
        if !self.given_up || numbers.is_proven() {
            let nodes = self.nodes - before;
            self.table.store(sum.key(mover), sum.settled(mover), numbers, nodes);
        }
        numbers
    }

    /// The numbers of a sum by those of its children from `base` on, the child to search, and the
    /// second best's number.
    #[inline]
    fn combine(&self, base: usize) -> (Numbers, usize, u32) {
        let (mut best, mut second, mut index) = (Numbers::INFINITE, Numbers::INFINITE, base);
        let (mut total, mut worst) = (0_u32, 0);
        for (at, child) in self.children.iter().enumerate().skip(base) {
            let Numbers { phi, delta } = child.numbers;
            if delta < best {
                (second, best, index) = (best, delta, at);
            } else if delta < second {
                second = delta;
            }
            total = total.saturating_add(phi);
            worst = worst.max(phi);
        }
        let numbers = if best == 0 {
            Numbers::WON
        } else if best >= Numbers::INFINITE {
            Numbers::LOST
        } else {
            Numbers { phi: best, delta: (worst + total / 8).min(Numbers::INFINITE - 1) }
        };
        (numbers, index, second)
    }

    /// Puts the moves of a sum on the stack, without those that are known to lose. Returns whether one
    /// is known to win; `None` if the effort ended before all moves were looked at.
    fn expand(&mut self, sum: &Sum, mover: Side, effort: &Effort) -> Option<bool> {
        let base = self.children.len();
        if sum.settled(mover) > 0 && self.consider(&sum.spend(mover), SumStep::Spare, mover) {
            return Some(true);
        }
        for part in sum.first..self.parts.len() {
            let region = self.parts[part].region;
            for from in region.amazons[mover.index()] {
                for to in queen_reach(from, region.empty) {
                    if (effort.stop)() {
                        return None;
                    }
                    if self.expand_arrows(sum, part, from, to, mover) {
                        self.children.truncate(base);
                        return Some(true);
                    }
                }
            }
        }
        // What the table knows replaces estimates.
        let mut won = false;
        for child in &mut self.children[base..] {
            if let Some(numbers) = self.table.look_up(child.key, child.settled) {
                child.numbers = numbers;
                won |= numbers.delta == 0;
            }
        }
        Some(won)
    }

    /// The moves of one amazon to one square; true if bounds prove one of them to win.
    ///
    /// Memory is asked for all arrows in one go, so that the waits overlap.
    fn expand_arrows(&mut self, sum: &Sum, part: usize, from: Square, to: Square, mover: Side) -> bool {
        let region = self.parts[part].region;
        let mut rest = *sum;
        rest.remove(&self.parts[part]);
        let (mut steps, mut regions) = (mem::take(&mut self.steps), mem::take(&mut self.regions));
        steps.clear();
        regions.clear();
        for arrow in queen_reach(to, region.empty.with(from)) {
            let candidate = Move { from, to, arrow };
            steps.push((SumStep::Move { part, candidate }, regions.len()));
            regions.extend(region.after(mover, candidate).parts().map(SumPart::of));
        }
        steps.push((SumStep::Spare, regions.len()));
        self.assessor.value(&mut regions);
        let mut won = false;
        for pair in steps.windows(2) {
            let [(step, first), (_, last)] = *pair else { continue };
            let mut next = rest;
            for part in &regions[first..last] {
                next.add(part);
            }
            won = self.consider(&next, step, mover);
            if won {
                break;
            }
        }
        (self.steps, self.regions) = (steps, regions);
        won
    }

    /// Puts a move on the stack if bounds prove nothing about it. Returns whether they prove that
    /// it wins.
    #[inline]
    fn consider(&mut self, next: &Sum, step: SumStep, mover: Side) -> bool {
        let opponent = !mover;
        let numbers = next.verdict(opponent).unwrap_or_else(|| next.estimate(opponent));
        if !numbers.is_proven() {
            let (key, settled) = (next.key(opponent), next.settled(opponent));
            self.children.push(CandidateMove { key, settled, numbers, step });
        }
        numbers.delta == 0
    }

    /// The sum after a step; its parts go on the stack.
    fn follow(&mut self, sum: &Sum, step: &SumStep, mover: Side) -> Sum {
        let mut next = *sum;
        let before = sum.first..self.parts.len();
        next.first = before.end;
        let moved = match *step {
            SumStep::Move { part, .. } => part,
            SumStep::Spare => {
                next = next.spend(mover);
                usize::MAX
            }
        };
        for index in before.filter(|&index| index != moved) {
            self.parts.push(self.parts[index]);
        }
        if let SumStep::Move { part, candidate } = *step {
            let moved = self.parts[part];
            next.remove(&moved);
            self.add_parts(&moved.region.after(mover, candidate), &mut next);
        }
        next
    }
}
