//! Test positions with a proven winner or a best move, which `quiver suite` asks players to solve.

pub(crate) mod results;
pub(crate) mod suite;

use amazons::{Move, Position};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::InputError;
use crate::games::Game;

/// A test position: one line of a file. `format.md` describes the fields.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestPosition {
    pub id: String,
    pub task: SuiteTask,
    pub phase: Phase,
    pub theme: Theme,
    pub position: Position,
    moves: Option<Vec<Move>>,
    pub solutions: Vec<Move>,
    legal: u64,
    margin: Option<u32>,
    nodes: Option<u64>,
    #[serde(default)]
    searches: Vec<Value>,
    /// The share of eight short searches that found a solution.
    #[serde(rename = "found")]
    pub solved_share: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SuiteTask {
    Win,
    Margin,
    Best,
}

/// The phase of a game, by the fraction of the initially empty squares that are still empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Phase {
    Opening,
    Middle,
    Late,
    Endgame,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Theme {
    Filling,
    Zugzwang,
    Defect,
    LastRegion,
    SeveralRegions,
    WhichAmazon,
    WhichSquare,
    WhichArrow,
}

fn serialized_name(group: impl Serialize) -> String {
    serde_json::to_value(group).unwrap_or_default().as_str().unwrap_or_default().to_owned()
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
    pub(crate) fn parse(text: &str) -> Result<Vec<TestPosition>, InputError> {
        let mut list: Vec<TestPosition> = Vec::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let error = |cause| InputError(format!("line {line}: {cause}"));
            let position: TestPosition =
                serde_json::from_str(text).map_err(|cause| error(cause.to_string()))?;
            position.check().map_err(error)?;
            if list.iter().any(|known| known.id == position.id) {
                let id = position.id;
                return Err(error(format!("an earlier line has the id {id}: expected another id")));
            }
            list.push(position);
        }
        let none = || InputError("no positions: expected one JSON object a line".to_owned());
        (!list.is_empty()).then_some(list).ok_or_else(none)
    }

    fn check(&self) -> Result<(), String> {
        let TestPosition { position, solutions, .. } = self;
        let reached = *self.replay_moves()?.position();
        if reached != *position {
            return Err(format!("the moves lead to {reached}: expected {position}"));
        }
        if let Some(played) = solutions.iter().find(|&&played| position.play(played).is_err()) {
            return Err(format!(
                "{played} is no legal move in {position}: expected legal moves as solutions"
            ));
        }
        let (got, legal) = (solutions.len(), position.count_legal_moves(position.to_move()));
        if !solutions.is_sorted_by(|a, b| a < b) || got == 0 || got as u64 >= legal {
            let expected = format!("expected 1 to {} solutions in ascending order", legal.saturating_sub(1));
            return Err(format!("{got} solutions for {legal} legal moves: {expected}"));
        }
        let proven = self.task != SuiteTask::Best;
        let (margins, searches) = if proven { (1, 0) } else { (0, 2) };
        for (what, got, expected) in [
            ("legal", self.legal.to_string(), legal.to_string()),
            ("phase", serialized_name(self.phase), serialized_name(Phase::of(position))),
            ("the number of margins", self.margin.iter().len().to_string(), margins.to_string()),
            ("the number of searches", self.searches.len().to_string(), searches.to_string()),
        ] {
            if got != expected {
                return Err(format!("{what} is {got}: expected {expected}"));
            }
        }
        Ok(())
    }

    fn replay_moves(&self) -> Result<Game, String> {
        let (Some(moves), size) = (&self.moves, self.position.size()) else {
            return Ok(Game::new(self.position));
        };
        let none =
            |_| format!("{size} has no start position: expected no moves that lead to {}", self.position);
        Game::of(Position::start(size).map_err(none)?, moves).map_err(|error| format!("moves: {error}"))
    }

    fn game(&self) -> Game {
        self.replay_moves().expect("the moves were checked as the line was read")
    }

    fn has_history(&self) -> bool {
        self.moves.is_some()
            || Position::start(self.position.size()).is_ok_and(|start| start == self.position)
    }
}

pub(crate) fn shipped_positions(side: usize) -> Option<&'static str> {
    match side {
        4 => Some(include_str!("4.jsonl")),
        5 => Some(include_str!("5.jsonl")),
        6 => Some(include_str!("6.jsonl")),
        8 => Some(include_str!("8.jsonl")),
        10 => Some(include_str!("10.jsonl")),
        _ => None,
    }
}

