//! A test position as a line of a JSON Lines file.

use serde::Deserialize;

use super::{Phase, SuiteTask, TestPosition, Theme, standard_start};
use crate::contest::fault::InputError;
use crate::game::{Fen, FullMove, Game};

/// The fields of a line; see `format.md`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionLine {
    id: String,
    task: SuiteTask,
    phase: Phase,
    theme: Theme,
    position: String,
    moves: Option<Vec<String>>,
    solutions: Vec<String>,
    legal: u64,
    margin: Option<u32>,
    nodes: Option<u64>,
    #[serde(default)]
    searches: Vec<LongSearch>,
    found: Option<f64>,
}

/// A long search and the figures of its two most visited moves.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LongSearch {
    /// Its seed.
    pub seed: u64,
    /// The parameters that differ from the defaults, as `name=value`.
    pub set: Vec<String>,
    pub playouts: u64,
    /// The value of the best move for the side to move, from 0 to 1.
    pub value: f64,
    pub visits: u64,
    /// The move with the second most visits.
    pub second: String,
    pub second_value: f64,
    pub second_visits: u64,
}

impl TestPosition {
    /// Reads a file of test positions and checks each against the rules.
    pub(crate) fn parse(text: &str) -> Result<Vec<TestPosition>, InputError> {
        let mut list: Vec<TestPosition> = Vec::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let position = read(text).map_err(|cause| InputError(format!("line {line}: {cause}")))?;
            if list.iter().any(|known| known.id == position.id) {
                let id = position.id;
                let text =
                    format!("line {line}: the id {id} stands in an earlier line too: expected each once");
                return Err(InputError(text));
            }
            list.push(position);
        }
        let none = || InputError("no positions: expected one JSON object a line".to_owned());
        (!list.is_empty()).then_some(list).ok_or_else(none)
    }
}

fn read(text: &str) -> Result<TestPosition, String> {
    let line: PositionLine = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let Fen(position) = line.position.parse().map_err(|error| format!("position: {error}"))?;
    let fen = Fen(position).to_string();
    let parsed = |texts: &[String]| {
        let moves = texts.iter().map(|text| text.parse::<FullMove>()).collect::<Result<Vec<_>, _>>();
        moves.map_err(|error| error.to_string())
    };
    let game = match &line.moves {
        None => Game::new(position),
        Some(texts) => {
            let size = position.size();
            let start = standard_start(&position).ok_or_else(|| {
                format!("{size} has no start, so that no moves lead to {fen}: expected no moves")
            })?;
            Game::of(start, &parsed(texts)?).map_err(|error| format!("moves: {error}"))?
        }
    };
    if *game.position() != position {
        let got = Fen(*game.position());
        return Err(format!("the moves lead to {got}: expected {fen}"));
    }
    let solutions = parsed(&line.solutions)?;
    if let Some(full) = solutions.iter().find(|&&full| position.play(full).is_err()) {
        return Err(format!("{full} is no legal move of {fen}: expected legal moves as solutions"));
    }
    let (got, legal) = (solutions.len(), position.count_full_moves(position.to_move()));
    if !solutions.is_sorted_by(|a, b| a < b) || got == 0 || got as u64 >= legal {
        return Err(format!("{got} solutions of {legal} legal moves: expected some of them, each once"));
    }
    let proven = line.task != SuiteTask::Best;
    let searches = if proven { 0 } else { 2 };
    for (what, got, expected) in [
        ("legal", line.legal.to_string(), legal.to_string()),
        ("phase", line.phase.to_string(), Phase::of(&position).to_string()),
        ("whether a margin is given", line.margin.is_some().to_string(), proven.to_string()),
        ("the number of searches", line.searches.len().to_string(), searches.to_string()),
    ] {
        if got != expected {
            return Err(format!("{what} is {got}: expected {expected}"));
        }
    }
    Ok(TestPosition {
        id: line.id,
        task: line.task,
        phase: line.phase,
        theme: line.theme,
        game,
        solutions,
        margin: line.margin,
        nodes: line.nodes,
        searches: line.searches,
        found: line.found,
    })
}
