//! Makes opening books by drop-out expansion (Lincke, "Strategies for the automatic construction of
//! opening books", 2000).
//!
//! The book is a tree of positions that long searches have evaluated. If the position after a move
//! has been evaluated, the move has the value of that position. Otherwise the move has its value
//! from the search of the position before it. Each side has its own book, in which this side plays
//! only its best moves, and its opponent plays any moves. The next position to evaluate is at the
//! end of the line with the smallest cost. A line costs 1 for each ply, and [`PLIES_PER_CHANCE`]
//! for each unit of winning chance that the opponent's moves lose.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::path::Path;

use amazons::{Move, Position, Side};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::settings;
use crate::contest::openings::{mirror_hash, position_after};
use crate::files::{Journal, JournalError, JournalKind};
use crate::jobs;
use crate::search::{Engine, EngineOptions, Limits, StopHandle};

static BOOK_JOURNAL: JournalKind = JournalKind {
    key: "book",
    record_key: "line",
    writer: "book make",
    records: "positions",
    record: "a line of a book that is being made",
    ..super::SELFPLAY_JOURNAL
};

/// The cost of each unit of winning chance that the opponent loses, in plies.
const PLIES_PER_CHANCE: f64 = 40.0;

/// The book leaves out unproven moves with less than this share of the most visited move's visits.
const MIN_VISIT_SHARE: f64 = 0.02;

pub(crate) const BYTES_PER_PLAYOUT: u64 = 800;

#[derive(Clone, Debug)]
pub(crate) struct BookRecipe {
    /// The position in which the book begins. It must be symmetric left to right.
    pub start: Position,
    pub playouts: u64,
    pub engine: EngineOptions,
}

/// A record of the journal: the result of the search of the position after the moves `line`.
#[derive(Serialize, Deserialize)]
struct Evaluated {
    line: Vec<Move>,
    /// The most visited moves with their visits, and their values (0 to 1) for the side to move.
    moves: Vec<(Move, u64, f64)>,
}

/// A book that is being made. The file `journal` stores its evaluated positions.
pub(crate) struct BookMaking {
    recipe: BookRecipe,
    journal: Journal,
    pub tree: BookTree,
}

/// The evaluated positions of a book, each with its mirror image.
#[derive(Clone, Debug)]
pub(crate) struct BookTree {
    start: Position,
    /// The parameter `final_bound`, for a lower confidence bound: `value - bound / sqrt(visits)`.
    bound: f64,
    /// The moves of each evaluated position with their values, by the hash of the position.
    moves: HashMap<u64, ValuedMoves>,
    pub evaluated: usize,
}

/// Moves with their values for the side to move.
type ValuedMoves = Vec<(Move, f64)>;

impl BookRecipe {
    fn header(&self) -> Value {
        let mut header = settings(&self.engine, self.start.size());
        header["start"] = json!(self.start);
        header["playouts"] = self.playouts.into();
        json!({"book": header})
    }

    pub(crate) fn resume(self, journal: &Path) -> Result<BookMaking, JournalError> {
        let bound = self.engine.parameters.on(self.start.size()).final_bound;
        let mut tree = BookTree::new(self.start, bound);
        let mut journal = Journal::resume(&BOOK_JOURNAL, journal, &self.header(), |line| tree.add(line))?;
        journal.ensure_header()?;
        Ok(BookMaking { recipe: self, journal, tree })
    }

    /// Searches the position after these moves. Returns a line for the journal, or `None` if a move
    /// is illegal.
    pub(crate) fn evaluate_as_journal_line(&self, line: &[Move]) -> Option<String> {
        let position = position_after(&self.start, line)?;
        let report = Engine::new(&self.engine, &position).search(&Limits::playouts(self.playouts));
        let candidates = report.map_or(Vec::new(), |report| report.candidates);
        let moves = candidates.iter().map(|it| (it.played, it.visits, it.value)).collect();
        let evaluated = Evaluated { line: line.to_vec(), moves };
        Some(serde_json::to_string(&evaluated).expect("moves and numbers"))
    }
}

impl BookMaking {
    /// Evaluates positions until the book has `positions` evaluated positions, or until an
    /// interrupt. After each position, calls `tell` with the number of evaluated positions.
    pub(crate) fn run(
        &mut self,
        positions: usize,
        concurrency: usize,
        interrupt: &StopHandle,
        mut tell: impl FnMut(usize),
    ) -> Result<(), JournalError> {
        while !interrupt.is_stopped() {
            let lines = self.tree.next_lines(positions, concurrency);
            if lines.is_empty() {
                break;
            }
            let BookMaking { recipe, journal, tree, .. } = self;
            let work = |line: &Vec<Move>| recipe.evaluate_as_journal_line(line);
            let take = |line: String| {
                journal.append(&line)?;
                tree.add(&line).expect("legal moves from the start");
                tell(tree.evaluated);
                Ok(())
            };
            jobs::run(concurrency, interrupt, &lines, work, take)?;
        }
        Ok(())
    }
}

