//! Moves of weak levels: `POST /api/move` takes a game and a level and returns a move.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::{MAX_SEARCHES, ServerState, refused};
use crate::analysis::Defaults;
use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::query::read_game;
use crate::game::Position;
use crate::players::{EngineOptions, LEVELS, Level, LevelNumber, LevelPlayer, Player as _};
use crate::search::Limits;
use crate::web::game::object;

/// Bytes of a level's tree, which is small: levels search few playouts.
const MEMORY: usize = 32 << 20;

/// A move that is asked for.
#[derive(Debug)]
struct LevelRequest {
    position: Position,
    level: Level,
    options: EngineOptions,
}

impl LevelRequest {
    /// Reads `level`, `seed` and the game as in a query.
    fn read(body: &[u8], defaults: &Defaults) -> Result<LevelRequest, FieldError> {
        let mut fields: Fields = object(body)?;
        let game = read_game(&mut fields, defaults.board);
        let level = fields.whole("level", 1..=LEVELS.len() as i64);
        let seed = fields.whole("seed", 0..=i64::MAX);
        fields.finish()?;
        let level = level?.and_then(|number| LevelNumber::new(usize::try_from(number).ok()?));
        let level = *level.ok_or_else(|| FieldError::new("level", "missing: expected a level"))?.level();
        let seed = seed?.map_or(defaults.engine.seed, i64::cast_unsigned);
        let memory = defaults.engine.memory.min(MEMORY);
        let position = *game?.position();
        let options = EngineOptions { seed, memory, threads: 1, ..defaults.engine.clone() };
        Ok(LevelRequest { position, level, options })
    }

    /// The move, and the level's own idea of its chances; `null` where there is no move.
    fn answer(self, most: Duration) -> serde_json::Value {
        let mut player = LevelPlayer::new(self.level, &self.options, &self.position);
        let choice = player.choose(&Limits::per_move(most));
        json!({"move": choice.map(|choice| choice.full.to_string())})
    }
}

pub(super) async fn choose(State(shared): State<ServerState>, body: Bytes) -> Response {
    let asked = match LevelRequest::read(&body, &shared.0.defaults) {
        Ok(asked) => asked,
        Err(error) => return refused(StatusCode::BAD_REQUEST, &error),
    };
    let Ok(place) = Semaphore::try_acquire_owned(shared.0.searches.clone()) else {
        let message = format!("{MAX_SEARCHES} searches are under way: expected fewer, close other pages");
        return refused(StatusCode::SERVICE_UNAVAILABLE, &FieldError::new("", message));
    };
    let most = shared.0.max_time;
    let answer = spawn_blocking(move || {
        let _place = place;
        asked.answer(most)
    });
    match answer.await {
        Ok(answer) => super::json(StatusCode::OK, &answer),
        Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR, &FieldError::new("", "the player failed")),
    }
}
