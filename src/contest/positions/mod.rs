//! Test positions, proven ones and ones with a best move, and the scores of players on them.
//!
//! - `line`: a position as a line of a file;
//! - `suite` asks a player, `results` adds up, `chart` draws;
//! - `perft`: reference counts for move generators.
//!
//! `format.md` describes the files for other programs.

pub(crate) mod chart;
mod line;
pub(crate) mod perft;
#[cfg(test)]
mod proof;
pub(crate) mod results;
mod suite;

use std::fmt;

use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};

use crate::game::{FullMove, Game, Position, Start};
pub(crate) use line::LongSearch;
pub(crate) use suite::{Suite, SuiteAnswer};

/// A position that a player is asked about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TestPosition {
    /// Its name: board, task and the number of its game.
    pub id: String,
    pub task: SuiteTask,
    pub phase: Phase,
    pub theme: Theme,
    /// The moves that lead to it from the start of its board, or from itself if it has no history.
    pub game: Game,
    /// The moves that solve it, ascending; all other legal moves do not.
    pub solutions: Vec<FullMove>,
    /// By how many moves the side to move wins, if that is proven.
    pub margin: Option<u32>,
    /// Solver nodes that all proofs took, if it is proven.
    pub nodes: Option<u64>,
    /// The searches that agree on the solution, if it is not proven.
    pub searches: Vec<LongSearch>,
    /// The share of short searches that found the solution.
    pub found: Option<f64>,
}

/// The aim of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SuiteTask {
    /// Keep a proven win: some moves win and all others lose.
    Win,
    /// Keep the whole proven margin of a counted position: some moves waste squares.
    Margin,
    /// Find the move on which two long searches agree.
    Best,
}

/// The phase of a game: the share of the squares, empty at the start, that are still empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Phase {
    /// At least 80 %.
    Opening,
    /// At least 55 %.
    Middle,
    /// At least 35 %.
    Late,
    /// Less.
    Endgame,
}

/// The theme of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Theme {
    /// Proven: every region is counted; the move must not waste a square.
    Filling,
    /// Proven: after each winning move, the side that must move next loses, whichever it is.
    Zugzwang,
    /// Proven: one region is contested, and a private region has squares that cannot become moves.
    Defect,
    /// Proven: one region is contested.
    LastRegion,
    /// Proven: several regions are contested.
    SeveralRegions,
    /// Best move: the second-best moves another amazon.
    WhichAmazon,
    /// Best move: the second-best moves the same amazon to another square.
    WhichSquare,
    /// Best move: the second-best differs only in the arrow.
    WhichArrow,
}

/// Names as serde writes them: what the command line reads and tables show.
macro_rules! shown_by_name {
    ($($type:ty),+) => {
        $(impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.serialize(f)
            }
        })+
    };
}

shown_by_name!(SuiteTask, Phase, Theme);

/// Reads the name of a task, a phase or a theme.
pub(crate) fn named<T: DeserializeOwned>(text: &str) -> Result<T, serde::de::value::Error> {
    T::deserialize(text.into_deserializer())
}

impl Phase {
    pub(crate) fn of(position: &Position) -> Phase {
        let empty = position.empty().count();
        let share = f64::from(empty) / f64::from(empty + position.burnt().count());
        match share {
            0.8.. => Phase::Opening,
            0.55.. => Phase::Middle,
            0.35.. => Phase::Late,
            _ => Phase::Endgame,
        }
    }
}

impl TestPosition {
    pub(crate) fn position(&self) -> Position {
        *self.game.position()
    }

    /// True if a player that knows the start of the board alone can be led to it by moves.
    pub(crate) fn has_history(&self) -> bool {
        standard_start(&self.position()).is_some_and(|start| start == *self.game.start())
    }
}

/// The start of the board that a position is on, if it has one.
fn standard_start(position: &Position) -> Option<Position> {
    Start::Formula.position(position.size()).ok()
}