impl BookTree {
    fn new(start: Position, bound: f64) -> BookTree {
        BookTree { start, bound, moves: HashMap::new(), evaluated: 0 }
    }

    /// Adds the position of a journal line and its mirror image, which count as one position.
    fn add(&mut self, line: &str) -> Result<(), String> {
        let Evaluated { line, moves } = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let most = moves.iter().map(|&(_, visits, _)| visits).max().unwrap_or(0) as f64;
        let valued = moves.iter().filter_map(|&(played, visits, value)| {
            let visits = visits as f64;
            match value {
                0.0 | 1.0 => Some((played, value)),
                _ if visits < MIN_VISIT_SHARE * most => None,
                _ => Some((played, (value - self.bound / visits.sqrt()).max(0.0))),
            }
        });
        let valued: ValuedMoves = valued.collect();
        let (known, size) = (self.moves.len(), self.start.size());
        for is_mirrored in [false, true] {
            let image = |played: Move| if is_mirrored { played.mirrored(size) } else { Some(played) };
            let line: Option<Vec<Move>> = line.iter().map(|&played| image(played)).collect();
            let moves: Option<ValuedMoves> =
                valued.iter().map(|&(played, value)| Some((image(played)?, value))).collect();
            let found = line.and_then(|line| position_after(&self.start, &line)).zip(moves);
            let is_legal = |(at, moves): &(Position, ValuedMoves)| {
                moves.iter().all(|&(played, _)| at.play(played).is_ok())
            };
            let (position, moves) = found.filter(is_legal).ok_or("a line that is not legal")?;
            // A position that is its own mirror image keeps its unmirrored moves.
            self.moves.entry(position.hash64()).or_insert(moves);
        }
        // Counts a position once, even if two jobs of `tuning book` have searched it.
        self.evaluated += usize::from(self.moves.len() > known);
        Ok(())
    }

    /// The moves of a position with their values, best first; `None` if the position is not
    /// evaluated. `known` caches the results of earlier calls.
    fn moves<'a>(
        &self,
        position: &Position,
        known: &'a mut HashMap<u64, ValuedMoves>,
    ) -> Option<&'a ValuedMoves> {
        let key = position.hash64();
        if !known.contains_key(&key) {
            let mut moves = self.moves.get(&key)?.clone();
            for (played, value) in &mut moves {
                let replies = self.moves(&position.play_unchecked(*played), known);
                *value = replies.and_then(|moves| moves.first()).map_or(*value, |best| 1.0 - best.1);
            }
            moves.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            known.insert(key, moves);
        }
        known.get(&key)
    }

    /// Calls `on` for every position of the book of `side`, in ascending order of cost. A position
    /// and its mirror image get one call together.
    fn visit_by_cost(&self, side: Side, mut on: impl FnMut(f64, &[Move], &Position, Option<&ValuedMoves>)) {
        let (mut known, mut seen) = (HashMap::new(), HashSet::new());
        // Costs are not negative, so the order of their bits is the order of the costs.
        let mut queue = BinaryHeap::from([(Reverse(0.0f64.to_bits()), Vec::new())]);
        while let Some((Reverse(cost), line)) = queue.pop() {
            let cost = f64::from_bits(cost);
            let position = position_after(&self.start, &line).expect("the tree has only legal moves");
            if !seen.insert(mirror_hash(&self.start, &line)) {
                continue;
            }
            let moves = self.moves(&position, &mut known);
            on(cost, &line, &position, moves);
            let best = moves.into_iter().flatten().next().map_or(0.0, |best| best.1);
            let all = if position.to_move() == side { 1 } else { usize::MAX };
            for &(played, value) in moves.into_iter().flatten().take(all) {
                let cost = cost + 1.0 + PLIES_PER_CHANCE * (best - value);
                queue.push((Reverse(cost.to_bits()), [&line[..], &[played]].concat()));
            }
        }
    }

    /// At most `most` lines to positions that are to be evaluated next; none if the book already
    /// has `positions` evaluated positions.
    pub(crate) fn next_lines(&self, positions: usize, most: usize) -> Vec<Vec<Move>> {
        let left = positions.saturating_sub(self.evaluated);
        let mut open: Vec<(f64, Vec<Move>)> = Vec::new();
        for side in Side::BOTH {
            self.visit_by_cost(side, |cost, line, _, moves| {
                if moves.is_none() {
                    open.push((cost, line.to_vec()));
                }
            });
        }
        open.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        // A position may be in the books of both sides. It is listed once.
        let mut seen = HashSet::new();
        open.retain(|(_, line)| seen.insert(mirror_hash(&self.start, line)));
        open.into_iter().take(most.min(left)).map(|(_, line)| line).collect()
    }

    /// The text of the book, which [`Book::parse`](crate::players::Book::parse) reads.
    pub(crate) fn text(&self) -> String {
        let mut lines = Vec::new();
        for side in Side::BOTH {
            self.visit_by_cost(side, |_, line, position, moves| {
                if let Some((best, value)) = moves.and_then(|moves| moves.first())
                    && position.to_move() == side
                {
                    let before: String = line.iter().map(|played| format!("{played} ")).collect();
                    lines.push(format!("{before}{best} # {value:.3}\n"));
                }
            });
        }
        lines.sort();
        lines.concat()
    }
}

