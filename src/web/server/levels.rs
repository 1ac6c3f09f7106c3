//! Moves of weak levels: `POST /api/move` takes a game and a level and returns a move.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use tokio::task::spawn_blocking;

use super::{Refusal, ServerState};
use crate::analysis::Defaults;
use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::query::read_game;
use crate::game::Position;
use crate::players::{EngineOptions, LEVELS, Level, LevelPlayer, Player as _};
use crate::search::Limits;

/// Bytes of a level's tree, which is small: levels search few playouts.
const MEMORY: usize = 32 << 20;

/// Reads `level`, `seed` and the position of a game as in a query.
fn read(body: &[u8], defaults: &Defaults) -> Result<(Level, EngineOptions, Position), FieldError> {
    let mut fields = Fields::parse(body)?;
    let game = read_game(&mut fields, defaults.board)?;
    let level = fields.whole("level", 1..=LEVELS.len())?.map(|number| LEVELS[number - 1]);
    let level = level.ok_or_else(|| FieldError::new("level", "missing: expected a level"))?;
    let seed = fields.whole("seed", 0..=i64::MAX.cast_unsigned())?.unwrap_or(defaults.engine.seed);
    fields.finish()?;
    let memory = defaults.engine.memory.min(MEMORY);
    let options = EngineOptions { seed, memory, threads: 1, ..defaults.engine.clone() };
    Ok((level, options, *game.position()))
}

/// Answers with the level's `move`; `null` where there is none.
pub(super) async fn choose(State(shared): State<ServerState>, body: Bytes) -> Result<Response, Refusal> {
    let (level, options, position) = read(&body, &shared.defaults)?;
    let place = shared.place()?;
    let limits = Limits::per_move(shared.max_time);
    let search = move || {
        let _place = place;
        let choice = LevelPlayer::new(level, &options, &position).choose(&limits);
        json!({"move": choice.map(|choice| choice.full)})
    };
    match spawn_blocking(search).await {
        Ok(answer) => Ok(super::json(StatusCode::OK, &answer)),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the player failed")),
    }
}