/// Positions, each with a length in plies and the number of legal move sequences of this length.
pub(crate) fn perft_counts() -> Vec<(Position, u32, u64)> {
    let mut counts = Vec::new();
    for line in include_str!("perft.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut parts = line.split(" ; ");
        let position: Position = parts.next().and_then(|fen| fen.parse().ok()).expect(line);
        for part in parts {
            let (depth, count) = part.trim_start_matches('D').split_once(' ').expect(line);
            counts.push((position, depth.parse().expect(line), count.parse().expect(line)));
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use amazons::hash::mix;
    use amazons::{Bitboard, Side, SquareContent};
    use serde_json::json;

    use super::*;
    use crate::analysis::exercises;
    use crate::endgame::{Effort, Solver};

    const SIDES: [usize; 5] = [4, 5, 6, 8, 10];

    fn all(side: usize) -> Vec<TestPosition> {
        TestPosition::parse(shipped_positions(side).unwrap()).unwrap()
    }

    #[test]
    fn shipped_positions_are_valid_and_different() {
        for side in SIDES {
            let (list, lines) = (all(side), shipped_positions(side).unwrap().lines().count());
            let places: BTreeSet<String> = list.iter().map(|test| test.position.to_string()).collect();
            assert!(lines >= 20 && (list.len(), places.len()) == (lines, lines), "{side}");
            assert!(list.iter().all(|test| test.has_history() == (side >= 6)), "{side}");
        }
        assert!(shipped_positions(7).is_none());
    }

    /// The web page's best-move exercises must be these test positions, the easiest first: all
    /// positions of the opening, and all positions of the middle game except those that no short
    /// search solved (`solved_share` is 0).
    #[test]
    fn best_move_exercises_are_test_positions() {
        let mut easy: Vec<TestPosition> = [6, 8, 10].into_iter().flat_map(all).collect();
        easy.retain(|test| match test.phase {
            Phase::Opening => true,
            Phase::Middle => test.solved_share != Some(0.0),
            Phase::Late | Phase::Endgame => false,
        });
        let ease = |test: &TestPosition| test.solved_share.unwrap_or(1.0);
        easy.sort_by(|a, b| ease(b).total_cmp(&ease(a)));
        assert!(easy.iter().all(|test| test.solutions.len() == 1));
        let expected: Vec<Value> = easy.iter().map(|test| {
            let proven = test.task != SuiteTask::Best;
            json!({"position": test.position, "solutions": test.solutions, "mark": null, "proven": proven})
        }).collect();
        let exercises = serde_json::to_value(exercises()).unwrap();
        assert_eq!(exercises["bestMoves"], Value::Array(expected));
    }

    /// Counts the contested regions and the dead squares. If a region has amazons of only one side,
    /// its empty squares that cannot become moves are dead. For each region, the solver gets a
    /// board on which all squares outside this region are burnt.
    fn contested_and_dead(solver: &mut Solver, position: &Position) -> (u32, u32) {
        let (mut contested, mut dead_squares) = (0, 0);
        let board = position.size().mask();
        let mut unvisited_squares = board - position.burnt();
        while let Some(square) = unvisited_squares.select(0) {
            let region = Bitboard::of(square).flood(unvisited_squares).with(square);
            unvisited_squares -= region;
            let mut alone = *position;
            (board - region).iter().for_each(|square| alone.put(square, SquareContent::Burnt).unwrap());
            let (least, most) = solver.prove(&alone, &Effort::nodes(0)).bounds;
            contested += u32::from(least != most);
            let [first, second] = Side::BOTH.map(|side| alone.amazons(side).is_empty());
            if first != second {
                dead_squares += alone.empty().count() - least.unsigned_abs().max(most.unsigned_abs());
            }
        }
        (contested, dead_squares)
    }

    /// Proves which moves solve a position: winning moves, which must lower the winner's margin by
    /// exactly one if no region is contested. Returns `None` if the side to move does not win, or if
    /// a proof takes too many nodes.
    fn proof(solver: &mut Solver, position: &Position) -> Option<(SuiteTask, Theme, Vec<Move>)> {
        let effort = Effort::nodes(30_000);
        let mover = position.to_move();
        let whole = solver.prove(position, &effort);
        if whole.winner? != mover {
            return None;
        }
        let (contested, dead_squares) = contested_and_dead(solver, position);
        let counted = whole.margin().filter(|_| contested == 0);
        let (mut solutions, mut is_zugzwang) = (Vec::new(), contested > 0);
        for played in position.legal_moves_iter().collect::<BTreeSet<_>>() {
            let next = position.play_unchecked(played);
            let after = solver.prove(&next, &effort);
            // If no region is contested, a solution must lower the winner's margin by exactly one.
            let kept = match counted {
                Some(margin) => after.margin()? + 1 == margin,
                None => true,
            };
            if after.winner? != mover || !kept {
                continue;
            }
            solutions.push(played);
            // Zugzwang: a region is still contested, and the winner would lose if it had to make the
            // next move instead of the opponent.
            is_zugzwang = is_zugzwang && contested_and_dead(solver, &next).0 > 0 && {
                solver.prove(&next.with_mover(mover), &effort).winner? != mover
            };
        }
        let theme = match contested {
            0 => Theme::Filling,
            _ if is_zugzwang => Theme::Zugzwang,
            1 if dead_squares > 0 => Theme::Defect,
            1 => Theme::LastRegion,
            _ => Theme::SeveralRegions,
        };
        let task = if contested == 0 { SuiteTask::Margin } else { SuiteTask::Win };
        Some((task, theme, solutions))
    }

    #[test]
    fn shipped_proofs_are_right() {
        /// The largest number of solver nodes in a proof. Positions that need more are skipped.
        const MAX_NODES: u64 = 60_000;
        let mut proven = 0;
        let mut solver = Solver::new(64 << 20);
        for test in
            SIDES.into_iter().flat_map(all).filter(|test| test.nodes.is_some_and(|nodes| nodes <= MAX_NODES))
        {
            let TestPosition { id, task, theme, position, solutions, legal, margin, .. } = test;
            assert!(solutions.len() <= 20 && 4 * solutions.len() as u64 <= legal, "{id}");
            assert_eq!(proof(&mut solver, &position), Some((task, theme, solutions)), "{id}");
            // The margin lies within the bounds, which are equal if all regions have exact values.
            let (least, most) = solver.prove(&position, &Effort::nodes(0)).bounds;
            let margin = i32::try_from(margin.unwrap()).unwrap();
            let ahead = if position.to_move() == Side::First { margin } else { -margin };
            assert!((least..=most).contains(&ahead), "{id}: {ahead} of {least} to {most}");
            proven += 1;
        }
        assert!(proven >= 100, "{proven}");
    }

    /// Pins a hash of all margins, which an earlier solver has proven. `shipped_proofs_are_right`
    /// does not check all of them, because it skips positions with costly proofs.
    #[test]
    fn shipped_margins_are_unchanged() {
        let margins = SIDES.into_iter().flat_map(all).filter_map(|test| test.margin);
        let digest = margins.fold(0, |digest, margin| mix(&[digest, margin.into()]));
        assert_eq!(digest, 0xa1e4_45f1_048a_945b, "got {digest:#018x}");
    }

    #[test]
    fn searches_agree_on_best_moves() {
        for position in SIDES.into_iter().flat_map(all).filter(|position| position.task == SuiteTask::Best) {
            let [first, second] = &position.searches[..] else { panic!("{}", position.id) };
            assert_eq!(&first["set"], &json!([]));
            assert_eq!(second["set"].as_array().map(Vec::len), Some(3));
            assert_ne!(first["seed"], second["seed"]);
            for search in &position.searches {
                let figure = |name: &str| search[name].as_f64().unwrap();
                assert!(figure("value") - figure("second_value") >= 0.0199, "{}", position.id);
                assert!(2.0 * figure("second_visits") <= figure("visits"), "{}", position.id);
                assert!(figure("playouts") >= 300_000.0, "{}", position.id);
            }
        }
    }

    #[test]
    fn rejects_lines_that_contradict_the_rules() {
        let line = shipped_positions(6).unwrap().lines().next().unwrap();
        let position: Value = serde_json::from_str(line).unwrap();
        let with = |name: &str, value: Value| {
            let mut changed = position.clone();
            changed[name] = value;
            TestPosition::parse(&changed.to_string()).unwrap_err().to_string()
        };
        for (name, value, expected) in [
            ("task", "lose".into(), "unknown variant"),
            ("note", 1.into(), "unknown field `note`"),
            ("position", "Q2/q w".into(), "line 1: row 1 of the FEN"),
            ("moves", Value::Array(Vec::new()), "the moves lead to"),
            ("moves", ["a1-b2/c3"].into(), "move 1, a1-b2/c3"),
            ("solutions", Value::Array(Vec::new()), "0 solutions for"),
            ("solutions", ["a1-a1/a1"].into(), "is no legal move"),
            ("legal", 1.into(), "legal is 1: expected"),
            ("phase", "opening".into(), "phase is opening: expected"),
            ("margin", Value::Null, "the number of margins is 0: expected 1"),
        ] {
            let error = with(name, value);
            assert!(error.contains(expected), "{name}: {error}");
        }
        assert!(TestPosition::parse("\n").unwrap_err().to_string().starts_with("no positions: "));
    }
}
