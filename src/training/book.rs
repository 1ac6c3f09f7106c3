//! Makes opening books by drop-out expansion (Lincke, "Strategies for the automatic construction of
//! opening books", 2000).
//!
//! The book is a tree of positions that a long search has evaluated. A move's value is that of the
//! position it leads to, once this is evaluated as well, else what the search found. The next
//! position to evaluate is the one at which a game would most likely leave the book: each ply
//! counts 1, and each move what it gives away. Where both players have given something away, neither
//! needs a book.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::files::{Entry, Framing, Journal, JournalError, JournalKind};
use crate::game::{FullMove, Position};
use crate::jobs::Jobs;
use crate::search::{Engine, EngineOptions, Limits};

static KIND: JournalKind = JournalKind {
    key: "book",
    framing: Framing::Lines { key: "line", headless: false },
    writer: "book make",
    records: "positions",
    record: "a line of a book that is being made",
    remedy: "it to end first, or another --out",
    patience: Duration::ZERO,
};

/// The plies that a move counts for each unit of the chance of winning that it gives away.
const PLIES_A_CHANCE: f64 = 40.0;

/// The share of the most visited move's visits from which on a move's value is believed.
const SHARE: f64 = 0.02;

#[derive(Clone, Debug)]
pub(crate) struct BookRecipe {
    /// A position that is its own mirror image, as start positions are.
    pub start: Position,
    /// Playouts of the search of each position.
    pub playouts: u64,
    pub engine: EngineOptions,
}

/// A position that was evaluated: a line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Evaluated {
    /// The moves from the start to it.
    line: Vec<FullMove>,
    /// Its most visited moves with their visits and their values for the side to move, in \[0,1\].
    moves: Vec<(FullMove, u64, f64)>,
}

/// The book so far. Every position is known with its mirror image.
#[derive(Clone, Debug)]
pub(crate) struct BookTree {
    start: Position,
    /// The moves of each position by its key, with their values.
    moves: HashMap<u64, Vec<(FullMove, f64)>>,
    /// Positions evaluated.
    pub evaluated: usize,
}

/// A position to which a line leads.
struct Visit {
    line: Vec<FullMove>,
    position: Position,
    /// The chance of winning that each side gave away on the way.
    given: [f64; 2],
}

impl BookRecipe {
    /// Depends on all that the evaluations depend on.
    fn header(&self) -> Value {
        let EngineOptions { seed, memory, .. } = self.engine;
        let parameters = self.engine.parameters.on(self.start.size());
        let parameters: serde_json::Map<String, Value> =
            parameters.values().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        json!({"book": {
            "start": self.start,
            "playouts": self.playouts,
            "seed": seed,
            "memory": memory,
            "parameters": parameters,
            "quiver": env!("CARGO_PKG_VERSION"),
            "net": format!("{:08x}", self.engine.networks.on(self.start.size()).checksum()),
        }})
    }

    fn evaluate(&self, line: &[FullMove]) -> Option<Evaluated> {
        let position = played(&self.start, line)?;
        let report = Engine::new(&self.engine, &position).search(&Limits::playouts(self.playouts));
        let candidates = report.map_or(Vec::new(), |report| report.candidates);
        let moves = candidates.iter().map(|it| (it.full, it.visits, it.value)).collect();
        Some(Evaluated { line: line.to_vec(), moves })
    }

    /// Evaluates positions until the journal has `positions` of them or an interrupt. Goes on from
    /// what the journal holds. Tells `tell` of each position how many there are.
    pub(crate) fn make(
        &self,
        journal: &Path,
        positions: usize,
        concurrency: usize,
        interrupt: &AtomicBool,
        mut tell: impl FnMut(usize),
    ) -> Result<BookTree, JournalError> {
        let mut tree = BookTree { start: self.start, moves: HashMap::new(), evaluated: 0 };
        let header = self.header();
        let expected = |_: &Value| header.clone();
        let (mut journal, _) = Journal::resume(&KIND, journal, &header, expected, |entry| {
            let Entry::Record(line) = entry else { return Ok(()) };
            let evaluated = serde_json::from_slice(&line).map_err(|error| error.to_string())?;
            tree.add(&evaluated).then_some(()).ok_or("a line that is not legal".to_owned())
        })?;
        journal.begin()?;
        // Relaxed: the flag only has to be seen soon.
        while tree.evaluated < positions && !interrupt.load(Ordering::Relaxed) {
            let lines = tree.next(concurrency.min(positions - tree.evaluated));
            if lines.is_empty() {
                break;
            }
            let work = |_, line: &Vec<FullMove>| self.evaluate(line);
            let take = |evaluated: Evaluated| {
                let line = serde_json::to_vec(&evaluated).expect("moves and numbers");
                journal.append(&line)?;
                tree.add(&evaluated);
                tell(tree.evaluated);
                Ok(ControlFlow::Continue(()))
            };
            Jobs { concurrency, interrupt }.run(&lines, work, || (), take)?;
        }
        Ok(tree)
    }
}