#[cfg(test)]
mod tests {
    use amazons::Size;

    use super::*;
    use crate::players::Book;

    fn start() -> Position {
        Position::start(Size::square(6).unwrap()).unwrap()
    }

    fn moves(text: &str) -> Vec<Move> {
        text.split_whitespace().map(|played| played.parse().unwrap()).collect()
    }

    fn line(moves: &str, valued: &[(&str, u64, f64)]) -> String {
        json!({"line": moves.split_whitespace().collect::<Vec<_>>(), "moves": valued}).to_string()
    }

    fn tree(evaluated: &[(&str, &[(&str, f64)])]) -> BookTree {
        let mut tree = BookTree::new(start(), 0.0);
        for (moves, valued) in evaluated {
            let valued: Vec<_> = valued.iter().map(|&(played, value)| (played, 100, value)).collect();
            tree.add(&line(moves, &valued)).unwrap();
        }
        tree
    }

    #[test]
    fn moves_have_value_of_next_position() {
        let found = tree(&[
            ("", &[("b1-b2/b1", 0.6), ("b1-b3/b1", 0.55), ("b1-c1/b1", 0.1)]),
            ("b1-b2/b1", &[("a5-b5/a5", 0.5), ("a5-c5/a5", 0.49)]),
        ]);
        // The best reply lowers the value of b1-b2/b1 to 0.5, so b1-b3/b1 is the best first move.
        assert_eq!(
            found.next_lines(99, 9),
            [moves("b1-b3/b1"), moves("b1-b2/b1 a5-b5/a5"), moves("b1-c1/b1")],
            "costs 1, 2 + 40 * 0.05 and 1 + 40 * 0.45"
        );
        assert_eq!(found.text(), "b1-b2/b1 a5-b5/a5 # 0.500\nb1-b3/b1 # 0.550\n");
        let book = Book::parse(&found.text(), &start()).unwrap();
        assert_eq!(book.moves(&start()).collect::<Vec<_>>(), moves("b1-b3/b1 e1-e3/e1"));
    }

    #[test]
    fn counts_mirror_images_as_one() {
        let found =
            tree(&[("", &[("b1-b2/b1", 0.6), ("e1-e2/e1", 0.6)]), ("e1-e2/e1", &[("a5-b5/a5", 0.3)])]);
        // Both first moves have the value 0.7. As mirror images they share one line of the book.
        assert_eq!(found.next_lines(99, 9).len(), 1);
        assert_eq!(found.text().lines().count(), 2, "{}", found.text());
        assert!(found.text().contains("e1-e2/e1 a5-b5/a5 # 0.300\n"), "{}", found.text());
        let mut again = found.clone();
        again.add(&line("", &[("b1-b2/b1", 9, 0.6)])).unwrap();
        assert_eq!((again.evaluated, found.evaluated), (2, 2), "a position counts once");
        again.add(&line("", &[("a1-b1/a1", 9, 0.5)])).unwrap_err();
    }

    #[test]
    fn transposition_has_cheapest_line() {
        // The two moves of the first player lead to the same position in either order.
        let (a, b) = ("b1-b2/b1", "e1-e2/d2");
        let found = tree(&[
            ("", &[(a, 0.5), (b, 0.45)]),
            (a, &[("a5-b5/a5", 0.5)]),
            (b, &[("a5-b5/a5", 0.55)]),
            (&format!("{a} a5-b5/a5"), &[(b, 0.5)]),
            (&format!("{b} a5-b5/a5"), &[(a, 0.45)]),
        ]);
        assert_eq!(found.next_lines(99, 9), [moves(&format!("{a} a5-b5/a5 {b}"))]);
        assert!(found.text().contains(&format!("{a} a5-b5/a5 {b} # 0.500\n")), "{}", found.text());
    }

    #[test]
    fn few_visits_lower_values_unless_proven() {
        let mut tree = BookTree::new(start(), 0.9);
        let valued =
            [("b1-b2/b1", 1000, 0.6), ("b1-b3/b1", 25, 0.65), ("b1-c1/b1", 10, 0.9), ("b1-d1/b1", 1, 0.0)];
        tree.add(&line("", &valued)).unwrap();
        let mut known = HashMap::new();
        let order = tree.moves(&start(), &mut known).unwrap().iter().map(|it| it.0);
        assert_eq!(order.collect::<Vec<_>>(), moves("b1-b2/b1 b1-b3/b1 b1-d1/b1"));
    }
}
