//! Lists the levels, exercises and start positions, which the web page loads when it opens.

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

/// The data that the web page loads first: start positions, levels, exercises and a new game.
#[derive(Debug, Serialize)]
pub struct Catalogue {
    /// The start position of each square board. Its key is the number of squares along a side.
    starts: BTreeMap<String, Position>,
    levels: Vec<LevelName>,
    exercises: &'static Exercises,
    game: GameAnswer,
}

#[derive(Debug, Serialize)]
struct LevelName {
    name: &'static str,
    chinese: &'static str,
}

/// Builds a [`Catalogue`], whose new game has a board with `board` squares along each side.
///
/// # Errors
/// If a board of this size has no start position.
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
