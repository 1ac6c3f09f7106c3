//! A test position as a line of a JSON Lines file.

use serde::Deserialize;

use super::{Phase, SuiteTask, TestPosition, Theme, standard_start};
use crate::game::{Fen, FenError, FullMove, Game, GameError, ParseMoveError, Position};

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
pub struct LongSearch {
    /// Its seed.
    pub seed: u64,
    /// The parameters that differ from the defaults, as `name=value`.
    pub set: Vec<String>,
    /// Playouts.
    pub playouts: u64,
    /// The value of the best move for the side to move, from 0 to 1.
    pub value: f64,
    /// Visits of the best move.
    pub visits: u64,
    /// The move with the second most visits.
    pub second: String,
    /// Its value.
    pub second_value: f64,
    /// Its visits.
    pub second_visits: u64,
}

/// The error of an unreadable line.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum PositionLineError {
    #[error("line {line}: {cause}")]
    Json { line: usize, cause: serde_json::Error },
    #[error("line {line}, position: {cause}")]
    Fen { line: usize, cause: FenError },
    #[error("line {line}: {cause}")]
    Move { line: usize, cause: ParseMoveError },
    #[error("line {line}, moves: {cause}")]
    Game { line: usize, cause: GameError },
    #[error("line {line}: {size} has no start, so that no moves lead to {position}: expected no moves")]
    NoStart { line: usize, size: crate::game::Size, position: String },
    #[error("line {line}: the moves lead to {got}: expected {expected}")]
    Elsewhere { line: usize, got: String, expected: String },
    #[error("line {line}: {full} is no legal move of {position}: expected legal moves as solutions")]
    Illegal { line: usize, full: FullMove, position: String },
    #[error("line {line}: {got} solutions of {legal} legal moves: expected some of them, each once")]
    Solutions { line: usize, got: usize, legal: u64 },
    #[error("line {line}: {what} is {got}: expected {expected}")]
    Figure { line: usize, what: &'static str, got: String, expected: String },
    #[error("line {line}: the id {id} stands in an earlier line too: expected each once")]
    Repeated { line: usize, id: String },
    #[error("no positions: expected one JSON object a line")]
    Empty,
}

impl TestPosition {
    /// Reads a file of test positions and checks each against the rules.
    ///
    /// # Errors
    /// If a line is no test position or repeats an id, or if the file has no line.
    pub fn parse(text: &str) -> Result<Vec<TestPosition>, PositionLineError> {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let mut list: Vec<TestPosition> = Vec::new();
        for (line, text) in lines {
            let position = read(line, text)?;
            if list.iter().any(|known| known.id == position.id) {
                return Err(PositionLineError::Repeated { line, id: position.id });
            }
            list.push(position);
        }
        if list.is_empty() { Err(PositionLineError::Empty) } else { Ok(list) }
    }
}

fn legal_moves(position: &Position) -> u64 {
    position.count_full_moves(position.to_move())
}

fn read(number: usize, text: &str) -> Result<TestPosition, PositionLineError> {
    let line: PositionLine =
        serde_json::from_str(text).map_err(|cause| PositionLineError::Json { line: number, cause })?;
    let Fen(position) =
        line.position.parse().map_err(|cause| PositionLineError::Fen { line: number, cause })?;
    let fen = Fen(position).to_string();
    let parsed = |texts: &[String]| {
        let moves = texts.iter().map(|text| text.parse::<FullMove>()).collect::<Result<Vec<_>, _>>();
        moves.map_err(|cause| PositionLineError::Move { line: number, cause })
    };
    let game = match &line.moves {
        None => Game::new(position),
        Some(texts) => {
            let start = standard_start(&position).ok_or_else(|| PositionLineError::NoStart {
                line: number,
                size: position.size(),
                position: fen.clone(),
            })?;
            Game::of(start, &parsed(texts)?)
                .map_err(|cause| PositionLineError::Game { line: number, cause })?
        }
    };
    if *game.position() != position {
        let got = Fen(*game.position()).to_string();
        return Err(PositionLineError::Elsewhere { line: number, got, expected: fen });
    }
    let solutions = parsed(&line.solutions)?;
    if let Some(&full) = solutions.iter().find(|&&full| position.play(full).is_err()) {
        return Err(PositionLineError::Illegal { line: number, full, position: fen });
    }
    let legal = legal_moves(&position);
    if !solutions.is_sorted_by(|a, b| a < b) || solutions.is_empty() || solutions.len() as u64 >= legal {
        return Err(PositionLineError::Solutions { line: number, got: solutions.len(), legal });
    }
    let figure = |what, got: String, expected: String| match got == expected {
        true => Ok(()),
        false => Err(PositionLineError::Figure { line: number, what, got, expected }),
    };
    figure("legal", line.legal.to_string(), legal.to_string())?;
    figure("phase", line.phase.to_string(), Phase::of(&position).to_string())?;
    let proven = line.task != SuiteTask::Best;
    figure("whether a margin is given", line.margin.is_some().to_string(), proven.to_string())?;
    let searches = if proven { 0 } else { 2 };
    figure("the number of searches", line.searches.len().to_string(), searches.to_string())?;
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