fn played(start: &Position, line: &[FullMove]) -> Option<Position> {
    line.iter().try_fold(*start, |position, &full| position.play(full).ok())
}

impl BookTree {
    /// Adds a position and its mirror image; false if its moves are not legal.
    fn add(&mut self, evaluated: &Evaluated) -> bool {
        let Evaluated { line, moves } = evaluated;
        let size = self.start.size();
        let top = moves.iter().map(|it| it.1).max().unwrap_or(0) as f64;
        let moves: Vec<(FullMove, f64)> =
            moves.iter().filter(|it| it.1 as f64 >= SHARE * top).map(|it| (it.0, it.2)).collect();
        let image = |full: &FullMove| full.mirrored(size);
        let image_of_line: Option<Vec<FullMove>> = line.iter().map(image).collect();
        let image_of_moves: Option<Vec<(FullMove, f64)>> =
            moves.iter().map(|(full, value)| Some((image(full)?, *value))).collect();
        let both = [Some(line.clone()).zip(Some(moves)), image_of_line.zip(image_of_moves)];
        for (line, moves) in both.into_iter().flatten() {
            let position = played(&self.start, &line);
            let Some(position) = position.filter(|it| moves.iter().all(|(full, _)| it.play(*full).is_ok()))
            else {
                return false;
            };
            // A position that is its own image keeps its moves as they are.
            self.moves.entry(position.key()).or_insert(moves);
        }
        self.evaluated += 1;
        true
    }

    /// The moves of a position with their values for the side to move, best first; `None` if it is
    /// not evaluated.
    fn moves(&self, position: &Position) -> Option<Vec<(FullMove, f64)>> {
        let below = |full| self.moves(&position.play_unchecked(full))?.first().map(|best| 1.0 - best.1);
        let mut moves = self.moves.get(&position.key())?.clone();
        moves.iter_mut().for_each(|(full, value)| *value = below(*full).unwrap_or(*value));
        moves.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Some(moves)
    }

    /// Goes to every position where at most one side has given something away, with its moves as
    /// [`BookTree::moves`] has them. Goes to one of several lines to a position or its mirror image.
    fn walk(&self, mut on: impl FnMut(&Visit, Option<&[(FullMove, f64)]>)) {
        let mut seen = Vec::new();
        let mut to_do = vec![Visit { line: Vec::new(), position: self.start, given: [0.0; 2] }];
        while let Some(visit) = to_do.pop() {
            let moves = self.moves(&visit.position);
            if seen.contains(&visit.position.key()) {
                continue;
            }
            let image: Option<Vec<FullMove>> =
                visit.line.iter().map(|full| full.mirrored(self.start.size())).collect();
            seen.push(visit.position.key());
            seen.extend(image.and_then(|line| played(&self.start, &line)).map(|image| image.key()));
            on(&visit, moves.as_deref());
            let best = moves.iter().flatten().next().map_or(0.0, |best| best.1);
            // The best move last, so that it is the next.
            for (full, value) in moves.into_iter().flatten().rev() {
                let mut given = visit.given;
                given[visit.position.to_move() as usize] += best - value;
                if given.contains(&0.0) {
                    let line = [&visit.line[..], &[full]].concat();
                    to_do.push(Visit { line, position: visit.position.play_unchecked(full), given });
                }
            }
        }
    }

    /// The lines to the positions to evaluate next, at most this many.
    fn next(&self, most: usize) -> Vec<Vec<FullMove>> {
        let mut open = Vec::new();
        self.walk(|visit, moves| {
            if moves.is_none() {
                let given: f64 = visit.given.iter().sum();
                open.push((visit.line.len() as f64 + PLIES_A_CHANCE * given, visit.line.clone()));
            }
        });
        open.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        open.into_iter().take(most).map(|(_, line)| line).collect()
    }