/// The test positions that are shipped for a square board of this side, as the text of a file;
/// `None` where there are none.
pub(crate) fn shipped(side: usize) -> Option<&'static str> {
    match side {
        4 => Some(include_str!("4.jsonl")),
        5 => Some(include_str!("5.jsonl")),
        6 => Some(include_str!("6.jsonl")),
        8 => Some(include_str!("8.jsonl")),
        10 => Some(include_str!("10.jsonl")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::proof::{NODES, proof};
    use super::*;
    use crate::endgame::Solver;
    use crate::game::Fen;

    const SIDES: [usize; 5] = [4, 5, 6, 8, 10];

    fn all(side: usize) -> Vec<TestPosition> {
        TestPosition::parse(shipped(side).unwrap()).unwrap()
    }

    #[test]
    fn shipped_positions_are_read_and_stand_once() {
        for side in SIDES {
            let mut positions = std::collections::BTreeSet::new();
            let list = all(side);
            assert_eq!(list.len(), shipped(side).unwrap().lines().count());
            for (position, line) in list.iter().zip(shipped(side).unwrap().lines()) {
                assert!(line.contains(&format!("\"{}\"", position.id)), "{line}");
                assert_eq!(position.has_history(), side >= 6, "{line}");
                assert!(positions.insert(Fen(position.position()).to_string()), "{line}");
            }
            assert!(list.len() >= 20, "{side}: {}", list.len());
        }
        assert!(shipped(7).is_none());
    }

    #[test]
    fn shipped_proofs_are_found_again() {
        /// Nodes that a test may take for one position; a few positions take more.
        const MOST: u64 = 60_000;
        let mut proven = 0;
        let mut solver = Solver::new(64 << 20);
        for position in
            SIDES.into_iter().flat_map(all).filter(|position| position.nodes.is_some_and(|n| n <= MOST))
        {
            let proof = proof(&mut solver, &position.position(), NODES).unwrap();
            assert_eq!(
                (proof.task, proof.theme, &proof.solutions, Some(proof.margin)),
                (position.task, position.theme, &position.solutions, position.margin),
                "{}",
                position.id
            );
            proven += 1;
        }
        assert!(proven >= 100, "{proven}");
    }

    #[test]
    fn shipped_best_moves_are_agreed_on_by_a_distance() {
        for position in SIDES.into_iter().flat_map(all).filter(|position| position.task == SuiteTask::Best) {
            let [first, second] = &position.searches[..] else { panic!("{}", position.id) };
            assert!(first.set.is_empty() && second.set.len() == 3 && first.seed != second.seed);
            for search in &position.searches {
                assert!(search.value - search.second_value >= 0.0199, "{}", position.id);
                assert!(2 * search.second_visits <= search.visits, "{}", position.id);
                assert!(search.playouts >= 300_000, "{}", position.id);
            }
        }
    }

    #[test]
    fn rejects_lines_that_contradict_the_rules() {
        let line = shipped(6).unwrap().lines().next().unwrap();
        let position: serde_json::Value = serde_json::from_str(line).unwrap();
        let with = |name: &str, value: serde_json::Value| {
            let mut changed = position.clone();
            changed[name] = value;
            TestPosition::parse(&changed.to_string()).unwrap_err().to_string()
        };
        for (name, value, expected) in [
            ("task", "lose".into(), "unknown variant"),
            ("note", 1.into(), "unknown field `note`"),
            ("position", "Q2/q w".into(), "line 1: position: "),
            ("moves", serde_json::json!([]), "the moves lead to"),
            ("moves", serde_json::json!(["a1-b2/c3"]), "move 1, a1-b2/c3"),
            ("solutions", serde_json::json!([]), "0 solutions of"),
            ("solutions", serde_json::json!(["a1-a1/a1"]), "is no legal move"),
            ("legal", 1.into(), "legal is 1: expected"),
            ("phase", "opening".into(), "phase is opening: expected"),
            ("margin", serde_json::Value::Null, "whether a margin is given is false: expected true"),
        ] {
            let error = with(name, value);
            assert!(error.contains(expected), "{name}: {error}");
        }
        assert!(TestPosition::parse("\n").unwrap_err().to_string().starts_with("no positions: "));
    }
}
