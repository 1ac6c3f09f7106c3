//! The question for the data with which a page begins.

use std::collections::BTreeMap;

use amazons::{Position, Size};
use quiver_bot::Start;
use quiver_engine::players::LEVELS;
use serde::Serialize;

use super::exercises::{Exercises, exercises};
use super::fields::FieldError;
use super::game::GameAnswer;
use crate::games::Game;
use crate::words::CHINESE_LEVELS;

/// The levels, the exercises, the start positions of this crate, and a first game.
#[derive(Debug, Serialize)]
pub struct Catalogue {
    /// The start positions of square boards, by the side of the board.
    starts: BTreeMap<String, Position>,
    /// The levels, the weakest first.
    levels: Vec<LevelName>,
    exercises: &'static Exercises,
    /// A game without moves.
    game: GameAnswer,
}

/// The name of a level in the languages of the page.
#[derive(Debug, Serialize)]
struct LevelName {
    name: &'static str,
    chinese: &'static str,
}

/// Answers with the catalogue. Its game is on a board with this side.
///
/// # Errors
/// If a board with this side has no start position.
pub fn catalogue(board: usize) -> Result<Catalogue, FieldError> {
    let start = Size::square(board).and_then(Position::start);
    let start = start.map_err(|error| FieldError::new("boardXSize", error))?;
    let starts = Start::positions().filter(|(start, _)| *start == Start::Formula);
    let levels = LEVELS.iter().zip(CHINESE_LEVELS);
    Ok(Catalogue {
        starts: starts.map(|(_, start)| (start.size().width().to_string(), start)).collect(),
        levels: levels.map(|(level, chinese)| LevelName { name: level.name, chinese }).collect(),
        exercises: exercises(),
        game: GameAnswer::new(&Game::new(start), 0),
    })
}
