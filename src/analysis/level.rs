//! Chooses the moves of levels, which are players of limited strength.

use amazons::Move;
use quiver_engine::players::{LEVELS, PlayerKind};
use quiver_engine::search::EngineOptions;
use serde::{Deserialize, Serialize};

use super::fields::{FieldError, Whole, read_strictly};
use super::game_fields::GameFields;
use super::query::Defaults;

/// The largest size of a level's search tree in bytes, which suffices for a level's few playouts.
const MAX_TREE_BYTES: usize = 32 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelQuestion {
    game: GameFields,
    level: Whole<1, { LEVELS.len() as i64 }>,
    seed: Option<Whole<0, { i64::MAX }>>,
}

/// The answer to a question that asks for a level's move.
#[derive(Debug, Serialize)]
pub struct LevelMove {
    /// The level's move; `None` if there is no legal move.
    pub r#move: Option<Move>,
}

/// Chooses the move that a level plays after the last move of the question's game.
///
/// # Errors
/// If a field is wrong.
pub fn choose_move(question: &[u8], defaults: &Defaults) -> Result<LevelMove, FieldError> {
    let LevelQuestion { game, level, seed } = read_strictly(question)?;
    let game = game.game(defaults.board).map_err(|error| error.within("game"))?;
    let seed = seed.map_or(defaults.engine.seed, |seed| seed.0.unsigned_abs());
    let memory = defaults.engine.memory.min(MAX_TREE_BYTES);
    let options = EngineOptions { seed, memory, threads: 1, ..defaults.engine.clone() };
    let player = PlayerKind::Level(LEVELS[level.to_usize() - 1]);
    let choice = player.build(&options, game.position()).choose(&defaults.limits);
    Ok(LevelMove { r#move: choice.map(|choice| choice.chosen) })
}