    /// The book as text, for [`Book::parse`](crate::players::Book::parse): a line for each position
    /// whose player has played by the book, with the value of its best move as a comment.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.walk(|Visit { line, position, given }, moves| {
            if let Some((best, value)) = moves.and_then(<[_]>::first)
                && given[position.to_move() as usize] == 0.0
            {
                line.iter().for_each(|full| write!(text, "{full} ").expect("a string takes all"));
                writeln!(text, "{best} # {value:.3}").expect("a string takes all");
            }
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Size;
    use crate::players::Book;
    use crate::scratch::Scratch;

    fn start() -> Position {
        Position::start(Size::square(6).unwrap()).unwrap()
    }

    fn tree(evaluated: &[(&str, &[(&str, f64)])]) -> BookTree {
        let mut tree = BookTree { start: start(), moves: HashMap::new(), evaluated: 0 };
        for (line, moves) in evaluated {
            let line = line.split_whitespace().map(|full| full.parse().unwrap()).collect();
            let moves = moves.iter().map(|&(full, value)| (full.parse().unwrap(), 100, value)).collect();
            assert!(tree.add(&Evaluated { line, moves }));
        }
        tree
    }

    #[test]
    fn a_move_is_worth_what_the_position_after_it_is() {
        let found = tree(&[
            ("", &[("b1-b2/b1", 0.6), ("b1-b3/b1", 0.55), ("b1-c1/b1", 0.1)]),
            ("b1-b2/b1", &[("a5-b5/a5", 0.5), ("a5-c5/a5", 0.49)]),
        ]);
        let open: Vec<String> = found.next(9).iter().map(|line| format!("{line:?}")).collect();
        // After the first move's answer 0.5 the second is the best. One whose own player gave .05
        // away comes before the answers to it, and before the third move, which gave .45 away.
        assert_eq!(open, ["[b1-b3/b1]", "[b1-b2/b1, a5-b5/a5]", "[b1-c1/b1]",]);
        assert_eq!(found.text(), "b1-b3/b1 # 0.550\nb1-b2/b1 a5-b5/a5 # 0.500\n");
        let book = Book::parse(&found.text(), &start()).unwrap();
        let first: Vec<String> = book.moves(&start()).map(|full| full.to_string()).collect();
        assert_eq!(first, ["b1-b3/b1", "e1-e3/e1"]);
    }

    #[test]
    fn a_position_and_its_mirror_image_are_one() {
        let found =
            tree(&[("", &[("b1-b2/b1", 0.6), ("e1-e2/e1", 0.6)]), ("e1-e2/e1", &[("a5-b5/a5", 0.3)])]);
        assert_eq!(found.next(9).len(), 1);
        assert_eq!(found.text().lines().count(), 2);
        assert!(
            !found
                .clone()
                .add(&Evaluated { line: Vec::new(), moves: vec![("a1-b1/a1".parse().unwrap(), 9, 0.5)] })
        );
    }

    #[test]
    fn a_book_that_is_made_in_parts_is_the_same() {
        let scratch = Scratch::new("book");
        let engine = EngineOptions { memory: 4 << 20, seed: 3, ..EngineOptions::default() };
        let recipe = BookRecipe { start: start(), playouts: 60, engine };
        let never = AtomicBool::new(false);
        let make = |name: &str, positions| recipe.make(&scratch.join(name), positions, 1, &never, |_| ());
        let whole = make("whole", 12).unwrap();
        assert_eq!(make("parts", 5).unwrap().evaluated, 5);
        assert_eq!((whole.evaluated, whole.text()), (12, make("parts", 12).unwrap().text()));
        let other = BookRecipe { playouts: 61, ..recipe.clone() };
        let error = other.make(&scratch.join("parts"), 12, 1, &never, |_| ()).unwrap_err().to_string();
        assert!(error.contains("holds positions of another book make: book.playouts is 60 there"), "{error}");
        let interrupted = recipe.make(&scratch.join("none"), 12, 1, &AtomicBool::new(true), |_| ()).unwrap();
        assert_eq!((interrupted.evaluated, interrupted.text().as_str()), (0, ""));
    }
}
