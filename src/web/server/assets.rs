//! What the page is made of: files of `assets/`, embedded in the binary.

use std::sync::LazyLock;
use std::time::Duration;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::refused;
use crate::analysis::Defaults;
use crate::analysis::fields::FieldError;
use crate::game::{Fen, Game, Size, Start};
use crate::players::LEVELS;
use crate::web::exercises::MoveTask;
use crate::web::text::{fill, script_json};
use crate::web::{board, exercises, game, graph};

/// The tasks to learn from, read and checked once.
static EXERCISES: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "lesson": exercises::lesson().map(|task| task.json()).collect::<Vec<_>>(),
        "bestMoves": exercises::best_moves().iter().map(MoveTask::json).collect::<Vec<_>>(),
        "endgames": exercises::endgames().map(|endgame| endgame.json()).collect::<Vec<_>>(),
    })
});

const PAGE: &str = include_str!("../assets/app/page.html");

/// The page, with the start position drawn in it.
///
/// # Errors
/// If this board has no start position, or the page's data cannot be written.
pub(super) fn page(defaults: &Defaults, max_time: Duration) -> anyhow::Result<String> {
    let size = Size::square(defaults.board)?;
    let start = Start::Formula.position(size)?;
    let starts = [6, 8, 10].into_iter().filter_map(|side| {
        let start = Start::Formula.position(Size::square(side).ok()?).ok()?;
        Some((side.to_string(), Value::from(Fen(start).to_string())))
    });
    let levels = LEVELS.iter().map(|level| json!({"name": level.name, "chinese": level.chinese}));
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "max_time": max_time.as_secs_f64(),
        "starts": Value::Object(starts.collect()),
        "levels": levels.collect::<Vec<_>>(),
        "exercises": *EXERCISES,
        "game": game::json(&Game::new(start), 0),
    });
    let data = script_json(&data)?;
    Ok(fill(PAGE, &[("board", &board::frame(&start, None)), ("data", &data)]))
}

macro_rules! script {
    ($name:literal) => {
        ($name, "text/javascript; charset=utf-8", include_str!(concat!("../assets/app/", $name)))
    };
}

/// Name, type and content of every file beside the page.
const FILES: &[(&str, &str, &str)] = &[
    ("page.css", "text/css; charset=utf-8", include_str!("../assets/app/page.css")),
    ("layout.css", "text/css; charset=utf-8", include_str!("../assets/app/layout.css")),
    ("board.css", "text/css; charset=utf-8", board::STYLE),
    ("graph.css", "text/css; charset=utf-8", graph::STYLE),
    script!("arrival.js"),
    script!("board.js"),
    script!("chinese.js"),
    script!("clock.js"),
    script!("controls.js"),
    script!("describe.js"),
    script!("drawing.js"),
    script!("ending.js"),
    script!("engine.js"),
    script!("english.js"),
    script!("exercises.js"),
    script!("facts.js"),
    script!("files.js"),
    script!("game.js"),
    script!("graph.js"),
    script!("help.js"),
    script!("learn.js"),
    script!("main.js"),
    script!("motion.js"),
    script!("moves.js"),
    script!("overlays.js"),
    script!("panel.js"),
    script!("players.js"),
    script!("position.js"),
    script!("primer.js"),
    script!("review.js"),
    script!("rules.js"),
    script!("seats.js"),
    script!("server.js"),
    script!("settings.js"),
    script!("setup.js"),
    script!("sound.js"),
    script!("status.js"),
    script!("storage.js"),
    script!("store.js"),
    script!("tasks.js"),
    script!("tree.js"),
    script!("theme.js"),
    script!("trouble.js"),
    script!("words.js"),
];

pub(super) async fn asset(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, _, _)| *known == name) {
        Some((_, kind, content)) => ([(CONTENT_TYPE, *kind)], *content).into_response(),
        None => refused(StatusCode::NOT_FOUND, &FieldError::new("", "no such file")),
    }
}
